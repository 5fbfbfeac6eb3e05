import Foundation
import HTTPServer
import ScriptedServer
import Testing

@Suite struct OnlineCheckTests {
    @Test("check --online shows what a page would store, and leaves nothing behind")
    func online() async throws {
        let place = try Workplace(["things", "idle"])
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...250)))
        let run = try await place.shell("mkdir tmp; TMPDIR=$PWD/tmp $FEEDSYNC check --online things; ls -A tmp")
        let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.first?.hasPrefix("ok  things  100 items (1 request, ") == true)
        #expect(lines.first?.hasSuffix("); next page: 2") == true)
        #expect(
            lines.dropFirst().joined(separator: "\n") == """
                    columns   id, name

                    id  name
                     1  item 1
                     2  item 2
                     3  item 3


                """)
        #expect(run.errors.isEmpty)
        #expect(run.code == 0)
        #expect(place.files == ["feedsync.yaml", "tmp"])
        #expect(place.server.requests.count == 1)
    }

    @Test(
        "check --online refuses a key that different items share, and a name in `search` that no column has",
        arguments: [
            ("key: id", "different items of the first page have the same key", "differ in `key: code`"),
            ("key: code\n    search: [nmae]", "no column is called `nmae`", "the nearest name is `name`"),
        ])
    func unfit(members: String, message: String, advice: String) async throws {
        let place = try Workplace([])
        place.server.route("/things") { _ in
            .json(#"[{"id":1,"code":1,"name":"a"},{"id":1,"code":2,"name":"b"}]"#)
        }
        let file = "feeds:\n  things:\n    url: \(place.server.url)/things\n    pagination: none\n    \(members)\n"
        try place.write("feedsync.yaml", file)
        let run = try await place.run("check --online")
        #expect(run.errors.contains(message) && run.errors.contains(advice))
        #expect(run.code == 78)
    }

    @Test("Each feed is tried, and the first failure decides the exit code")
    func failures() async throws {
        let place = try Workplace(["good", "denied", "broken"])
        place.server.route("/good", to: PagedFeed(PagedFeed.items(1...2)))
        place.server.enqueue("/denied", [.status(401)])
        place.server.enqueue("/broken", [.html("<p>Hello</p>")])
        let run = try await place.run("check --online --json")
        let array = try #require(
            try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String: Any]])
        #expect(array.compactMap { $0["feed"] as? String } == ["good", "denied", "broken"])
        #expect(array.map { ($0["error"] as? [String: Any])?["kind"] as? String } == [nil, "refused", "undecodable"])
        #expect((array[0]["items"] as? [Any])?.count == 2)
        #expect(run.errors.contains("feedsync: denied: ") && run.errors.contains("feedsync: broken: "))
        #expect(run.code == 77)
        #expect(place.files == ["feedsync.yaml"])
    }

    @Test("A folder is removed after the first and after the second Ctrl-C", arguments: [1, 2])
    func interrupted(signals: Int) async throws {
        let place = try Workplace(extra: "timeout: 10m")
        let feed = PagedFeed(PagedFeed.items(1...2))
        let gate = place.server.gate()
        feed.hold(page: 1, at: gate)
        place.server.route("/things", to: feed)
        try FileManager.default.createDirectory(atPath: place.path("tmp"), withIntermediateDirectories: true)
        let command = try place.start("check --online", environment: ["TMPDIR": place.path("tmp")])
        await gate.arrived()
        for _ in 0..<signals { command.send(SIGINT) }
        let run = await command.end()
        gate.open()
        #expect(run.code == 130)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path("tmp")).isEmpty)
    }

    @Test("A feed with only a URL shows what would be found")
    func open() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...25)))
        try place.write("feedsync.yaml", "feeds:\n  things:\n    url: \(place.server.url)/things\n")
        let run = try await place.run("check --online")
        #expect(run.output.contains("; next page: 2\n    columns   id integer, name text\n"))
        #expect(run.code == 0)
        #expect(place.files == ["feedsync.yaml"])
    }

    @Test("check can be narrowed to feeds")
    func narrowed() async throws {
        let place = try Workplace(["things", "idle"])
        #expect(try await place.run("check idle").output == "ok  idle  \(place.server.url)/idle  page\n")
        #expect(try await place.run("check --online idel").code == 64)
    }
}
