import Concurrency
import Foundation
import HTTPServer
import ScriptedServer
import TemporaryFolder
import Testing

@testable import FeedSync

@Suite("The synced range of a sync")
struct SyncedRangeTests {
    @Test(
        "An end that the upstream, the definition or a broken item makes is one for the next sync, and is not complete",
        arguments: [IncompleteReason.cap, .maxPages, .leftOut])
    func endsOfTheirKind(reason: IncompleteReason) async throws {
        var items = PagedFeed.items(1...35)
        if reason == .leftOut { items[12] = #"{"name":"no key"}"# }
        let bench = try await EngineBench(
            items, members: "sync: {mode: new}\n" + (reason == .maxPages ? "max_pages: 3" : ""))
        if reason == .cap { bench.upstream.total = .claimed(999) }
        #expect(try await bench.sync().reason == reason)
        // An end that comes before the total is looked at again.
        if reason == .cap { #expect(try await bench.sync().reason == reason) }
        let unchanged = try await bench.requests {
            let again = try await bench.sync().reason
            #expect(again == reason, "it is as incomplete as before")
        }
        #expect(unchanged == [1])
        #expect(try bench.feed("complete") == "0")
        bench.upstream.edit { $0.insert(contentsOf: PagedFeed.items(101...101), at: 0) }
        if reason == .cap { bench.upstream.total = .claimed(1000) }
        let changed = try await bench.requests {
            let again = try await bench.sync().reason
            #expect(again == reason)
        }
        #expect(Set(changed).isSubset(of: [1, 2, 3]))
        #expect(
            try bench.query("SELECT complete, reason FROM run ORDER BY id DESC LIMIT 1") == ["0|\(reason.rawValue)"])
    }

    @Test("A token that cannot be read in the middle of a crawl costs none of the pages before it")
    func unreadableToken() async throws {
        let folder = try TemporaryFolder()
        let token = URL(filePath: folder.file("token"))
        try Data("secret".utf8).write(to: token)
        let bench = try await EngineBench(
            PagedFeed.items(1...60), members: "auth: {bearer: '${file:\(token.path)}'}",
            paging: "pagination: {style: page, size_param: per_page, size: 10, prefetch: 1}")
        let gate = bench.server.gate()
        bench.upstream.hold(page: 3, at: gate)
        async let error = bench.failure(.sync)
        await gate.arrived()
        try FileManager.default.removeItem(at: token)
        gate.open()
        #expect(try await error.kind == .configuration)
        #expect(try bench.feed("item_count") == "30")
        try Data("secret".utf8).write(to: token)
        bench.upstream.release(page: 3)
        let asked = try await bench.requests { try await bench.sync() }
        // The last page that was read shows if the list has moved since.
        #expect(asked.first == 1 && !asked.contains(2), "\(asked)")
        #expect(try bench.names == bench.upstreamNames(60))
    }

    @Test("An item that is skipped before a synced range makes the crawl say so")
    func skippedAtHead() async throws {
        let bench = try await EngineBench(members: "sync: {mode: new}")
        try await bench.sync()
        bench.upstream.edit { $0.insert(#"{"name":"no key"}"#, at: 0) }
        #expect(try await bench.sync().reason == .leftOut)
        #expect(try await bench.sync().reason == .leftOut)
        bench.upstream.edit { _ = $0.removeFirst() }
        #expect(try await bench.sync().reason == nil)
    }

    @Test(
        "A page that has the same items without what was skipped is whole, also when it comes as a 304",
        arguments: [EngineBench.paging, "pagination: {style: page, size_param: per_page, size: 10}"])
    func repaired(paging: String) async throws {
        let bench = try await EngineBench(
            PagedFeed.items(1...15) + [#"{"name":"no key"}"#], members: "sync: {mode: all}", paging: paging)
        #expect(try await bench.sync().reason == .leftOut)
        bench.upstream.edit { _ = $0.removeLast() }
        for _ in 0..<3 { #expect(try await bench.sync().reason == nil) }
    }

    @Test("An end that a broken item makes is no synced range as long as pages are to be asked for again behind it")
    func uncheckedEnd() async throws {
        var items = PagedFeed.items(1...25)
        items[23] = #"{"name":"no key"}"#
        let bench = try await EngineBench(
            items, members: "sync: {mode: new, verify: always}",
            paging: "pagination: {style: page, size_param: per_page, size: 10}")
        let upstream = bench.upstream
        let isCut = Lock(false)
        bench.server.route("/things") { request in
            let page = request.parameter("page") ?? ""
            if isCut.withLock({ $0 }), page != "4" { return .status(500) }
            // One of page 2 goes: 21 moves up to it, past the crawl.
            if page == "3" {
                upstream.edit { _ = $0.remove(at: 14) }
                isCut.withLock { $0 = true }
            }
            return upstream.answer(request)
        }
        _ = try await bench.failure(.sync)
        #expect(try bench.query("SELECT count(*) FROM things WHERE id = 21") == ["0"])
        bench.server.route("/things", to: upstream)
        try await bench.sync()
        #expect(try bench.query("SELECT count(*) FROM things WHERE id = 21") == ["1"])
    }

    @Test("Pages that were loaded one by one, while items may have moved past them, are no synced range")
    func slowCrawl() async throws {
        let bench = try await EngineBench(
            PagedFeed.items((1...35).reversed()), members: "sync: {mode: new}", paging: "pagination: {style: page}")
        try await bench.reload()
        try await bench.more()
        bench.upstream.edit { _ = $0.remove(at: 14) }
        try await bench.more(.allPages)
        #expect(try bench.query("SELECT count(*) FROM things WHERE id = 15") == ["0"])
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.query("SELECT count(*) FROM things WHERE id = 15") == ["1"])
        // A range that was found out of order is read through.
        try await bench.sync()
        #expect(
            try bench.query("SELECT name FROM things WHERE _removed_at IS NULL ORDER BY _generation DESC, _position")
                == bench.upstreamNames(34))
        let asked = try await bench.requests { try await bench.sync() }
        #expect(asked == [1])
    }

    @Test(
        "Pages full of new items, met when pages are asked for again, reach no synced range: others lie between",
        arguments: ["new", "all"])
    func gapBehindNewItems(mode: String) async throws {
        let bench = try await EngineBench(
            PagedFeed.items(1...20), members: "sync: {mode: \(mode), verify: always}",
            paging: "pagination: {style: page, size_param: per_page, size: 10}")
        let upstream = bench.upstream
        bench.server.route("/things") { request in
            // All have come; the first page is asked for again.
            if upstream.requestedPages == [1, 2, 3] {
                upstream.edit { $0.insert(contentsOf: PagedFeed.items(101...140), at: 0) }
            }
            return upstream.answer(request)
        }
        #expect(try await bench.sync().reason == .drift)
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.query("SELECT count(*) FROM things WHERE _removed_at IS NULL") == ["60"])
    }

    @Test("An item that moved up unseen, and was pushed down past the crawl by a page full of others, is not lost")
    func pushedPastTheCrawl() async throws {
        let bench = try await EngineBench(
            PagedFeed.items(1...4), members: "sync: {mode: new}",
            paging: "pagination: {style: page, size_param: per_page, size: 2}")
        try await bench.sync()
        let upstream = bench.upstream
        upstream.edit { $0.insert(contentsOf: PagedFeed.items(11...15), at: 0) }
        let before = upstream.requestedPages.count
        bench.server.route("/things") { request in
            let asked = upstream.requestedPages.dropFirst(before)
            switch request.parameter("page") {
            // It is a synced range, and does not show the fifteenth item: that has moved up to the second page.
            case "3" where !asked.contains(3): upstream.edit { $0.removeFirst() }
            // It is asked for again.
            case "1" where asked.count { $0 == 1 } == 1:
                upstream.edit { $0.insert(contentsOf: PagedFeed.items(21...23), at: 0) }
            default: break
            }
            return upstream.answer(request)
        }
        let rows = "SELECT count(*) FROM things WHERE id BETWEEN 12 AND 23"
        // It either says that it may have missed something, or has read what came meanwhile.
        let isComplete = try await bench.sync().reason == nil
        #expect(try !isComplete || bench.query(rows) == ["7"])
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.query(rows) == ["7"])
    }

    @Test("A synced range stays one for a later `more` from there")
    func moreFromThere() async throws {
        let bench = try await EngineBench(members: "sync: {mode: new}")
        try await bench.sync()
        try await bench.sync()
        #expect(try bench.feed("next_page, no_more_data, complete") == "|1|1")
        #expect(try await bench.more().outcome == .noMoreData)
        let unchanged = try await bench.requests { try await bench.sync() }
        #expect(unchanged == [1, 4])
        #expect(try bench.feed("no_more_data, complete") == "1|1")
        #expect(try bench.names == bench.upstreamNames(35))
        let log = try bench.log
        #expect(grammarFault(log) == nil)
    }

    @Test(
        "After a crawl that failed, pages that are as they were stored may hide an item that moved",
        arguments: ["new", "all"])
    func boundaryAfterFailure(mode: String) async throws {
        let bench = try await EngineBench(
            PagedFeed.items(1...21), members: "sync: {mode: \(mode), verify: always}",
            paging: "pagination: {style: page}")
        bench.upstream.fail(page: 3, with: .json("{"))
        _ = try await bench.failure(.sync)
        let upstream = bench.upstream
        let isEdited = Lock(false)
        bench.server.route("/things") { request in
            let isThird = isEdited.withLock { isEdited in
                defer { isEdited = isEdited || request.parameter("page") == "3" }
                return !isEdited && request.parameter("page") == "3"
            }
            if isThird { upstream.edit { $0.remove(at: 14) } }
            return upstream.answer(request)
        }
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.query("SELECT count(*) FROM things WHERE id = 21 AND _removed_at IS NULL") == ["1"])
    }
}

@Suite("The requests of a sync before it takes an item for gone")
struct SyncRemovalTests {
    private let paging = "pagination: {style: page, size_param: per_page, size: 10}"

    @Test("A sync requests only the first page again if a missing item's neighbours were on one page")
    func neighbours() async throws {
        let bench = try await EngineBench(PagedFeed.items(1...60), members: "sync: {mode: all}")
        try await bench.sync()
        bench.upstream.edit {
            $0.removeAll { $0.contains(#""id":35,"#) }
            $0.insert(contentsOf: PagedFeed.items(100...100), at: 0)
            $0[59] = #"{"id":60,"name":"another"}"#
        }
        let before = bench.upstream.requestedPages.count
        #expect(try await bench.sync().figures.items.removed == 1)
        let asked = bench.upstream.requestedPages.dropFirst(before + 6)
        // 34 and 36 came on one page, one behind the other.
        #expect(asked == [1])
        #expect(try bench.query("SELECT id FROM things WHERE _removed_at IS NOT NULL") == ["35"])
    }

    @Test("A missing item that moved to the head while later pages were read is found there")
    func movedToHead() async throws {
        let bench = try await EngineBench(PagedFeed.items(1...60), members: "sync: {mode: all}", paging: paging)
        try await bench.sync()
        let upstream = bench.upstream
        let isEdited = Lock(false)
        bench.server.route("/things") { request in
            let isThird = isEdited.withLock { isEdited in
                defer { isEdited = isEdited || request.parameter("page") == "3" }
                return !isEdited && request.parameter("page") == "3"
            }
            if isThird { upstream.edit { $0.insert($0.remove(at: 44), at: 0) } }
            return upstream.answer(request)
        }
        let summary = try await bench.sync()
        #expect(summary.figures.items.removed == 0)
        #expect(try bench.query("SELECT id FROM things WHERE _removed_at IS NOT NULL") == [])
    }

    @Test("A sync requests the pages of missing items' neighbours again, and the first one")
    func manyGone() async throws {
        let bench = try await EngineBench(PagedFeed.items(1...60), members: "sync: {mode: all}")
        try await bench.sync()
        bench.upstream.edit { $0.removeSubrange(20..<40) }
        let before = bench.upstream.requestedPages.count
        #expect(try await bench.sync().figures.items.removed == 20)
        #expect(bench.upstream.requestedPages.dropFirst(before).prefix(5) == [1, 2, 3, 4, 5], "5 checks the total")
        #expect(Set(bench.upstream.requestedPages.dropFirst(before + 5)) == [1, 2, 3])
        #expect(try bench.names.count == 60)
    }
}
