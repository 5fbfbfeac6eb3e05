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
            run.errors.hasSuffix(
                """
                feedsync: things: note: kept its 3 items in feedsync.db; to delete them:
                  feedsync remove things --data

                """))
        #expect(run.code == 0)
        #expect(
            try place.text(of: "feedsync.yaml") == "feeds:\n" + Workplace.feed("idle", at: "\(place.server.url)/idle"))
        #expect(try place.query("SELECT count(*) FROM things") == ["3"])
        #expect(try await place.run("show things").code == 0)
    }

    @Test("The line that deletes them has the options that were given, as a shell takes them")
    func line() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        let options = "--config \"it's mine.yaml\" --store a/store.db"
        let sync = try await place.shell(
            "mkdir a; mv feedsync.yaml \"it's mine.yaml\"; $FEEDSYNC sync \(options) && $FEEDSYNC remove things \(options)"
        )
        #expect(sync.code == 0, "\(sync.errors)")
        #expect(
            sync.errors.hasSuffix("  feedsync remove things --data --config 'it'\\''s mine.yaml' --store a/store.db\n"),
            "\(sync.errors)")
    }

    @Test(
        "remove --data deletes all that the store has of the feed, also of one that was removed before; others stay",
        arguments: [true, false])
    func data(isConfigured: Bool) async throws {
        let place = try Workplace(["things", "idle"], extra: "model: thing")
        for name in ["things", "idle"] { place.server.route("/\(name)", to: PagedFeed(PagedFeed.items(1...3))) }
        #expect(try await place.run("sync").code == 0)
        if !isConfigured { #expect(try await place.run("remove things").code == 0) }
        let run = try await place.run("remove things --data --yes")
        let from = isConfigured ? "removed from feedsync.yaml, " : ""
        #expect(run.output == "things  \(from)3 items deleted\n")
        #expect(run.code == 0, "\(run.errors)")
        #expect(
            try place.text(of: "feedsync.yaml")
                == "feeds:\n" + Workplace.feed("idle", at: "\(place.server.url)/idle", extra: "model: thing"))
        for table in ["_feed", "run", "event", "_crawl", "_page", "_section"] {
            #expect(try place.query("SELECT DISTINCT feed FROM \(table)") == ["idle"], "\(table)")
        }
        #expect(try place.query("SELECT 1 FROM _crawl_page WHERE crawl NOT IN (SELECT id FROM _crawl)").isEmpty)
        #expect(try place.query("SELECT name FROM feed") == ["idle"])
        #expect(try place.query("SELECT 1 FROM sqlite_schema WHERE name = 'things'").isEmpty)
        #expect(try place.query("SELECT DISTINCT feed FROM thing") == ["idle"])
        #expect(try place.query("SELECT DISTINCT feed FROM change") == ["idle"])
        #expect(try await place.run("sync").code == 0)
        try place.expectSound("idle")
    }

    @Test("remove --data asks on a terminal, and needs --yes elsewhere")
    func asks() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        #expect(try await place.run("sync").code == 0)
        let before = try place.text(of: "feedsync.yaml")
        let refused = try await place.run("remove things --data")
        #expect(refused.code == 64)
        #expect(
            refused.errors == """
                feedsync: remove needs a confirmation, and there is no terminal to ask on
                Try: run the same command with --yes

                """)
        let no = try await place.shell("echo n | script -qec '\"$FEEDSYNC\" remove things --data' /dev/null")
        #expect(no.output.contains("feedsync: delete things, with 3 items and its history? [y/N]"), "\(no.output)")
        #expect(try place.text(of: "feedsync.yaml") == before)
        #expect(try place.query("SELECT count(*) FROM things") == ["3"])
        let yes = try await place.shell("echo y | script -qec '\"$FEEDSYNC\" remove things --data' /dev/null")
        #expect(yes.output.contains("3 items deleted"), "\(yes.output)")
        #expect(try place.query("SELECT count(*) FROM feed") == ["0"])
        let unknown = try await place.run("remove thing --data --yes")
        #expect(unknown.code == 64 && unknown.errors.contains("no such feed: thing"), "\(unknown.errors)")
    }

    @Test("The lines of a removed feed can be pasted back, and a credential among them is shown to nobody")
    func lines() async throws {
        let place = try Workplace(["things", "others"])
        let text = try place.text(of: "feedsync.yaml")
        #expect(try await place.shell("$FEEDSYNC remove others 2> lines && cat lines >> feedsync.yaml").code == 0)
        let pasted = try place.text(of: "feedsync.yaml")
        #expect(pasted.words == text.words, "\(pasted)")
        try place.write("feedsync.yaml", "feeds:\n  a: {url: 'https://example.com', auth: {bearer: s3cret}}\n")
        #expect(try await place.run("remove a").errors.isEmpty)
    }

    @Test("The comment above a feed stays, and is mentioned")
    func comment() async throws {
        let place = try Workplace()
        try place.write(
            "feedsync.yaml", "feeds:\n  # mine\n  a: {preset: github.search}  # odd\n  b: {preset: github.search}\n")
        let run = try await place.run("remove a")
        #expect(run.output == "a  removed from feedsync.yaml\n")
        #expect(
            run.errors
                == "  a: {preset: github.search}  # odd\nfeedsync: a: note: kept the comment above it (feedsync.yaml:2)\n"
        )
        #expect(try place.text(of: "feedsync.yaml") == "feeds:\n  # mine\n  b: {preset: github.search}\n")
        #expect(
            try await place.run("remove b --json").output
                == "[\n{\"feed\":\"b\",\"file\":\"feedsync.yaml\",\"item_count\":0,\"version\":1}\n]\n")
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
                "no such feed: thigns; did you mean things?\nTry: feedsync feeds  # lists those of feedsync.yaml\n"
            ),
            ("remove", 64, "remove needs the name of a feed\nTry: feedsync feeds  # lists them\n"),
            ("remove a b", 64, "unexpected argument: b\nTry: feedsync help remove\n"),
        ] as [(String, Int32, String)])
    func refusals(words: String, code: Int32, message: String) async throws {
        try await Workplace().expectRefusal(words, code: code, message: message)
    }

    @Test("add of a removed feed's name says what is stored of it, and asks: without a terminal, with --yes")
    func addedAgain() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        #expect(try await place.run("sync things").code == 0)
        #expect(try await place.run("remove things").code == 0)
        let count = place.server.requests.count
        let add = "add things \(place.server.url)/things"
        let asked = try await place.run(add)
        #expect(asked.code == 64)
        #expect(asked.errors.contains("things was removed before, and the store has 3 items of it"), "\(asked.errors)")
        #expect(asked.errors.contains("--yes") && place.server.requests.count == count)
        #expect(try await place.run("\(add) --yes").code == 0)
        #expect(try await place.run("add others \(place.server.url)/things").code == 0)
    }
}

extension String {
    fileprivate var words: [Substring] { split(whereSeparator: \.isWhitespace) }
}
