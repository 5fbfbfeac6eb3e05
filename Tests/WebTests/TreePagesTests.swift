import FeedSync
import Foundation
import HTTPServer
import SQLite
import ScriptedServer
import Testing
import Web

/// The pages of a feed with a list for each row of another.
@Suite(.timeLimit(.minutes(10))) struct TreePagesTests {
    /// Two things, and a list of three labels for each, whose host says what it still allows.
    private func serving(_ body: (WebPlace, ScriptedServer) async throws -> Void) async throws {
        let upstream = try ScriptedServer()
        upstream.route("/labels") { request in
            let thing = request.parameter("thing") ?? ""
            let labels = (1...3).map { #"{"id":\#($0),"name":"label \#($0) of \#(thing)"}"# }
            return .json(
                "[\(labels.joined(separator: ","))]",
                headers: [
                    (name: "X-RateLimit-Limit", value: "60"), (name: "X-RateLimit-Remaining", value: "41"),
                    (name: "X-RateLimit-Reset", value: "4102444800"),
                ])
        }
        let labels = """
            every: 1h
              labels:
                for_each: things
                url: \(upstream.url)/labels
                query: {thing: "{things.id}"}
                key: id
                pagination: none
                retries: 0
            """
        try await WebPlace.serving(items: PagedFeed.items(1...2), extra: labels) { place in
            for feed in ["things", "labels"] { try await place.perform(.sync, on: feed) }
            try await body(place, upstream)
        }
    }

    @Test("A list of a feed has a path of its own below the feed's, and its links stay there")
    func partPaths() async throws {
        try await serving { place, _ in
            let parts = try await place.ask("/feeds/labels/parts?limit=1")
            #expect(parts.list("name") == ["\"labels/1\""])
            #expect(try await place.ask(try #require(parts.next)).list("name") == ["\"labels/2\""])
            #expect(try await place.ask("/feeds/labels/parts/2").member("name") == "\"labels/2\"")
            let items = try await place.ask("/feeds/labels/parts/2/items?limit=2")
            #expect(items.list("name") == ["\"label 1 of 2\"", "\"label 2 of 2\""])
            #expect(items.next?.hasPrefix("/feeds/labels/parts/2/items?") == true)
            #expect(try await place.ask(try #require(items.next)).list("name") == ["\"label 3 of 2\""])
            #expect(try await place.ask("/feeds/labels%2F2/items?limit=2").body == items.body)
            #expect(try await place.ask("/feeds/labels/parts/9").status == 404)
            #expect(try await place.ask("/feeds/labels/parts/2/items?lmit=2").status == 400)
            #expect(try await place.ask("/feeds/labels/parts/2/runs").list("command").count == 1)
        }
    }

    @Test("The runs of a feed's lists are one line of the status page, which opens")
    func listRuns() async throws {
        try await serving { place, _ in
            let status = try await place.page("/status")
            #expect(status.contains("<summary>labels: 2 lists, 6 new, "))
        }
    }

    @Test("An item says which row it belongs to, and a row's page leads to its lists")
    func tree() async throws {
        try await serving { place, _ in
            let list = try await place.page("/list/labels")
            #expect(
                list.contains("<span class=\"name\">things</span> <a href=\"/item/things?key=2\"><bdi>item 2</bdi>"))
            let row = try await place.page("/item/things?key=2")
            #expect(row.contains("<a href=\"/list/labels%2F2\">labels</a> <span class=\"count\">3 items</span>"))
            let own = try await place.page("/list/labels%2F2")
            #expect(own.contains("label 3 of 2") && !own.contains("of 1<"))
            let item = try await place.page("/item/labels?key=%5B2%2C3%5D")
            #expect(item.contains(" › <a href=\"/item/things?key=2\"><bdi>item 2</bdi></a>"))
        }
    }

    @Test("A host's remaining quota is among the figures for Prometheus")
    func quota() async throws {
        try await serving { place, _ in
            let text = try await place.ask("/metrics").body
            #expect(text.contains("feedsync_quota_remaining{origin=") && text.contains("} 41\n"))
        }
    }

    @Test("The figures of a feed are those of its lists, each request once, also of a list that failed")
    func figures() async throws {
        try await serving { place, upstream in
            func requests() async throws -> Int {
                let lines = try await place.ask("/metrics").body.split(separator: "\n")
                #expect(!lines.contains { $0.contains("feed=\"labels/") })
                return lines.filter { $0.hasPrefix("feedsync_requests_total{feed=\"labels\"") }
                    .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
            }
            #expect(try await requests() == 2)
            try await place.perform(.sync, on: "labels")
            #expect(try await requests() == 4)
            upstream.route("/labels") { request in
                request.parameter("thing") == "1" ? .json("{}", status: 500) : .json(#"[{"id":9,"name":"new"}]"#)
            }
            await #expect(throws: FeedSyncError.self) { try await place.perform(.sync, on: "labels") }
            #expect(try await requests() == upstream.requests(for: "/labels").count)
        }
    }

    @Test("The clock asks for lists that are due, and a person for all of them")
    func due() async throws {
        try await serving { place, upstream in
            let labels = try #require(try Configuration.load("\(place.folder)/feedsync.yaml").feed(named: "labels"))
            let store = try Connection(path: "\(place.folder)/feedsync.db", access: .readWrite)
            try store.execute("UPDATE feed_part SET next_due_at = '2020-01-01T00:00:00.000Z' WHERE name = 'labels/2'")
            try await place.web.syncDue(labels)
            #expect(upstream.requests.compactMap { $0.parameter("thing") }.dropFirst(2) == ["2"])
            #expect(try await place.post("/feeds/labels/sync").status < 400)
            #expect(upstream.requests.compactMap { $0.parameter("thing") }.dropFirst(3).sorted() == ["1", "2"])
        }
    }
}
