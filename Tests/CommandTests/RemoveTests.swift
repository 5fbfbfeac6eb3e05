import HTTPServer
import ScriptedServer
import Testing

@Suite struct RemoveTests {
    @Test("remove deletes the feed from the file; its items stay, and a line that deletes them is shown")
    func items() async throws {
        let place = try Workplace(["things", "idle"])
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        #expect(try await place.run("reload things").code == 0)
        let run = try await place.run("remove things")
        #expect(run.output == "things  removed from feedsync.yaml\n")
        #expect(
            run.errors == """
                feedsync: things: note: kept its 3 items in feedsync.db; to delete them:
                  sqlite3 feedsync.db "DELETE FROM [things]; DELETE FROM _page WHERE feed = 'things'"

                """)
        #expect(run.code == 0)
        #expect(
            try place.text(of: "feedsync.yaml") == "feeds:\n" + Workplace.feed("idle", at: "\(place.server.url)/idle"))
        #expect(try place.query("SELECT count(*) FROM things") == ["3"])
        #expect(try await place.run("show things").code == 0)
        let command = try #require(run.errors.split(separator: "\n").last)
        #expect(try await place.shell(String(command)).code == 0)
        #expect(try place.query("SELECT count(*) FROM things") == ["0"])
    }

    @Test("The comment above a feed stays, and is mentioned")
    func comment() async throws {
        let place = try Workplace()
        try place.write(
            "feedsync.yaml", "feeds:\n  # mine\n  a: {preset: github.search}  # odd\n  b: {preset: github.search}\n")
        let run = try await place.run("remove a")
        #expect(run.output == "a  removed from feedsync.yaml\n")
        #expect(run.errors == "feedsync: a: note: kept the comment above it (feedsync.yaml:2)\n")
        #expect(try place.text(of: "feedsync.yaml") == "feeds:\n  # mine\n  b: {preset: github.search}\n")
        #expect(
            try await place.run("remove b --json").output
                == "{\"feed\":\"b\",\"file\":\"feedsync.yaml\",\"item_count\":0}\n")
    }

    @Test("A feed with an error can be removed, too")
    func misspelled() async throws {
        let place = try Workplace()
        try place.write("feedsync.yaml", "feeds:\n  a:\n    ulr: x\n  b: {preset: github.search}\n")
        #expect(try await place.run("remove a").code == 0)
        #expect(try await place.run("check").code == 0)
    }

    @Test(
        "A feed that cannot be removed is reported, and the file stays as it is",
        arguments: [
            (
                "remove thigns", 64,
                "no such feed: thigns; did you mean things?\nTry: feedsync feeds lists those of feedsync.yaml\n"
            ),
            ("remove", 64, "remove needs the name of a feed\nTry: feedsync feeds lists them\n"),
            ("remove a b", 64, "unexpected argument: b\nTry: feedsync help remove\n"),
        ] as [(String, Int32, String)])
    func refusals(words: String, code: Int32, message: String) async throws {
        let place = try Workplace()
        let before = try place.text(of: "feedsync.yaml")
        let run = try await place.run(words)
        #expect(run.errors == "feedsync: \(message)")
        #expect(run.output.isEmpty)
        #expect(run.code == code)
        #expect(try place.text(of: "feedsync.yaml") == before)
    }
}
