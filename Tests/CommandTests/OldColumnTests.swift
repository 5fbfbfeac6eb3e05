import Foundation
import HTTPServer
import SQLite
import ScriptedServer
import Testing

@Suite("Columns that were dropped by hand, and columns that a definition has no more")
struct OldColumnTests {
    private static let columns = "columns: {id: id, name: name}"

    /// A feed of people with an address each, whose definition has the given columns.
    private func place(_ columns: String, extra: String = "") async throws -> (Workplace, PagedFeed) {
        let place = try Workplace()
        let feed = PagedFeed(
            (1...150).map {
                #"{"id":\#($0),"name":"item \#($0)","mail":"private\#($0)@example.org","size":0.30000000000000004}"#
            })
        place.server.route("/things", to: feed)
        try place.write(
            "feedsync.yaml", try place.text(of: "feedsync.yaml").replacing(Self.columns, with: columns) + extra)
        #expect(try await place.run("sync").code == 0)
        return (place, feed)
    }

    private func define(_ columns: String, in place: Workplace) throws {
        let text = try place.text(of: "feedsync.yaml")
        try place.write(
            "feedsync.yaml",
            text.split(separator: "\n").map { $0.contains("    columns:") ? "    \(columns)" : String($0) }
                .joined(separator: "\n"))
    }

    @Test(
        "A column that was dropped by hand is missing from what is read, and the next sync brings it back",
        arguments: ["columns: {id: id, name: name, mail: mail}", "model: thing", "raw: true"])
    func droppedByHand(definition: String) async throws {
        let (place, _) = try await place(definition)
        if definition.contains("model") { try place.execute("DROP VIEW thing") }
        try place.execute("ALTER TABLE things DROP COLUMN mail")
        for words in [
            "show things", "show things --json", "show things --where id<9", "show things --at \(Self.now)", "changes",
            "changes --json", "changes --schema", "status", "explain things", "doctor",
        ] {
            let run = try await place.run(words)
            #expect(run.code == 0, "\(words): \(run.errors)")
            #expect(!run.output.contains("private1@"), "\(words)")
        }
        let run = try await place.run("sync")
        #expect(run.code == 0, "\(run.errors)")
        // The server would have said that nothing changed.
        #expect(try place.query("SELECT count(*) FROM things WHERE mail LIKE 'private%'") == ["150"])
        try place.expectSound()
    }

    /// The present time, as --at takes it.
    private static var now: String { Date.now.ISO8601Format() }

    @Test("A value of a column that the definition has no more is nowhere in the store after prune --columns")
    func values() async throws {
        let (place, feed) = try await place(
            "columns: {id: id, name: name, mail: mail, size: size}",
            extra: "    search: [name, mail]\n    model: thing\n")
        // The changes have earlier values.
        feed.items = feed.items.map { $0.replacing("private", with: "other").replacing("item 7", with: "item 07") }
        #expect(try await place.run("sync").code == 0)
        feed.items = feed.items.map { $0.replacing("0.30000000000000004", with: "1").replacing("other", with: "third") }
        #expect(try await place.run("sync").code == 0)
        #expect(try place.query("SELECT count(*) FROM _change WHERE before LIKE '%mail%'") == ["300"])
        let nothing = try await place.run("prune --columns things --dry-run")
        #expect(nothing.code == 0 && nothing.output.isEmpty && nothing.errors.contains("nothing would be deleted"))

        try define("columns: {id: id, name: name, size: size}", in: place)
        try place.write("feedsync.yaml", try place.text(of: "feedsync.yaml").replacing("[name, mail]", with: "[name]"))
        let trial = try await place.run("prune --columns things --dry-run")
        #expect(trial.output == "things  column mail (150 values) would be deleted\n", "\(trial.errors)")
        #expect(
            try await place.run("prune --columns things --dry-run --json").output
                == "[\n{\"feed\":\"things\",\"columns\":[{\"column\":\"mail\",\"values\":150}],\"version\":1}\n]\n")
        #expect(Self.files(of: place).contains { $0.hasBytes("private7@") })
        let unsure = try await place.run("prune --columns things")
        #expect(unsure.code == 64 && unsure.output.isEmpty)
        #expect(
            unsure.errors == """
                feedsync: things would lose column mail (150 values); prune needs a confirmation, and there is no terminal to ask on
                Try: run the same command with --yes

                """)
        let no = try await place.shell("echo n | script -qec '\"$FEEDSYNC\" prune --columns things' /dev/null")
        #expect(
            no.output.contains("things would lose column mail (150 values); delete these columns? [y/N]"),
            "\(no.output)")
        #expect(no.output.contains("nothing was deleted") && !no.output.contains("deleting"), "\(no.output)")
        #expect(try place.query("SELECT count(mail) FROM things") == ["150"])
        let run = try await place.run("prune --columns things --yes")
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.errors.contains("things: deleting column mail (150 values)"), "\(run.errors)")
        #expect(run.output.hasPrefix("things  column mail (150 values) deleted\n"), "\(run.output)")
        for text in ["private7@", "other7@", "third7@"] {
            #expect(!Self.files(of: place).contains { $0.hasBytes(text) }, "\(text)")
        }
        // A change of nothing else is gone; others keep their digits.
        #expect(
            try place.query("SELECT before FROM _change WHERE key = 7 ORDER BY id")
                == [#"{"name":"item 7"}"#, #"{"size":0.30000000000000004}"#])
        #expect(try place.query("SELECT count(*) FROM _change") == ["161"])
        #expect(try await place.run("search item --feed things").output.contains("item 07"))
        #expect(try place.query("SELECT count(*) FROM thing WHERE name = 'item 8'") == ["1"])
        #expect(try place.query("SELECT count(*) FROM change WHERE kind = 'new'") == ["150"])
        #expect(try await place.run("sync").code == 0)
        #expect(try await place.run("prune --columns things --yes --json").output == "[]\n")
        try place.expectSound()
    }

    @Test(
        "A column that a definition has no more is found, whichever member took it away",
        arguments: [
            ("id: id", "columns: {id: id, name: name}", ["mail", "size"]),
            ("id: id", "except: [mail]", ["mail"]),
            ("raw: true", "paused: false", ["_raw"]),
            ("columns: {id: id, Mail: mail}", "columns: {id: id, post: mail}", ["Mail"]),
            ("columns: {id: id, mail: mail}", "columns: {id: id, MAIL: mail}", []),
        ])
    func ways(before: String, after: String, old: [String]) async throws {
        let (place, _) = try await place(before == "id: id" ? "paused: false" : before)
        try place.write(
            "feedsync.yaml",
            try place.text(of: "feedsync.yaml").replacing(
                before == "id: id" ? "paused: false" : before, with: after))
        try place.execute("ALTER TABLE things ADD COLUMN mine TEXT")
        let run = try await place.run("prune --columns things --dry-run --json")
        #expect(run.code == 0, "\(run.errors)")
        for column in ["id", "name", "mail", "size", "_raw", "Mail", "mine"] {
            #expect(
                run.output.contains("{\"column\":\"\(column)\",") == old.contains(column), "\(column): \(run.output)")
        }
    }

    @Test("Something of the user's own that uses an old column keeps it, and the message says so")
    func ownIndex() async throws {
        let (place, _) = try await place("columns: {id: id, name: name, mail: mail}")
        try place.execute("CREATE INDEX mine ON things (mail)")
        try define(Self.columns, in: place)
        let run = try await place.run("prune --columns things --yes")
        #expect(run.code == 78, "\(run.errors)")
        #expect(run.errors.contains("the column `mail` cannot be dropped: ") && run.errors.contains("mine"))
        #expect(try place.query("SELECT count(mail) FROM things") == ["150"])
        let bare = try await place.run("prune --columns")
        #expect(bare.code == 64, "\(bare.errors)")
    }

    @Test(
        "A store in PostgreSQL loses old columns as a file does, and reading goes on without a column dropped by hand")
    func postgreSQL() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 1, extra: "model: thing")
        let feed = try #require(bench.feeds["h0x0"])
        feed.items = (1...150).map { #"{"id":\#($0),"name":"item \#($0)","mail":"private\#($0)@example.org"}"# }
        let text = try bench.place.text(of: "feedsync.yaml")
        let columns = "columns: {id: id, name: name}"
        try bench.place.write(
            "feedsync.yaml", text.replacing(columns, with: "columns: {id: id, name: name, mail: mail}"))
        #expect(try await bench.place.run("sync").code == 0)
        feed.items = feed.items.map { $0.replacing("private", with: "other").replacing("item 7", with: "item 07") }
        #expect(try await bench.place.run("sync").code == 0)
        // By hand, and back.
        for sql in ["DROP VIEW thing", "ALTER TABLE h0x0 DROP COLUMN mail"] { _ = try bench.query(sql) }
        let shown = try await bench.place.run("show h0x0 --json")
        #expect(shown.code == 0 && !shown.output.contains("@example.org"), "\(shown.errors)")
        #expect(try await bench.place.run("sync").code == 0)
        #expect(try bench.query("SELECT count(*) FROM h0x0 WHERE mail LIKE 'other%'") == ["150"])

        try bench.place.write("feedsync.yaml", text)
        let trial = try await bench.place.run("prune --columns h0x0 --dry-run")
        #expect(trial.output == "h0x0  column mail (150 values) would be deleted\n", "\(trial.errors)")
        let run = try await bench.place.run("prune --columns h0x0 --yes")
        #expect(run.code == 0 && run.output == "h0x0  column mail (150 values) deleted\n", "\(run.errors)")
        #expect(
            try bench.query("SELECT count(*) FROM information_schema.columns WHERE column_name = 'mail'") == ["0"])
        #expect(try bench.query("SELECT DISTINCT before::text FROM _change WHERE before::text LIKE '%mail%'").isEmpty)
        #expect(try bench.query("SELECT before ->> 'name' FROM _change WHERE key = '7'") == ["item 7"])
        #expect(try bench.query("SELECT count(*) FROM thing WHERE name = 'item 07'") == ["1"])
        feed.items = PagedFeed.items(1...150)
        #expect(try await bench.place.run("sync").code == 0)
        #expect(try await bench.place.run("show h0x0 --where id=7 --json").output.contains("item 7"))
        try await bench.expectTrue()
    }

    @Test("A feed's own `keep` counts in place of the configuration's, and for no other feed")
    func keep() async throws {
        let place = try Workplace(["brief", "long"], extra: "changes: true")
        for name in ["brief", "long"] { place.server.route("/\(name)", to: PagedFeed(PagedFeed.items(1...20))) }
        let text = try place.text(of: "feedsync.yaml").replacing("  long:\n", with: "  long:\n    keep: never\n")
        let wrong = "keep: 30d\n" + text
        try place.write("feedsync.yaml", wrong)
        #expect(try await place.run("check").code == 78)
        try place.write(
            "feedsync.yaml",
            wrong.replacing("keep: never", with: "keep: 365d").replacing(
                "  brief:\n", with: "  brief:\n    keep: 1d\n"))
        #expect(try await place.run("sync").code == 0)
        for name in ["brief", "long"] {
            try place.execute(
                """
                UPDATE \(name) SET _removed_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-40 days') WHERE id > 5;
                UPDATE run SET finished_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-40 days') WHERE feed = '\(name)';
                INSERT INTO _change ("at", feed, run, kind, key) VALUES
                    (strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-40 days'), '\(name)', 1, 'removed', 6);
                """)
        }
        #expect(try await place.run("prune --dry-run").output == "brief  15 items would be deleted\n")
        let run = try await place.run("prune")
        #expect(run.errors.contains("brief: deleting 15 items"), "\(run.errors)")
        #expect(try place.query("SELECT feed FROM run ORDER BY feed") == ["long"])
        #expect(try place.query("SELECT feed FROM _change") == ["long"])
        #expect(try place.query("SELECT count(*) FROM long") == ["20"])
        #expect(try await place.run("show long --at \(Self.daysAgo(200))").code == 0)
        let early = try await place.run("show brief --at \(Self.daysAgo(2))")
        #expect(early.code == 64 && early.errors.contains("kept for 1d"), "\(early.errors)")
    }

    private static func daysAgo(_ days: Int) -> String {
        Date.now.addingTimeInterval(TimeInterval(-86_400 * days)).ISO8601Format()
    }

    private static func files(of place: Workplace) -> [Data] {
        place.files.filter { $0.hasPrefix("feedsync.db") }
            .compactMap { FileManager.default.contents(atPath: place.path($0)) }
    }
}

extension Data {
    fileprivate func hasBytes(_ text: String) -> Bool { range(of: Data(text.utf8)) != nil }
}
