import Foundation
import HTTPServer
import ScriptedServer
import Testing

@Suite("Columns whose values are made")
struct MadeColumnTests {
    private static let people = [
        #"{"id":1,"name":"Dr. Ada Lovelace","email":"ada@example.org","size":12,"tags":["a","b"]}"#,
        #"{"id":2,"name":"Alan \"T\" Turing","email":null,"size":null}"#,
        #"{"id":3,"name":"Åsa","email":"asa@example.org","size":{"w":1}}"#,
    ]

    /// A feed of people with further columns, or with other columns than `id`.
    private func place(_ columns: String, extra: String = "") throws -> Workplace {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(Self.people))
        try place.write(
            "feedsync.yaml",
            try place.text(of: "feedsync.yaml").replacing("columns: {id: id, name: name}", with: columns) + extra)
        return place
    }

    @Test(
        "A column has what its definition makes of an item",
        arguments: [
            ("{value: fixed}", ["fixed", "fixed", "fixed"], "text"),
            ("{value: 7}", ["7", "7", "7"], "integer"), ("{value: 1.5}", ["1.5", "1.5", "1.5"], "real"),
            ("{value: true}", ["1", "1", "1"], "integer"),
            ("{value: \"7\", type: integer}", ["7", "7", "7"], "integer"),
            ("{value: \"7\"}", ["7", "7", "7"], "text"),
            ("{value: 'it''s \"so\"'}", ["it's \"so\"", "it's \"so\"", "it's \"so\""], "text"),
            ("{path: name, replace: ['^Dr\\. ', '']}", ["Ada Lovelace", "Alan \"T\" Turing", "Åsa"], "text"),
            ("{path: name, replace: ['^(\\S+).*$', '<$1>']}", ["<Dr.>", "<Alan>", "<Åsa>"], "text"),
            ("{path: size, replace: ['^1', '9']}", ["92", "NULL", "{\"w\":1}"], "text"),
            ("{path: size, replace: ['^1', '9'], type: integer}", ["92", "NULL", "{\"w\":1}"], "integer"),
            ("{path: tags, replace: ['a', '9']}", ["[\"a\",\"b\"]", "NULL", "NULL"], "text"),
            ("{path: nowhere, replace: ['a', '9']}", ["NULL", "NULL", "NULL"], "null"),
        ])
    func values(column: String, expected: [String], type: String) async throws {
        let place = try place("columns: {id: id, made: \(column)}")
        for _ in 1...2 {
            let run = try await place.run("sync")
            #expect(run.code == 0, "\(run.errors)")
            #expect(try place.query("SELECT coalesce(made, 'NULL') FROM things ORDER BY id") == expected)
        }
        #expect(try place.query("SELECT typeof(made) FROM things WHERE id = 1") == [type])
        // Made values are no changes.
        #expect(try place.query("SELECT sum(updated) FROM run") == ["0"])
        try place.expectSound()
    }

    @Test("Values alone leave the other columns to be found")
    func open() async throws {
        let place = try place("columns: {source: {value: here}}")
        #expect(try await place.run("sync").code == 0)
        #expect(
            try place.query("SELECT name FROM pragma_table_info('things') WHERE name NOT GLOB '_*'")
                == ["source", "id", "name", "email", "size", "tags"])
        #expect(try place.query("SELECT source FROM things WHERE name = 'Åsa'") == ["here"])
    }

    @Test("A masked value is a hash that only the key can make again, and the value itself is nowhere in the store")
    func mask() async throws {
        let place = try place("columns: {id: id, email: {path: email, mask: hash}}", extra: "    search: [email]\n")
        let missing = try await place.run("sync")
        #expect(missing.code == 78 && missing.errors.contains("FEEDSYNC_MASK_KEY"), "\(missing.errors)")
        let short = try await place.run("sync", environment: ["FEEDSYNC_MASK_KEY": "short"])
        #expect(short.code == 78 && short.errors.contains("less than 16 bytes"), "\(short.errors)")
        let key = "a key of many bytes"
        let run = try await place.run("sync", environment: ["FEEDSYNC_MASK_KEY": key])
        #expect(run.code == 0, "\(run.errors)")
        // printf ada@example.org | openssl dgst -sha256 -hmac 'a key of many bytes'
        let made = try await place.shell("printf ada@example.org | openssl dgst -sha256 -hmac '\(key)' | sed 's/.* //'")
        let hash = made.output.filter { $0 != "\n" }
        #expect(
            try place.query("SELECT coalesce(email, 'NULL') FROM things WHERE id < 3 ORDER BY id") == [hash, "NULL"])
        let found = try await place.run("search \(hash) --feed things --json")
        #expect(found.output.contains("\"key\":1"), "\(found.output)\(found.errors)")
        for name in place.files where name.hasPrefix("feedsync.db") {
            let data = FileManager.default.contents(atPath: place.path(name)) ?? Data()
            #expect(data.range(of: Data("ada@example.org".utf8)) == nil, "\(name)")
            #expect(data.range(of: Data(key.utf8)) == nil, "\(name)")
        }
        // Another key makes other hashes, also of a page that has not changed.
        #expect(try await place.run("sync", environment: ["FEEDSYNC_MASK_KEY": key + "2"]).code == 0)
        #expect(try place.query("SELECT email = '\(hash)' FROM things WHERE id = 1") == ["0"])
        let explained = try await place.run("explain things", environment: ["FEEDSYNC_MASK_KEY": key])
        #expect(explained.code == 0 && !explained.output.contains(key), "\(explained.output)")
        try place.expectSound()
    }

    @Test("The columns of a parent's row go into the rows of its list, and follow the parent")
    func parents() async throws {
        let place = try Workplace()
        let teams = PagedFeed([#"{"id":1,"name":"Red"}"#, #"{"id":2,"name":"Blue"}"#])
        place.server.route("/teams", to: teams)
        for id in 1...2 {
            place.server.route("/teams/\(id)/members", to: PagedFeed([#"{"id":\#(id)0,"name":"m\#(id)"}"#]))
        }
        let url = place.server.url
        let members = Workplace.feed("members", at: "\"\(url)/teams/{teams.id}/members\"", extra: "for_each: teams")
            .replacing("name: name}", with: "name: name, team: {value: \"{teams.name} ({teams.id})\"}}")
        try place.write("feedsync.yaml", "feeds:\n" + Workplace.feed("teams", at: "\(url)/teams") + members)
        #expect(try await place.run("sync").code == 0)
        #expect(try place.query("SELECT team FROM members ORDER BY id") == ["Red (1)", "Blue (2)"])
        teams.items = [#"{"id":1,"name":"Green"}"#, #"{"id":2,"name":"Blue"}"#]
        #expect(try await place.run("sync").code == 0)
        #expect(try place.query("SELECT team FROM members ORDER BY id") == ["Green (1)", "Blue (2)"])
    }

    @Test("A text that is too much for a pattern stays as it came, and a note counts it")
    func tooMuch() async throws {
        let place = try Workplace()
        place.server.route(
            "/things",
            to: PagedFeed((1...3).map { #"{"id":\#($0),"name":"\#(String(repeating: "a", count: 2000 * $0))"}"# }))
        try place.write(
            "feedsync.yaml",
            try place.text(of: "feedsync.yaml").replacing("name: name", with: "name: {path: name, replace: [a, b]}"))
        let run = try await place.run("sync")
        #expect(
            run.errors.contains("1 text of `name` stayed as they came: too long or too slow for `replace`"),
            "\(run.errors)")
        #expect(try place.query("SELECT substr(name, 1, 1) FROM things ORDER BY id") == ["b", "b", "a"])
    }

    @Test(
        "A mistake in a column is reported with its place",
        arguments: [
            ("columns: {id: id, a: {}}", "has no `path`: say where in the item its value is, or give it a `value`"),
            ("columns: {id: id, a: {path: a, value: b}}", "has a `value`, and so no `path`"),
            ("columns: {id: id, a: {value: b, mask: hash}}", "has a `value`, and so no `mask`"),
            ("columns: {id: id, a: {value: \"${HOME}\"}}", "is stored, and may not refer to anything in `${…}`"),
            ("columns: {id: id, a: {value: \"{teams.name}\"}}", "has `{teams.name}`, and the feed has no `for_each`"),
            ("columns: {id: id, a: {path: a, replace: [\"(\", b]}}", "missing closing parenthesis"),
            ("columns: {id: id, a: {path: a, replace: [b, $1]}}", "the pattern has no group 1"),
            ("columns: {id: id, a: {path: a, replace: b}}", "is a pattern and a text"),
            ("columns: {id: id, a: {path: a, mask: hush}}", "unknown value `hush` of `mask`"),
            ("columns: {id: id, a: {path: a, mask: {}}}", "has no `hash`"),
            ("columns: {id: id, a: {path: a, mask: hash, type: integer}}", "is masked, and its hashes are no integer"),
            ("columns: {id: id, a: {path: a, mask: hash}}\n    raw: true", "keeps items whole, with what `mask` hides"),
            ("columns: {id: id, a: {path: a, replac: [b, c]}}", "unknown member `replac`"),
            (
                "columns: {id: id, tags: tags}\n    lists: [tag]",
                "`lists` of feed `things` is none of its columns: `tag`"
            ),
            ("columns: {id: id, tags: tags}\n    lists: []", "is empty"),
            (
                "columns: {id: id, tags: {path: tags, type: text}}\n    lists: [tags]",
                "`tags`, which is text, and no list"
            ),
        ])
    func mistakes(columns: String, problem: String) async throws {
        let run = try await place(columns).run("check")
        #expect(run.code == 78, "\(run.errors)")
        #expect(run.errors.contains(problem) && run.errors.contains("feedsync.yaml:"), "\(run.errors)")
    }
}

@Suite("Views of the lists in items")
struct ListViewTests {
    private static func issue(_ id: Int, _ labels: String) -> String {
        #"{"id":\#(id),"name":"i\#(id)","labels":\#(labels)}"#
    }

    private static let issues = [
        issue(1, #"[{"id":7,"name":"bug","color":"red"},{"id":8,"name":"ui \"x\"","on":true}]"#), issue(2, "[]"),
        issue(3, "null"), issue(4, #"{"name":"no list"}"#), issue(5, #"["plain",{"name":"bug"},3]"#),
    ]

    private func place(_ store: String = "") throws -> (Workplace, PagedFeed) {
        let place = try Workplace()
        let feed = PagedFeed(Array(Self.issues.prefix(4)))
        place.server.route("/things", to: feed)
        try place.write(
            "feedsync.yaml",
            store
                + (try place.text(of: "feedsync.yaml")).replacing(
                    "columns: {id: id, name: name}", with: "columns: {id: id, labels: labels}")
                + "    lists: [labels]\n")
        return (place, feed)
    }

    @Test("Each element of a list is a row of a view, with the key, its place and its members")
    func elements() async throws {
        let (place, feed) = try place()
        #expect(try await place.run("sync").code == 0)
        let names = "SELECT group_concat(name) FROM pragma_table_info('things_labels')"
        #expect(try place.query(names) == ["id,position,id_2,name,color,on"])
        #expect(
            try place.query(
                #"SELECT id || position || id_2 || name || coalesce(color, '') || coalesce("on", '') FROM things_labels"#
            )
                == ["107bugred", "118ui \"x\"1"])
        // Elements that come later bring members, and what is no object.
        feed.items = Self.issues
        #expect(try await place.run("sync").code == 0)
        #expect(try place.query(names) == ["id,position,value,id_2,name,color,on"])
        #expect(
            try place.query(
                "SELECT position || coalesce(value, '') || coalesce(name, '') FROM things_labels WHERE id = 5")
                == ["0plain", "1bug", "23"])
        feed.items = Array(Self.issues.dropFirst())
        #expect(try await place.run("sync").code == 0)
        #expect(try place.query("SELECT DISTINCT id FROM things_labels") == ["5"])
        // It follows the table's name, and goes with the member or the feed.
        #expect(try await place.run("rename things issues").code == 0)
        #expect(try place.query("SELECT count(*) FROM issues_labels") == ["3"])
        try place.write(
            "feedsync.yaml", try place.text(of: "feedsync.yaml").replacing("lists: [labels]", with: "paused: false"))
        #expect(try await place.run("sync").code == 0)
        #expect(try place.query("SELECT name FROM sqlite_schema WHERE type = 'view' AND name GLOB '*labels'").isEmpty)
        try place.expectSound("issues")
    }

    @Test("A view's name may not be that of a feed")
    func names() async throws {
        let (place, _) = try place()
        try place.write(
            "feedsync.yaml",
            try place.text(of: "feedsync.yaml") + Workplace.feed("things-labels", at: "\(place.server.url)/x"))
        let run = try await place.run("check")
        #expect(run.code == 78 && run.errors.contains("`labels` in `lists` of feed `things`"), "\(run.errors)")
    }

    @Test("A store in PostgreSQL has the same views, and made values")
    func postgreSQL() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 1)
        let feed = try #require(bench.feeds["h0x0"])
        feed.items = Self.issues
        let text = try bench.place.text(of: "feedsync.yaml").replacing(
            "columns: {id: id, name: name}",
            with:
                "columns: {id: id, labels: {path: labels, type: json}, first: {path: name, replace: [i, n]}, mine: {value: 5}}"
        )
        try bench.place.write("feedsync.yaml", text + "    lists: [labels]\n")
        let run = try await bench.place.run("sync")
        #expect(run.code == 0, "\(run.errors)")
        #expect(
            try bench.query(
                "SELECT concat(id, position, value, id_2, name, color, \"on\") FROM h0x0_labels ORDER BY id, position")
                == ["107bugred", "118ui \"x\"true", "50plain", "51bug", "523"])
        #expect(try bench.query("SELECT first || mine FROM h0x0 ORDER BY id") == (1...5).map { "n\($0)5" })
        feed.items = Array(Self.issues.prefix(1)) + [Self.issue(6, #"[{"late":"yes"}]"#)]
        #expect(try await bench.place.run("sync").code == 0)
        #expect(try bench.query("SELECT late FROM h0x0_labels WHERE id = 6") == ["yes"])
        let shown = try await bench.place.run("show h0x0 --json")
        #expect(shown.code == 0 && shown.output.contains("\"first\":\"n6\""), "\(shown.errors)")
    }
}
