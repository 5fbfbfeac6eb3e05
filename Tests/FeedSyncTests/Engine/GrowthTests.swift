import Concurrency
import HTTPServer
import SQLite
import ScriptedServer
import Testing

@testable import FeedSync
@testable import StoreFile

@Suite("A feed's table grows with what its items have")
struct GrowthTests {
    private static let open = "items: items\nkey: id"

    private func columns(_ bench: EngineBench) throws -> [String] {
        try bench.query("SELECT json_extract(value, '$.name') FROM _feed, json_each(columns)")
    }

    private static func wide(_ id: Int, _ names: Range<Int>) -> String {
        #"{"id":\#(id),\#(names.map { #""m\#($0)":\#($0)"# }.joined(separator: ","))}"#
    }

    @Test(
        "A member that comes when a page is asked for again is not lost, on whatever page it is",
        arguments: [1, 2, 3], [#""number":1,"late":5"#, #""number":0.5"#])
    func lateMember(page: Int, members: String) async throws {
        let paging = "pagination: {style: page, size_param: per_page, size: 10, total: total_count}"
        let items = (1...30).map { #"{"id":\#($0),"number":1}"# }
        let bench = try await EngineBench(items, members: "sync: {mode: all}", paging: paging, columns: Self.open)
        try await bench.sync()
        let upstream = bench.upstream
        // The list has changed, so pages are asked for again at the end.
        upstream.edit { $0.remove(at: 19) }
        let isEdited = Lock(false)
        bench.server.route("/things") { request in
            let answer = upstream.answer(request)
            let isLast = isEdited.withLock { isEdited in
                defer { isEdited = isEdited || request.parameter("page") == "3" }
                return !isEdited && request.parameter("page") == "3"
            }
            if isLast { upstream.edit { $0[page * 10 - 5] = #"{"id":\#(page * 10 - 4),\#(members)}"# } }
            return answer
        }
        try await bench.sync()
        try await bench.sync()
        let names = try columns(bench).dropFirst().map { "coalesce(sum(\($0)), 0)" }.joined(separator: ", ")
        #expect(try bench.query("SELECT \(names) FROM things") == [members.contains("late") ? "30|5" : "29.5"])
    }

    @Test("A table stops growing at a thousand columns, says so, and goes on storing what there are columns for")
    func limit() async throws {
        let items = (1...40).map { Self.wide($0, ($0 - 1) / 10 * 400..<($0 - 1) / 10 * 400 + 500) }
        let bench = try await EngineBench(items, columns: Self.open)
        bench.upstream.sendsETag = false
        let summary = try await bench.more(.allPages)
        #expect(try columns(bench).count == 1_000)
        #expect(try bench.feed("item_count, complete") == "40|1")
        #expect(
            summary.notices.contains { $0.contains("1,000 columns") && $0.contains("columns:") }, "\(summary.notices)")
        #expect(try await bench.reload().notices.isEmpty)
        try await bench.more(.allPages)
        #expect(try bench.query("SELECT sum(inserted), sum(updated) FROM run") == ["40|0"])
    }

    @Test("A member with a name of more than a thousand bytes gets no column, and that is said")
    func longName() async throws {
        let name = String(repeating: "x", count: 1_000)
        let bench = try await EngineBench([#"{"id":1,"\#(name)":1,"\#(name)y":2}"#], columns: Self.open)
        bench.upstream.sendsETag = false
        let summary = try await bench.reload()
        #expect(try columns(bench) == ["id", name])
        #expect(summary.notices.contains { $0.contains("its name is too long") }, "\(summary.notices)")
        #expect(try await bench.reload().notices == summary.notices)
        #expect(try bench.query("SELECT sum(inserted), sum(updated) FROM run") == ["1|0"])
    }

    // A row in PostgreSQL has 8 KB at most besides long values, which stand elsewhere.
    @Test(
        "The columns of a table that has a thousand are widened all the same", .disabled(if: SharedTwin.isWanted))
    func widerAtLimit() async throws {
        let items = [Self.wide(1, 0..<1_200), #"{"id":2,"m0":"text","m1":1.5,"m2":true,"m3":[1]}"#]
        let paging = "pagination: {style: page, size_param: per_page, size: 1, total: total_count}"
        let bench = try await EngineBench(items, paging: paging, columns: Self.open)
        bench.upstream.sendsETag = false
        for _ in 1...2 {
            try await bench.reload()
            try await bench.more(.allPages)
        }
        let stored = try bench.query("SELECT m0, m1, m2, m3 FROM things ORDER BY id")
        #expect(stored == ["0|1.0|2|3", "text|1.5|true|[1]"])
        #expect(try bench.query("SELECT sum(inserted), sum(updated) FROM run") == ["2|0"])
    }

    @Test("The member that gives the section becomes a column when it comes")
    func laterSection() async throws {
        let items =
            (1...10).map { #"{"id":\#($0)}"# } + (11...12).map { #"{"id":\#($0),"kind":"a"}"# }
        let bench = try await EngineBench(items, members: "section: kind", columns: Self.open)
        try await bench.more(.allPages)
        #expect(try columns(bench) == ["id", "kind"])
        #expect(try bench.query("SELECT name, item_count FROM section ORDER BY name") == ["|10", "a|2"])
    }

    @Test("Numbers at the border of 64 bits are widened as they would have come in")
    func border() async throws {
        let values = ["-9223372036854775808", "9223372036854775807", "-0", "1.5"]
        let items = values.enumerated().map { #"{"id":\#($0.offset),"v":\#($0.element)}"# }
        let paging = "pagination: {style: page, size_param: per_page, size: 1, total: total_count}"
        let bench = try await EngineBench(items, paging: paging, columns: Self.open)
        bench.upstream.sendsETag = false
        for _ in 1...2 {
            try await bench.reload()
            try await bench.more(.allPages)
        }
        #expect(try bench.query("SELECT sum(inserted), sum(updated) FROM run") == ["4|0"])
        #expect(
            try bench.query("SELECT v FROM things ORDER BY id") == [
                "-9223372036854775808", "9223372036854775807", "0.0", "1.5",
            ])
    }

    @Test("An object that becomes something else and comes back is there as the upstream last sent it, whole")
    func objectAndBack() async throws {
        let bench = try await EngineBench([#"{"id":1,"o":{"a":1}}"#], paging: "pagination: none", columns: Self.open)
        for value in [#"{"a":1}"#, #"[1]"#, #""x""#, "null", "7", #"{"a":2,"b":3}"#, "{}", #"{"b":4}"#] {
            bench.upstream.items = [#"{"id":1,"o":\#(value)}"#]
            try await bench.reload()
        }
        #expect(try bench.query("SELECT o FROM things") == [#"{"b":4}"#])
        #expect(try bench.query("SELECT o_a FROM things") == [""])
    }

    @Test("Names of an object's members come to be a dictionary: it stays as it was begun, and nothing is lost")
    func dictionary() async throws {
        let items = [#"{"id":1,"tags":{"red":1}}"#, #"{"id":2,"tags":{"2024-01-01":2,"17":3}}"#]
        let paging = "pagination: {style: page, size_param: per_page, size: 1, total: total_count}"
        let bench = try await EngineBench(items, paging: paging, columns: Self.open)
        try await bench.more(.allPages)
        #expect(try await MirroredValues(bench).losses(of: items) == [])
    }

    @Test("Members of items that are members of an object become columns, too; raw items stay whole")
    func keyed() async throws {
        let bench = try await EngineBench(
            paging: "pagination: {style: page, size_param: per_page, size: 1}",
            columns: "items: {path: items, keyed_by: page}\nkey: page\nraw: true")
        bench.server.route("/things") { request in
            switch request.parameter("page") ?? "1" {
            case "1": .json(#"{"items":{"7":{"title":"a"}}}"#)
            case "2": .json(#"{"items":{"8":{"title":2,"page":"x","new":{"n":1}}}}"#)
            default: .json(#"{"items":{}}"#)
            }
        }
        try await bench.more(.allPages)
        #expect(try columns(bench) == ["page", "title", "page_2", "new_n"])
        #expect(
            try bench.query("SELECT page, title, page_2, new_n, _raw FROM things ORDER BY page") == [
                #"7|a|||{"title":"a"}"#, #"8|2|x|1|{"title":2,"page":"x","new":{"n":1}}"#,
            ])
    }

    @Test(
        "Columns written by hand after some were found are all there is; without them, those that were found are back")
    func byHandAndBack() async throws {
        let items = (1...12).map { #"{"id":\#($0),"name":"n\#($0)","title":"t\#($0)"}"# }
        let bench = try await EngineBench(items, columns: Self.open)
        try await bench.more(.allPages)
        let yaml = "url: \(bench.server.url)/things\n\(EngineBench.paging)\nitems: items\nkey: id\n"
        let byHand = try await bench.another(
            try EngineBench.definition(yaml + "columns: {id: id, name: title}"))
        bench.upstream.items = items.map { $0.replacing(#""t"#, with: #""T"#).replacing(#""n"#, with: #""N"#) }
            .map { $0.replacing(#""Name""#, with: #""name""#).replacing(#""Title""#, with: #""title""#) }
        _ = try await byHand.perform(.reload)
        _ = try await byHand.perform(.allPages)
        #expect(try bench.query("SELECT name, title FROM things WHERE id = 1") == ["T1|t1"])
        let back = try await bench.another(try EngineBench.definition(yaml))
        _ = try await back.perform(.reload)
        _ = try await back.perform(.allPages)
        #expect(
            try bench.query("SELECT name, title FROM things WHERE id IN (1, 12) ORDER BY id") == ["N1|T1", "N12|T12"])
        #expect(try bench.query("SELECT count(*) FROM pragma_table_info('things') WHERE name NOT GLOB '_*'") == ["3"])
    }

    @Test("A page that cannot be committed takes back the columns it brought, and the next command goes on")
    func failedCommit() async throws {
        let items = PagedFeed.items(1...10) + [#"{"id":11,"name":5,"new":1}"#]
        let bench = try await EngineBench(items, columns: Self.open)
        try await bench.reload()
        let connection = try Connection(path: bench.store.path, access: .readWrite)
        try connection.execute(
            "CREATE TRIGGER full BEFORE INSERT ON things WHEN new.id = 11 BEGIN SELECT raise(ABORT, 'disk'); END")
        let found = try bench.query("SELECT found, columns FROM _feed")
        _ = try await bench.failure(.nextPage)
        #expect(try bench.query("SELECT found, columns FROM _feed") == found)
        #expect(try bench.query("SELECT count(*) FROM pragma_table_info('things') WHERE name = 'new'") == ["0"])
        try connection.execute("DROP TRIGGER full")
        try await bench.more()
        #expect(try bench.query("SELECT name, new FROM things WHERE id IN (1, 11) ORDER BY id") == ["item 1|", "5|1"])
        #expect(grammarFault(try bench.log) == nil)
    }

    @Test("A column of a page that cannot be stored is a change only when the page is stored")
    func changeOfFailedPage() async throws {
        let bench = try await EngineBench(PagedFeed.items(1...10), columns: Self.open)
        try await bench.sync()
        let connection = try Connection(path: bench.store.path, access: .readWrite)
        try connection.execute(
            "CREATE TRIGGER full BEFORE INSERT ON things WHEN new.id = 11 BEGIN SELECT raise(ABORT, 'disk'); END")
        bench.upstream.edit { $0.insert(#"{"id":11,"name":"item 11","new":1}"#, at: 0) }
        #expect(try await bench.failure(.sync).kind == .store)
        #expect(try bench.query("SELECT kind, \"column\" FROM _column_change") == [])
        try connection.execute("DROP TRIGGER full")
        try await bench.sync()
        #expect(try bench.query("SELECT kind, \"column\" FROM _column_change") == ["new|new"])
    }

    // The rows are written past the store.
    @Test(
        "A hundred thousand rows are widened while somebody reads, who sees them as they were",
        .disabled(if: SharedTwin.isWanted))
    func wideningManyRows() async throws {
        let bench = try await EngineBench([#"{"id":0,"v":0.5,"w":true}"#], columns: Self.open)
        try await bench.reload()
        let connection = try Connection(path: bench.store.path, access: .readWrite)
        try connection.execute(
            """
            INSERT INTO things (id, v, w, _generation, _position, _first_seen_at, _changed_at)
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
            SELECT i, i + 0.25, i % 2, 1, i, '', '' FROM n
            """)
        let reader = try Connection(path: bench.store.path, access: .readOnly)
        try reader.execute("BEGIN; SELECT count(*) FROM things")
        bench.upstream.items = [#"{"id":0,"v":"x","w":"y"}"#]
        try await bench.reload()
        #expect(try reader.scalar("SELECT count(*) FROM things WHERE typeof(v) = 'real'") == 100_001)
        try reader.execute("COMMIT")
        #expect(
            try reader.scalar("SELECT count(*) FROM things WHERE typeof(v) = 'text' AND w IN ('true', 'false')")
                == 100_000)
        #expect(try reader.scalar("SELECT v FROM things WHERE id = 77777") == "77777.25")
    }

    @Test("A member below a null is NULL, again and again")
    func belowNull() async throws {
        let bench = try await EngineBench(
            [#"{"id":1,"owner":{"login":"x","org":{"name":"y"}}}"#, #"{"id":2,"owner":null}"#],
            paging: "pagination: none",
            columns: Self.open)
        bench.upstream.sendsETag = false
        try await bench.reload()
        bench.upstream.items = [#"{"id":1,"owner":{"login":"x","org":null}}"#, #"{"id":2,"owner":null}"#]
        try await bench.reload()
        #expect(try bench.query("SELECT owner_login, owner_org_name FROM things ORDER BY id") == ["x|", "|"])
        bench.upstream.items = [#"{"id":1,"owner":null}"#, #"{"id":2,"owner":null}"#]
        bench.upstream.sendsETag = true
        for _ in 1...3 { try await bench.reload() }
        #expect(try bench.query("SELECT updated FROM run ORDER BY id") == ["0", "1", "1", "0", "0"])
        #expect(try bench.query("SELECT owner_login IS NULL, owner_org_name IS NULL FROM things") == ["1|1", "1|1"])
    }
}
