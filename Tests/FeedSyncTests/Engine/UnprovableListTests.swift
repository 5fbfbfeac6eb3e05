import Concurrency
import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync

/// Lists of which no request shows that all was met.
@Suite("A list that no proof covers")
struct UnprovableListTests {
    private static let live = "SELECT count(*) FROM things WHERE _removed_at IS NULL"

    private func bench(_ paging: String, _ members: String = "sync: {mode: all}") async throws -> EngineBench {
        try await EngineBench(
            members: members, paging: "pagination: \(paging)",
            columns: "items: items\nkey: id\ncolumns: {id: id, at: at}")
    }

    private func page(_ items: some Collection<String>, _ members: String, _ request: ServerRequest)
        -> ServerResponse
    {
        let body = "{\(members),\"items\":[\(items.joined(separator: ","))]}"
        let tag = "\"\(body.hashValue)\""
        return request.header("If-None-Match") == tag
            ? .status(304) : .json(body, headers: [(name: "ETag", value: tag)])
    }

    @Test(
        "A list that repeats its last page is complete and never verified, and a row at its end goes when two syncs end alike",
        arguments: ["auto", "always"])
    func lastPageRepeats(verify: String) async throws {
        let bench = try await bench("page", "sync: {mode: all, verify: \(verify)}")
        let items = Lock(PagedFeed.items(1...23))
        bench.server.route("/things") { [self] request in
            let items = items.withLock { $0 }
            let number = min(Int(request.parameter("page") ?? "") ?? 1, (items.count + 4) / 5)
            return page(items.dropFirst((number - 1) * 5).prefix(5), "\"x\":1", request)
        }
        for _ in 1...2 {
            #expect(try await bench.sync().reason == nil)
            #expect(try bench.feed("item_count, complete, verified") == "23|1|0")
        }
        #expect(try bench.query("SELECT verified FROM run") == ["0", "0"])
        _ = items.withLock { $0.removeLast() }
        #expect(try await bench.sync().reason == .cutOff)
        #expect(try bench.query(Self.live) == ["23"])
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.query(Self.live) == ["22"])
        #expect(try bench.feed("complete, verified") == "1|0")
    }

    @Test(
        "A list whose values are others with each request is complete: nothing has moved",
        arguments: ["mode: all", "mode: new", "mode: all, verify: always"],
        ["page", "{style: page, total: total}", "offset"])
    func valuesOfEachRequest(rule: String, paging: String) async throws {
        let bench = try await bench(paging, "sync: {\(rule)}")
        let requests = Lock(0)
        bench.server.route("/things") { [self] request in
            let number = requests.withLock { count in
                count += 1
                return count
            }
            let page = Int(request.parameter("page") ?? "") ?? 1
            let offset = Int(request.parameter("offset") ?? "") ?? (page - 1) * 5
            let items = (1...23).map { #"{"id":\#($0),"at":\#(number)}"# }
            return self.page(items.dropFirst(offset).prefix(5), "\"total\":23", request)
        }
        for sync in 1...3 {
            requests.withLock { $0 = sync * 1_000 }
            #expect(try await bench.sync().reason == nil)
            #expect(try bench.feed("item_count, complete") == "23|1")
            #expect(try bench.query("SELECT count(*) FROM things WHERE at > \(sync * 1_000)") == ["23"])
            let most = rule.hasSuffix("always") ? 2 * 7 : 8
            #expect(requests.withLock { $0 } <= sync * 1_000 + most)
            if rule.hasSuffix("always") { #expect(try bench.feed("verified") == "1") }
        }
    }

    @Test("A total of the first page that is more than was met is a shortage, and no row goes")
    func laterPagesAreBehind() async throws {
        let bench = try await bench("{style: cursor, param: after, next: next, total: total}")
        let isChanged = Lock(false)
        bench.server.route("/things") { [self] request in
            let start = Int(request.parameter("after")?.dropFirst() ?? "") ?? 0
            // The later pages come from a copy that does not have the new item yet.
            let ids = (isChanged.withLock { $0 } && start == 0 ? [90] : []) + Array(1...23)
            let items = ids.dropFirst(start).prefix(5).map { #"{"id":\#($0),"at":1}"# }
            let next = start + 5 < ids.count ? "\"x\(start + 5)\"" : "null"
            return page(items, "\"next\":\(next),\"total\":\(ids.count)", request)
        }
        #expect(try await bench.sync().reason == nil)
        isChanged.withLock { $0 = true }
        for _ in 1...2 {
            #expect(try await bench.sync().reason == .drift)
            #expect(try bench.query(Self.live) == ["24"])
        }
    }

    @Test(
        "A row stays whose page came empty by mistake, and an empty page that stays so hides no loss",
        arguments: ["{style: cursor, param: after, next: next}", "{style: next_url, next: next}"])
    func emptyPageByMistake(paging: String) async throws {
        let bench = try await bench(paging)
        let state = Lock((isEmpty: false, ids: Array(1...27), left: 1))
        bench.server.route("/things") { [self] request in
            // Tokens without a number.
            let token = { (start: Int) in String("abcdef".dropFirst(start / 5).prefix(1)) }
            let start = stride(from: 0, to: 30, by: 5).first { token($0) == request.parameter("after") } ?? 0
            let (ids, isEmpty) = state.withLock { state in
                guard start == 10, state.isEmpty, state.left > 0 else { return (state.ids, false) }
                state.left -= 1
                return (state.ids, true)
            }
            let items = ids.filter { ($0 - 1) / 5 * 5 == start }.map { #"{"id":\#($0),"at":1}"# }
            let next = "\"\(paging.contains("next_url") ? "/things?after=" : "")\(token(start + 5))\""
            return page(isEmpty ? [] : items, "\"next\":\(start < 25 ? next : "null")", request)
        }
        try await bench.sync()
        // Items 11 to 15 are on the page that comes empty once.
        state.withLock { $0.isEmpty = true }
        try await bench.sync()
        #expect(try bench.query(Self.live) == ["27"])
        try await bench.sync()
        #expect(try bench.query(Self.live) == ["27"])
        // The page stays empty.
        state.withLock { $0.ids.removeAll { (11...15).contains($0) } }
        try await bench.sync()
        try await bench.sync()
        #expect(try bench.query(Self.live) == ["22"])
    }

    @Test("A row is removed though a page of nothing but null follows its own")
    func pageOfNull() async throws {
        let bench = try await bench("page")
        let last = Lock(6)
        bench.server.route("/things") { [self] request in
            let number = Int(request.parameter("page") ?? "") ?? 1
            let last = last.withLock { $0 }
            let items = (number * 3 - 2...number * 3).map { $0 > last ? "null" : #"{"id":\#($0),"at":1}"# }
            return page(number > 3 ? [] : items, "\"x\":1", request)
        }
        try await bench.sync()
        #expect(try bench.query(Self.live) == ["6"])
        last.withLock { $0 = 4 }
        for _ in 1...2 { try await bench.sync() }
        #expect(try bench.query(Self.live) == ["4"])
    }

    @Test("A row that leaves a list whose values are others with each request is removed")
    func rowOfListWithValuesOfEachRequest() async throws {
        let bench = try await bench("{style: cursor, param: after, next: next}")
        let state = Lock((ids: Array(1...10), requests: 0))
        bench.server.route("/things") { [self] request in
            let (ids, number) = state.withLock { state in
                state.requests += 1
                return (state.ids, state.requests)
            }
            let rest = ids.filter { $0 > Int(request.parameter("after") ?? "") ?? 0 }
            let items = rest.prefix(10).map { #"{"id":\#($0),"at":\#(number)}"# }
            return page(items, "\"next\":\(rest.count > 10 ? String(rest[9]) : "null")", request)
        }
        try await bench.sync()
        state.withLock { $0.ids.append(11) }
        #expect(try await bench.sync().reason == nil)
        state.withLock { $0.ids.removeAll { $0 == 10 } }
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.query(Self.live) == ["10"])
    }

    @Test("`keyset` over a value that items share is not verified, says so, and removes no row that it may pass over")
    func sharedValue() async throws {
        let bench = try await bench("{style: keyset, param: after, from: at}")
        let goesAway = Lock(false)
        bench.server.route("/things") { [self] request in
            let times = [1, 2, 3, 4, 4, 5, 6].enumerated().map { (id: $0.offset, at: $0.element) }
            let all = times.dropFirst(goesAway.withLock { $0 } ? 1 : 0)
            let after = Int(request.parameter("after") ?? "") ?? 0
            let items = all.filter { $0.at > after }.prefix(3).map { #"{"id":\#($0.id),"at":\#($0.at)}"# }
            return page(items, "\"x\":1", request)
        }
        let first = try await bench.sync()
        #expect(first.reason == nil && first.notices.contains { $0.contains("the same value of `at`") })
        #expect(try bench.feed("item_count, complete, verified") == "7|1|0")
        // One goes from the first page, whose border is between the two that share a time then.
        goesAway.withLock { $0 = true }
        try await bench.sync()
        #expect(try bench.query(Self.live) == ["6"])
        #expect(try bench.query(Self.live + " AND at = 4") == ["2"])
        #expect(try bench.query("SELECT verified FROM run") == ["0", "0"])
    }

    @Test("`keyset` over a value that is not the key is never verified: an item that it passed over is not stored")
    func passedOver() async throws {
        let bench = try await bench("{style: keyset, param: after, from: at}")
        bench.server.route("/things") { [self] request in
            let times = [1, 2, 3, 3, 5, 6, 7].enumerated().map { (id: $0.offset, at: $0.element) }
            let after = Int(request.parameter("after") ?? "") ?? 0
            let items = times.filter { $0.at > after }.prefix(3).map { #"{"id":\#($0.id),"at":\#($0.at)}"# }
            return page(items, "\"x\":1", request)
        }
        for _ in 1...2 {
            try await bench.sync()
            #expect(try bench.query(Self.live) == ["6"])
            #expect(try bench.feed("verified") == "0")
        }
        #expect(try bench.query("SELECT verified FROM run") == ["0", "0"])
    }

    @Test("`keyset` passes over nothing where the last item of a page is far out of order, and is not verified")
    func outOfOrder() async throws {
        let bench = try await bench("{style: keyset, param: max_id, from: id}")
        bench.server.route("/things") { [self] request in
            let border = Int(request.parameter("max_id") ?? "") ?? 301
            var ids = Array((1...300).reversed().drop { $0 >= border }.prefix(10))
            if request.parameter("max_id") == nil { ids[9] = 20 }
            return page(PagedFeed.items(ids), "\"x\":1", request)
        }
        let first = try await bench.sync()
        #expect(first.notices.contains { $0.contains("the list is not in that order") })
        #expect(try bench.query(Self.live) == ["300"])
        #expect(try bench.feed("verified") == "0")
        try await bench.sync()
        #expect(try bench.query(Self.live) == ["300"])
        #expect(try bench.feed("verified") == "0")
    }

    @Test("`keyset` over values with a wide gap at the border of two pages is verified")
    func gap() async throws {
        let bench = try await bench("{style: keyset, param: after, from: id}")
        bench.server.route("/things") { [self] request in
            let after = Int(request.parameter("after") ?? "") ?? 0
            let ids = (Array(1...9) + Array(900...920)).filter { $0 > after }.prefix(10)
            return page(PagedFeed.items(ids), "\"x\":1", request)
        }
        for _ in 1...2 {
            #expect(try await bench.sync().reason == nil)
            #expect(try bench.feed("item_count, complete, verified") == "30|1|1")
        }
    }

    @Test(
        "A total that equals the first page's length is no end, whatever that length",
        arguments: ["{style: page, total: total}", "{style: offset, total: total}"])
    func totalOfPage(paging: String) async throws {
        let bench = try await bench(paging)
        bench.server.route("/things") { [self] request in
            let start =
                request.parameter("offset").flatMap { Int($0) } ?? ((Int(request.parameter("page") ?? "") ?? 1) - 1) * 7
            let items = PagedFeed.items(1...17).dropFirst(start).prefix(7)
            return page(items, "\"total\":\(items.count)", request)
        }
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.feed("item_count, complete, verified") == "17|1|0")
    }

    @Test("A list of one page that comes with half of its items loses them when it comes with them a second time")
    func half() async throws {
        let bench = try await bench("none")
        let count = Lock(40)
        bench.server.route("/things") { [self] request in
            page(PagedFeed.items(1...40).prefix(count.withLock { $0 }), "\"x\":1", request)
        }
        try await bench.sync()
        count.withLock { $0 = 20 }
        #expect(try await bench.sync().reason == .cutOff)
        #expect(try bench.query(Self.live) == ["40"])
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.query(Self.live) == ["20"])
        // A few less are what any list may lose.
        count.withLock { $0 = 11 }
        #expect(try await bench.sync().figures.items.removed == 9)
    }

    @Test("A page that says that there is more, and behind which there is an error, is not the end")
    func signBeforeError() async throws {
        let bench = try await bench("page")
        let hasMore = Lock(true)
        bench.server.route("/things") { [self] request in
            let number = Int(request.parameter("page") ?? "") ?? 1
            guard number < 3 else { return .status(404) }
            let items = PagedFeed.items(1...10).dropFirst(number * 5 - 5).prefix(5)
            return page(items, "\"has_more\":\(hasMore.withLock { $0 })", request)
        }
        for _ in 1...2 {
            let run = try await bench.sync()
            #expect(run.reason == .upstreamIncomplete)
            #expect(run.notices.contains { $0.contains("`has_more` is true") })
        }
        hasMore.withLock { $0 = false }
        #expect(try await bench.sync().reason == nil)
    }

    @Test("A partition whose last page says that there is more is not whole")
    func signInPartition() async throws {
        let bench = try await bench(
            "{style: cursor, param: c, next: c}",
            "sync: {mode: all}\npartition: {query: {q: \"{from}..{to}\"}, by: number, path: id, from: 1, to: 4}")
        bench.server.route("/things") { [self] request in
            let ends = (request.parameter("q") ?? "").split(separator: ".").compactMap { Int($0) }
            guard ends.count == 2 else { return .status(400) }
            let items = PagedFeed.items(ends[0]...ends[1]).prefix(2)
            return page(items, "\"incomplete_results\":\(items.contains { $0.contains(":2,") })", request)
        }
        for _ in 1...2 { #expect(try await bench.sync().reason == .cap) }
        #expect(try bench.feed("complete, verified") == "0|0")
    }

    @Test("The head is not read again where items of one key make the list incomplete anyway")
    func sameKey() async throws {
        let bench = try await bench("page")
        let asked = Lock(0)
        bench.server.route("/things") { [self] request in
            asked.withLock { $0 += 1 }
            let items = [1, 2, 3, 4, 4].enumerated().map { #"{"id":\#($0.element),"at":\#($0.offset)}"# }
            let number = Int(request.parameter("page") ?? "") ?? 1
            return page(items.dropFirst(number * 3 - 3).prefix(3), "\"x\":1", request)
        }
        #expect(try await bench.sync().reason == .sameKey)
        #expect(asked.withLock { $0 } == 3)
    }
}
