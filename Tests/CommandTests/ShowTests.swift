import Foundation
import HTTPServer
import ScriptedServer
import Testing

@Suite("show")
struct ShowTests {
    /// A folder where `things` has items of two sections.
    private func sections() async throws -> Workplace {
        let place = try Workplace(extra: "section: kind")
        place.server.enqueue(
            "/things",
            [
                .json(
                    """
                    {"total_count":3,"items":[{"id":1,"name":"東京","kind":"Städte"},{"id":22,"name":"👩‍💻","kind":"Zeichen"},
                    {"id":333,"name":null,"kind":"Städte"}]}
                    """)
            ])
        #expect(try await place.run("reload things").code == 0)
        return place
    }

    /// A folder whose `things` have these columns and items.
    private func place(columns: String, extra: String = "", items: String) async throws -> Workplace {
        let place = try Workplace([])
        place.server.enqueue("/things", [.json(#"{"items":[\#(items)]}"#)])
        try place.write(
            "feedsync.yaml",
            """
            feeds:
              things: {url: "\(place.server.url)/things", items: items, key: id, retries: 0, columns: \(columns)\(extra)}
            """)
        #expect(try await place.run("reload things").code == 0)
        return place
    }

    /// The lines on a terminal of a width.
    private func terminal(_ place: Workplace, _ words: String, width: Int = 80) async throws -> [Substring] {
        try await place.shell(
            #"script -qec "stty cols \#(width); $FEEDSYNC \#(words)" /dev/null"#,
            environment: ["NO_COLOR": "1", "PAGER": "cat"]
        ).output.split(separator: "\r\n")
    }

    @Test("A terminal gets the items by section, wide characters in line")
    func sectionsOnTerminal() async throws {
        let place = try await sections()
        #expect(
            try await terminal(place, "show things") == [
                "Städte  2 items", "   id  name", "    1  東京", "  333", "Zeichen  1 item", "  id  name", "  22  👩‍💻",
            ])
        #expect(
            try await terminal(place, "show things --section Zeichen") == ["Zeichen  1 item", "  id  name", "  22  👩‍💻"])
        #expect(try await place.run("show things --section Zeihcen").code == 64)
    }

    @Test("A pipe gets all columns between tabs, section by section, and --tsv is the same on a terminal")
    func pipe() async throws {
        let place = try await sections()
        let run = try await place.run("show things")
        let lines = run.output.split(separator: "\n")
        #expect(
            lines.first == "id\tname\t_section\t_generation\t_position\t_first_seen_at\t_changed_at\t_removed_at")
        #expect(
            lines.dropFirst().map { $0.split(separator: "\t", omittingEmptySubsequences: false).prefix(3) } == [
                ["1", "東京", "Städte"], ["333", "", "Städte"], ["22", "👩‍💻", "Zeichen"],
            ])
        #expect(run.errors.isEmpty)
        #expect(try await terminal(place, "show things --tsv") == lines)
    }

    @Test("Characters that would break a line of tab-separated values are escaped")
    func tabs() async throws {
        let place = try await place(columns: "{id: id, n: n}", items: #"{"id":1,"n":"a\tb\nc\rd\\e"}"#)
        #expect(try await place.run("show things --columns n").output == "n\na\\tb\\nc\\rd\\\\e\n")
    }

    @Test("CSV quotes what has commas, quotes and line ends, and keeps every other character")
    func csv() async throws {
        let place = try await place(
            columns: "{id: id, n: n}",
            items: #"{"id":1,"n":"a, \"b\""},{"id":2,"n":"x\ny\u001b"},{"id":3,"n":null},{"id":4,"n":"ä"}"#)
        #expect(
            try await place.run("show things --csv --columns id,n").output
                == "id,n\n1,\"a, \"\"b\"\"\"\n2,\"x\ny\u{1B}\"\n3,\n4,ä\n")
        #expect(try await place.run("show things --csv --columns n --limit 1 --where n[IS]NULL").code == 64)
        #expect(
            try await place.shell("$FEEDSYNC show things --csv --columns n --where 'n IS NULL'").output == "n\n\"\"\n")
    }

    @Test("JSON has true, false and JSON where the definition says so; CSV and tabs have the values of the store")
    func json() async throws {
        let place = try await place(
            columns: "{id: id, b: {path: b, type: boolean}, i: i, j: {path: j, type: json}}",
            items:
                #"{"id":1,"b":true,"i":1,"j":{"a":[1,{}]}},{"id":2,"b":false,"i":null,"j":null},{"id":3,"b":"?","j":"x"}"#
        )
        let objects = [
            #"{"id":1,"b":true,"i":1,"j":{"a":[1,{}]}}"#, #"{"id":2,"b":false,"i":null,"j":null}"#,
            #"{"id":3,"b":"?","i":null,"j":"x"}"#,
        ]
        let lines = try await place.run("show things --ndjson --columns id,b,i,j").output
        #expect(lines == objects.map { $0 + "\n" }.joined())
        let document = try await place.run("show things --json --columns id,b,i,j").output
        #expect(document == "[\n" + objects.joined(separator: ",\n") + "\n]\n")
        #expect(try await place.shell("$FEEDSYNC show things --json --where 0").output == "[]\n")
        // CSV and tabs have the values of the store, as conditions take them.
        #expect(try await place.run("show things --csv --columns id,b").output == "id,b\n1,1\n2,0\n3,?\n")
        #expect(try await place.run("show things --tsv --columns id,b").output == "id\tb\n1\t1\n2\t0\n3\t?\n")
        #expect(try await place.shell("$FEEDSYNC show things --csv --columns id --where 'b = 0'").output == "id\n2\n")
    }

    @Test("A Markdown table has the columns that say most")
    func markdown() async throws {
        let place = try await place(
            columns:
                "{id: id, name: name, stars: stars, html_url: html_url, description: description, node_id: node_id}",
            items: """
                {"id":1,"name":"a|b","stars":5,"html_url":"https://example.com/1","description":"one\\ntwo","node_id":"x"},
                {"id":2,"name":"c","stars":6,"html_url":"https://example.com/2","description":"three","node_id":"y"}
                """)
        #expect(
            try await place.run("show things --markdown").output == """
                | name | stars | description | html_url |
                | --- | --- | --- | --- |
                | a\\|b | 5 | one two | https://example.com/1 |
                | c | 6 | three | https://example.com/2 |

                """)
    }

    @Test("A terminal that is too narrow for all columns gets those that say most, and the others are named")
    func narrow() async throws {
        let columns = ["id", "node_id", "url", "title", "body", "comments", "state", "locked", "blob"]
        let items = (1...3).map { number in
            """
            {"id":\(number),"node_id":"MDU6SXNzdWUx\(number)","url":"https://api.example.com/issues/\(number)","title":"Issue \(number)",
            "body":"\(String(repeating: "word ", count: 20))\(number)","comments":\(number),"state":"s\(number)","locked":false,"blob":"b\(number)"}
            """
        }
        let place = try await place(
            columns: "{\(columns.map { "\($0): \($0)" }.joined(separator: ", "))}", items: items.joined(separator: ","))
        let lines = try await terminal(place, "show things", width: 60)
        #expect(lines[0].split(separator: " ") == ["title", "comments", "state", "body", "blob", "id"])
        #expect(lines[1].hasPrefix("Issue 1         1  s1     word word"))
        #expect(lines.dropLast().allSatisfy { $0.count <= 60 })
        #expect(lines.last?.hasPrefix("feedsync: note: columns not shown: node_id, url, locked;") == true)
    }

    @Test("`show` in a definition chooses the columns that a terminal gets, by name or by path")
    func definition() async throws {
        let place = try await place(
            columns: "{id: id, n: name, w: web.page, x: x}",
            extra: ", show: {title: name, link: web.page, figures: [x]}",
            items: #"{"id":1,"name":"one","web":{"page":"https://example.com"},"x":7}"#)
        #expect(
            try await terminal(place, "show things") == ["n    x  w", "one  7  https://example.com"])
        #expect(try await place.run("show things --columns id").output == "id\n1\n")
    }

    @Test("`show` in a definition that names no column is a mistake with its place")
    func wrongDefinition() async throws {
        let place = try Workplace(extra: "show: {title: nmae, figures: [id]}")
        let run = try await place.run("check")
        #expect(run.code == 78)
        #expect(
            run.errors.contains("`title` in `show` of feed `things` is none of its columns: `nmae`"), "\(run.errors)")
        #expect(run.errors.contains("did you mean `name`?"), "\(run.errors)")
    }

    @Test("Items can be chosen with SQL, sorted, and cut off")
    func chosen() async throws {
        let items = (1...9).map { #"{"id":\#($0),"n":\#($0 % 3)}"# }.joined(separator: ",")
        let place = try await place(columns: "{id: id, n: n}", items: items)
        func ids(_ words: String) async throws -> String {
            let run = try await place.shell("$FEEDSYNC show things --columns id \(words)")
            #expect(run.code == 0, "\(run.errors)")
            return run.output.split(separator: "\n").dropFirst().joined(separator: " ")
        }
        #expect(try await ids("--where 'n = 1 OR n = 2 -- these'") == "1 2 4 5 7 8")
        #expect(try await ids("--sort -n,id --limit 4") == "2 5 8 1")
        #expect(try await ids("--limit all") == "1 2 3 4 5 6 7 8 9")
        #expect(try await ids("--where 'n = 5'") == "")
        let wrong = try await place.shell("$FEEDSYNC show things --where 'm = 1'")
        #expect(wrong.code == 64)
        #expect(wrong.errors == "feedsync: --where `m = 1`: no such column: m\nTry: feedsync help show\n")
        let near = try await place.shell("$FEEDSYNC show things --where 'idd > 1'")
        #expect(near.code == 64 && near.errors.contains("no such column: idd; did you mean id?"), "\(near.errors)")
        let column = try await place.run("show things --sort idd")
        #expect(column.code == 64)
        #expect(column.errors.hasPrefix("feedsync: no such column: idd; did you mean id?\n"))
        #expect(
            try await place.run("show things --csv --json").errors.contains("--csv and --json cannot be used together"))
    }

    @Test("Items can be those that are new or changed since a time, and those that are gone")
    func since() async throws {
        let place = try await place(columns: "{id: id, n: n}", items: #"{"id":1},{"id":2},{"id":3}"#)
        for (id, column, hours) in [(1, "_first_seen_at", 48), (1, "_changed_at", 48), (2, "_first_seen_at", 48)] {
            _ = try place.query(
                "UPDATE things SET \(column) = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-\(hours) hours') WHERE id = \(id)"
            )
        }
        _ = try place.query("UPDATE things SET _removed_at = _changed_at WHERE id = 3")
        func ids(_ words: String) async throws -> [Substring] {
            try await Array(place.run("show things --columns id \(words)").output.split(separator: "\n").dropFirst())
        }
        #expect(try await ids("--since 1d") == ["2"])
        #expect(try await ids("--since 3d") == ["1", "2"])
        #expect(try await ids("--since 1d --removed") == ["2", "3"])
        #expect(try await ids("--removed") == ["1", "2", "3"])
        #expect(try await ids("--since 2001-01-31") == ["1", "2"])
        #expect(try await ids("--since 2999-01-31T00:00:00Z").isEmpty)
        let wrong = try await place.run("show things --since soon")
        #expect(wrong.code == 64)
        #expect(
            wrong.errors.contains("--since must be a time such as 90m, 7d, 2w, 1mo, yesterday or 2026-11-21, not soon"))
    }

    @Test("A time without a zone is local, as a day is, and one with a zone is not")
    func localTime() async throws {
        let place = try await place(columns: "{id: id, n: n}", items: #"{"id":1}"#)
        let changed = "2026-11-21T08:00:00.000Z"
        _ = try place.query("UPDATE things SET _first_seen_at = '\(changed)', _changed_at = '\(changed)'")
        for (time, isSince) in [
            ("2026-11-21T02:59", true), ("2026-11-21T03:00:00.001", false), ("2026-11-21T08:00Z", true),
            ("2026-11-21T08:00:01Z", false), ("2026-11-21T09:00+01:00", true), ("2026-11-21", true),
            ("2026-11-22", false),
        ] {
            let run = try await place.run("show things --columns id --csv --since \(time)", environment: ["TZ": "XYZ5"])
            #expect(run.output == (isSince ? "id\n1\n" : "id\n"), "\(time): \(run.errors)")
        }
    }

    @Test("All items are printed, however many, with --quiet too", arguments: ["", " -q"])
    func all(option: String) async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...350)))
        #expect(try await place.run("more things --all").code == 0)
        let run = try await place.run("show things --json\(option)")
        let items = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String: Any]])
        #expect(items.compactMap { $0["id"] as? Int } == Array(1...350))
        #expect(run.errors.isEmpty)
        #expect(try await place.run("show things --ndjson\(option)").output.split(separator: "\n").count == 350)
        let paged = try await place.shell(
            #"script -qec '$FEEDSYNC show things\#(option)' /dev/null"#, environment: ["PAGER": "wc -l"])
        #expect(paged.output == "351\r\n")
    }

    @Test("A terminal gets long results through $PAGER, and a pipe never does")
    func pager() async throws {
        let place = try await sections()
        let pager = #"PAGER="sed s/^/p:/" NO_COLOR=1 TERM=xterm"#
        let paged = try await place.shell(
            #"script -qec '\#(pager) $FEEDSYNC show things --csv --columns id' /dev/null"#)
        #expect(paged.output.split(separator: "\r\n") == ["p:id", "p:1", "p:333", "p:22"])
        let piped = try await place.shell("\(pager) $FEEDSYNC show things --csv --columns id")
        #expect(piped.output == "id\n1\n333\n22\n")
        // A pager that shows the first line and ends is no failure, and notes come when it has ended.
        let cut = try await place.shell(
            #"script -qec 'PAGER="head -n 1" NO_COLOR=1 $FEEDSYNC show things --where 0; echo $?' /dev/null"#)
        #expect(
            cut.output.hasSuffix("feedsync: things: note: no item matches (of 3)\r\n0\r\n"), "\(cut.output)")
    }

    @Test(
        "An empty feed is an empty result in each format", arguments: [("--json", "[]\n"), ("--ndjson", ""), ("", "")])
    func nothing(option: String, output: String) async throws {
        let run = try await Workplace().run("show things \(option)")
        #expect(run.output == output)
        #expect(run.errors == "feedsync: things: note: no items stored yet; feedsync sync things fetches them\n")
        #expect(run.code == 0)
    }

    @Test(
        "An empty list prints nothing, except for the brackets of JSON and the names of CSV",
        arguments: [
            ("", ""), ("--tsv", ""), ("--markdown", ""), ("--ndjson", ""), ("--json", "[]\n"), ("--csv", "id\n"),
        ])
    func noItems(option: String, output: String) async throws {
        let place = try await place(
            columns: "{id: id, n: n}", extra: ", search: [n]", items: #"{"id":1,"n":"a"}"#)
        for command in ["show things --columns id --where 0", "sql 'SELECT id FROM things WHERE 0'"] {
            let run = try await place.shell("$FEEDSYNC \(command) \(option)")
            #expect(run.output == output, "\(command): \(run.errors)")
            #expect(run.code == 0, "\(command)")
        }
        let names = "feed,title,excerpt,link,key,matches\n"
        #expect(
            try await place.shell("$FEEDSYNC search zebra \(option)").output == (output == "id\n" ? names : output))
        #expect(try await place.shell("$FEEDSYNC show things --where 0 \(option) -o things.txt").code == 0)
        if option.isEmpty {
            #expect(try place.text(of: "things.txt").isEmpty)
            #expect(try await terminal(place, "sql 'SELECT id FROM things WHERE 0'").isEmpty)
        }
    }
}
