import Concurrency
import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync
@testable import Upstream

/// Histories in which earlier versions lost rows, kept them, or reported them wrongly.
@Suite("Regressions")
struct KnownWrongTests {
    private static let pages = "pagination: {style: page, size_param: per_page, size: 10}"

    /// Changes the list right before so many requests, counted from 1.
    private func move(_ bench: EngineBench, before changes: [Int: @Sendable (inout [String]) -> Void]) {
        let upstream = bench.upstream
        let count = Lock(0)
        bench.server.route("/things") { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            if let change = changes[number] { upstream.edit(change) }
            return upstream.answer(request)
        }
    }

    @Test("A new member that comes with a page that is not stored, because the total fell, comes with the next one")
    func newMemberBehindFall() async throws {
        let bench = try await EngineBench(
            PagedFeed.items(1...45), members: "sync: {mode: all}", columns: "items: items\nkey: id")
        move(
            bench,
            before: [
                3: { items in
                    items.remove(at: 2)
                    items[25] = #"{"id":27,"name":"item 27","extra":5}"#
                }
            ])
        _ = try await bench.sync()
        _ = try await bench.sync()
        #expect(try bench.query("SELECT extra FROM things WHERE id = 27") == ["5"])
    }

    @Test("A definition that allows more pages is crawled to its end", arguments: ["new", "all"])
    func raisedLimit(mode: String) async throws {
        let bench = try await EngineBench(
            PagedFeed.items(1...100), members: "sync: {mode: \(mode)}\nmax_pages: 3", paging: Self.pages)
        #expect(try await bench.sync().reason == .maxPages)
        let wider = try EngineBench.definition(
            "url: \(bench.server.url)/things\n\(EngineBench.columns)\n\(Self.pages)\nsync: {mode: \(mode)}")
        #expect(try await bench.another(wider).perform(.sync).reason == nil)
        #expect(try bench.feed("item_count, complete") == "100|1")
    }

    @Test(
        "A sync asks for no more pages than `max_pages`, those that it asks for again included",
        arguments: ["new", "all"], [8, 30])
    func maxPages(mode: String, pages: Int) async throws {
        let bench = try await EngineBench(
            PagedFeed.items(1...(pages * 10)), members: "sync: {mode: \(mode), verify: always}\nmax_pages: 10",
            paging: Self.pages)
        let reason = try await bench.sync().reason
        #expect(reason == (pages > 10 ? .maxPages : nil))
        #expect((8...10).contains(bench.server.requests.count))
        #expect(try bench.feed("verified") == "0")
    }

    @Test(
        "Pages that overlap in an element without a key do not count it twice: the last element comes",
        arguments: ["new", "all"])
    func overlapInNull(mode: String) async throws {
        let bench = try await EngineBench(
            [], members: "sync: {mode: \(mode)}",
            paging: "pagination: {style: offset, param: offset, limit_param: limit, limit: 3, total: total}")
        let start = PagedFeed.items(1...2) + ["null"] + PagedFeed.items(3...12)
        let list = Lock((items: start, requests: 0))
        bench.server.route("/things") { request in
            let (items, number) = list.withLock { list in
                list.requests += 1
                return (list.items, list.requests)
            }
            // The first run ends before the fourth page.
            guard number != 4 else { return .status(500) }
            let offset = min(Int(request.parameter("offset") ?? "") ?? 0, items.count)
            let page = items[offset...].prefix(Int(request.parameter("limit") ?? "") ?? 0)
            return .json("{\"items\":[\(page.joined(separator: ","))],\"total\":\(items.count)}")
        }
        _ = try await bench.failure(.sync)
        // The next items are no longer behind the last page that was read, so that page is requested again.
        list.withLock { list in list.items = start.filter { !$0.contains("\"id\":8,") }.dropLast(2) }
        let ids = [1, 2, 3, 4, 5, 6, 7, 9, 10].map { "\($0)" }
        for _ in 1...3 {
            let reason = try await bench.sync().reason
            let live = try bench.query("SELECT id FROM things WHERE _removed_at IS NULL AND id <> 8")
            #expect(live == ids || reason != nil)
        }
        #expect(try bench.query("SELECT id FROM things WHERE _removed_at IS NULL AND id <> 8") == ids)
    }

    @Test("An item that moved up to the head while no run was under way is met, although its page is read anew")
    func movesUpToTheHead() async throws {
        let bench = try await EngineBench(
            [], members: "sync: {mode: all}", paging: "pagination: {style: page, param: page}")
        let list = Lock((items: ["null"] + PagedFeed.items(1...7), requests: 0))
        bench.server.route("/things") { request in
            let (items, number) = list.withLock { list in
                list.requests += 1
                return (list.items, list.requests)
            }
            // The first run ends behind its second page.
            guard number != 3 else { return .status(500) }
            let offset = min(((Int(request.parameter("page") ?? "") ?? 1) - 1) * 3, items.count)
            return .json("{\"items\":[\(items[offset...].prefix(3).joined(separator: ","))]}")
        }
        _ = try await bench.failure(.sync)
        // The third item stood first on the second page, and stands last on the first one now.
        list.withLock { list in _ = list.items.removeFirst() }
        for _ in 1...2 {
            #expect(try await bench.sync().reason == nil)
            #expect(try bench.query("SELECT id FROM things WHERE _removed_at IS NULL").count == 7)
        }
    }

    @Test("A failed crawl's rows outrank an older crawl's rows after the same item")
    func failedBehindTheSameItem() async throws {
        let bench = try await EngineBench(
            [], members: "sync: {mode: new}", paging: "pagination: {style: offset, param: offset}")
        let list = Lock((items: PagedFeed.items([1]), changed: #"{"id":1,"name":"changed"}"#, requests: 0))
        bench.server.route("/things") { request in
            let (items, changed, number) = list.withLock { list in
                list.requests += 1
                return (list.items, list.changed, list.requests)
            }
            switch number {
            // The list has one item, and the run ends before it has looked at the head again.
            case 3: return .status(500)
            // The item changes, and moves down while it is read.
            case 4, 5: return .json("{\"items\":[\(changed)]}")
            default:
                let offset = min(Int(request.parameter("offset") ?? "") ?? 0, items.count)
                return .json("{\"items\":[\(items[offset...].prefix(1).joined())]}")
            }
        }
        for _ in 1...2 { _ = try await bench.failure(.sync) }
        list.withLock { list in list.items = PagedFeed.items([4]) + [list.changed] + PagedFeed.items([3]) }
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.query("SELECT id FROM things WHERE _removed_at IS NULL ORDER BY id") == ["1", "3", "4"])
    }

    @Test("Pages that hold nothing but null, on and on, are given up as going in circles", arguments: ["new", "all"])
    func onlyNull(mode: String) async throws {
        let bench = try await EngineBench(
            PagedFeed.items(1...5), members: "sync: {mode: \(mode)}", paging: "pagination: {style: page}")
        bench.server.route("/things") { _ in .json(#"{"items": [null]}"#) }
        let error = try await bench.failure(.sync)
        #expect(error.kind == .unfollowable)
        #expect(error.message.contains("brought only items seen before, or none"))
        #expect(bench.server.requests.count < 110)
    }

    @Test("Items that came during a first sync are where the list has them")
    func order() async throws {
        let bench = try await EngineBench(
            PagedFeed.items([4, 3, 2, 1]), members: "sync: {mode: new}",
            paging: "pagination: {style: page, size_param: per_page, size: 2}")
        move(
            bench,
            before: [
                2: { $0.insert(PagedFeed.items([5])[0], at: 0) }, 3: { $0.insert(PagedFeed.items([6])[0], at: 0) },
            ])
        for _ in 0..<3 { try await bench.sync() }
        bench.upstream.edit { $0.insert(contentsOf: PagedFeed.items([8, 7]), at: 0) }
        for _ in 0..<2 { try await bench.sync() }
        #expect(try bench.names == bench.upstreamNames(.max))
    }

    @Test("A cursor that hides an offset is found out, and an item that moved past the crawl is met")
    func hiddenOffset() async throws {
        let bench = try await EngineBench(
            PagedFeed.items(1...40), members: "sync: {mode: new}",
            paging: "pagination: {style: cursor, param: c, next: next}")
        let isEdited = Lock(false)
        let upstream = bench.upstream
        bench.server.route("/things") { request in
            let offset = Int(request.parameter("c") ?? "") ?? 0
            let isFirst = isEdited.withLock { isEdited in
                defer { isEdited = isEdited || offset == 20 }
                return !isEdited && offset == 20
            }
            if isFirst { upstream.edit { _ = $0.remove(at: 3) } }
            let items = upstream.items
            let page = items.dropFirst(offset).prefix(10).joined(separator: ",")
            let next = offset + 10 < items.count ? "\"\(offset + 10)\"" : "null"
            let body = "{\"items\":[\(page)],\"next\":\(next)}"
            let etag = "\"\(body.hashValue)\""
            if request.header("If-None-Match") == etag { return .status(304) }
            return .json(body, headers: [(name: "ETag", value: etag)])
        }
        #expect(try await bench.sync().reason == .drift)
        try await bench.sync()
        #expect(try bench.query("SELECT count(*) FROM things WHERE id = 21") == ["1"])
        #expect(try bench.feed("complete") == "1")
    }

    @Test("A bulk change that brings many items to the head marks none of them removed")
    func bulkChange() async throws {
        let bench = try await EngineBench(
            PagedFeed.items(1...50), members: "sync: {mode: all}",
            paging: "pagination: {style: cursor, param: after, next: next}",
            upstream: PagedFeed(PagedFeed.items(1...50), style: .cursor))
        try await bench.sync()
        move(bench, before: [3: { items in items = Array(items[30...]) + Array(items[..<30]) }])
        try await bench.sync()
        #expect(try bench.query("SELECT count(*) FROM things WHERE _removed_at IS NOT NULL") == ["0"])
    }

    @Test("Keys that are reals alike in 14 digits, or text with a zero byte, are found missing")
    func hardKeys() async throws {
        let keys = [
            "1.00000000000000001e5", "100000.00000000003", "\"a\\u0000b\"", "\"a\\u0000c\"", "\"\\u202Ex\"", "\"é\"",
        ]
        let bench = try await EngineBench(members: "sync: {mode: all}", paging: "pagination: none")
        bench.upstream.items = keys.map { "{\"id\":\($0),\"name\":\"x\"}" }
        try await bench.sync()
        #expect(try await bench.sync().figures.items.removed == 0)
        bench.upstream.edit { items in items = [items[0], items[2], items[4]] }
        #expect(try await bench.sync().figures.items.removed == 3)
        #expect(try bench.feed("item_count, complete") == "3|1")
    }

    @Test("Pagination that is found with the first page counts from that page on")
    func foundPagination() async throws {
        let bench = try await EngineBench(
            PagedFeed.items(1...60), members: "sync: {mode: new}", paging: "",
            upstream: PagedFeed(PagedFeed.items(1...60), style: .link))
        let upstream = bench.upstream
        let isEdited = Lock(false)
        bench.server.route("/things") { request in
            let isFourth = isEdited.withLock { isEdited in
                let isFourth = upstream.requestedPages.last == 3 && !isEdited
                isEdited = isEdited || isFourth
                return isFourth
            }
            if isFourth { upstream.edit { _ = $0.remove(at: 5) } }
            return upstream.answer(request)
        }
        try await bench.sync()
        #expect(try bench.query("SELECT count(*) FROM things WHERE id = 31") == ["1"])
    }

    @Test("Items that come twice do not count twice towards the total")
    func repeats() async throws {
        let bench = try await EngineBench(members: "sync: {mode: new}")
        let upstream = bench.upstream
        upstream.items = PagedFeed.items(1...30)
        bench.server.route("/things") { request in
            // The third page begins with the last five items of the second one.
            guard request.parameter("page") == "3" else { return upstream.answer(request) }
            let items = upstream.items[15..<25].joined(separator: ",")
            return .json("{\"total_count\":30,\"items\":[\(items)]}")
        }
        #expect(try await bench.sync().reason == .drift)
        #expect(try bench.feed("item_count, complete") == "25|0")
    }

    @Test("A `null` that comes to the only page of a list with a total does not make the mirror incomplete")
    func nullOnTheOnlyPage() async throws {
        let bench = try await EngineBench(
            PagedFeed.items(1...3), members: "sync: {mode: new}",
            paging: "pagination: {style: page, total: total_count}")
        for _ in 0..<2 { try await bench.sync() }
        bench.upstream.edit { $0.insert("null", at: 0) }
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.feed("item_count, complete, verified") == "3|1|1")
    }

    @Test("Keys that are the same number or text are one item, however they are written")
    func writtenDifferently() async throws {
        let items = [
            #"{"id":1.0,"name":"a"}"#, #"{"id":1,"name":"b"}"#, #"{"id":"x","name":"c"}"#,
            #"{"id":"\u0078","name":"d"}"#,
        ]
        let bench = try await EngineBench(items, members: "sync: {mode: new}", paging: "pagination: none")
        try await bench.sync()
        #expect(try bench.query("SELECT name FROM things ORDER BY _position") == ["b", "d"])
        #expect(try bench.query("SELECT inserted, updated FROM run") == ["2|0"])
    }

    @Test("Items appended to a list in ascending order are found at its end")
    func ascending() async throws {
        let bench = try await EngineBench(PagedFeed.items(1...55), members: "sync: {mode: new}", paging: Self.pages)
        try await bench.sync()
        bench.upstream.edit { $0 += PagedFeed.items(56...72) }
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.names == bench.upstreamNames(.max))
        bench.upstream.edit { $0 += PagedFeed.items(73...88) }
        let before = bench.upstream.requestedPages.count
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.names == bench.upstreamNames(.max))
        #expect(try bench.feed("item_count, complete") == "88|1")
        let asked = Set(bench.upstream.requestedPages.dropFirst(before))
        #expect(asked.isDisjoint(with: [2, 3, 4, 5, 6]), "\(asked)")
    }

    @Test(
        "An item that slipped by while `more` read the list is found by the next crawl of every page",
        arguments: [true, false],
        [PagedFeed.Style.page, .link])
    func slipsByMore(isInOneGo: Bool, style: PagedFeed.Style) async throws {
        let upstream = PagedFeed(PagedFeed.items(1...60), style: style)
        upstream.total = .absent
        let bench = try await EngineBench(
            paging: "pagination: \(style.pagination())", upstream: upstream)
        move(bench, before: [3: { _ = $0.remove(at: 5) }])
        if isInOneGo {
            try await bench.more(.allPages)
        } else {
            try await bench.more(.nextPages(4))
            try await bench.more(.allPages)
        }
        #expect(try bench.feed("item_count, complete, verified") == "59|1|0")
        try await bench.sync()
        #expect(try bench.feed("complete, verified") == "1|0")
        #expect(try bench.query("SELECT count(*) FROM things WHERE id = 21") == ["1"])
    }

    @Test("An item that moves to the end of the list does not hide the one that slips by, whatever the totals say")
    func movesToTheEnd() async throws {
        let bench = try await EngineBench(
            PagedFeed.items(1...10), members: "sync: {mode: all}",
            paging: "pagination: {style: page, size_param: per_page, size: 2, total: total_count}")
        move(
            bench,
            before: [
                // Item 5 takes its place, on a page that is read already.
                3: { $0.append($0.remove(at: 3)) },
                4: { $0 += PagedFeed.items([11]) },
                6: { _ = $0.remove(at: 9) },
                8: { $0 += PagedFeed.items([12]) },
            ])
        // As many items are met as there are: with item 4, without item 5.
        #expect(try await bench.sync().reason == .drift)
        try await bench.sync()
        #expect(try bench.query("SELECT count(*) FROM things WHERE id = 5") == ["1"])
        try await bench.sync()
        #expect(try bench.feed("complete, verified") == "1|1")
        #expect(
            try bench.query(
                "SELECT group_concat(id) FROM (SELECT id FROM things WHERE _removed_at IS NULL ORDER BY id)")
                == ["1,2,3,5,6,7,8,9,10,11,12"])
    }

    @Test("A row that shows at the head when its page is asked for again is not marked as gone")
    func returnsToTheHead() async throws {
        let bench = try await EngineBench(
            PagedFeed.items(1...30), members: "sync: {mode: all}",
            paging: "pagination: {style: page, size_param: per_page, size: 10, total: total_count}")
        try await bench.sync()
        let upstream = bench.upstream
        upstream.edit { _ = $0.removeFirst() }
        let before = upstream.requestedPages.count
        bench.server.route("/things") { request in
            // The header, the head again, and then the page where the row stood.
            if request.parameter("page") == "1",
                upstream.requestedPages.dropFirst(before).count(where: { $0 == 1 }) == 2
            {
                upstream.edit { $0.insert(PagedFeed.items([1])[0], at: 0) }
            }
            return upstream.answer(request)
        }
        try await bench.sync()
        #expect(upstream.requestedPages.dropFirst(before).count(where: { $0 == 1 }) == 3)
        #expect(try bench.query("SELECT count(*) FROM things WHERE id = 1 AND _removed_at IS NULL") == ["1"])
    }

    @Test("An end by a client's error is an end like any other, also after a deletion", arguments: [404, 400])
    func errorEnd(status: Int) async throws {
        let upstream = PagedFeed(PagedFeed.items(1...40), end: .status(status))
        let bench = try await EngineBench(members: "sync: {mode: all}", paging: Self.pages, upstream: upstream)
        #expect(try await bench.sync().reason == nil)
        upstream.edit { _ = $0.remove(at: 20) }
        let summary = try await bench.sync()
        #expect(summary.reason == nil && summary.figures.items.removed == 1)
        #expect(try bench.feed("item_count, complete") == "39|1")
    }

    @Test("An empty page in the middle of a list with a total is looked at again")
    func emptyPage() async throws {
        let bench = try await EngineBench(PagedFeed.items(1...60), members: "sync: {mode: new}")
        bench.upstream.fail(page: 4, with: .json(#"{"total_count":60,"items":[]}"#))
        #expect(try await bench.sync().reason == .cap)
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.feed("item_count, complete") == "60|1")
    }

    @Test(
        "A long list of which one page is left is looked at again, and then its rows are removed",
        arguments: [(5, PagedFeed.Style.page), (0, .page), (5, .link), (0, .link), (5, .cursor), (0, .cursor)])
    func longListThatBecomesShort(left: Int, style: PagedFeed.Style) async throws {
        let upstream = PagedFeed(PagedFeed.items(1...130), style: style)
        upstream.total = .absent
        let bench = try await EngineBench(paging: "pagination: \(style.pagination())", upstream: upstream)
        try await bench.sync()
        upstream.edit { $0.removeLast(130 - left) }
        #expect(try await bench.sync().reason == .cutOff)
        #expect(try bench.feed("item_count, complete, verified") == "130|0|0")
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.feed("item_count, complete") == "\(left)|1")
    }

    @Test("A long list whose first page is that of a new day is not read as a whole")
    func newDay() async throws {
        let bench = try await EngineBench(
            paging: "pagination: {style: cursor, param: day, next: before}",
            columns: "items: items\nkey: id\ncolumns: {id: id}")
        let days = Lock(12)
        bench.server.route("/things") { request in
            let day = request.parameter("day").flatMap { Int($0) } ?? days.withLock { $0 }
            let items = (1...(day > 12 ? 2 : 10)).map { "{\"id\":\(day * 100 - $0)}" }.joined(separator: ",")
            return .json("{\"items\":[\(items)],\"before\":\(day > 1 ? "\"\(day - 1)\"" : "null")}")
        }
        try await bench.sync()
        days.withLock { $0 = 13 }
        let before = bench.server.requests.count
        #expect(try await bench.sync().reason == nil)
        // The day, the one before, and the day again.
        #expect(bench.server.requests.count - before == 3)
        #expect(try bench.feed("item_count, complete") == "122|1")
    }

    @Test("A long list whose total says that one page is left loses the other rows at once")
    func longListWithTotal() async throws {
        let bench = try await EngineBench(PagedFeed.items(1...130))
        try await bench.sync()
        bench.upstream.edit { $0.removeLast(125) }
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.feed("item_count, complete") == "5|1")
    }

    @Test("A long list whose total is less than the stored rows is not verified until a full crawl has removed some")
    func longListWithLowerTotal() async throws {
        let bench = try await EngineBench(PagedFeed.items(1...130))
        try await bench.sync()
        #expect(try bench.feed("item_count, complete, verified") == "130|1|1")
        bench.upstream.edit { $0.removeLast(2) }
        try await bench.sync()
        #expect(try bench.feed("item_count, complete, verified") == "130|1|0")
    }

    @Test("A short page without a way on removes nothing at once", arguments: [PagedFeed.Style.link, .nextURL])
    func shortEnd(style: PagedFeed.Style) async throws {
        let upstream = PagedFeed(PagedFeed.items(1...100), style: style)
        let bench = try await EngineBench(
            members: "sync: {mode: all}", paging: "pagination: \(style.pagination())", upstream: upstream)
        try await bench.sync()
        let all = upstream.items
        upstream.items = Array(all.prefix(43))
        #expect(try await bench.sync().reason == .cutOff)
        #expect(try bench.feed("item_count") == "100")
        upstream.items = all
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.feed("item_count, complete") == "100|1")
    }
}
