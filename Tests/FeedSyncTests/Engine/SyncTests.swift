import Concurrency
import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync

@Suite("A sync")
struct SyncTests {
    private func bench(
        _ mode: String, items: [String] = PagedFeed.items(1...35), paging: String = EngineBench.paging
    ) async throws -> EngineBench {
        try await EngineBench(items, members: "sync: {mode: \(mode)}", paging: paging)
    }

    @discardableResult
    private func sync(_ bench: EngineBench) async throws -> RunSummary { try await bench.engine.perform(.sync) }

    @Test(
        "A sync of an unchanged feed costs one request in mode `new`, and one a page in mode `all`, and writes no row")
    func unchanged() async throws {
        let newestFirst = Array(PagedFeed.items(1...35).reversed())
        for (mode, pages) in [("new", [1]), ("all", [1, 2, 3, 4])] {
            let bench = try await bench(mode, items: newestFirst)
            try await sync(bench)
            let rows = try bench.query("SELECT * FROM things")
            let asked = try await bench.requests {
                let outcome = try await sync(bench).outcome
                #expect(outcome == .unchanged)
            }
            #expect(asked == pages)
            #expect(try bench.query("SELECT * FROM things") == rows)
            #expect(try bench.feed("complete") == "1")
        }
    }

    @Test("A sync of an unchanged feed in ascending order costs a second request in mode `new`, for its end")
    func unchangedAscending() async throws {
        let bench = try await bench("new")
        try await sync(bench)
        let asked = try await bench.requests {
            let outcome = try await sync(bench).outcome
            #expect(outcome == .unchanged)
        }
        #expect(asked == [1, 4])
        #expect(try bench.feed("complete, verified") == "1|1")
    }

    @Test("A sync of an unchanged feed without entity tags costs one request, too")
    func unchangedBodies() async throws {
        let bench = try await bench("new")
        bench.upstream.sendsETag = false
        try await sync(bench)
        let pages = try await bench.requests { try await sync(bench) }
        #expect(pages.first == 1 && pages.count <= 2, "a prefetch at most: \(pages)")
    }

    @Test("A sync stops at the first page that is a synced range")
    func stopsAtSyncedRange() async throws {
        let bench = try await bench("new")
        try await sync(bench)
        bench.upstream.edit { $0.insert(contentsOf: PagedFeed.items(101...102), at: 0) }
        let pages = try await bench.requests {
            let reason = try await sync(bench).reason
            #expect(reason == nil)
        }
        #expect(pages == [1])
        #expect(try bench.names.prefix(4) == ["item 101", "item 102", "item 1", "item 2"])
        #expect(try bench.query("SELECT count(*) FROM things") == ["37"])
    }

    @Test("A sync after one that was stopped in the midst of new pages leaves no gap")
    func classicGap() async throws {
        let bench = try await bench("new")
        try await sync(bench)
        bench.upstream.edit { $0.insert(contentsOf: PagedFeed.items(101...200), at: 0) }
        bench.upstream.fail(page: 4, with: .status(404))
        _ = try await bench.failure(.sync)
        #expect(try bench.query("SELECT count(*) FROM things") == ["65"])
        #expect(try bench.feed("complete") == "0")
        #expect(try await sync(bench).reason == nil)
        let names = try bench.names
        #expect(names == bench.upstreamNames(135))
        let asked = try await bench.requests { try await sync(bench) }
        #expect(asked == [1])
    }

    @Test("A sync after a reload does not take the reloaded first page for a synced range")
    func afterReload() async throws {
        let bench = try await bench("new")
        try await sync(bench)
        bench.upstream.edit { $0.insert(contentsOf: PagedFeed.items(101...130), at: 0) }
        try await bench.reload()
        try await sync(bench)
        let names = try bench.names
        #expect(names == bench.upstreamNames(65))
    }

    @Test("A sync does not take what `more` went past for a synced range: the list may have moved under it")
    func afterMore() async throws {
        let bench = try await bench("new", paging: "pagination: {style: page, size_param: per_page, size: 10}")
        bench.upstream.edit { $0.reverse() }
        try await bench.reload()
        try await bench.more()
        bench.upstream.edit { $0.remove(at: 15) }
        try await bench.more(.allPages)
        #expect(try bench.query("SELECT count(*) FROM things WHERE id = 15") == ["0"])
        try await sync(bench)
        #expect(Set(try bench.names).isSuperset(of: bench.upstreamNames(34)))
        try await sync(bench)
        let pages = try await bench.requests { try await sync(bench) }
        #expect(pages == [1])
    }

    @Test("A sync in mode `all` marks what is gone, and clears the mark of what returns")
    func removal() async throws {
        let bench = try await bench("all")
        try await sync(bench)
        bench.upstream.edit { $0.remove(at: 17) }
        let summary = try await sync(bench)
        #expect(summary.figures.items.removed == 1 && summary.reason == nil)
        #expect(try bench.query("SELECT sum(removed) FROM event") == ["1"])
        #expect(try bench.query("SELECT id FROM things WHERE _removed_at IS NOT NULL") == ["18"])
        #expect(try bench.feed("item_count") == "34")
        #expect(try bench.query("SELECT sum(item_count) FROM section WHERE feed = 'things'") == ["34"])
        bench.upstream.items = PagedFeed.items(1...35)
        try await sync(bench)
        #expect(try bench.query("SELECT count(*) FROM things WHERE _removed_at IS NOT NULL") == ["0"])
        #expect(try bench.feed("item_count") == "35")
        #expect(try bench.names == bench.upstreamNames(35))
    }

    @Test("A sync in mode `all` writes an item that changed in its place, and no other row", arguments: [true, false])
    func updatedInPlace(sendsETag: Bool) async throws {
        let bench = try await bench("all")
        bench.upstream.sendsETag = sendsETag
        try await sync(bench)
        let places = try bench.query("SELECT id, _generation, _position FROM things ORDER BY id")
        bench.upstream.edit { $0[12] = #"{"id":13,"name":"other"}"# }
        let asked = try await bench.requests {
            let summary = try await sync(bench)
            #expect(summary.outcome == .ok && summary.reason == nil && summary.figures.items.updated == 1)
            #expect(summary.figures.items.unchanged == 34)
        }
        #expect(asked == [1, 2, 3, 4])
        #expect(try bench.query("SELECT name FROM things WHERE id = 13") == ["other"])
        #expect(try bench.query("SELECT id, _generation, _position FROM things ORDER BY id") == places)
        #expect(try bench.query("SELECT count(*) FROM things WHERE _changed_at > _first_seen_at") == ["1"])
        // The page's new entity tag is that of the stored items.
        #expect(try await sync(bench).outcome == .unchanged)
        #expect(try bench.query("SELECT name FROM things WHERE id = 13") == ["other"])
    }

    @Test("In modes `new` and `since`, and after a crawl that failed, nothing is ever marked as gone")
    func noRemoval() async throws {
        let bench = try await bench("new")
        try await sync(bench)
        bench.upstream.edit { $0.removeAll { $0.contains("\"id\":3") } }
        try await sync(bench)
        #expect(try bench.query("SELECT count(*) FROM things WHERE _removed_at IS NOT NULL") == ["0"])
        let all = try await self.bench("all")
        try await sync(all)
        all.upstream.edit { $0.removeFirst(20) }
        all.upstream.fail(page: 2, with: .status(500))
        _ = try await all.failure(.sync)
        #expect(try all.query("SELECT count(*) FROM things WHERE _removed_at IS NOT NULL") == ["0"])
    }

    @Test(
        "A sync takes nothing for gone that moved past it: it first asks again for all pages whose items may move"
    )
    func removalUnderMoves() async throws {
        let moved = Array(1...10) + Array(13...30) + [11, 12]
        let bench = try await bench(
            "all", items: PagedFeed.items(moved), paging: "pagination: {style: page, size_param: per_page, size: 10}")
        try await sync(bench)
        // Two stand elsewhere now than they did.
        bench.upstream.items = PagedFeed.items(1...30)
        removeFirstTwo(of: bench, beforePage: "2")
        try await sync(bench)
        let gone = Set(try bench.query("SELECT id FROM things WHERE _removed_at IS NOT NULL"))
        #expect(gone.isSubset(of: ["1", "2"]))
        try await sync(bench)
        #expect(try bench.query("SELECT id FROM things WHERE _removed_at IS NOT NULL") == ["1", "2"])
    }

    @Test("Rows that an incomplete crawl left side by side do not prove that nothing lies between them now")
    func falseNeighbours() async throws {
        let bench = try await bench(
            "new", items: PagedFeed.items(Array(1...10) + Array(13...35)),
            paging: "pagination: {style: page, size_param: per_page, size: 10}")
        bench.upstream.fail(page: 3, with: .status(500))
        _ = try await bench.failure(.sync)
        bench.upstream.items = PagedFeed.items(1...35)
        removeFirstTwo(of: bench, beforePage: "2")
        #expect(try await sync(bench).reason == .drift)
        #expect(try await sync(bench).reason == nil)
        #expect(Set(try bench.names).isSuperset(of: bench.upstreamNames(33)))
    }

    /// As the page before has come, two items of it go: the first two of that page move up past the crawl.
    private func removeFirstTwo(of bench: EngineBench, beforePage page: String) {
        let upstream = bench.upstream
        let isEdited = Lock(false)
        bench.server.route("/things") { request in
            let isFirst = isEdited.withLock { isEdited in
                guard !isEdited, request.parameter("page") == page else { return false }
                isEdited = true
                return true
            }
            if isFirst { upstream.edit { $0.removeFirst(2) } }
            return upstream.answer(request)
        }
    }

    @Test("An end where the crawl before had more removes nothing until a second crawl ends alike")
    func doubtfulEnd() async throws {
        let bench = try await bench("all", paging: "pagination: {style: page, size_param: per_page, size: 10}")
        try await sync(bench)
        bench.upstream.edit { $0.removeLast(15) }
        let first = try await sync(bench)
        #expect(first.reason == .cutOff)
        #expect(try bench.feed("item_count, complete") == "35|0")
        let second = try await sync(bench)
        #expect(second.reason == nil && second.figures.items.removed == 15)
        // Twice alike is no proof.
        #expect(try bench.feed("item_count, complete, verified") == "20|1|0")
    }

    @Test("A second end behind the first one shows that the first one was none, and removes nothing")
    func twoEnds() async throws {
        let bench = try await bench("all", paging: "pagination: {style: page, size_param: per_page, size: 10}")
        try await sync(bench)
        let all = bench.upstream.items
        for left in [10, 20] {
            bench.upstream.items = Array(all.prefix(left))
            #expect(try await sync(bench).reason == .cutOff)
            #expect(try bench.feed("item_count, complete") == "35|0")
        }
        bench.upstream.items = all
        #expect(try await sync(bench).reason == nil)
        #expect(try bench.feed("item_count, complete") == "35|1")
    }

    @Test("The rows of a last page that comes empty stay until it does so again")
    func emptyLastPage() async throws {
        let bench = try await bench(
            "all", items: PagedFeed.items(1...45),
            paging: "pagination: {style: page, size_param: per_page, size: 30}")
        try await sync(bench)
        let all = bench.upstream.items
        bench.upstream.edit { $0.removeLast(15) }
        #expect(try await sync(bench).reason == .cutOff)
        #expect(try bench.feed("item_count, complete") == "45|0")
        bench.upstream.items = all
        #expect(try await sync(bench).reason == nil)
        for _ in 1...2 {
            bench.upstream.items = Array(all.prefix(30))
            try await sync(bench)
        }
        #expect(try bench.feed("item_count, complete") == "30|1")
    }

    @Test("A list that ended too soon is not complete because its first page is loaded again")
    func reloadBehindEarlyEnd() async throws {
        let bench = try await bench("all", paging: "pagination: {style: page, size_param: per_page, size: 10}")
        try await sync(bench)
        bench.upstream.edit { $0.removeLast(15) }
        #expect(try await sync(bench).reason == .cutOff)
        try await bench.reload()
        #expect(try bench.feed("item_count, complete, verified") == "35|0|0")
        #expect(try await sync(bench).reason == nil)
        #expect(try bench.feed("item_count, complete") == "20|1")
    }

    @Test("A total that counts the elements of each page confirms no end")
    func totalOfPage() async throws {
        let bench = try await bench("all", paging: "pagination: {style: page, total: count}")
        let left = Lock(35)
        bench.server.route("/things") { request in
            let start = ((Int(request.parameter("page") ?? "") ?? 1) - 1) * 10
            let items = PagedFeed.items(1...35).prefix(left.withLock { $0 }).dropFirst(start).prefix(10)
            return .json("{\"count\":\(items.count),\"items\":[\(items.joined(separator: ","))]}")
        }
        #expect(try await sync(bench).reason == nil)
        left.withLock { $0 = 10 }
        #expect(try await sync(bench).reason == .cutOff)
        #expect(try bench.feed("item_count") == "35")
        #expect(try await sync(bench).reason == nil)
        #expect(try bench.feed("item_count, complete") == "10|1")
    }

    @Test(
        "A crawl of mode `all` that was cut off goes on where it was, and then reads what came before the cut again")
    func resumption() async throws {
        let bench = try await bench("all")
        bench.upstream.fail(page: 3, with: .status(500))
        _ = try await bench.failure(.sync)
        let pages = try await bench.requests {
            let reason = try await sync(bench).reason
            #expect(reason == nil)
        }
        // The page at the cut shows that nothing has moved past it, and those before it that they are as they were.
        #expect(pages == [1, 2, 3, 4, 1, 2])
        #expect(try bench.names == bench.upstreamNames(35))
    }

    @Test("A crawl of mode `all` that was cut off finds what changed on a page before the cut")
    func resumptionOfAnotherList() async throws {
        let bench = try await bench("all")
        bench.upstream.fail(page: 3, with: .status(500))
        _ = try await bench.failure(.sync)
        bench.upstream.edit { $0[4] = #"{"id":5,"name":"changed"}"# }
        #expect(try await sync(bench).reason == nil)
        #expect(try bench.names == bench.upstreamNames(35))
    }

    @Test("A page that cannot be decoded, or is refused, never hides the head: the next sync starts with the header")
    func startsOver() async throws {
        for response in [ServerResponse.json("{"), .status(403), .status(404)] {
            let bench = try await bench("all")
            bench.upstream.fail(page: 2, with: response)
            _ = try await bench.failure(.sync)
            let asked = try await bench.requests { try await sync(bench) }
            #expect(asked.first == 1)
        }
    }

    @Test("An item that moves up past the crawl shows at the head, and is met by the next sync")
    func drift() async throws {
        for mode in ["new", "all"] {
            let bench = try await bench(
                mode, items: PagedFeed.items(1...30),
                paging: "pagination: {style: page, size_param: per_page, size: 10}")
            let upstream = bench.upstream
            let isEdited = Lock(false)
            bench.server.route("/things") { request in
                // As page 1 has come, an item of it goes: the first of page 2 moves up to it.
                let isFirst = isEdited.withLock { isEdited in
                    defer { isEdited = isEdited || request.parameter("page") == "2" }
                    return !isEdited && request.parameter("page") == "2"
                }
                if isFirst { upstream.edit { $0.remove(at: 0) } }
                return upstream.answer(request)
            }
            #expect(try await sync(bench).reason == .drift, "\(mode)")
            #expect(try await sync(bench).reason == nil, "\(mode)")
            #expect(Set(try bench.names).isSuperset(of: bench.upstreamNames(29)), "\(mode)")
        }
    }

    /// Serves a list of these ids, in pages, whatever the store's definition asks for.
    private func serve(_ pages: [[Int]], from bench: EngineBench) {
        bench.server.route("/things") { request in
            let number = request.parameter("page").flatMap { Int($0) } ?? 1
            let items = number <= pages.count ? pages[number - 1].map { #"{"id":\#($0),"name":"\#($0)"}"# } : []
            return .json(#"{"items":[\#(items.joined(separator: ","))]}"#)
        }
    }

    @Test("A row stays as long as another item comes twice in its place, though a second crawl meets the same items")
    func driftOfSameLength() async throws {
        let bench = try await bench("all", paging: "pagination: {style: page, size_param: per_page, size: 3}")
        serve([[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]], from: bench)
        try await sync(bench)
        // Items 6 and 8 hide one after the other.
        for pages in [[[1, 2, 3], [3, 4, 5], [7, 8, 9]], [[1, 2, 3], [4, 5, 6], [6, 7, 9]]] {
            serve(pages + [[10, 11, 12]], from: bench)
            #expect(try await sync(bench).reason == .drift)
            #expect(try bench.feed("item_count, complete") == "12|0")
        }
        // The same list again: it repeats an item, and moves no more.
        #expect(try await sync(bench).reason == nil)
        #expect(try bench.feed("item_count, complete, verified") == "12|1|0")
        serve([[1, 2, 3], [4, 5, 6], [7, 9, 10], [11, 12]], from: bench)
        for _ in 0..<2 { try await sync(bench) }
        #expect(try bench.feed("item_count, complete") == "11|1")
    }

    @Test("A crawl that repeats items is incomplete while a row is out of its sight, until a second one is like it")
    func rowOutOfSight() async throws {
        let bench = try await bench("all", paging: "pagination: {style: page, size_param: per_page, size: 2}")
        serve([[1, 2], [3, 4], [5, 6]], from: bench)
        try await sync(bench)
        serve([[1, 2], [2, 3], [5, 6]], from: bench)
        #expect(try await sync(bench).reason == .drift)
        serve([[1, 2], [2, 4], [5, 6]], from: bench)
        #expect(try await sync(bench).reason == .drift)
        #expect(try await sync(bench).reason == nil)
        #expect(try bench.feed("complete, verified") == "1|0")
    }

    @Test("Rows whose neighbours went with them are kept and named, as no page shows that they are gone")
    func replacedList() async throws {
        let bench = try await bench("all", paging: "pagination: {style: page, size_param: per_page, size: 2}")
        serve([[1, 2], [3, 4], [5, 6]], from: bench)
        try await sync(bench)
        serve([[11, 12], [13, 14], [15, 16]], from: bench)
        let run = try await sync(bench)
        #expect(run.notices.contains { $0.hasPrefix("rows that the list may have no more are kept") })
        #expect(try bench.feed("item_count, complete, verified") == "12|1|0")
    }

    @Test("A section that changes while its page is asked for again is stored")
    func sectionDuringProof() async throws {
        let items = (1...20).map { #"{"id":\#($0),"part":"a"}"# }
        let bench = try await EngineBench(
            items, members: "sync: {mode: all}\nsection: part",
            paging: "pagination: {style: page, size_param: per_page, size: 10}",
            columns: "items: items\nkey: id\ncolumns: {id: id}")
        let upstream = bench.upstream
        let isEdited = Lock(false)
        bench.server.route("/things") { request in
            let answer = upstream.answer(request)
            let isLast = isEdited.withLock { isEdited in
                defer { isEdited = isEdited || request.parameter("page") == "2" }
                return !isEdited && request.parameter("page") == "2"
            }
            // Page 1 is asked for again once all have come.
            if isLast { upstream.edit { $0[3] = #"{"id":4,"part":"b"}"# } }
            return answer
        }
        try await bench.sync()
        try await bench.sync()
        #expect(try bench.query("SELECT _section FROM things WHERE id = 4") == ["b"])
    }

    @Test(
        "A list that goes on where it ended has changed, although every page that has items is as it was",
        arguments: [PagedFeed.Style.link, .nextURL, .page])
    func longerList(style: PagedFeed.Style) async throws {
        let upstream = PagedFeed(PagedFeed.items(1...20), style: style)
        let bench = try await EngineBench(
            members: "sync: {mode: all}",
            paging: "pagination: \(style.pagination(size: nil, style == .page ? ["total: total_count"] : []))",
            upstream: upstream)
        #expect(try await sync(bench).reason == nil)
        // One more stands on page 3, till one of page 1 goes as soon as all pages before are read.
        upstream.edit { $0 += PagedFeed.items(21...21) }
        let isEdited = Lock(false)
        bench.server.route("/things") { request in
            if upstream.requestedPages.last == 2, upstream.items.count == 21, !isEdited.withLock({ $0 }) {
                isEdited.withLock { $0 = true }
                upstream.edit { $0.remove(at: 0) }
            }
            return upstream.answer(request)
        }
        // The head shows it where there is no total.
        if style != .page { #expect(try await sync(bench).reason == .drift) }
        #expect(try await sync(bench).reason == nil)
        #expect(try bench.query("SELECT count(*) FROM things WHERE id = 21 AND _removed_at IS NULL") == ["1"])
    }
}
