import Concurrency
import HTTP
import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync

@Suite("A page that says that there is more")
struct SignsTests {
    private func bench(_ paging: String) async throws -> EngineBench {
        try await EngineBench(paging: paging, columns: "items: items\nkey: id\ncolumns: {id: id}")
    }

    private func page(_ ids: ClosedRange<Int>, _ members: String) -> ServerResponse {
        .json(
            "{\(members),\"items\":[\(PagedFeed.items(ids).joined(separator: ","))]}",
            headers: [(name: "ETag", value: "\"\(ids)\"")])
    }

    @Test(
        "A page that says that there is more is not the end, whatever the style, and nothing is removed by it",
        arguments: ["", "pagination: none", "pagination: {style: cursor, param: c, next: cursor}", "pagination: link"])
    func incomplete(paging: String) async throws {
        let bench = try await bench(paging)
        let head = Lock(1)
        bench.server.route("/things") { [self] request in
            let first = head.withLock { $0 }
            let response = page(first...first + 7, #""has_more":true"#)
            return request.header("If-None-Match") == "\"\(first...first + 7)\"" ? .status(304) : response
        }
        for _ in 1...3 {
            let run = try await bench.sync()
            #expect(run.reason == .upstreamIncomplete)
            #expect(run.notices.contains { $0.contains("`has_more` is true") })
            #expect(try bench.feed("complete, verified") == "0|0")
        }
        // One comes, and pushes one off the page.
        head.withLock { $0 = 0 }
        #expect(try await bench.sync().figures.items.removed == 0)
        #expect(try bench.query("SELECT count(*) FROM things WHERE _removed_at IS NULL") == ["9"])
        #expect(try await bench.store.findings(of: "things")?.sign == "`has_more` is true")
    }

    @Test("A page that repeats the one before it and says that there is more is not the end")
    func repeatedPage() async throws {
        let bench = try await bench("pagination: {style: cursor, param: c, next: cursor}")
        bench.server.route("/things") { [self] request in
            // The page behind 24 is that behind 16 once more, with the cursor of that.
            let number = min(request.parameter("c").flatMap { Int($0) } ?? 1, 4)
            let shown = min(number, 3)
            return page(shown * 8 - 7...shown * 8, #""has_more":true,"cursor":"\#(shown + 1)""#)
        }
        for _ in 1...2 {
            #expect(try await bench.sync().reason == .upstreamIncomplete)
            #expect(try bench.feed("item_count, complete") == "24|0")
        }
    }

    @Test(
        "Of a total beyond the only page asked for, the notice is about pagination, and elsewhere about the query",
        arguments: [
            ("", 8, true), ("pagination: none", 8, true), ("pagination: link", 8, true),
            ("pagination: {style: page}", 16, false),
        ])
    func onePage(paging: String, count: Int, hasOnePage: Bool) async throws {
        let bench = try await bench(paging)
        let head = Lock(1)
        bench.server.route("/things") { [self] request in
            let first = head.withLock { $0 }
            let number = hasOnePage ? 1 : request.parameter("page").flatMap { Int($0) } ?? 1
            let start = first + number * 8 - 8
            return number * 8 > count
                ? .json(#"{"total":95,"items":[]}"#) : page(start...start + 7, #""total":95"#)
        }
        for _ in 1...2 {
            let run = try await bench.sync()
            #expect(run.reason == .cap)
            let words = hasOnePage ? "no page but the first was asked for: say" : ": narrow the query"
            #expect(run.notices.contains { $0.contains(words) }, "\(run.notices)")
            #expect(try await bench.store.conditions(of: ["things"]).map(\.hasOnePage) == [hasOnePage])
            // One comes, and pushes one off the page, whose row stays.
            head.withLock { $0 = 0 }
        }
    }

    @Test(
        "One page without further ones is whole where tokens only mark its borders, and not where it names a next page",
        arguments: [
            (#""paging":{"cursors":{"before":"a","after":"b"}}"#, nil),
            (
                #""paging":{"cursors":{"before":"a","after":"b"},"next":"https://a.b/things?after=b"}"#,
                "`paging.next` is"
            ),
            (#""paging":{"next":{"after":"20"}}"#, "`paging.next.after` is"),
            (#""paging":{"cursors":{"before":null,"after":"b"}}"#, "`paging.cursors.after` is"),
            (#""cursors":{"before":null,"after":"b"},"next":null"#, nil), (#""next":null"#, nil),
            (#""before":null,"after":"t3_x""#, "`after` is"), (#""next":"/things?page=2""#, "`next` is"),
            (#""links":{"next":"/things?page=2"}"#, "`links.next` is"),
        ] as [(String, String?)])
    func single(members: String, sign: String?) async throws {
        let bench = try await bench("pagination: none")
        bench.server.route("/things") { [self] _ in page(1...8, members) }
        let run = try await bench.sync()
        #expect(run.reason == (sign == nil ? nil : .upstreamIncomplete))
        if let sign {
            #expect(run.notices.contains { $0.contains(sign) && $0.contains("correct `pagination`") }, "\(run.notices)")
        } else {
            #expect(run.notices.isEmpty, "\(run.notices)")
        }
        #expect(try bench.feed("complete") == (sign == nil ? "1" : "0"))
    }

    @Test(
        "A response that says that it is a part of the list is not complete",
        arguments: [
            (206, "", "", false), (206, "Content-Range", "items 0-7/*", false),
            (206, "Content-Range", "items 0-7/8", true), (200, "Content-Range", "items 0-7/*", true),
            (200, "X-Pagination", #"{"TotalCount":20,"HasNext":true}"#, false),
            (200, "X-Pagination", #"{"TotalCount":8,"HasNext":false}"#, true),
        ])
    func part(status: Int, header: String, value: String, isWhole: Bool) async throws {
        let bench = try await bench("pagination: none")
        bench.server.route("/things") { _ in
            .json(
                "{\"items\":[\(PagedFeed.items(1...8).joined(separator: ","))]}", status: status,
                headers: header.isEmpty ? [] : [(name: header, value: value)])
        }
        #expect((try await bench.sync().reason == nil) == isWhole)
        #expect(try bench.feed("complete") == (isWhole ? "1" : "0"))
    }

    @Test(
        "A part of a request that failed is missing, so nothing is removed, and a sync of the whole list is complete",
        arguments: [("pagination: none", 10), ("pagination: page", 20)])
    func partFailed(paging: String, count: Int) async throws {
        let bench = try await bench(paging)
        let fails = Lock(false)
        bench.server.route("/things") { [self] request in
            let number = Int(request.parameter("page") ?? "") ?? 1
            guard number < 3 else { return .json(#"{"items":[]}"#) }
            let first = number * 10 - 9
            guard number == 1, fails.withLock({ $0 }) else { return page(first...first + 9, #""errors":[]"#) }
            return page(1...8, #""errors":[{"message":"no access"}]"#)
        }
        #expect(try await bench.sync().reason == nil)
        fails.withLock { $0 = true }
        for _ in 1...2 {
            let run = try await bench.sync()
            #expect(run.reason == .upstreamIncomplete)
            #expect(run.figures.items.removed == 0)
            #expect(run.notices.contains { $0.contains("left items out: the next sync") }, "\(run.notices)")
        }
        fails.withLock { $0 = false }
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.feed("item_count") == "\(count)")
    }

    @Test(
        "Items that slide off a last page are not removed, and a full page that changed is tried again"
    )
    func openTail() async throws {
        let bench = try await bench("")
        let items = Lock((first: 3, count: 5))
        let isPaged = Lock(false)
        bench.server.route("/things") { [self] request in
            let (first, count) = items.withLock { $0 }
            let number = Int(request.parameter("page") ?? "") ?? 1
            let start = isPaged.withLock { $0 } ? first + number * 5 - 5 : first
            guard start < first + count else { return .json(#"{"items":[]}"#) }
            return page(start...min(start + 4, first + count - 1), #""name":"x""#)
        }
        try await bench.sync()
        // One comes at the top, and the parameter is not heeded.
        items.withLock { $0 = (first: 2, count: 6) }
        let run = try await bench.sync()
        #expect(run.figures.items.removed == 0)
        #expect(run.notices.contains { $0.hasPrefix("1 row that has left the page is kept") }, "\(run.notices)")
        #expect(try await bench.sync().notices.isEmpty)
        #expect(try bench.feed("item_count, complete, verified") == "6|1|0")
        // It is heeded now.
        isPaged.withLock { $0 = true }
        items.withLock { $0 = (first: 1, count: 7) }
        #expect(try await bench.sync().figures.items.inserted == 1)
        #expect(try bench.feed("item_count, complete") == "7|1")
        #expect(try await bench.store.findings(of: "things")?.pagination == "{style: page, param: page, first: 1}")
    }

    @Test("A page of an unusual length is the whole list: items that are no longer there are removed")
    func unusualLength() async throws {
        let bench = try await bench("")
        let first = Lock(1)
        bench.server.route("/things") { [self] _ in
            let first = first.withLock { $0 }
            return page(first...first + 6, #""name":"x""#)
        }
        try await bench.sync()
        first.withLock { $0 = 8 }
        for _ in 1...2 { try await bench.sync() }
        #expect(try bench.query("SELECT min(id), count(*) FROM things WHERE _removed_at IS NULL") == ["8|7"])
    }

    @Test("A list whose only page is empty by now has lost its rows")
    func emptied() async throws {
        let bench = try await bench("")
        let isEmpty = Lock(false)
        bench.server.route("/things") { [self] _ in
            isEmpty.withLock { $0 } ? .json(#"{"items":[],"next_cursor":null}"#) : page(1...2, #""next_cursor":null"#)
        }
        try await bench.sync()
        isEmpty.withLock { $0 = true }
        for _ in 1...2 { try await bench.sync() }
        #expect(try bench.feed("item_count, complete") == "0|1")
    }

    @Test("An item that takes the place of the only one, on a page that says that it is the last, replaces it")
    func replaced() async throws {
        let bench = try await bench("")
        let id = Lock(1)
        bench.server.route("/things") { [self] _ in
            let id = id.withLock { $0 }
            return page(id...id, #""next_cursor":null"#)
        }
        try await bench.sync()
        id.withLock { $0 = 2 }
        for _ in 1...2 { try await bench.sync() }
        #expect(try bench.query("SELECT id FROM things WHERE _removed_at IS NULL") == ["2"])
    }

    @Test("A sign of more is forgotten once the page has it no more")
    func forgotten() async throws {
        let bench = try await bench("pagination: none")
        let more = Lock(true)
        bench.server.route("/things") { [self] _ in page(1...8, "\"truncated\":\(more.withLock { $0 })") }
        #expect(try await bench.sync().reason == .upstreamIncomplete)
        more.withLock { $0 = false }
        #expect(try await bench.sync().reason == nil)
        #expect(try await bench.store.findings(of: "things")?.sign == nil)
        #expect(try bench.feed("complete, verified") == "1|1")
    }

    @Test("A way on whose answer was no list is tried once more, and only once", arguments: [2, 1])
    func oddAnswer(faults: Int) async throws {
        let bench = try await bench("")
        let left = Lock(faults)
        bench.server.route("/things") { [self] request in
            guard request.parameter("cursor") != nil else { return page(1...10, #""next_cursor":"c10""#) }
            let isOdd = left.withLock { left in
                left -= 1
                return left >= 0
            }
            return isOdd ? .json("{}") : page(11...15, #""next_cursor":null"#)
        }
        #expect(try await bench.sync().reason == .upstreamIncomplete)
        #expect(try await bench.sync().reason == (faults == 1 ? nil : .upstreamIncomplete))
        let before = bench.server.requests.count
        try await bench.sync()
        #expect(faults == 1 || bench.server.requests.count - before == 1)
        #expect(try bench.feed("item_count, complete") == (faults == 1 ? "15|1" : "10|0"))
    }

    @Test(
        "A next page that was null, and is a token or a number later, is requested so",
        arguments: [
            ("next", #""t""#, "cursor"), ("next", #""t""#, "next"), ("next", "30", "next"), ("next_page", "2", "page"),
            ("next", #""/things?c=2""#, "c"),
        ])
    func nullBefore(member: String, value: String, parameter: String) async throws {
        let bench = try await bench("")
        let isLong = Lock(false)
        bench.server.route("/things") { [self] request in
            let isFirst = request.parameter(parameter) == nil
            guard isLong.withLock({ $0 }) else { return page(1...5, "\"\(member)\":null") }
            return isFirst ? page(1...10, "\"\(member)\":\(value)") : page(11...15, "\"\(member)\":null")
        }
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.feed("item_count, complete, verified, no_more_data") == "5|1|1|1")
        isLong.withLock { $0 = true }
        try await bench.sync()
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.feed("item_count, complete") == "15|1")
    }

    @Test(
        "Without a way on a list is complete and never verified, and noted once if it is as long as pages often are",
        arguments: [(7, false), (20, true)])
    func usualSize(count: Int, isNoted: Bool) async throws {
        let bench = try await bench("")
        bench.server.route("/things") { [self] _ in page(1...count, #""name":"x""#) }
        let first = try await bench.sync()
        #expect(first.reason == nil)
        #expect(first.notices.contains { $0.contains("`pagination: none`") } == isNoted)
        #expect(try await bench.sync().notices.isEmpty)
        #expect(try bench.feed("complete, verified") == "1|0")
    }

    @Test(
        "Pages that answer 304 still have the counts with which they were stored: an end before them removes nothing",
        arguments: [
            ("pagination: link", IncompleteReason.upstreamIncomplete),
            ("pagination: {style: next_url, next: next}", .cap),
        ])
    func unchangedCounts(paging: String, reason: IncompleteReason) async throws {
        let bench = try await EngineBench(
            members: "sync: {mode: all}", paging: paging, columns: "items: items\nkey: id\ncolumns: {id: id}")
        let list = Lock((pages: 6, isCut: false))
        bench.server.route("/things") { request in
            let (pages, isCut) = list.withLock { $0 }
            let number = Int(request.parameter("page") ?? "") ?? 1
            let isLast = number == pages || isCut && number == 5
            let tag = "\"\(number) \(isLast)\""
            guard request.header("If-None-Match") != tag else { return .status(304) }
            guard number <= pages else { return .json("{\"items\":[]}") }
            let items = PagedFeed.items(number * 10 - 9...number * 10).joined(separator: ",")
            guard !isLast else { return .json("{\"items\":[\(items)]}", headers: [(name: "ETag", value: tag)]) }
            guard paging != "pagination: link" else {
                let links = "</things?page=\(number + 1)>; rel=\"next\", </things?page=\(pages)>; rel=\"last\""
                return .json(
                    "{\"items\":[\(items)]}", headers: [(name: "ETag", value: tag), (name: "Link", value: links)])
            }
            return .json(
                "{\"count\":\(pages * 10),\"next\":\"/things?page=\(number + 1)\",\"items\":[\(items)]}",
                headers: [(name: "ETag", value: tag)])
        }
        #expect(try await bench.sync().reason == nil)
        list.withLock { $0.isCut = true }
        for _ in 1...2 {
            #expect(try await bench.sync().reason == reason)
            #expect(try bench.feed("item_count, complete") == "60|0")
        }
        // The list is so long by now, and its pages say so once they are read again.
        list.withLock { $0 = (pages: 5, isCut: false) }
        for _ in 1...2 { try await bench.sync() }
        #expect(try bench.feed("item_count, complete") == "50|1")
    }

    @Test(
        "Items that a page leaves out by its own word make the crawl incomplete, wherever the page is",
        arguments: ["page", "{style: next_url, next: next}", "link"], [false, true])
    func leftOut(paging: String, isCut: Bool) async throws {
        let bench = try await bench("pagination: \(paging)")
        let isPartial = Lock(true)
        bench.server.route("/things") { [self] request in
            let number = Int(request.parameter("page") ?? "") ?? 1
            guard number <= 5 else { return .json(#"{"items":[]}"#) }
            let next = number < 5 ? "\"/things?page=\(number + 1)\"" : "null"
            let isIncomplete = number == 2 && isPartial.withLock { $0 }
            var answer = page(
                number * 4 - 3...number * 4, "\"next\":\(next),\"incomplete_results\":\(isIncomplete)")
            if paging == "link", number < 5 {
                answer.headers.append((name: "Link", value: "</things?page=\(number + 1)>; rel=\"next\""))
            }
            return answer
        }
        if isCut {
            var options = EngineBench.options
            options.client = Client(userAgent: "feedsync-tests", budget: RequestBudget(requests: 3))
            _ = try? await bench.another(options: options).perform(.sync)
        }
        for _ in 1...(isCut ? 1 : 2) {
            let run = try await bench.sync()
            #expect(run.reason == .upstreamIncomplete)
            #expect(try bench.feed("item_count, complete, verified") == "20|0|0")
        }
        isPartial.withLock { $0 = false }
        #expect(try await bench.sync().reason == nil)
    }

    @Test(
        "A list that ends before the counts of its earlier pages is incomplete, and loses no row, however often it ends there",
        arguments: [
            ("{style: next_url, next: next}", "\"count\":60", ""),
            ("{style: next_url, next: next}", "\"total_pages\":6", ""),
            ("page", "\"meta\":{\"total\":60}", ""), ("page", "\"x\":1", "X-Total-Pages"), ("link", "\"x\":1", "Link"),
        ])
    func earlierPages(paging: String, members: String, header: String) async throws {
        let bench = try await EngineBench(
            members: "sync: {mode: all}", paging: "pagination: \(paging)",
            columns: "items: items\nkey: id\ncolumns: {id: id}")
        let isCut = Lock(true)
        bench.server.route("/things") { request in
            let number = Int(request.parameter("page") ?? "") ?? 1
            let isCut = isCut.withLock { $0 }
            guard number <= (isCut ? 3 : 6) else { return .json(#"{"items":[]}"#) }
            let items = PagedFeed.items(number * 10 - 9...number * 10).joined(separator: ",")
            // The page at the cut says nothing beside its items.
            if isCut, number == 3 { return .json("{\"items\":[\(items)]}") }
            let next = number < 6 ? "\"/things?page=\(number + 1)\"" : "null"
            let body = "{\(members),\"next\":\(next),\"items\":[\(items)]}"
            let tag = "\"\(number)\""
            guard request.header("If-None-Match") != tag else { return .status(304) }
            var headers = [(name: "ETag", value: tag)]
            if header == "X-Total-Pages" { headers.append((name: header, value: "6")) }
            if header == "Link", number < 6 {
                let links = "</things?page=\(number + 1)>; rel=\"next\", </things?page=6>; rel=\"last\""
                headers.append((name: header, value: links))
            }
            return .json(body, headers: headers)
        }
        for _ in 1...2 {
            let reason = try await bench.sync().reason
            #expect(reason == .cap || reason == .upstreamIncomplete)
            #expect(try bench.feed("item_count, complete, verified") == "30|0|0")
        }
        isCut.withLock { $0 = false }
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.feed("item_count, complete") == "60|1")
        isCut.withLock { $0 = true }
        for _ in 1...3 {
            #expect(try await bench.sync().reason != nil)
            #expect(try bench.feed("item_count, complete") == "60|0")
        }
    }

    @Test(
        "A flag for further pages does not make a crawl incomplete that followed them",
        arguments: [
            "truncated", "is_truncated", "exceededTransferLimit",
        ])
    func flagOfPages(name: String) async throws {
        let bench = try await bench("pagination: {style: next_url, next: next}")
        bench.server.route("/things") { [self] request in
            let number = Int(request.parameter("page") ?? "") ?? 1
            let next = number < 3 ? "\"/things?page=\(number + 1)\"" : "null"
            return page(number * 4 - 3...number * 4, "\"next\":\(next),\"\(name)\":\(number < 3)")
        }
        #expect(try await bench.sync().reason == nil)
    }
}
