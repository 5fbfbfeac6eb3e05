import HTTPServer
import ScriptedServer
import Testing

@Suite struct AddParametersTests {
    @Test(
        "A parameter that the found pagination sets is where it starts",
        arguments: [
            ("page=1", "first: 1\n", "25 new (2 pages"), ("page=1 colour=red", "first: 1\n", "25 new (2 pages"),
            ("page=2", "first: 2}", "15 new ("),
        ])
    func pages(words: String, pagination: String, outcome: String) async throws {
        let place = try Workplace.empty()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...25)))
        let run = try await place.run("add things \(place.server.url)/things \(words)")
        #expect(run.errors.isEmpty)
        #expect(run.code == 0)
        let text = try place.text(of: "feedsync.yaml")
        #expect(text.contains(pagination))
        #expect(text.contains("query: {colour: red}") == words.contains("colour"))
        #expect(!text.contains("  page: 1"))
        #expect(try await place.run("more things --all").output.hasPrefix("things  \(outcome)"))
    }

    @Test("A token to start with stays in the URL")
    func tokens() async throws {
        let place = try Workplace.empty()
        place.server.route("/things") { request in
            switch request.parameter("cursor") {
            case "*": .json(#"{"items":[{"id":1},{"id":2}],"next_cursor":"b c"}"#)
            case "b c": .json(#"{"items":[{"id":3},{"id":4}],"next_cursor":null}"#)
            default: .status(400)
            }
        }
        #expect(try await place.run("add things \(place.server.url)/things?a=b cursor=* c=d").code == 0)
        let text = try place.text(of: "feedsync.yaml")
        #expect(text.contains("url: \(place.server.url)/things?a=b&cursor=*\n    query: {c: d}\n"))
        #expect(try await place.run("more things --all").output.hasPrefix("things  4 new (2 pages"))
    }

    @Test("Retries do not keep people waiting: there are two at most, shown on a terminal")
    func retries() async throws {
        let place = try Workplace.empty()
        place.server.route("/things") { _ in .status(503) }
        let run = try await place.shell(
            #"script -qec "stty cols 70; $FEEDSYNC add t \#(place.server.url)/things" /dev/null"#,
            environment: ["NO_COLOR": "1"])
        #expect(place.server.requests.count == 3)
        #expect(run.output.contains("\r\u{1B}[Kt  attempt 2: 503 Service Unavailable"))
        #expect(run.output.contains("(3 attempts)"))
        #expect(run.code == 69)
    }

    @Test("A setting that was not found is reported, with its consequence")
    func notFound() async throws {
        let place = try Workplace.empty()
        place.server.route("/things") { _ in .json(#"[{"id":1},{"id":2}]"#) }
        place.server.route("/none") { _ in .json("[]") }
        let run = try await place.run("add things \(place.server.url)/things")
        #expect(run.output.contains("this page counts as the whole list"))
        let none = try await place.run("add none \(place.server.url)/none")
        #expect(none.output.contains("the rest is worked out as soon as a page has items"))
        #expect(none.code == 0)
    }
}
