import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync

@Suite("reload and more")
struct ReloadAndMoreTests {
    @Test("reload stores the first page, more the next ones, in the upstream's order up to noMoreData")
    func story() async throws {
        let bench = try await EngineBench()
        let first = try await bench.reload()
        #expect(first.figures.items.inserted == 10)
        #expect(first.outcome == .ok)
        #expect(try bench.feed("item_count, next_page, no_more_data, generation") == "10|2|0|1")
        try await bench.more()
        try await bench.more()
        #expect(try bench.names == bench.upstreamNames(30))
        let last = try await bench.more(.allPages)
        #expect(last.isAtEnd)
        #expect(try bench.names == bench.upstreamNames(35))
        #expect(try bench.feed("status, item_count, next_page, no_more_data, complete") == "noMoreData|35||1|1")
        #expect(
            try bench.log == [
                "beginHeader", "endHeader", "beginFooter", "endFooter", "beginFooter", "endFooter", "beginFooter",
                "noMoreData",
            ])
        #expect(bench.upstream.requestedPages == [1, 2, 3, 4])
    }

    @Test("more at the end makes no request and says so")
    func moreAtTheEnd() async throws {
        let bench = try await EngineBench()
        try await bench.more(.allPages)
        let requests = bench.server.requests.count
        let again = try await bench.more()
        #expect(again.outcome == .noMoreData)
        #expect(bench.server.requests.count == requests)
        #expect(try bench.query("SELECT outcome FROM run ORDER BY id") == ["ok", "no_more_data"])
    }

    @Test("more at the end behind a reload that failed says that there is no more data, once and without a request")
    func moreBehindFailedReload() async throws {
        let bench = try await EngineBench()
        try await bench.more(.allPages)
        bench.upstream.fail(page: 1, with: .status(500))
        _ = try await bench.failure(.reload)
        #expect(try bench.feed("status, no_more_data") == "endHeader|1")
        let requests = bench.server.requests.count
        for _ in 0..<2 { #expect(try await bench.more().outcome == .noMoreData) }
        #expect(bench.server.requests.count == requests)
        #expect(try bench.feed("status, no_more_data") == "noMoreData|1")
        #expect(bench.engine.currentState?.status == .noMoreData)
        #expect(try bench.log.suffix(3) == ["beginHeader", "endHeader!unreachable", "noMoreData"])
        #expect(grammarFault(try bench.log) == nil)
    }

    @Test("more on a feed never loaded loads the first page, --pages counts it")
    func moreFirst() async throws {
        let bench = try await EngineBench()
        let summary = try await bench.more(.nextPages(2))
        #expect(summary.figures.pages == 2)
        #expect(try bench.log == ["beginHeader", "endHeader", "beginFooter", "endFooter"])
    }

    @Test("A page that fails is not skipped: the page cursor stays, the footer is closed, the next more fetches it")
    func failedPage() async throws {
        let bench = try await EngineBench()
        try await bench.reload()
        try await bench.more(.nextPages(2))
        bench.upstream.fail(page: 4, with: .status(500))
        let error = try await bench.failure(.nextPage)
        #expect(error.kind == .unreachable)
        #expect(error.httpStatus == 500)
        #expect(try bench.feed("item_count, next_page, no_more_data, status") == "30|4|0|endFooter")
        #expect(try bench.log.last == "endFooter!unreachable")
        try await bench.more()
        #expect(try bench.names == bench.upstreamNames(35))
        #expect(grammarFault(try bench.log) == nil)
    }

    @Test("A failed reload closes its header and changes nothing, and its error goes with the next run that ends well")
    func failedReload() async throws {
        let bench = try await EngineBench()
        try await bench.more(.allPages)
        bench.upstream.fail(page: 1, with: .status(500))
        _ = try await bench.failure(.reload)
        #expect(try bench.feed("status, item_count, no_more_data, generation") == "endHeader|35|1|1")
        #expect(try bench.names == bench.upstreamNames(35))
        #expect(try bench.feed("error ->> 'kind'") == "unreachable")
        #expect(try await bench.more().outcome == .noMoreData)
        #expect(try bench.feed("error IS NULL") == "1")
        #expect(grammarFault(try bench.log) == nil)
    }

    @Test("A reload that meets what is stored leaves a complete mirror complete, and nothing more to fetch")
    func reloadKeepsTheEnd() async throws {
        let bench = try await EngineBench()
        try await bench.more(.allPages)
        #expect(try await bench.reload().outcome == .unchanged)
        #expect(try bench.feed("no_more_data, next_page, generation, complete") == "1||1|1")
        bench.upstream.edit { $0.insert(contentsOf: PagedFeed.items([100, 101]), at: 0) }
        try await bench.reload()
        #expect(try bench.feed("no_more_data, next_page, generation, complete") == "1||2|1")
        #expect(try bench.names == bench.upstreamNames(37))
        #expect(try await bench.more().outcome == .noMoreData)
    }

    @Test(
        "A reload whose items have new content in their old order leaves a complete mirror complete and verified",
        arguments: [35, 10, 3])
    func reloadWithChanges(count: Int) async throws {
        let bench = try await EngineBench(PagedFeed.items(1...count))
        try await bench.sync()
        bench.upstream.edit { $0[1] = #"{"id":2,"name":"changed"}"# }
        #expect(try await bench.reload().figures.items.updated == 1)
        #expect(try bench.feed("no_more_data, next_page, complete, verified") == "1||1|1")
        #expect(try bench.names == bench.upstreamNames(count))
        bench.upstream.edit {
            $0[2] = #"{"id":3,"name":"changed, too"}"#
            $0.insert(#"{"id":100,"name":"new"}"#, at: 0)
        }
        try await bench.reload()
        #expect(try bench.feed("no_more_data, complete") == "1|1")
        #expect(try bench.names == bench.upstreamNames(count + 1))
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.names == bench.upstreamNames(count + 1))
    }

    @Test("A reload of a page full of new items clears noMoreData, and more goes on behind it up to what is stored")
    func reloadClearsTheEnd() async throws {
        let bench = try await EngineBench()
        try await bench.more(.allPages)
        bench.upstream.edit { $0.insert(contentsOf: PagedFeed.items(101...115), at: 0) }
        try await bench.reload()
        #expect(try bench.feed("no_more_data, next_page, complete") == "0|2|0")
        let before = bench.upstream.requestedPages.count
        try await bench.more(.allPages)
        #expect(bench.upstream.requestedPages.dropFirst(before) == [2])
        #expect(try bench.names == bench.upstreamNames(50))
        #expect(try bench.feed("no_more_data, complete") == "1|1")
    }

    @Test("An unchanged reload costs a 304, and writes no row")
    func unchangedReload() async throws {
        let bench = try await EngineBench()
        try await bench.reload()
        let before = try bench.query("SELECT rowid, * FROM things")
        let summary = try await bench.reload()
        #expect(bench.server.requests.last?.header("If-None-Match") != nil)
        #expect(summary.outcome == .unchanged)
        #expect(summary.figures.items.unchanged == 10)
        #expect(try bench.query("SELECT rowid, * FROM things") == before)
        #expect(try bench.query("SELECT outcome FROM run WHERE id = 2") == ["unchanged"])
    }

    @Test("The same items without a validator are unchanged too")
    func unchangedWithoutETag() async throws {
        let bench = try await EngineBench()
        bench.upstream.sendsETag = false
        try await bench.reload()
        let before = try bench.query("SELECT rowid, * FROM things")
        #expect(try await bench.reload().outcome == .unchanged)
        #expect(try bench.query("SELECT rowid, * FROM things") == before)
    }

    @Test("A changed first page makes a generation: its items lead, older rows stay")
    func changedReload() async throws {
        let bench = try await EngineBench()
        try await bench.more(.nextPages(2))
        bench.upstream.edit { $0.insert(contentsOf: PagedFeed.items([100, 101]), at: 0) }
        let summary = try await bench.reload()
        #expect(summary.figures.items.inserted == 2)
        #expect(summary.figures.items.unchanged == 8)
        #expect(try bench.feed("generation, item_count, next_page") == "2|22|3")
        #expect(try bench.names == bench.upstreamNames(22))
    }

    @Test("Known rows in another order are a change of order, not of content")
    func reordered() async throws {
        let bench = try await EngineBench()
        try await bench.reload()
        bench.upstream.edit { $0.swapAt(0, 5) }
        let summary = try await bench.reload()
        #expect(summary.outcome == .ok)
        #expect(summary.figures.items.unchanged == 10)
        #expect(try bench.names == bench.upstreamNames(10))
        #expect(try bench.query("SELECT count(*) FROM things WHERE _changed_at <> _first_seen_at") == ["0"])
    }

    @Test("A changed page behind unchanged ones leaves the upstream's order")
    func changedLaterPage() async throws {
        let bench = try await EngineBench()
        try await bench.more(.allPages)
        bench.upstream.edit { items in
            items[25] = PagedFeed.items([999])[0]
            items.swapAt(12, 17)
        }
        try await bench.reload()
        #expect(try bench.query("SELECT count(*) FROM things") == ["35"], "it looks at the first page only")
        try await bench.sync()
        #expect(try bench.names.filter { $0 != "item 26" } == bench.upstreamNames(35))
    }

    @Test("An item met again in one crawl keeps one row, its first place and its latest content")
    func metAgain() async throws {
        let bench = try await EngineBench()
        try await bench.reload()
        bench.upstream.edit { items in
            items.insert(#"{"id":0,"name":"new"}"#, at: 0)
            items[10] = #"{"id":10,"name":"renamed"}"#
        }
        try await bench.more()
        #expect(try bench.names == (1...9).map { "item \($0)" } + ["renamed"] + (11...19).map { "item \($0)" })
        #expect(try bench.query("SELECT count(*) FROM _page WHERE etag IS NOT NULL") == ["0"])
    }

    @Test("The same page twice in a row is an error, not an endless crawl")
    func samePageTwice() async throws {
        let bench = try await EngineBench(paging: "pagination: {style: page, param: ignored}")
        try await bench.reload()
        let error = try await bench.failure(.allPages)
        #expect(error.kind == .unfollowable)
        #expect(try bench.feed("item_count, next_page, status") == "10|2|endFooter")
    }

    @Test("The last page once more, where the upstream gives it for every page behind it, is the end")
    func lastPageAgain() async throws {
        let bench = try await EngineBench(paging: "pagination: page")
        bench.server.route("/things") { request in
            let start = min(Int(request.parameter("page") ?? "") ?? 1, 3) * 10 - 9
            return .json("{\"items\":[\(PagedFeed.items(start...start + 9).joined(separator: ","))]}")
        }
        let first = try await bench.sync()
        #expect(first.reason == nil && first.figures.pages == 5)
        #expect(try bench.feed("item_count, no_more_data, complete, verified") == "30|1|1|0")
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.feed("item_count, complete") == "30|1")
    }

    @Test("A changed definition drops the page cursor and the validators; rows stay")
    func changedDefinition() async throws {
        let bench = try await EngineBench()
        try await bench.more(.allPages)
        let yaml = "url: \(bench.server.url)/things\nquery: {q: x}\n\(EngineBench.columns)\n\(EngineBench.paging)"
        let engine = try await bench.another(try EngineBench.definition(yaml))
        let summary = try await engine.perform(.nextPage)
        #expect(summary.figures.pages == 1)
        #expect(bench.server.requests.last?.header("If-None-Match") == nil)
        #expect(try bench.feed("item_count, next_page, no_more_data") == "35|2|0")
    }

    @Test("A changed key is refused: the run has failed, and nothing else is changed")
    func changedKey() async throws {
        let bench = try await EngineBench()
        try await bench.reload()
        let yaml =
            "url: \(bench.server.url)/things\nitems: items\nkey: name\ncolumns: {id: id, name: name}\n\(EngineBench.paging)"
        let engine = try await bench.another(try EngineBench.definition(yaml))
        #expect(try await bench.failure(.reload, engine).kind == .configuration)
        #expect(try bench.feed("item_count, next_page") == "10|2")
        #expect(try bench.query("SELECT outcome FROM run ORDER BY id") == ["ok", "failed"])
        #expect(try bench.feed("status, error ->> 'kind'") == "endHeader|configuration")
    }

    @Test("A new column is added to the table, and none is dropped")
    func newColumn() async throws {
        let bench = try await EngineBench()
        try await bench.reload()
        let yaml =
            "url: \(bench.server.url)/things\nitems: items\nkey: id\ncolumns: {id: id, title: name}\n\(EngineBench.paging)"
        _ = try await bench.another(try EngineBench.definition(yaml)).perform(.reload)
        #expect(try bench.query("SELECT id, name, title FROM things LIMIT 1") == ["1|item 1|item 1"])
    }

    @Test("A feed that cannot be opened is let go of: the next try says the same")
    func openedInVain() async throws {
        let bench = try await EngineBench(PagedFeed.items(1...3))
        try await bench.reload()
        let changed = try EngineBench.definition(
            "url: \(bench.server.url)/things\nitems: items\nkey: name\ncolumns: {id: id, name: name}\n\(EngineBench.paging)"
        )
        for _ in 1...2 {
            let engine = try await SyncEngine(feed: changed, store: bench.store, options: EngineBench.options)
            #expect(try await bench.failure(.reload, engine).kind == .configuration)
        }
        #expect(try await bench.reload().outcome == .unchanged)
    }
}
