import Concurrency
import Foundation
import HTTP
import HTTPServer
import SQLite
import ScriptedServer
import TemporaryFolder
import Testing

@testable import FeedSync
@testable import StoreFile
@testable import Upstream

@Suite("The truth of the store")
struct TruthTests {
    @Test("max_pages met by way of a 304 is still max_pages, and lifting it goes on")
    func maxPages() async throws {
        let bench = try await EngineBench(members: "max_pages: 2")
        try await bench.more(.allPages)
        try await bench.reload()
        try await bench.more(.allPages)
        #expect(try bench.query("SELECT complete, reason FROM run ORDER BY id DESC LIMIT 1") == ["0|max_pages"])
        let free = try EngineBench.definition(
            "url: \(bench.server.url)/things\n\(EngineBench.columns)\n\(EngineBench.paging)\nretries: 0")
        let engine = try await bench.another(free)
        _ = try await engine.perform(.reload)
        _ = try await engine.perform(.allPages)
        #expect(try bench.feed("item_count, complete") == "35|1")
    }

    @Test("A skipped item is still skipped when the page is a 304")
    func skipped() async throws {
        let bench = try await EngineBench([#"{"name":"a"}"#, #"{"id":2,"name":"b"}"#])
        try await bench.reload()
        try await bench.reload()
        #expect(try bench.query("SELECT complete, reason FROM run") == ["0|left_out", "0|left_out"])
    }

    @Test("A failed reload's run is not complete")
    func failedRun() async throws {
        let bench = try await EngineBench()
        try await bench.more(.allPages)
        bench.upstream.fail(page: 1, with: .status(500))
        _ = try await bench.failure(.reload)
        #expect(
            try bench.query("SELECT outcome, complete, reason FROM run ORDER BY id DESC LIMIT 1") == ["failed|0|failed"]
        )
    }

    @Test("A column may be called rowid")
    func rowid() async throws {
        let bench = try await EngineBench(
            [#"{"id":1,"rowid":2,"name":"a"}"#, #"{"id":2,"rowid":9,"name":"b"}"#],
            columns: "items: items\nkey: id\ncolumns: {id: id, rowid: rowid, name: name}")
        bench.upstream.sendsETag = false
        try await bench.reload()
        bench.upstream.items = [#"{"id":1,"rowid":2,"name":"A"}"#, #"{"id":2,"rowid":9,"name":"B"}"#]
        try await bench.reload()
        #expect(try bench.names == ["A", "B"])
        bench.upstream.items = [#"{"id":2,"rowid":3,"name":"C"}"#, #"{"id":1,"rowid":4,"name":"D"}"#]
        try await bench.reload()
        #expect(try bench.names == ["C", "D"])
    }

    @Test("A spent quota stops the prefetch")
    func quota() async throws {
        let bench = try await EngineBench()
        let upstream = bench.upstream
        let reset = "\(Int(Date().timeIntervalSince1970) + 3600)"
        bench.server.route("/things") { request in
            let body = upstream.items.prefix(10).joined(separator: ",")
            if request.parameter("page") == "1" {
                return .json(
                    "{\"total_count\":35,\"items\":[\(body)]}",
                    headers: [
                        ("X-RateLimit-Limit", "60"), ("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", reset),
                    ])
            }
            return .status(429)
        }
        let error = try await bench.failure(.allPages)
        #expect(error.kind == .limited)
        #expect(bench.server.requests.count == 1)
    }

    @Test("Forgetting old runs keeps the log whole")
    func keep() async throws {
        let bench = try await EngineBench()
        let clock = Lock<Int64>(1_795_000_000_000)
        var options = EngineBench.options
        options.wallClock = WallClock { clock.withLock { $0 } }
        let store = try await Store(
            path: bench.folder.file("k.db"), options: .init(keep: Retention(.seconds(5))))
        let engine = try await SyncEngine(feed: bench.definition, store: store, options: options)
        let upstream = bench.upstream
        bench.server.route("/things") { request in
            clock.withLock { $0 += 10_000 }
            return upstream.answer(request)
        }
        _ = try await engine.perform(.reload)
        clock.withLock { $0 += 1000 }
        _ = try await engine.perform(.reload)
        let connection = try Connection(path: store.path, access: .readOnly)
        var log: [String] = []
        try connection.rows("SELECT status FROM event ORDER BY id") { log.append($0.text(at: 0) ?? "") }
        #expect(grammarFault(log) == nil)
    }

    @Test("An item that comes twice in a page is in its last section, at its first place")
    func section() async throws {
        let bench = try await EngineBench(
            [#"{"id":1,"kind":"a"}"#, #"{"id":2,"kind":"a"}"#, #"{"id":1,"kind":"b"}"#],
            members: "section: kind", columns: "items: items\nkey: id\ncolumns: {id: id, kind: kind}")
        try await bench.reload()
        #expect(try bench.query("SELECT name, position FROM _section ORDER BY name") == ["a|1", "b|0"])
    }

    @Test("The status does not stay at a begin when the store cannot take its end")
    func spinner() async throws {
        let bench = try await EngineBench()
        await bench.store.wait(milliseconds: 20)
        try await bench.reload()
        let gate = bench.server.gate()
        bench.upstream.hold(page: 2, at: gate)
        async let more = bench.failure(.nextPage)
        await gate.arrived()
        let other = try Connection(path: bench.store.path)
        try other.execute("BEGIN IMMEDIATE")
        gate.open()
        #expect(try await more.kind == .locked)
        try other.execute("ROLLBACK")
        var statuses = bench.engine.refreshStatus.makeAsyncIterator()
        let status = await statuses.next(isolation: nil)
        #expect(status == .endFooter)
    }

    @Test("A crawl whose total fell is not complete")
    func drift() async throws {
        let bench = try await EngineBench()
        try await bench.reload()
        try await bench.more()
        bench.upstream.edit { $0.removeFirst(5) }
        try await bench.more(.allPages)
        #expect(try bench.feed("no_more_data, complete, item_count") == "1|0|30")
    }

    @Test("Many may open a new store at once")
    func opens() async throws {
        let folder = try TemporaryFolder()
        var faults: [String] = []
        for round in 0..<20 {
            let path = folder.file("\(round).db")
            faults += await withTaskGroup(of: String?.self) { group in
                for _ in 0..<4 {
                    group.addTask { do { _ = try await Store(path: path); return nil } catch { return "\(error)" } }
                }
                return await group.reduce(into: []) { if let fault = $1 { $0.append(fault) } }
            }
        }
        #expect(faults == [])
    }

    @Test("A section and raw that are turned on show in spite of a 304")
    func sectionTurnedOn() async throws {
        let bench = try await EngineBench()
        try await bench.reload()
        let changed = try EngineBench.definition(
            "url: \(bench.server.url)/things\n\(EngineBench.columns)\n\(EngineBench.paging)\nretries: 0\nsection: name\nraw: true"
        )
        _ = try await bench.another(changed).perform(.reload)
        #expect(try bench.query("SELECT count(*) FROM things WHERE _section IS NULL") == ["0"])
        #expect(try bench.query("SELECT count(*) FROM things WHERE _raw IS NULL") == ["0"])
    }

    @Test("The next request goes out before the page is committed")
    func prefetch() async throws {
        let bench = try await EngineBench(PagedFeed.items(1...15))
        let upstream = bench.upstream
        let other = Lock(OtherWriter())
        let path = bench.store.path
        // Until page 2 is asked for, nobody else can write the store.
        bench.server.route("/things") { request in
            if request.parameter("page") == "1" {
                other.withLock { $0.lock(path) }
            } else {
                other.withLock { $0.unlock() }
            }
            return upstream.answer(request)
        }
        #expect(try await bench.more(.allPages).figures.pages == 2)
    }

    @Test("A page's validators lapse with the move of its rows")
    func lapse() async throws {
        let bench = try await EngineBench(
            PagedFeed.items(1...100), paging: "pagination: {style: page, param: page, size_param: per_page, size: 10}")
        try await bench.more(.allPages)
        bench.upstream.edit { $0.removeFirst(15) }
        try await bench.reload()
        try await bench.more()
        bench.upstream.edit { $0.insert(contentsOf: PagedFeed.items(200...209), at: 20) }
        try await bench.more()
        let stale = try bench.query(
            """
            SELECT p.request FROM _page p WHERE etag IS NOT NULL AND placed <> (SELECT count(*) FROM things t
                WHERE t._generation = p.generation AND t._position >= p.position AND t._position < p.position + p.placed)
            """)
        #expect(stale == [])
    }

    @Test("A sync of a list that moved leaves one record of each page")
    func replacedPages() async throws {
        let bench = try await EngineBench(
            PagedFeed.items((1...100).reversed()), members: "sync: {mode: all}",
            paging: "pagination: {style: page, param: page, size_param: per_page, size: 10}")
        try await bench.sync()
        for item in 200...202 {
            bench.upstream.edit { $0.insert(contentsOf: PagedFeed.items([item]), at: 0) }
            try await bench.sync()
            let twice = "SELECT request FROM _page GROUP BY request HAVING count(*) > 1"
            #expect(try bench.query(twice) == [])
        }
        #expect(try bench.query("SELECT count(*) FROM things WHERE _removed_at IS NULL") == ["103"])
    }

    @Test("The requests of a 304 that could not be used are counted")
    func counted() async throws {
        let bench = try await EngineBench()
        try await bench.reload()
        bench.twin?.forget()
        let path = bench.store.path
        let server = bench.server
        let upstream = bench.upstream
        server.route("/things") { request in
            if request.header("If-None-Match") != nil, let c = try? Connection(path: path) {
                try? c.execute("UPDATE _page SET etag = NULL")
            }
            return upstream.answer(request)
        }
        let summary = try await bench.reload()
        #expect(summary.figures.requests == bench.server.requests.count - 1)
    }

    @Test("An end before the total is a cap, not an end that all came by", arguments: [true, false])
    func emptyBeforeTotal(_ sendsETag: Bool) async throws {
        let bench = try await EngineBench(PagedFeed.items(1...12))
        bench.upstream.sendsETag = sendsETag
        bench.upstream.total = .claimed(1000)
        try await bench.more(.allPages)
        let again = try await bench.another()
        #expect(try await again.perform(.reload).reason == .cap)
        #expect(try await again.perform(.sync).reason == .cap)
        #expect(try bench.query("SELECT complete, reason FROM run") == ["0|cap", "0|cap", "0|cap"])
    }

    @Test(
        "A page remembers its keys as its rows have them",
        arguments: [
            ("", "1, 2.5, true, 12345678901234567890"), ("", #""a", "\u0062\n", "\"", "007", "ü😀""#),
            ("type: text", "1, 2.50, true"), ("type: timestamp", #"1795000000, "2026-11-21T03:00:00+01:00", "x""#),
        ])
    func keys(_ type: String, _ values: String) async throws {
        let items = values.split(separator: ", ").map { #"{"id":\#($0)}"# }
        let bench = try await EngineBench(items, columns: "items: items\nkey: id\ncolumns: {id: {path: id, \(type)}}")
        try await bench.reload()
        let known = "SELECT count(*) FROM _page, json_each(keys) k JOIN things ON things.id IS k.value"
        #expect(try bench.query(known) == ["\(items.count)"])
    }

    @Test("A validator that echoes a credential is not stored")
    func echoedInValidator() async throws {
        let bench = try await EngineBench(members: "auth: {bearer: abcdefghijklmnopqrst}")
        bench.server.route("/things") { request in
            let echo = "\"\(request.header("Authorization") ?? "")\""
            return .json(#"{"items":[{"id":1}]}"#, headers: [(name: "ETag", value: echo)])
        }
        try await bench.reload()
        #expect(bench.server.requests.first?.header("Authorization") == "Bearer abcdefghijklmnopqrst")
        #expect(try bench.query("SELECT etag IS NULL FROM _page") == ["1"])
    }

    @Test("The total that was stored with a page tells nothing of drift when that page is a 304")
    func totalOfNotModified() async throws {
        let bench = try await EngineBench(PagedFeed.items(1...20))
        let total = Lock(20)
        bench.server.route("/things") { request in
            let page = Int(request.parameter("page") ?? "") ?? 1
            // Of page 2 the validator speaks of the items alone.
            let tag = page == 1 ? "\"1-\(total.withLock { $0 })\"" : "\"\(page)\""
            let headers = [(name: "ETag", value: tag)]
            if request.header("If-None-Match") == tag { return .status(304, headers: headers) }
            let items = PagedFeed.items((page - 1) * 10 + 1...page * 10).joined(separator: ",")
            let body = page > 3 ? "" : items
            return .json(#"{"total_count":\#(total.withLock { $0 }),"items":[\#(body)]}"#, headers: headers)
        }
        try await bench.more(.allPages)
        total.withLock { $0 = 30 }
        try await bench.reload()
        try await bench.more(.allPages)
        #expect(try bench.query("SELECT drift FROM _crawl") == ["0", "0"])
    }

    @Test("A page with the same key twice is unchanged when it comes again")
    func sameKeyTwice() async throws {
        let bench = try await EngineBench([#"{"id":1,"name":"a"}"#, #"{"id":2,"name":"b"}"#, #"{"id":1,"name":"c"}"#])
        bench.upstream.sendsETag = false
        #expect(try await bench.reload().figures.items.inserted == 2)
        #expect(try await bench.reload().outcome == .unchanged)
    }

    @Test("Pages that bring the same items on and on are an error, not an endless crawl")
    func circle() async throws {
        let bench = try await EngineBench(paging: "pagination: {style: page}")
        bench.server.route("/things") { request in
            let page = Int(request.parameter("page") ?? "") ?? 0
            return .json(#"{"items":[{"id":\#(page % 2),"name":"x"}]}"#)
        }
        #expect(try await bench.failure(.allPages).kind == .unfollowable)
        #expect(try bench.feed("item_count") == "2")
    }

    @Test("A table of somebody else that has the feed's name is left as it is")
    func foreignTable() async throws {
        let bench = try await EngineBench()
        try Connection(path: bench.store.path).execute("CREATE TABLE things (id INTEGER PRIMARY KEY, txt)")
        let error = try await bench.failure(.reload)
        #expect(error.kind == .configuration)
        #expect(try bench.query("SELECT group_concat(name) FROM pragma_table_info('things')") == ["id,txt"])
        #expect(try bench.query("SELECT count(*) FROM feed") == ["0"])
    }

    @Test("A table that was dropped is mirrored anew, whatever the validators say")
    func droppedTable() async throws {
        let bench = try await EngineBench()
        try await bench.more(.allPages)
        try Connection(path: bench.store.path).execute("DROP TABLE things")
        let again = try await bench.another()
        _ = try await again.perform(.allPages)
        #expect(try bench.names == bench.upstreamNames(35))
        #expect(try bench.feed("item_count") == "35")
        #expect(try bench.query("SELECT item_count FROM section") == ["35"])
    }

    @Test("A table without rows that is missing, as in each file of a worker, is made again, and the validators stay")
    func missingEmptyTable() async throws {
        let bench = try await EngineBench([])
        try await bench.sync()
        try Connection(path: bench.store.path).execute("DROP TABLE things")
        let summary = try await bench.another().perform(.sync)
        #expect(summary.outcome == .unchanged)
        #expect(bench.server.requests.last?.header("If-None-Match") != nil)
        #expect(try bench.query("SELECT count(*) FROM things") == ["0"])
    }

    @Test("Feeds whose tables would have one name are refused", arguments: ["THINGS", "things"])
    func sameTable(_ name: String) async throws {
        let bench = try await EngineBench()
        try await bench.reload()
        let yaml = "url: \(bench.server.url)/things\n\(EngineBench.columns)\n\(EngineBench.paging)"
        let other = try FeedDefinition.parse(
            name: name == "things" ? "other" : name, yaml: "\(yaml)\nmodel: \(name == "things" ? "things" : "model")")
        let error = try await bench.failure(.reload, try await bench.another(other))
        #expect(error.kind == .configuration, "\(error)")
    }
}

/// Another writer of the store.
private struct OtherWriter: @unchecked Sendable {
    // Sendable: it stays behind the lock that it is in.
    private var connection: Connection?

    mutating func lock(_ path: String) {
        connection = try? Connection(path: path)
        try? connection?.execute("BEGIN IMMEDIATE")
    }

    mutating func unlock() {
        try? connection?.execute("ROLLBACK")
        connection = nil
    }
}
