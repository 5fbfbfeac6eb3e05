import Concurrency
import Foundation
import HTTPServer
import ScriptedServer
import Testing

@Suite("changes")
struct ChangesTests {
    /// A folder whose feed gets one of these lists with each sync.
    private func place(_ lists: [String], extra: String = "", key: String = "id") async throws -> Workplace {
        let place = try Workplace([])
        try place.write(
            "feedsync.yaml",
            """
            feeds:
              things:
                {url: "\(place.server.url)/things", items: items, key: \(key), retries: 0, sync: {mode: all},
                 pagination: {style: page, param: page, total: total},
                 columns: {id: id, name: name, n: n, ok: {path: ok, type: boolean}}\(extra)}
            """)
        for list in lists { try await sync(place, list) }
        return place
    }

    /// Has the feed bring these items, and syncs it.
    private func sync(_ place: Workplace, _ items: String) async throws {
        let count = items.isEmpty ? 0 : items.components(separatedBy: "},{").count
        place.server.route("/things") { request in
            request.parameter("page") == "2"
                ? .json(#"{"total":\#(count),"items":[]}"#) : .json(#"{"total":\#(count),"items":[\#(items)]}"#)
        }
        let run = try await place.run("sync")
        #expect(run.code == 0, "\(run.errors)")
    }

    private let first =
        #"{"id":1,"name":"one","n":1,"ok":true},{"id":2,"name":"two","n":2,"ok":true},{"id":3,"name":"three","n":3,"ok":null}"#
    private let second =
        #"{"id":4,"name":"four","n":4,"ok":false},{"id":1,"name":"ONE","n":1.5,"ok":false},{"id":3,"name":"three","n":3,"ok":null}"#

    /// The output for people, without the times.
    private func lines(_ run: CommandLineRun) -> [String] {
        run.output.split(separator: "\n").map { String($0.dropFirst(21)) }
    }

    @Test("New, changed, removed and returned rows are printed in order, with old and new values")
    func people() async throws {
        let place = try await place([first, second, first])
        let run = try await place.terminal("changes")
        #expect(
            lines(run) == [
                "things  new       one", "things  new       two", "things  new       three", "things  new       four",
                "things  changed   ONE  name: one → ONE, n: 1 → 1.5, ok: true → false", "things  removed   two",
                "things  changed   one  name: ONE → one, n: 1.5 → 1, ok: false → true", "things  returned  two",
                "things  removed   four",
            ])
        #expect(run.errors.isEmpty)
        #expect(lines(try await place.terminal("changes --since last")) == Array(lines(run).suffix(3)))
        #expect(lines(try await place.terminal("changes --since 2")) == Array(lines(run).suffix(6)))
        #expect(lines(try await place.terminal("changes things --since yesterday")) == lines(run))
        for (run, message) in [("99", "no such run: 99; the last one is "), ("-1", "no such run: -1;")] {
            let none = try await place.run("changes --since \(run)")
            #expect(none.code == 64 && none.output.isEmpty && none.errors.contains(message), "\(none.errors)")
        }
        let future = try await place.run("changes --since 2999-01-01")
        #expect(future.output.isEmpty)
        #expect(future.errors == "feedsync: no changes since 2999-01-01\n")
    }

    @Test("--key prints the history of one item, however long ago it began")
    func ofKey() async throws {
        let place = try await place([first, second, first])
        try place.execute("UPDATE things SET _first_seen_at = replace(_first_seen_at, '20', '19')")
        try place.execute("UPDATE event SET at = replace(at, '20', '19')")
        #expect(
            lines(try await place.terminal("changes --key 1")) == [
                "things  new       one", "things  changed   ONE  name: one → ONE, n: 1 → 1.5, ok: true → false",
                "things  changed   one  name: ONE → one, n: 1.5 → 1, ok: false → true",
            ])
        #expect(lines(try await place.terminal("changes --key 2 --since last")) == ["things  returned  two"])
        let none = try await place.run("changes things --key 99")
        #expect(none.output.isEmpty && none.errors == "feedsync: no changes to the item 99\n")
        #expect(try await place.run("changes --key 1 --ack me").code == 64)
    }

    @Test("--key takes a key of several columns as a JSON array")
    func ofWideKey() async throws {
        let place = try await place([first, second], key: "[id, name]")
        let rows = try await place.run(#"changes --key [2,"two"]"#).output.split(separator: "\n").dropFirst()
        #expect(rows.map { $0.split(separator: "\t")[3] } == ["new", "removed"])
        #expect(try await place.run("changes --key 2").errors == "feedsync: no changes to the item 2\n")
    }

    @Test("--json prints lines with the view's columns, and what came of them")
    func json() async throws {
        let place = try await place([first, second])
        let lines = try await place.run("changes --json").output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(lines.compactMap { $0["kind"] as? String } == ["new", "new", "new", "new", "changed", "removed"])
        #expect(
            lines.allSatisfy {
                Set($0.keys) == ["at", "feed", "run", "kind", "key", "title", "before", "after", "version"]
            })
        #expect(lines.compactMap { $0["run"] as? Int } == [1, 1, 1, 2, 2, 2])
        #expect(lines.compactMap { $0["key"] as? Int } == [1, 2, 3, 4, 1, 2])
        let before = try #require(lines[4]["before"] as? [String: Any])
        #expect(before["name"] as? String == "one" && before["n"] as? Int == 1 && before["ok"] as? Bool == true)
        let after = try #require(lines[4]["after"] as? [String: Any])
        #expect(after["name"] as? String == "ONE" && after["n"] as? Double == 1.5 && after["ok"] as? Bool == false)
        #expect(after.count == 3 && (lines[3]["after"] as? [String: Any])?.count == 4)
        #expect(lines[0]["before"] is NSNull && lines[5]["after"] is NSNull)
    }

    @Test("Of a value that changed twice, each change tells what it came to then")
    func twice() async throws {
        let place = try await place((1...3).map { #"{"id":1,"name":"v\#($0)","n":7}"# })
        #expect(
            lines(try await place.terminal("changes")).suffix(2) == [
                "things  changed   v2  name: v1 → v2", "things  changed   v3  name: v2 → v3",
            ])
    }

    @Test("A change shows a new or returned item with the values that it had then")
    func asItWas() async throws {
        let place = try await place(
            [
                #"{"id":1,"name":"v1","n":1},{"id":2,"name":"other","n":1}"#,
                #"{"id":1,"name":"v2","n":1},{"id":2,"name":"other","n":1}"#, #"{"id":2,"name":"other","n":1}"#,
                #"{"id":1,"name":"v3","n":1},{"id":2,"name":"other","n":1}"#,
                #"{"id":1,"name":"v4","n":2},{"id":2,"name":"other","n":1}"#,
            ])
        let told = [
            #""kind":"new","key":1,"title":"v1","before":null,"after":{"id":1,"name":"v1","n":1,"ok":null},"#,
            #""kind":"changed","key":1,"title":"v2","before":{"name":"v1"},"after":{"name":"v2"},"#,
            #""kind":"removed","key":1,"title":"v4","before":null,"after":null,"#,
            #""kind":"returned","key":1,"title":"v3","before":{"name":"v2"},"after":{"id":1,"name":"v3","n":1,"ok":null},"#,
            #""kind":"changed","key":1,"title":"v4","before":{"name":"v3","n":1},"after":{"name":"v4","n":2},"#,
        ]
        for words in ["changes --json --key 1", "changes --json --ack mail"] {
            let lines = try await place.run(words).output.split(separator: "\n").filter { $0.contains(#""key":1,"#) }
            #expect(lines.count == told.count, "\(lines)")
            for (line, part) in zip(lines, told) { #expect(line.contains(part), "\(line)") }
        }
    }

    @Test("A new item has nothing of a deleted one with its key")
    func afterDeletion() async throws {
        let place = try await place([#"{"id":1,"name":"old","n":1}"#, #"{"id":1,"name":"older","n":1}"#])
        try place.execute("DELETE FROM things")
        try await sync(place, #"{"id":1,"name":"young","n":1}"#)
        let line = try await place.run("changes --json --since last").output
        #expect(line.contains(#""kind":"new","key":1,"title":"young""#), "\(line)")
        #expect(line.contains(#""after":{"id":1,"name":"young","n":1,"ok":null}"#), "\(line)")
    }

    @Test("A change shows a new item whose key has several columns with the values that it had then")
    func asItWasWithWideKey() async throws {
        let place = try await place(
            [#"{"id":1,"name":"a","n":1}"#, #"{"id":1,"name":"a","n":2}"#], key: "[id, name]")
        let new = try await place.run("changes --json").output.split(separator: "\n").first
        #expect(new?.contains(#""kind":"new","key":[1,"a"],"title":"a","before":null,"#) == true, "\(new ?? "")")
        #expect(new?.contains(#""after":{"id":1,"name":"a","n":1,"ok":null}"#) == true, "\(new ?? "")")
    }

    @Test("The view `change` has them all for SQL, keys of several columns as JSON")
    func view() async throws {
        let lists = [
            #"{"id":1,"name":"a","n":1},{"id":1,"name":"b","n":1}"#,
            #"{"id":1,"name":"a","n":2},{"id":2,"name":"c","n":1}"#,
        ]
        let place = try await place(lists, key: "[id, name]")
        #expect(
            try place.query(
                "SELECT kind || ' ' || key || ' ' || coalesce(before, '') FROM change ORDER BY at, kind = 'removed', kind <> 'new', key"
            )
                == [
                    #"new [1,"a"] "#, #"new [1,"b"] "#, #"new [2,"c"] "#, #"changed [1,"a"] {"n":1}"#,
                    #"removed [1,"b"] "#,
                ])
        #expect(try place.query("SELECT count(*) FROM change JOIN run ON run.id = change.run") == ["5"])
        let printed = try await place.run("changes --json").output.split(separator: "\n")
        #expect(printed.count == 5)
        #expect(
            printed[3].contains(#""key":[1,"a"],"title":"a","before":{"n":1},"after":{"n":2},"version":1}"#),
            "\(printed)")
    }

    @Test("--schema prints which columns are new, gone or of another type, and nothing of items")
    func schema() async throws {
        let place = try Workplace([])
        try place.write(
            "feedsync.yaml",
            """
            feeds:
              things: {url: "\(place.server.url)/things", items: items, key: id, pagination: none, sync: {mode: all}}
            """)
        #expect(try await place.run("changes --schema").errors == "feedsync: no changes yet\n")
        try await sync(place, #"{"id":1,"name":"a","n":1}"#)
        #expect(try await place.run("changes --schema").errors == "feedsync: no changes in the last day\n")
        try await sync(place, #"{"id":1,"label":"b","n":"x"}"#)
        let run = try await place.terminal("changes --schema")
        #expect(
            lines(run) == [
                "things  gone     name  no item has it any more", "things  changed  n  integer → text",
                "things  new      label  text",
            ])
        #expect(lines(try await place.terminal("changes --schema --since 3")).isEmpty)
        #expect(try await place.run("changes --schema --since last").output.split(separator: "\n").count == 4)
        let json = try await place.run("changes --schema --json things").output.split(separator: "\n")
        #expect(json.count == 3)
        #expect(json[1].hasSuffix(#""kind":"type","column":"n","before":"integer","after":"text","version":1}"#))
        #expect(try await place.run("changes --schema --ack mail").code == 64)
        #expect(try await place.run("changes --schema --follow").code == 64)
        #expect(try await place.run("rename things others").code == 0)
        #expect(try await place.run("changes --schema others --json").output.split(separator: "\n").count == 3)
        _ = try place.query("UPDATE _column_change SET at = '2020-01-01T00:00:00.000Z'")
        try await sync(place, #"{"id":1,"label":"b","n":"x"}"#)
        #expect(try place.query("SELECT count(*) FROM _column_change") == ["0"])
    }

    @Test("A first load and a sync that finds nothing new keep nothing but the rows")
    func cost() async throws {
        let place = try await place([first, first])
        #expect(try place.query("SELECT count(*) FROM _change") == ["0"])
        #expect(try place.query("SELECT count(*) FROM change") == ["3"])
    }

    @Test("`changes: false` keeps no old values; new items tell themselves")
    func off() async throws {
        let place = try await place([first, second], extra: ", changes: false")
        #expect(
            lines(try await place.terminal("changes")) == [
                "things  new       ONE", "things  new       two", "things  new       three", "things  new       four",
            ])
    }

    @Test("Changes older than `keep` are deleted")
    func forgotten() async throws {
        let place = try await place([first, second])
        for (table, column) in [("run", "finished_at"), ("_change", "at")] {
            _ = try place.query("UPDATE \(table) SET \(column) = '2020-01-01T00:00:00.000Z'")
        }
        try await sync(place, second)
        #expect(try place.query("SELECT count(*) FROM _change") == ["0"])
        #expect(try place.query("SELECT count(*) FROM change") == ["0"])
        #expect(try await place.run("changes --since 2000-01-01").output.isEmpty)
    }

    @Test("--ack prints each change once for each name, whatever came between")
    func acknowledged() async throws {
        let place = try await place([first])
        #expect(lines(try await place.terminal("changes --ack mail")).count == 3)
        #expect(
            try await place.run("changes --ack mail").errors == "feedsync: no changes since the last run for mail\n")
        try await sync(place, second)
        try await sync(place, first)
        #expect(lines(try await place.terminal("changes --ack mail")).count == 6)
        #expect(lines(try await place.terminal("changes --ack mail")).isEmpty)
        #expect(lines(try await place.terminal("changes --ack other")).count == 9)
        #expect(try await place.run("changes --ack mail --since 1d").code == 64)
    }

    @Test("--ack moves on only when all was written")
    func lostOutput() async throws {
        let place = try await place([first])
        let full = try await place.shell("$FEEDSYNC changes --ack mail > /dev/full")
        #expect(full.code == 74)
        // The reader is gone before the changes are written.
        let unread = try await place.shell(
            """
            { trap '' PIPE; while printf x 2> /dev/null; do sleep 0.01; done; $FEEDSYNC changes --ack mail; } | true
            """)
        #expect(unread.errors.isEmpty)
        #expect(lines(try await place.terminal("changes --ack mail")).count == 3)
    }

    @Test("Of two processes that use one name at once, the second to finish says so")
    func atOnce() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3_000)))
        #expect(try await place.run("more things --all").code == 0)
        // More than the pipe takes, so that the first one waits for its reader.
        let run = try await place.shell(
            """
            $FEEDSYNC changes --ack mail --json |
                { head -c 1 > /dev/null; $FEEDSYNC changes --ack mail | wc -l; cat > /dev/null; }
            """)
        #expect(run.output == "3001\n")
        #expect(run.code == 75)
        #expect(run.errors.contains("another process printed the changes for `mail` at the same time"))
    }

    @Test("--ack remembers its place in each feed, also in one that is added later")
    func perFeed() async throws {
        let place = try Workplace(["a", "b"])
        for feed in ["a", "b"] {
            place.server.route("/\(feed)", to: PagedFeed(PagedFeed.items(1...2)))
            #expect(try await place.run("reload \(feed)").code == 0)
        }
        #expect(lines(try await place.terminal("changes a --ack mail")).count == 2)
        #expect(
            lines(try await place.terminal("changes --ack mail")) == ["b  new       item 1", "b  new       item 2"])
    }

    @Test("--follow prints changes as they come, and none from before")
    func follow() async throws {
        let place = try await place([#"{"id":1,"name":"v1","n":7}"#])
        let isDone = Lock(false)
        let followed = Task {
            defer { isDone.withLock { $0 = true } }
            return try await place.shell("$FEEDSYNC changes --follow --json | head -n 1").output
        }
        // The follower may begin behind any of these; one of them comes after that.
        var number = 1
        while !isDone.withLock({ $0 }) {
            number += 1
            try await sync(place, #"{"id":1,"name":"v\#(number)","n":7}"#)
        }
        let line = try await followed.value
        #expect(line.contains(#""kind":"changed","key":1,"title":"v"#), "\(line)")
    }

    @Test("A store without changes says so")
    func nothing() async throws {
        let run = try await Workplace().run("changes")
        #expect(run.output.isEmpty)
        #expect(run.errors == "feedsync: no changes yet\n")
        let wrong = try await place([first]).run("changes --since soon")
        #expect(wrong.code == 64)
        #expect(wrong.errors.contains("--since must be `last`, the number of a run, or a time"))
    }
}
