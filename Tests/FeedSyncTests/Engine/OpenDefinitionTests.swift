import Concurrency
import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync

@Suite("A definition that leaves items, key, columns or pagination open")
struct OpenDefinitionTests {
    private static let paging = "pagination: {style: page, size_param: per_page, size: 10, total: total_count}"

    private func columns(_ bench: EngineBench) throws -> [String] {
        try bench.query(
            "SELECT json_extract(value, '$.name') || ' ' || coalesce(json_extract(value, '$.type'), '') FROM _feed, json_each(columns)"
        )
    }

    @Test("A URL alone is enough: items, key, columns and pages are found, and recorded with the first page")
    func urlAlone() async throws {
        let bench = try await EngineBench(paging: "", columns: "")
        try await bench.reload()
        #expect(try bench.query("SELECT count(*), min(id), max(name) FROM things") == ["10|1|item 9"])
        #expect(try columns(bench) == ["id integer", "name text"])
        #expect(try bench.query("SELECT key_columns FROM _feed") == [#"["id"]"#])
        #expect(try bench.feed("next_page, no_more_data") == "2|0")
        try await bench.more(.allPages)
        #expect(try bench.names == bench.upstreamNames(35))
        #expect(try bench.feed("complete, no_more_data") == "1|1")
        #expect(grammarFault(try bench.log) == nil)
    }

    /// The cursors that a list begins and ends with, as JSON; at `same`, its last page has the cursor of its request.
    private static let borders = [
        ("-1", "0"), ("-1", #""0""#), ("-1", "-1"), ("0", "0"), ("0", #""""#), ("0", "null"), ("0", "same"),
        ("*", #""*""#), ("*", "null"), ("*", "same"),
    ]

    @Test(
        "A list with cursors is mirrored by its URL alone, whatever it begins and ends with",
        arguments: borders, [35, 5])
    func startCursor(border: (start: String, end: String), count: Int) async throws {
        let bench = try await EngineBench(paging: "", columns: "")
        let items = PagedFeed.items(1...count)
        bench.server.route("/things") { request in
            let cursor = request.parameter("cursor") ?? ""
            let number = Int(cursor).map { $0 - 1_000_000 } ?? -1
            guard cursor == border.start || number > 0 else { return .status(400) }
            let start = cursor == border.start ? 0 : number
            let isLast = start + 10 >= count
            let end = border.end == "same" ? "\"\(cursor)\"" : border.end
            let next = isLast ? end : "\(1_000_000 + start + 10)"
            let page = items.dropFirst(start).prefix(10).joined(separator: ",")
            return .json("{\"items\":[\(page)],\"next_cursor\":\(next)}")
        }
        let definition = try EngineBench.definition(
            "url: '\(bench.server.url)/things?cursor=\(border.start)'\nretries: 0")
        let summary = try await bench.another(definition).perform(.sync)
        #expect(summary.reason == nil && summary.notices.isEmpty, "\(summary.notices)")
        #expect(try bench.query("SELECT count(*) FROM things") == ["\(count)"])
        #expect(try bench.feed("complete, no_more_data") == "1|1")
    }

    @Test("Discovered settings come from the store, not from the upstream again")
    func isRecorded() async throws {
        let bench = try await EngineBench(paging: "", columns: "")
        try await bench.reload()
        let before = bench.upstream.requestedPages.count
        _ = try await bench.another().perform(.reload)
        #expect(bench.upstream.requestedPages.count == before + 1)
    }

    @Test("A member that comes later becomes a column, at any depth; rows without it have NULL")
    func newMembers() async throws {
        let items = PagedFeed.items(1...15) + [#"{"id":16,"name":"x","size":{"w":2},"tags":["a"]}"#]
        let bench = try await EngineBench(items, paging: Self.paging, columns: "items: items\nkey: id")
        try await bench.more(.allPages)
        #expect(try columns(bench) == ["id ", "name text", "size_w integer", "tags json"])
        #expect(
            try bench.query("SELECT size_w, tags FROM things WHERE id IN (1, 16) ORDER BY id") == ["|", #"2|["a"]"#])
    }

    @Test(
        "A column is widened in place, and no value of it is lost",
        arguments: [
            ("1", "1.5", "real", ["1.0", "1.5"]),
            ("9007199254740993", "0.5", "real", ["9007199254740993", "0.5"]),
            ("1", #""a""#, "text", ["1", "a"]),
            ("0.30000000000000004", #""a""#, "text", ["0.30000000000000004", "a"]),
            ("true", #""a""#, "text", ["true", "a"]),
            ("true", "2", "text", ["true", "2"]),
            ("null", "2", "integer", ["", "2"]),
            (#"[1, 2]"#, #""a""#, "text", ["[1, 2]", "a"]),
            ("123456789012345678901234567890", "1.5", "real", ["123456789012345678901234567890", "1.5"]),
        ])
    func widening(first: String, later: String, type: String, stored: [String]) async throws {
        let items =
            (1...10).map { #"{"id":\#($0),"v":\#(first)}"# } + (11...12).map { #"{"id":\#($0),"v":\#(later)}"# }
        let bench = try await EngineBench(items, paging: Self.paging, columns: "items: items\nkey: id")
        bench.upstream.sendsETag = false
        try await bench.more(.allPages)
        #expect(try columns(bench) == ["id ", "v \(type)"])
        #expect(try bench.query("SELECT v FROM things WHERE id IN (1, 12) ORDER BY id") == stored)
        // Told apart by what the upstream says, not by how it is kept: nothing has changed.
        try await bench.reload()
        try await bench.more(.allPages)
        #expect(try bench.query("SELECT sum(inserted), sum(updated) FROM run") == ["12|0"])
    }

    @Test("A column may be widened twice, and its numbers are still those of the upstream")
    func widenedTwice() async throws {
        let values = (1...10).map { "\($0)" } + (11...20).map { "\($0).50" } + ["1e3", #""x""#]
        let items = values.enumerated().map { #"{"id":\#($0.offset),"v":\#($0.element)}"# }
        let bench = try await EngineBench(items, paging: Self.paging, columns: "items: items\nkey: id")
        bench.upstream.sendsETag = false
        try await bench.more(.allPages)
        #expect(try columns(bench) == ["id ", "v text"])
        try await bench.reload()
        try await bench.more(.allPages)
        #expect(try bench.query("SELECT sum(inserted), sum(updated) FROM run") == ["22|0"])
        bench.upstream.items[0] = #"{"id":0,"v":2}"#
        try await bench.reload()
        #expect(try bench.query("SELECT v FROM things WHERE id = 0") == ["2"])
    }

    @Test("Values of the key stay as they come, whatever type they have")
    func keyStays() async throws {
        let items = PagedFeed.items(1...10) + [#"{"id":"11","name":"x"}"#, #"{"id":12.5,"name":"y"}"#]
        let bench = try await EngineBench(items, paging: Self.paging, columns: "")
        try await bench.more(.allPages)
        #expect(
            try bench.query("SELECT id, typeof(id) FROM things WHERE _position > 8") == [
                "10|integer", "11|text", "12.5|real",
            ])
    }

    @Test("An object where a scalar was, and a scalar where an object was, lose nothing")
    func otherKinds() async throws {
        let items =
            (1...10).map { #"{"id":\#($0),"a":{"x":1},"b":"plain"}"# } + [#"{"id":11,"a":"plain","b":{"x":1}}"#]
        let bench = try await EngineBench(items, paging: Self.paging, columns: "items: items\nkey: id")
        try await bench.more(.allPages)
        #expect(
            try bench.query("SELECT a_x, b FROM things WHERE id IN (1, 11) ORDER BY id") == ["1|plain", #"|{"x":1}"#])
        #expect(try bench.query("SELECT a FROM things WHERE id = 11") == ["plain"])
    }

    @Test("An empty first page is stored as loaded; the table comes with the first item")
    func emptyFirst() async throws {
        let bench = try await EngineBench([], paging: "", columns: "")
        #expect(try await bench.reload().isAtEnd)
        #expect(try bench.feed("complete, item_count, no_more_data") == "1|0|1")
        #expect(try bench.query("SELECT count(*) FROM sqlite_schema WHERE name = 'things'") == ["0"])
        bench.upstream.items = PagedFeed.items(1...12)
        try await bench.reload()
        try await bench.more(.allPages)
        #expect(try bench.names == bench.upstreamNames(12))
        #expect(grammarFault(try bench.log) == nil)
    }

    @Test("A list that is empty at first is complete, by its URL alone, too")
    func emptyAtFirst() async throws {
        let bench = try await EngineBench(paging: "", columns: "")
        let definition = try EngineBench.definition("url: '\(bench.server.url)/things'\nretries: 0")
        let items = Lock<[String]>([])
        bench.server.route("/things") { _ in .json("[\(items.withLock { $0 }.joined(separator: ","))]") }
        let engine = try await bench.another(definition)
        for _ in 0..<2 { #expect(try await engine.perform(.sync).reason == nil) }
        #expect(try bench.feed("complete, item_count") == "1|0")
        items.withLock { $0 = PagedFeed.items(1...3) }
        try await engine.perform(.sync)
        #expect(try bench.feed("complete, item_count") == "1|3")
    }

    @Test(
        "A list whose second page could not be tried is complete only after another try, and each sync tries again",
        arguments: [403, 500], [true, false])
    func failedTrial(status: Int, failsOnce: Bool) async throws {
        let bench = try await EngineBench(paging: "", columns: "")
        let (failures, isOver) = (Lock(0), Lock(false))
        let feed = PagedFeed(PagedFeed.items(1...35), perPage: 10)
        bench.server.route("/things") { request in
            if !request.query.isEmpty {
                let failed = failures.withLock { count in
                    count += 1
                    return count
                }
                if failed == 1 || !failsOnce && !isOver.withLock({ $0 }) { return .status(status) }
            }
            let page = request.parameter("page").flatMap { Int($0) } ?? 1
            let items = feed.items.dropFirst((page - 1) * 10).prefix(10).joined(separator: ",")
            return .json("{\"items\":[\(items)]}")
        }
        let run = try await bench.sync()
        #expect(run.reason == .cutOff && run.notices.contains { $0.contains("could not be tried") }, "\(run.notices)")
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.feed("complete, item_count") == (failsOnce ? "1|35" : "1|10"))
        // A refusal is a trial the second time. A failure is none.
        guard status == 500 else { return }
        isOver.withLock { $0 = true }
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.feed("complete, item_count") == "1|35")
    }

    @Test("A list of one page that becomes empty may leave out the member of its items")
    func becomesEmpty() async throws {
        let bench = try await EngineBench(paging: "", columns: "")
        let items = Lock(PagedFeed.items(1...5))
        bench.server.route("/things") { _ in
            let items = items.withLock { $0 }
            let list = items.isEmpty ? "" : "\"_embedded\":{\"things\":[\(items.joined(separator: ","))]},"
            let links = "\"_links\":{\"self\":{\"href\":\"/things\"}}"
            return .json("{\(list)\(links),\"page\":{\"size\":10,\"totalElements\":\(items.count),\"number\":0}}")
        }
        for count in [5, 0, 0, 3] {
            let before = items.withLock { items in
                defer { items = count == 0 ? [] : PagedFeed.items(1...count) }
                return items.count
            }
            // Whole lists vanish by mistake, too.
            let isFirst = before > 0 && count == 0
            #expect(try await bench.sync().reason == (isFirst ? .cutOff : nil))
            #expect(try bench.feed("complete, item_count") == (isFirst ? "0|5" : "1|\(count)"))
        }
    }

    @Test("`auto` never takes one page for all there will ever be: it goes on as soon as a page leads on")
    func neverNone() async throws {
        let bench = try await EngineBench(paging: "", columns: "")
        bench.server.route("/things") { _ in
            .json("[{\"id\":1},{\"id\":2}]", headers: [(name: "ETag", value: "\"same\"")])
        }
        try await bench.reload()
        #expect(try bench.feed("next_page, no_more_data") == "|1")
        bench.server.route("/things") { request in
            guard request.parameter("cursor") == nil else { return .json("[{\"id\":3}]") }
            return .json(
                "[{\"id\":1},{\"id\":2}]", headers: [(name: "Link", value: "</things?cursor=x>; rel=\"next\"")])
        }
        try await bench.reload()
        #expect(try bench.feed("no_more_data") == "0")
        try await bench.more(.allPages)
        #expect(try bench.query("SELECT count(*) FROM things") == ["3"])
    }

    @Test("A changed definition keeps the columns and the key that were found, and looks for the pages anew")
    func changedDefinition() async throws {
        let bench = try await EngineBench(paging: "", columns: "")
        try await bench.more(.allPages)
        let yaml = "url: \(bench.server.url)/things\nquery: {per_page: 20}"
        let engine = try await bench.another(try EngineBench.definition(yaml))
        _ = try await engine.perform(.allPages)
        #expect(try bench.names == bench.upstreamNames(35))
        #expect(try bench.query("SELECT pages, inserted FROM run ORDER BY id DESC LIMIT 1") == ["2|0"])
    }

    @Test("A key of its own that is not the one that was found is refused, and says the way out")
    func changedKey() async throws {
        let bench = try await EngineBench(paging: "", columns: "")
        try await bench.reload()
        let yaml = "url: \(bench.server.url)/things\nkey: name"
        let error = try await bench.failure(.reload, bench.another(try EngineBench.definition(yaml)))
        #expect(error.kind == .configuration)
        #expect(error.advice?.hasPrefix("feedsync rekey things") == true)
    }

    @Test("A page that fails leaves nothing of what was found with it")
    func nothingOfAFailedPage() async throws {
        let bench = try await EngineBench(["1", "2"], paging: "", columns: "")
        let error = try await bench.failure(.reload)
        #expect(error.kind == .configuration)
        #expect(error.advice?.contains("items") == true)
        #expect(try bench.query("SELECT found IS NULL, key FROM _feed") == ["1|"])
        #expect(try bench.log == ["beginHeader", "endHeader!configuration"])
    }

    @Test("Items that are members of an object have their names in a column")
    func keyedItems() async throws {
        let bench = try await EngineBench(
            paging: "pagination: none", columns: "items: {path: pages, keyed_by: page}\nkey: page")
        bench.server.route("/things") { _ in .json(#"{"pages":{"7":{"title":"a"},"8":{"title":"b"},"9":null}}"#) }
        try await bench.reload()
        #expect(try bench.query("SELECT page, title FROM things ORDER BY page") == ["7|a", "8|b"])
    }

    @Test("Columns written by hand are all there is: other members are left alone")
    func givenColumns() async throws {
        let items = [#"{"id":1,"name":"a","more":1}"#]
        let bench = try await EngineBench(
            items, paging: "pagination: none", columns: "items: items\ncolumns: {name: name}")
        try await bench.reload()
        #expect(try columns(bench) == ["name ", "id "])
    }
}
