import HTTPServer
import SQLite
import ScriptedServer
import Testing

@Suite("rename and reset")
struct RenameTests {
    private func place(_ feed: PagedFeed, _ extra: String = "model: thing") async throws -> Workplace {
        let place = try Workplace(extra: extra)
        place.server.route("/things", to: feed)
        let run = try await place.run("sync")
        #expect(run.code == 0, "\(run.errors)")
        return place
    }

    /// Everything in the store that has a feed's name: the tables that have it.
    private func mentions(of name: String, in place: Workplace) throws -> [String] {
        let tables = try place.query("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*'")
        return try tables.filter { table in
            let columns = try place.query(
                "SELECT name FROM pragma_table_info('\(table)') WHERE name IN ('feed', 'name')")
            return try columns.contains { column in
                try place.query("SELECT 1 FROM [\(table)] WHERE [\(column)] = '\(name)'").first != nil
            }
        }
    }

    @Test("rename keeps rows, history and places: the next sync costs what it would have cost")
    func rename() async throws {
        let feed = PagedFeed(PagedFeed.items(1...250))
        let place = try await place(feed)
        _ = try place.query("CREATE VIEW mine AS SELECT id FROM things")
        #expect(try await place.run("changes things --ack me").code == 0)
        _ = try await place.run("sync")
        let before = feed.requestedPages.count
        #expect(try await place.run("sync").code == 0)
        let usual = feed.requestedPages.count - before
        let counts = try ["run", "event", "_page", "_crawl"].map { try place.query("SELECT count(*) FROM \($0)") }
        let text = try place.text(of: "feedsync.yaml")
        try place.write("feedsync.yaml", text.replacing("  things:\n", with: "  # mine\n  things: # old\n"))

        let run = try await place.run("rename things my-things")
        #expect(run.output == "things  renamed to my-things\n")
        #expect(run.code == 0, "\(run.errors)")
        #expect(
            try place.text(of: "feedsync.yaml")
                == text.replacing("  things:\n", with: "  # mine\n  my-things: # old\n"))
        #expect(try mentions(of: "things", in: place).isEmpty)
        #expect(
            try ["run", "event", "_page", "_crawl"].map { try place.query("SELECT count(*) FROM \($0)") } == counts)
        #expect(try place.query("SELECT count(*) FROM my_things") == ["250"])
        #expect(try place.query("SELECT count(*) FROM mine") == ["250"])
        #expect(try place.query("SELECT DISTINCT feed FROM thing") == ["my-things"])
        #expect(try place.query("SELECT DISTINCT feed FROM change") == ["my-things"])
        #expect(try place.query("SELECT count(*) FROM pragma_foreign_key_check") == ["0"])
        #expect(try await place.run("changes my-things --ack me").output == "")

        let second = feed.requestedPages.count
        let sync = try await place.run("sync")
        #expect(sync.code == 0, "\(sync.errors)")
        #expect(feed.requestedPages.count - second == usual)
        #expect(try place.query("SELECT outcome FROM run ORDER BY id DESC LIMIT 1") == ["unchanged"])
        #expect(try place.query("SELECT count(*) FROM feed") == ["1"])
        try place.expectSound("my-things")
    }

    @Test("rename takes a name that differs only in case, and a feed that was never stored")
    func spelling() async throws {
        let place = try await place(PagedFeed(PagedFeed.items(1...3)))
        #expect(try await place.run("rename things Things").code == 0)
        #expect(try place.query("SELECT name FROM sqlite_schema WHERE name = 'things' COLLATE NOCASE") == ["Things"])
        #expect(try await place.run("sync").code == 0)
        #expect(try place.query("SELECT count(*) FROM Things") == ["3"])
        let other = try Workplace()
        #expect(
            try await other.run("rename things others --json").output
                == "[\n" + #"{"feed":"things","name":"others","file":"feedsync.yaml","is_stored":false,"version":1}"#
                + "\n]\n")
        #expect(try await other.run("feeds").output.contains("others"))
    }

    @Test(
        "A rename that is not possible is refused, and changes nothing",
        arguments: [
            ("rename things idle", 64, "feed idle already exists in feedsync.yaml\nTry: choose another name\n"),
            (
                "rename things 7up", 64,
                "the feed name `7up` is not a letter followed by at most 62 letters, digits, `_` or `-`\n"
                    + "Try: choose another name\n"
            ),
            (
                "rename things event", 64,
                "the feed name `event` is taken by the store's table `event` (`-` counts as `_`, and capitals as "
                    + "small letters)\nTry: choose another name\n"
            ),
            (
                "rename thigns other", 64,
                "no such feed: thigns; did you mean things?\nTry: feedsync feeds  # lists those of feedsync.yaml\n"
            ),
            (
                "rename things gone", 78,
                "the store already has a feed `gone`\n"
                    + "Try: choose another name, or delete that one with feedsync remove gone --data\n"
            ),
            (
                "rename things", 64,
                "rename needs the name of a feed, and a new one\nTry: feedsync feeds  # lists them\n"
            ),
        ] as [(String, Int32, String)])
    func refusals(words: String, code: Int32, message: String) async throws {
        let place = try Workplace(["things", "idle", "gone"])
        for name in ["things", "idle", "gone"] {
            place.server.route("/\(name)", to: PagedFeed(PagedFeed.items(1...3)))
        }
        #expect(try await place.run("sync").code == 0)
        #expect(try await place.run("remove gone").code == 0)
        try await place.expectRefusal(words, code: code, message: message)
        #expect(try place.query("SELECT name FROM feed ORDER BY name") == ["gone", "idle", "things"])
        #expect(try place.query("SELECT 1 FROM _feed WHERE new_name IS NOT NULL").isEmpty)
        #expect(try await place.run("sync things").code == 0)
    }

    @Test(
        "rename, reset and remove wait for nobody: a feed that somebody is working on is named, and stays as it is",
        arguments: ["rename things other", "reset things", "remove things --data --yes"])
    func busy(words: String) async throws {
        let place = try Workplace(extra: "timeout: 10m")
        let (run, gate) = try await place.heldReload()
        let before = try place.text(of: "feedsync.yaml")
        let refused = try await place.run(words)
        #expect(refused.code == 75)
        #expect(refused.errors.contains("reload) is using the feed things"), "\(refused.errors)")
        #expect(try place.text(of: "feedsync.yaml") == before)
        gate.open()
        #expect(await run.end().code == 0)
        #expect(try place.query("SELECT count(*) FROM things") == ["10"])
    }

    @Test(
        "A rename whose process ended before both had the name is finished by the next sync, or by the same command",
        arguments: ["sync", "rename things others"])
    func unfinished(words: String) async throws {
        let feed = PagedFeed(PagedFeed.items(1...250))
        let place = try await place(feed)
        _ = try place.query("UPDATE _feed SET new_name = 'others'")
        try place.write(
            "feedsync.yaml", try place.text(of: "feedsync.yaml").replacing("  things:\n", with: "  others:\n"))
        let run = try await place.run(words)
        #expect(run.code == 0, "\(run.errors)")
        #expect(try mentions(of: "things", in: place).isEmpty)
        #expect(try place.query("SELECT name FROM feed") == ["others"])
        #expect(try place.query("SELECT count(*) FROM others") == ["250"])
        #expect(try await place.run("sync").code == 0)
        #expect(try place.query("SELECT outcome FROM run ORDER BY id DESC LIMIT 1") == ["unchanged"])
        try place.expectSound("others")
    }

    @Test("A rename whose process ended before the file had the name never happened")
    func notBegun() async throws {
        let place = try await place(PagedFeed(PagedFeed.items(1...3)))
        _ = try place.query("UPDATE _feed SET new_name = 'others'")
        #expect(try await place.run("sync").code == 0)
        #expect(try place.query("SELECT feed FROM _feed WHERE new_name IS NULL") == ["things"])
    }

    @Test(
        "A sync leaves out a feed that is renamed or deleted while it runs",
        arguments: [("rename idle others", ["others", "things"]), ("remove idle --data --yes", ["things"])])
    func duringSync(words: String, names: [String]) async throws {
        let place = try Workplace(["things", "idle"], extra: "timeout: 10m")
        let feed = PagedFeed(PagedFeed.items(1...250))
        place.server.route("/things", to: feed)
        let idle = PagedFeed(PagedFeed.items(1...3))
        place.server.route("/idle", to: idle)
        #expect(try await place.run("sync").code == 0)
        let gate = place.server.gate()
        feed.hold(page: 1, at: gate)
        let requests = idle.requestedPages.count
        let run = try place.start("sync --jobs 1")
        await gate.arrived()
        #expect(try await place.run(words).code == 0)
        gate.open()
        let end = await run.end()
        #expect(end.code == 75)
        #expect(end.errors.contains("idle: it was renamed or removed a moment ago"), "\(end.errors)")
        #expect(idle.requestedPages.count == requests)
        #expect(try place.query("SELECT name FROM feed ORDER BY name") == names)
        #expect(try await place.run("sync").code == 0)
        #expect(try place.query("SELECT name FROM feed ORDER BY name") == names)
    }

    @Test("reset keeps rows and history, and the next sync reads every page again")
    func reset() async throws {
        let feed = PagedFeed(PagedFeed.items(1...250))
        let place = try await place(feed)
        _ = try place.query("UPDATE feed SET error = '{}'; ")
        let runs = try place.query("SELECT count(*) FROM run")
        let run = try await place.run("reset things")
        #expect(run.output == "things  reset; the next sync reads everything again\n")
        #expect(run.code == 0, "\(run.errors)")
        #expect(try place.query("SELECT count(*) FROM things") == ["250"])
        #expect(try place.query("SELECT count(*) FROM run") == runs)
        #expect(try place.query("SELECT error FROM feed") == [""])
        let before = feed.requestedPages.count
        #expect(try await place.run("sync").code == 0)
        #expect(feed.requestedPages.dropFirst(before).sorted().starts(with: [1, 2, 3]))
        #expect(try place.query("SELECT complete FROM feed") == ["1"])
        #expect(try place.query("SELECT count(*) FROM things WHERE _removed_at IS NULL") == ["250"])
        try place.expectSound()
        let other = try Workplace()
        #expect(try await other.run("reset things").errors == "feedsync: things: nothing stored yet\n")
    }
}
