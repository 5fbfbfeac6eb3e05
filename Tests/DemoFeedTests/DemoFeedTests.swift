import DemoFeed
import Foundation
import HTTPServer
import Testing

private let feed = DemoFeed()

@Suite struct DemoFeedTests {
    @Test("Every page of a search is JSON, and together they are every repository once")
    func allPages() throws {
        var ids: [Int] = []
        for page in 1...10 {
            let object = try object("/search/repositories?q=stars:%3E0&per_page=100&page=\(page)")
            #expect(object["total_count"] as? Int == feed.repositoryCount)
            ids += try items(object).compactMap { $0["id"] as? Int }
        }
        #expect(ids.count == feed.repositoryCount)
        #expect(Set(ids).count == feed.repositoryCount)
    }

    @Test(
        "A page has the size asked for, within limits",
        arguments: [
            ("", 30), ("?per_page=7", 7), ("?per_page=1000", 100), ("?per_page=0", 1), ("?per_page=x", 30),
            ("?per_page=100&page=11", 0), ("?page=\(Int.max)", 0),
        ])
    func pageSize(query: String, count: Int) throws {
        #expect(try items(object("/search/repositories\(query)")).count == count)
    }

    @Test("A page that is not a number from 1 is refused", arguments: ["0", "-1", "x", "", "99999999999999999999"])
    func badPage(page: String) {
        #expect(answer("/search/repositories?page=\(page)").status == 422)
        #expect(answer("/anchors?index=\(page)").status == 400)
    }

    @Test("Sorting by stars goes down, and up when asked to")
    func stars() throws {
        let down = try items(object("/search/repositories?sort=stars&per_page=100")).compactMap {
            $0["stargazers_count"] as? Int
        }
        #expect(down == down.sorted(by: >))
        let up = try items(object("/search/repositories?sort=stars&order=asc&per_page=100"))
            .compactMap { $0["stargazers_count"] as? Int }
        #expect(up == up.sorted())
        #expect(up.count == 100)
    }

    @Test("A search finds what has all words, in whatever case, and counts and links its pages")
    func words() throws {
        let found = try object("/search/repositories?q=OTTER+stars:%3E1")
        let names = try items(found).compactMap { $0["name"] as? String }
        #expect(!names.isEmpty && names.count < 30 && names.count == found["total_count"] as? Int)
        #expect(names.allSatisfy { $0.contains("otter") })
        #expect(try object("/search/repositories?q=otter+zzzz")["total_count"] as? Int == 0)
        let total = try #require(try object("/search/repositories?q=swift")["total_count"] as? Int)
        #expect(total < feed.repositoryCount)
        let link = header("Link", answer("/search/repositories?q=swift&per_page=10", host: "h:1"))
        #expect(link?.contains("page=\((total + 9) / 10)>; rel=\"last\"") == true)
        let pages = try (1...(total + 9) / 10).map {
            try items(object("/search/repositories?q=swift&per_page=10&page=\($0)"))
        }
        #expect(Set(pages.joined().compactMap { $0["id"] as? Int }).count == total)
    }

    @Test("The repositories hold what a mirror must cope with: nulls, six categories, German, Japanese, emoji")
    func variety() throws {
        let all = try (1...10).flatMap { try items(object("/search/repositories?per_page=100&page=\($0)")) }
        for member in ["description", "language", "homepage", "license"] {
            #expect(all.contains { $0[member] is NSNull }, "no repository lacks its \(member)")
        }
        #expect(Set(all.compactMap { $0["category"] as? String }).count == 6)
        let text = all.compactMap { $0["description"] as? String }.joined()
        for sample in ["ü", "の", "👩‍💻"] { #expect(text.contains(sample)) }
        #expect(!text.contains("{"))
    }

    @Test("A second feed gives the same bytes, whatever it was asked before")
    func deterministic() {
        let request = ServerRequest(target: "/search/repositories?page=3", headers: [(name: "Host", value: "test")])
        #expect(DemoFeed().answer(request).body == answer("/search/repositories?page=3").body)
    }

    @Test("Neighbouring pages are linked with the rest of the query, encoded")
    func links() {
        let link = header("Link", answer("/search/repositories?in=a%26b+c&page=2&per_page=100", host: "h:1"))
        let url = "<http://h:1/search/repositories?in=a%26b%20c&per_page=100&page="
        #expect(
            link == "\(url)1>; rel=\"prev\", \(url)3>; rel=\"next\", \(url)10>; rel=\"last\", \(url)1>; rel=\"first\"")
        #expect(header("Link", answer("/search/repositories?page=10&per_page=100"))?.contains("next") == false)
    }

    @Test("A tag that holds is a 304 that costs no quota")
    func conditional() throws {
        let feed = DemoFeed()
        let first = feed.answer(ServerRequest(target: "/search/repositories"))
        let tag = try #require(header("ETag", first))
        let again = ServerRequest(target: "/search/repositories", headers: [(name: "If-None-Match", value: tag)])
        let second = feed.answer(again)
        #expect(second.status == 304)
        #expect(second.body.isEmpty)
        #expect(header("X-RateLimit-Remaining", first) == "4999")
        #expect(header("X-RateLimit-Remaining", second) == "4999")
        #expect(header("X-RateLimit-Limit", second) == "5000")
    }

    @Test("The anchors come twenty a page within their envelope, then none")
    func anchors() throws {
        let counts = try (1...8).map { page in
            let envelope = try object("/anchors?index=\(page)")
            #expect(envelope["code"] as? Int == 100)
            let message = try #require(envelope["message"] as? [String: Any])
            return try #require(message["anchors"] as? [[String: Any]]).count
        }
        #expect(counts == [20, 20, 20, 20, 20, 20, 17, 0])
    }

    @Test(
        "Single objects name themselves",
        arguments: [("/repos/feedsync/demo", "full_name", "feedsync/demo"), ("/orgs/feedsync", "login", "feedsync")])
    func single(path: String, member: String, value: String) throws {
        #expect(try object(path)[member] as? String == value)
    }

    @Test("Owners and hosts have pictures at the demo's own address, wherever that is")
    func pictures() throws {
        let owner = try #require(try items(object("/search/repositories")).first?["owner"] as? [String: Any])
        let url = try #require(owner["avatar_url"] as? String)
        #expect(url.hasPrefix("http://test/pictures/"))
        let picture = answer(String(url.dropFirst("http://test".count)))
        #expect(header("Content-Type", picture) == "image/png")
        #expect(picture.body.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        #expect(picture.body == answer(String(url.dropFirst("http://test".count))).body)
        #expect(picture.body != answer("/pictures/1.png").body)
        for path in ["/pictures/", "/pictures/x.png", "/pictures/1.svg"] { #expect(answer(path).status == 404) }
        let below = feed.answer(ServerRequest(target: "/anchors"), at: "http://h:1/demo")
        #expect(String(decoding: below.body, as: UTF8.self).contains("\"http://h:1/demo/pictures/"))
    }

    @Test("Another path is 404, another method 405")
    func refused() {
        #expect(answer("/nowhere").status == 404)
        #expect(feed.answer(ServerRequest(method: "POST", target: "/anchors")).status == 405)
    }
}

private func answer(_ target: String, host: String = "test") -> ServerResponse {
    feed.answer(ServerRequest(target: target, headers: [(name: "Host", value: host)]))
}

private func header(_ name: String, _ response: ServerResponse) -> String? {
    response.headers.first { $0.name == name }?.value
}

private func object(_ target: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(answer(target).body)) as? [String: Any])
}

private func items(_ object: [String: Any]) throws -> [[String: Any]] {
    try #require(object["items"] as? [[String: Any]])
}
