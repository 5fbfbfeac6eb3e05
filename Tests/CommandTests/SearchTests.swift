import Foundation
import HTTPServer
import SQLite
import ScriptedServer
import Testing

@Suite("search")
struct SearchTests {
    /// A folder where `things` has these items and can be searched.
    private func place(
        _ items: String = items, extra: String = "search: [name, body]",
        columns: String = "{id: id, name: name, body: body, link: link}"
    ) async throws -> Workplace {
        let place = try Workplace([])
        try configure(place, extra: extra, columns: columns)
        place.server.route("/things") { _ in .json(#"{"items":[\#(items)]}"#) }
        let run = try await place.run("reload things")
        #expect(run.code == 0, "\(run.errors)")
        return place
    }

    private func configure(
        _ place: Workplace, extra: String, columns: String = "{id: id, name: name, body: body, link: link}"
    ) throws {
        try place.write(
            "feedsync.yaml",
            """
            feeds:
              things:
                url: \(place.server.url)/things
                items: items
                key: id
                columns: \(columns)
                pagination: none
                retries: 0
                \(extra)

            """)
    }

    private static let items = """
        {"id":1,"name":"A swift bird","body":"It flies","link":"https://example.com/1"},
        {"id":2,"name":"Cafés of Paris","body":"Where the Swift crowd meets","link":null},
        {"id":3,"name":"東京タワー","body":"使用Swift编写的程序","link":null},
        {"id":4,"name":"Nothing","body":"at all","link":null}
        """

    /// The keys that are found, in order.
    private func keys(_ text: String, in place: Workplace, _ words: String = "") async throws -> String {
        let run = try await place.shell(
            "$FEEDSYNC search --ndjson \(words) -- \"$TEXT\"", environment: ["TEXT": text])
        #expect(run.code == 0, "\(run.errors)")
        return run.output.split(separator: "\n").compactMap { line in
            line.firstRange(of: #""key":"#).map { line[$0.upperBound...].prefix { $0 != "," } }
        }.joined(separator: " ")
    }

    /// Expects the index to describe the table correctly.
    private func expectTrue(_ place: Workplace, _ table: String = "things", location: SourceLocation = #_sourceLocation)
        throws
    {
        let connection = try Connection(path: place.path("feedsync.db"), access: .readWrite, trustsSchema: true)
        let index = "_search_\(table)"
        // https://sqlite.org/fts5.html#the_integrity_check_command
        #expect(throws: Never.self, sourceLocation: location) {
            try connection.execute("INSERT INTO \"\(index)\" (\"\(index)\", rank) VALUES ('integrity-check', 1)")
        }
    }

    @Test(
        "Words are found by their beginnings, whatever the case and the accents; in scripts without spaces, anywhere",
        arguments: [
            ("swift", "1 2 3"), ("SWI bir", "1"), ("cafe", "2"), ("Café", "2"), ("東京", "3"), ("タワー", "3"), ("编写", "3"),
            ("東京 swift", "3"), ("wift", "1 2 3"), ("othing", "4"), ("swift nothing", ""), ("%", ""), ("\"", ""),
            ("-bird OR", ""), ("bird \"", "1"),
        ])
    func words(text: String, expected: String) async throws {
        let place = try await place()
        #expect(try await keys(text, in: place) == expected)
    }

    @Test("Search results are ranked and marked, in every format")
    func formats() async throws {
        let place = try await place()
        let json = try await place.run("search swift --json").output
        #expect(
            json == """
                [
                {"feed":"things","title":"A swift bird","excerpt":"It flies","link":"https://example.com/1","key":1,"matches":["swift"]},
                {"feed":"things","title":"Cafés of Paris","excerpt":"Where the Swift crowd meets","link":null,"key":2,"matches":["Swift"]},
                {"feed":"things","title":"東京タワー","excerpt":"使用Swift编写的程序","link":null,"key":3,"matches":["Swift"]}
                ]

                """)
        let pipe = try await place.run("search swift bird").output
        #expect(
            pipe == "feed\ttitle\texcerpt\tlink\tkey\tmatches\n"
                + "things\tA swift bird\tIt flies\thttps://example.com/1\t1\t[\"swift\",\"bird\"]\n")
        #expect(try await place.run("search cafe --markdown").output.contains("**Café**s of Paris"))
        let terminal = try await place.shell(
            #"script -qec "stty cols 80; $FEEDSYNC search cafe" /dev/null"#, environment: ["PAGER": "cat"]
        ).output
        #expect(terminal.contains("\u{1B}[33mCafé\u{1B}[0ms of Paris"), "\(terminal)")
        #expect(try await place.run("search swift --limit 1 --csv").output.split(separator: "\n").count == 2)
        let none = try await place.run("search zebra")
        #expect(none.code == 0 && none.errors == "feedsync: nothing found\n")
    }

    @Test("An excerpt is the part of a long text where the words are")
    func excerpt() async throws {
        let long = String(repeating: "before ", count: 100) + "needle " + String(repeating: "after ", count: 100)
        let place = try await place(#"{"id":1,"name":"a","body":"\#(long)"}"#)
        let lines = try await place.run("search needle --csv").output.split(separator: "\n")
        let excerpt = try #require(lines.last?.split(separator: ",").dropFirst(2).first)
        #expect(excerpt.hasPrefix("…before ") && excerpt.hasSuffix("…") && excerpt.contains("before needle after"))
        #expect(excerpt.count < 170)
    }

    @Test(
        "Adding `search` to a feed that has rows builds the index, another list replaces it, and removing it drops it")
    func addAndRemove() async throws {
        let place = try await place(extra: "")
        let without = try await place.run("search swift")
        #expect(without.code == 78)
        #expect(
            without.errors.contains("things cannot be searched: its definition has no `search`"), "\(without.errors)")
        try configure(place, extra: "search: {columns: [name]}")
        let early = try await place.run("search swift")
        #expect(
            early.code == 78 && early.errors.hasSuffix("has no index yet\nTry: feedsync sync things  # makes it\n"),
            "\(early.errors)")

        #expect(try await place.run("reload things").code == 0)
        #expect(try await keys("swift", in: place) == "1")
        try expectTrue(place)
        try configure(place, extra: "search: [body, name]")
        #expect(try await place.run("reload things").code == 0)
        #expect(try await keys("swift", in: place) == "2 1 3")
        try configure(place, extra: "")
        #expect(try await place.run("reload things").code == 0)
        #expect(try place.query("SELECT name FROM sqlite_schema WHERE name LIKE '%search%'").isEmpty)
        try place.expectSound()
    }

    @Test("`search` that names no column is a mistake with its place")
    func mistakes() async throws {
        let place = try Workplace([])
        for (search, message) in [
            ("[nmae]", "`search` of feed `things` is none of its columns: `nmae`"),
            ("{columns: [], x: 1}", "unknown member `x`"), ("[]", "`search` of feed `things` is empty"),
            ("{}", "say which columns can be searched"),
        ] {
            try configure(place, extra: "search: \(search)")
            let run = try await place.run("check")
            #expect(run.code == 78 && run.errors.contains(message), "\(run.errors)")
        }
        try configure(place, extra: "search: [rank]", columns: "{id: id, rank: rank}")
        #expect(try await place.run("check").errors.contains("SQLite cannot search a column of the name `rank`"))
    }

    @Test("The index follows new, changed and removed items, columns that are found later, and what is written by hand")
    func follows() async throws {
        let place = try Workplace([])
        try place.write(
            "feedsync.yaml",
            "feeds: {things: {url: \"\(place.server.url)/things\", items: items, pagination: none, search: [name, note], sync: {mode: all}}}"
        )
        func sync(_ items: String) async throws {
            place.server.route("/things") { _ in .json(#"{"items":[\#(items)]}"#) }
            let run = try await place.run("sync things")
            #expect(run.code == 0, "\(run.errors)")
        }
        try await sync(#"{"id":1,"name":"alpha"},{"id":2,"name":"beta"},{"id":3,"name":"gamma"}"#)
        #expect(try await keys("beta", in: place) == "2")
        try await sync(#"{"id":1,"name":"alpha"},{"id":2,"name":"delta","note":"beta"},{"id":4,"name":"beta"}"#)
        #expect(try await keys("beta", in: place) == "4 2")
        #expect(try await keys("delta", in: place) == "2")
        #expect(try await keys("gamma", in: place) == "")
        // A key that is no integer makes the table anew.
        try await sync(#"{"id":"x","name":"epsilon"},{"id":4,"name":"beta"},{"id":1,"name":"alpha"}"#)
        #expect(try await keys("epsilon", in: place) == "\"x\"")
        #expect(try await keys("beta", in: place) == "4")
        try expectTrue(place)
        // Stock SQLite trusts the schema, and so may write.
        #expect(
            try await place.shell(
                "sqlite3 feedsync.db \"UPDATE things SET name = 'zeta' WHERE id = 4; DELETE FROM things WHERE id = 1\""
            ).code == 0)
        #expect(try await keys("zeta", in: place) == "4")
        #expect(try await keys("alpha", in: place) == "")
        try expectTrue(place)
        try place.expectSound()
    }

    @Test("rename, reset, prune, backup and remove --data keep the index true")
    func maintenance() async throws {
        let place = try await place()
        #expect(try await place.run("rename things items").code == 0)
        #expect(try await keys("swift", in: place) == "1 2 3")
        try expectTrue(place, "items")
        #expect(try await place.run("reset items").code == 0)
        _ = try await place.shell(
            "sqlite3 feedsync.db \"UPDATE items SET _removed_at = '2020-01-01T00:00:00.000Z' WHERE id = 1\"")
        #expect(try await keys("swift", in: place) == "2 3")
        #expect(try await place.run("prune").code == 0)
        try expectTrue(place, "items")
        #expect(try await place.run("backup copy.db").code == 0)
        #expect(try await keys("swift", in: place, "--store copy.db") == "2 3")
        #expect(try await place.run("remove items --data --yes").code == 0)
        #expect(try place.query("SELECT name FROM sqlite_schema WHERE name LIKE '%search%'").isEmpty)
    }

    @Test("rekey keeps the index true")
    func rekey() async throws {
        let place = try await place()
        let text = try place.text(of: "feedsync.yaml")
        try place.write("feedsync.yaml", text.replacing("key: id", with: "key: name"))
        let run = try await place.run("rekey things")
        #expect(run.code == 0, "\(run.errors)")
        #expect(try await keys("swift", in: place) == "\"A swift bird\" \"Cafés of Paris\" \"東京タワー\"")
        try expectTrue(place)
    }

    @Test("Several feeds are searched together, or those that are named")
    func feeds() async throws {
        let place = try Workplace(["one", "two", "three"], extra: "search: name")
        for (feed, name) in [("one", "swift one"), ("two", "two swift swift"), ("three", "else")] {
            place.server.enqueue(
                "/\(feed)", [.json(#"{"total_count":1,"items":[{"id":"\#(feed)","name":"\#(name)"}]}"#)])
        }
        #expect(try await place.run("sync").code == 0)
        #expect(try await Set(keys("swift", in: place).split(separator: " ")) == ["\"one\"", "\"two\""])
        #expect(try await keys("swift", in: place, "--feed two --feed three") == "\"two\"")
        let unknown = try await place.run("search swift --feed tow")
        #expect(unknown.code == 64 && unknown.errors.contains("did you mean two?"), "\(unknown.errors)")
    }

    @Test("A user's own full-text index with triggers, as sqlite-utils makes it, survives syncs and stays true")
    func ownTriggers() async throws {
        let place = try await place(extra: "")
        // The statements of `sqlite-utils enable-fts feedsync.db things name body --create-triggers`.
        #expect(
            try await place.shell(
                """
                sqlite3 feedsync.db "
                CREATE VIRTUAL TABLE [things_fts] USING FTS5 ([name], [body], content=[things]);
                INSERT INTO things_fts (rowid, name, body) SELECT rowid, name, body FROM things;
                CREATE TRIGGER [things_ai] AFTER INSERT ON [things] BEGIN
                  INSERT INTO [things_fts] (rowid, [name], [body]) VALUES (new.rowid, new.[name], new.[body]); END;
                CREATE TRIGGER [things_ad] AFTER DELETE ON [things] BEGIN
                  INSERT INTO [things_fts] ([things_fts], rowid, [name], [body]) VALUES ('delete', old.rowid, old.[name], old.[body]); END;
                CREATE TRIGGER [things_au] AFTER UPDATE ON [things] BEGIN
                  INSERT INTO [things_fts] ([things_fts], rowid, [name], [body]) VALUES ('delete', old.rowid, old.[name], old.[body]);
                  INSERT INTO [things_fts] (rowid, [name], [body]) VALUES (new.rowid, new.[name], new.[body]); END;"
                """
            ).code == 0)
        place.server.route("/things") { _ in
            .json(#"{"items":[{"id":5,"name":"fresh","body":""},{"id":1,"name":"other","body":""}]}"#)
        }
        let run = try await place.run("reload things")
        #expect(run.code == 0, "\(run.errors)")
        for (word, id) in [("fresh", "5"), ("other", "1"), ("bird", "")] {
            let found = try await place.shell(
                "$FEEDSYNC sql \"SELECT id FROM things WHERE rowid IN (SELECT rowid FROM things_fts WHERE things_fts MATCH '\(word)')\""
            )
            #expect(found.output == (id.isEmpty ? "" : "id\n\(id)\n"), "\(found.errors)")
        }
        // One's own and feedsync's can stand side by side.
        try configure(place, extra: "search: name")
        #expect(try await place.run("reload things").code == 0)
        #expect(try await keys("fresh", in: place) == "5")
    }
}
