import FeedSync
import Foundation
import HTTPServer
import ScriptedServer
import Testing
import Web

@Suite(.timeLimit(.minutes(10))) struct SearchTests {
    private func search(
        _ place: WebPlace, _ text: String, page: String = "a", number: Int? = nil, more: String? = nil
    ) async throws -> Reply {
        let headers = [
            "X-FeedSync-Token": try await place.token(), "Content-Type": "application/x-www-form-urlencoded",
        ]
        let target = more == nil ? "/search/things" : "/search/things/more"
        return try await place.ask(
            target, method: "POST", headers: headers,
            body: "q=\(text)&as=\(page)&after=\(more ?? "")\(number.map { "&number=\($0)" } ?? "")")
    }

    @Test("A typed search goes to the upstream in the feed's parameter, pages on, and is stored in no feed")
    func searched() async throws {
        try await WebPlace.serving(extra: "search: {param: q}") { place in
            let found = try await search(place, "item")
            #expect(found.status == 200)
            #expect(found.body.contains("item 10"))
            #expect(place.upstream.requests.map { $0.parameter("q") } == ["item"])
            let place10 = try #require(
                found.body.firstRange(of: "data-next=\"").map { found.body[$0.upperBound...].prefix { $0 != "\"" } })
            let more = try await search(place, "item", more: String(place10))
            #expect(more.body.contains("item 20"))
            #expect(!more.body.contains("item 10<"))
            #expect(try await place.ask("/feeds/things/items").list("id") == [])
        }
    }

    @Test("A text that is searched for again shows what the upstream has now, and so do its further pages")
    func anew() async throws {
        try await WebPlace.serving(extra: "search: {param: q}") { place in
            #expect(try await search(place, "item").body.contains("item 10"))
            #expect(try await search(place, "item", more: "1.9").body.contains("item 20"))
            place.upstream.route("/things") { request in
                request.parameter("q") == "none"
                    ? .json(#"{"items":[],"total_count":0}"#)
                    : .json(#"{"items":[{"id":77,"name":"item 77"}],"total_count":1}"#)
            }
            for text in ["none", "item"] {
                let found = try await search(place, text)
                #expect(found.body.contains("item 77") == (text == "item"))
                #expect(!found.body.contains("item 10"))
                #expect(!(try await search(place, text, more: "1.0")).body.contains("item 10"))
            }
        }
    }

    @Test("Less than three letters are not searched for, and a GET requests nothing")
    func short() async throws {
        try await WebPlace.serving(extra: "search: {param: q}") { place in
            let (typed, opened) = (try await search(place, "it"), try await place.ask("/search/things?q=item"))
            #expect(typed.body.isEmpty)
            #expect(opened.status == 200)
            #expect(try await search(place, "  it ").body.isEmpty)
            // Nor is there more of what was not searched for.
            for text in ["", "it", "item"] { #expect(try await search(place, text, more: "1.0").status == 400) }
            #expect(place.upstream.requests.isEmpty)
        }
    }

    @Test("A text that a later one of the same page overtook on its way is not searched for")
    func overtaken() async throws {
        try await WebPlace.serving(extra: "search: {param: q}") { place in
            var statuses: [Int] = []
            for (text, number) in [("first", 1), ("third", 3), ("second", 2)] {
                statuses.append(try await search(place, text, number: number).status)
            }
            statuses.append(try await search(place, "other", page: "b", number: 1).status)
            #expect(statuses == [200, 200, 204, 200])
            #expect(place.upstream.requests.map { $0.parameter("q") } == ["first", "third", "other"])
        }
    }

    @Test("A later text of the same page takes the place of an earlier one, whose request is cancelled")
    func latest() async throws {
        try await WebPlace.serving(extra: "search: {param: q}") { place in
            let gate = place.upstream.gate()
            place.upstream.route("/things") { request in
                if request.parameter("q") == "first" { gate.wait() }
                return .json(#"{"items":[{"id":1,"name":"\#(request.parameter("q") ?? "")"}],"total_count":1}"#)
            }
            async let first = search(place, "first")
            await gate.arrived()
            async let other = search(place, "other", page: "b")
            let second = try await search(place, "second")
            #expect(second.body.contains("second"))
            #expect(try await first.status == 204)
            #expect(try await other.body.contains("other"))
            gate.open()
        }
    }

    @Test("Texts that come at once, as keys are hit, share one store: the last one is found")
    func atOnce() async throws {
        try await WebPlace.serving(extra: "search: {param: q}") { place in
            let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
                for text in ["i", "it", "ite", "item"] { group.addTask { try await search(place, text, page: text) } }
                var replies: [Reply] = []
                for try await reply in group { replies.append(reply) }
                return replies
            }
            #expect(replies.filter { $0.body.contains("item 1<") }.count == 2)
        }
    }

    @Test("A text that failed is searched for again when it is sent again, and what is found then is the answer")
    func again() async throws {
        try await WebPlace.serving(extra: "search: {param: q}") { place in
            place.upstream.enqueue("/things", [.status(500)])
            #expect(try await search(place, "item", number: 1).status == 502)
            place.upstream.route("/things", to: place.feed)
            let second = try await search(place, "item", number: 2)
            #expect(second.status == 200)
            #expect(second.body.contains("item 10"))
            #expect(place.upstream.requests.count == 2)
            // A failure of the second request is the answer as well.
            place.upstream.route("/things") { _ in .status(503) }
            for number in 3...4 {
                let reply = try await search(place, "other", number: number)
                #expect(reply.status == 502)
            }
            #expect(place.upstream.requests.count == 4)
        }
    }

    @Test("A search reports a failure of the upstream, and a feed without a parameter has no search")
    func failing() async throws {
        try await WebPlace.serving(extra: "search: {param: q}") { place in
            place.upstream.route("/things") { _ in .status(500) }
            let reply = try await search(place, "item")
            #expect(reply.status == 502)
        }
        try await WebPlace.serving { place in
            let replies = [try await search(place, "item"), try await place.ask("/search/things")]
            #expect(replies.map(\.status) == [404, 404])
        }
    }

    @Test("A search becomes a feed like the searched one, with its text, by the rules of `add`")
    func kept() async throws {
        try await WebPlace.servingEditable(extra: "search: {param: q}") { place in
            func keep(_ name: String, _ text: String) async throws -> Reply {
                let headers = [
                    "X-FeedSync-Token": try await place.token(), "Content-Type": "application/x-www-form-urlencoded",
                ]
                return try await place.ask(
                    "/search/things/keep", method: "POST", headers: headers, body: "q=\(text)&name=\(name)")
            }
            for (name, problem) in [("things", "already exists"), ("1st", "not a letter"), ("", "not a letter")] {
                let reply = try await keep(name, "item")
                #expect(reply.status == 422)
                #expect(reply.body.contains(problem), "\(reply.body)")
            }
            let reply = try await keep("kept", "item+1%24%7BHOME%7D")
            #expect(reply.status == 303)
            #expect(reply.header("Location") == "/list/kept")
            #expect(place.upstream.requests.last?.parameter("q") == "item 1${HOME}")
            let text = try String(contentsOfFile: "\(place.folder)/feedsync.yaml", encoding: .utf8)
            #expect(text.contains("  kept:\n    url: \(place.upstream.url)/things\n    query: {q: "))
            #expect(text.contains("item 1$${HOME}"))
            let items = try await place.ask("/feeds/kept/items").list("id")
            #expect(items.count == 10)
        }
    }
}
