import Pagination
import Testing

@testable import Crawling

@Suite("The progress of a mirror")
struct CrawlProgressTests {
    private typealias Page = CrawlProgress.ReadPage

    private static func header(_ crawl: Int64, generation: Int64?, _ end: SyncedRange.End, met: SyncedRange? = nil)
        -> Page
    {
        Page(crawl: crawl, generation: generation, isHeader: true, end: end, met: met)
    }

    private static func footer(_ crawl: Int64, generation: Int64?, _ end: SyncedRange.End, met: SyncedRange? = nil)
        -> Page
    {
        Page(crawl: crawl, generation: generation, end: end, met: met)
    }

    // MARK: - Without a crawl of every page

    @Test("A crawl goes on at its pages' cursors up to the end of the list")
    func readsToTheEnd() {
        var progress = CrawlProgress()
        #expect(progress.read(Self.header(1, generation: 1, .open(.p2))) == .page(.p2))
        #expect(progress.openRange?.cursor == .p2)
        #expect(progress.read(Self.footer(1, generation: 1, .open(.p3))) == .page(.p3))
        #expect(progress.read(Self.footer(1, generation: 1, .last(nil))) == .end(nil))
        #expect(progress.isWhole)
        #expect(progress.openRange == nil)
        #expect(progress.reason == nil)
    }

    @Test("A crawl that meets a range which reaches the end has nothing left to read")
    func meetsWhole() {
        var progress = CrawlProgress()
        progress.synced = .whole(.whole(1, generations: [1], .maxPages))
        _ = progress.read(Self.header(2, generation: 2, .open(.p2)))
        #expect(!progress.isWhole)
        let onward = progress.read(Self.footer(2, generation: 2, .open(.p3), met: progress.synced[1]))
        guard case .whole(let range, .maxPages) = onward else {
            Issue.record("\(onward)")
            return
        }
        #expect(range.crawls == [1, 2])
        #expect(progress.isWhole)
        #expect(progress.reason == .maxPages)
    }

    @Test(
        "A crawl that meets the middle of a range proves nothing: others may have moved to the head and look like it",
        arguments: [true, false])
    func meetsMiddle(meetsTop: Bool) {
        var range = SyncedRange.whole(1, generations: [1])
        range.isVerified = true
        var page = Self.header(2, generation: 2, .open(.p2), met: range)
        page.isSync = true
        page.meetsTop = meetsTop
        var progress = CrawlProgress()
        progress.synced = .whole(range)
        guard case .whole(let met, nil) = progress.read(page) else {
            Issue.record("nothing is met")
            return
        }
        #expect(met.isVerified == meetsTop)
        #expect(progress.synced.ranges[0].isVerified == meetsTop)
        progress = CrawlProgress()
        progress.beginRound(1, .all)
        progress.round?.ranges = .whole(range)
        _ = progress.read(page)
        #expect(progress.round?.mayHaveMissedItems == !meetsTop)
    }

    @Test("A crawl that meets an open range goes on at that range's end")
    func meetsOpen() {
        var progress = CrawlProgress()
        progress.synced = SyncedRanges(ranges: [.open(1, .p7, generations: [1])])
        let onward = progress.read(Self.header(2, generation: 2, .open(.p2), met: progress.synced[1]))
        guard case .range(let range) = onward else {
            Issue.record("\(onward)")
            return
        }
        #expect(range.cursor == .p7)
        #expect(progress.openRange?.crawl == 1)
        #expect(progress.read(Self.footer(1, generation: 1, .open(.p8))) == .page(.p8))
    }

    @Test("A first page that meets a range of one page has newer information on the list's end")
    func coversRange() {
        var progress = CrawlProgress()
        progress.synced = .whole(.whole(1, generations: [1]))
        var page = Self.header(2, generation: nil, .open(.p2), met: progress.synced[1])
        page.coversRange = true
        guard case .range(let range) = progress.read(page) else {
            Issue.record("the list grew behind its page")
            return
        }
        #expect(range.cursor == .p2)
        #expect(!progress.isWhole)
    }

    @Test("The end of the list drops the ranges that stood behind it")
    func endsEarly() {
        var progress = CrawlProgress()
        progress.synced = .whole(.whole(1, generations: [1]))
        _ = progress.read(Self.header(2, generation: 2, .open(.p2)))
        #expect(progress.read(Self.footer(2, generation: 2, .last(.leftOut))) == .end(.leftOut))
        #expect(progress.synced.ranges.map(\.crawls) == [[2]])
        #expect(progress.reason == .leftOut)
    }

    // MARK: - In a crawl of every page

    @Test("A crawl of every page does not join what was stored before it")
    func roundReads() {
        var progress = CrawlProgress()
        progress.synced = .whole(.whole(1, generations: [1]))
        progress.beginRound(2, .all)
        progress.beginRound(9, .since)
        #expect(progress.round?.id == 2)
        #expect(progress.read(Self.header(2, generation: nil, .open(.p2))) == .page(.p2))
        #expect(progress.synced.isWhole, "the mirror stays whole while its pages are as they were")
        #expect(progress.openRange == nil)
        #expect(progress.read(Self.footer(2, generation: nil, .last(nil))) == .end(nil))
        #expect(progress.round?.ranges.isWhole == true)
    }

    @Test(
        "A crawl is part of a crawl of every page if one is under way, or if it could join no range",
        arguments: [
            // The run, the crawl under way, and what the new one is with ranges and without.
            (.reload, nil, .reload, .all), (.new, nil, .new, .all), (.all, nil, .all, .all),
            (.since, nil, .since, .since),
            (.reload, .all, .all, .all), (.new, .all, .all, .all), (.all, .all, .all, .all),
            (.since, .all, .since, .since), (.reload, .since, .since, .since), (.since, .since, .since, .since),
        ] as [(CrawlMode, CrawlMode?, CrawlMode, CrawlMode)])
    func modes(run: CrawlMode, round: CrawlMode?, withRanges: CrawlMode, without: CrawlMode) {
        var progress = CrawlProgress()
        if let round { progress.beginRound(2, round) }
        var withoutRanges = progress
        progress.synced = SyncedRanges(ranges: [
            .open(3, .p2, generations: [3]), .whole(1, generations: [1]),
        ])
        let (mode, isFull) = progress.modeOfCrawl(in: run)
        #expect(mode == withRanges)
        #expect(isFull == ([.all, .since].contains(mode)))
        #expect((progress.round == nil) == (round == nil || run == .since && round != .since))
        if isFull { progress.beginRound(4, mode) }
        #expect(progress.crawlsWithPages == (isFull ? [3] : [3, 1]))
        let alone = withoutRanges.modeOfCrawl(in: run)
        #expect(alone.mode == without)
        #expect(alone.isFull)
    }

    @Test("Rows that a crawl of every page moves stay in the range that had them")
    func roundAbsorbs() {
        var progress = CrawlProgress()
        progress.synced = .whole(.whole(1, generations: [1]))
        progress.beginRound(2, .all)
        var page = Self.header(2, generation: 2, .open(.p2))
        page.lastGeneration = 1
        _ = progress.read(page)
        #expect(progress.synced.isWhole)
        #expect(progress.synced.ranges[0].generations == [1, 2])
    }

    @Test("A page with a new last item forgets the stored ranges: other items may be before them")
    func roundForgets() {
        var progress = CrawlProgress()
        progress.synced = .whole(.whole(1, generations: [1]))
        progress.beginRound(2, .all)
        _ = progress.read(Self.header(2, generation: 2, .open(.p2)))
        #expect(progress.synced.isEmpty)
        #expect(progress.openRange?.cursor == .p2)
        #expect(!progress.isWhole)
    }

    @Test("A crawl by watermark brings rows to the head, and leaves the ranges")
    func sinceAbsorbs() {
        var progress = CrawlProgress()
        progress.synced = .whole(.whole(1, generations: [1]))
        progress.beginRound(2, .since)
        _ = progress.read(Self.header(2, generation: 2, .last(nil)))
        #expect(progress.synced.isWhole)
        #expect(progress.synced.ranges[0].generations == [1, 2])
        #expect(progress.synced.ranges[0].first == Place(generation: 2, position: 0))
        progress.endRound(nil, generations: [2], isVerified: true)
        #expect(progress.round == nil)
        #expect(progress.synced.ranges[0].crawls == [1], "what it read is not a list")
    }

    @Test("A crawl of every page that met all is the list, with the generations of its pages")
    func roundEnds() {
        var progress = CrawlProgress()
        progress.beginRound(1, .all)
        _ = progress.read(Self.header(1, generation: 1, .open(.p2)))
        _ = progress.read(Self.footer(1, generation: 1, .last(nil)))
        progress.round?.ranges.update(1) { $0.loosePages = [1] }
        progress.endRound(nil, generations: [1, 4], isVerified: true)
        #expect(progress.round == nil)
        var range = SyncedRange.whole(1, generations: [1, 4])
        range.isVerified = true
        #expect(progress.synced == .whole(range))
    }

    @Test(
        "The end of an incomplete crawl is a whole range only if another crawl would meet no more",
        arguments: IncompleteReason.allCases)
    func roundEndsIncomplete(_ reason: IncompleteReason) {
        var progress = CrawlProgress()
        progress.beginRound(1, .all)
        _ = progress.read(Self.header(1, generation: 1, .last(nil)))
        progress.leave(reason, generations: [1])
        #expect(progress.round == nil)
        #expect(progress.synced.isWhole == [.cap, .maxPages, .leftOut, .sameKey].contains(reason))
        #expect(progress.reason == (progress.synced.isWhole ? reason : nil))
    }

    @Test(
        "A crawl that met everything accepts its end, and the list is the range that it read", arguments: [true, false])
    func completes(isVerified: Bool) {
        var progress = CrawlProgress()
        progress.suspectEnd = CrawlProgress.EarlyEnd(met: 7)
        progress.beginRound(1, .all)
        _ = progress.read(Self.header(1, generation: 1, .last(nil)))
        progress.complete(CrawlState(id: 1), isVerified: isVerified, generations: [1, 4], isSettled: true) { true }
        var range = SyncedRange.whole(1, generations: [1, 4])
        (range.isVerified, range.growsAtEnd) = (isVerified, true)
        #expect(progress.synced == .whole(range))
        #expect(progress.round == nil)
        #expect(progress.suspectEnd == nil)
        #expect(progress.isFullVerified == isVerified)
    }

    @Test("The page to which the list led on before is forgotten once the rows behind the end are settled")
    func lostNext() {
        for isSettled in [false, true] {
            var progress = CrawlProgress()
            progress.lostCursors = [.p4]
            progress.beginRound(1, .all)
            _ = progress.read(Self.header(1, generation: 1, .last(nil)))
            progress.complete(CrawlState(id: 1), isVerified: true, generations: [1], isSettled: isSettled) { false }
            #expect(progress.lostCursors == (isSettled ? [] : [.p4]))
        }
    }

    @Test(
        "A last page that is empty, or as long as when it led on, has lost its way on; a shorter one has not",
        arguments: [
            (10, .p4, [.p4, .p5]), (11, .p4, [.p4, .p5]), (10, .p6, [.p6, .p5]), (10, .p5, [.p5, .p4]),
            (9, .p4, []), (0, .p4, [.p4, .p5]), (0, nil, [.p5, .p4]), (10, nil, [.p5, .p4]), (9, nil, []),
        ] as [(Int, PageCursor?, [PageCursor])])
    func lastPage(elements: Int, next: PageCursor?, lost: [PageCursor]) {
        var progress = CrawlProgress()
        progress.lostCursors = [.p5, .p4]
        var page = CrawlPage(.footer, end: .end(), upstreamNext: nil)
        page.elementCount = elements
        progress.reachEnd(page, ledTo: next, elementsBefore: 10)
        #expect(progress.lostCursors == lost)
    }

    @Test("A list that comes is found")
    func found() {
        var progress = CrawlProgress()
        progress.wasNotFound = true
        _ = progress.read(Self.header(1, generation: 1, .last(nil)))
        #expect(!progress.wasNotFound)
    }

    @Test(
        "A total counts one page if several had more than it; of one page nobody knows",
        arguments: [(2, 10, true), (2, 20, false), (2, nil, false), (1, 20, true)])
    func totalOfPage(pages: Int, total: Int?, isOfPage: Bool) {
        var progress = CrawlProgress()
        progress.totalIsOfPage = pages == 1
        progress.beginRound(1, .all)
        _ = progress.read(Self.header(1, generation: 1, .last(nil)))
        var crawl = CrawlState(id: 1)
        (crawl.pages, crawl.elements, crawl.total) = (pages, 20, total)
        progress.complete(crawl, isVerified: false, generations: [1], isSettled: true) { false }
        #expect(progress.totalIsOfPage == isOfPage)
    }

    @Test(
        "A crawl that joined a range leaves it to the range if the list grows at its end; one that read all finds that out",
        arguments: [true, false])
    func completesRange(isWholeList: Bool) {
        var range = SyncedRange.whole(isWholeList ? [2] : [1, 2], generations: [1, 2])
        range.loosePages = [1]
        var progress = CrawlProgress()
        progress.synced = .whole(range)
        progress.isFullVerified = true
        progress.complete(CrawlState(id: 2), isVerified: false, generations: [], isSettled: true) { true }
        (range.loosePages, range.growsAtEnd) = ([], isWholeList)
        #expect(progress.synced == .whole(range))
        #expect(progress.isFullVerified, "only a crawl of every page, or by watermark, says so")
    }

    @Test("Pages that are stored in another order than the list's are read through by the next sync")
    func completesOutOfOrder() {
        var crawl = CrawlState(id: 1)
        crawl.isOrdered = false
        var progress = CrawlProgress()
        progress.beginRound(1, .all)
        _ = progress.read(Self.header(1, generation: 1, .last(nil)))
        progress.complete(crawl, isVerified: true, generations: [1], isSettled: true) { false }
        #expect(progress.synced.isEmpty)
        #expect(progress.round == nil)
    }

    @Test(
        "A crawl that joined a range and could not get everything ends the range if the upstream serves no more",
        arguments: IncompleteReason.allCases)
    func leavesRange(_ reason: IncompleteReason) {
        var progress = CrawlProgress()
        progress.synced = .whole(.whole(1, generations: [1]))
        progress.leave(reason, generations: [])
        #expect(progress.synced == .whole(.whole(1, generations: [1], reason == .cap ? .cap : nil)))
    }

    @Test("A list that moved is read through by the next sync")
    func forgets() {
        var progress = CrawlProgress()
        progress.synced = .whole(.whole(1, generations: [1]))
        progress.beginRound(2, .all)
        progress.fullPages = 4
        progress.forgetRanges()
        var empty = CrawlProgress()
        empty.fullPages = 4
        #expect(progress == empty)
    }

    // MARK: - Failures

    struct Failure: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var isRefused = false
        /// True if the page cursor is a number that feedsync counted itself.
        var isComputed = false
        var times = 1
        let isLost: Bool
    }

    @Test(
        "A page cursor is lost once it leads nowhere, and a computed one only if it was refused",
        arguments: [
            Failure(testDescription: "a token that failed once", isLost: false),
            Failure(testDescription: "a token that failed twice", times: 2, isLost: true),
            Failure(testDescription: "a token that was refused", isRefused: true, isLost: true),
            Failure(testDescription: "a number that failed once", isComputed: true, isLost: false),
            Failure(testDescription: "a number that failed five times", isComputed: true, times: 5, isLost: false),
            Failure(testDescription: "a number that was refused", isRefused: true, isComputed: true, isLost: true),
        ], [false, true])
    func fails(_ failure: Failure, inRound: Bool) {
        var progress = CrawlProgress()
        if inRound { progress.beginRound(1, .all) }
        _ = progress.read(Self.header(1, generation: 1, .open(.p2)))
        for _ in 0..<failure.times {
            progress.fail(1, isLost: failure.isRefused, mayPass: failure.isComputed)
        }
        let range = inRound ? progress.round?.ranges[1] : progress.synced[1]
        #expect(range?.failures == failure.times)
        #expect(range?.isLost == failure.isLost)
        _ = progress.read(Self.footer(1, generation: 1, .open(.p3)))
        let behind = inRound ? progress.round?.ranges[1] : progress.synced[1]
        #expect(behind?.failures == 0, "a page that came ends the row of failures")
        #expect(behind?.isLost == false)
    }

    @Test("A page cursor that was refused stays lost when `more` tries it again and the network fails")
    func staysLost() {
        var progress = CrawlProgress()
        _ = progress.read(Self.header(1, generation: 1, .open(.p2)))
        progress.fail(1, isLost: true, mayPass: true)
        progress.fail(1, isLost: false, mayPass: true)
        #expect(progress.synced[1]?.isLost == true)
    }

    @Test("A failure elsewhere says nothing of the end of the list, nor of another range")
    func failsElsewhere() {
        var progress = CrawlProgress()
        progress.synced = SyncedRanges(ranges: [.open(2, .p2, generations: [2]), .whole(1, generations: [1])])
        let before = progress
        progress.fail(1, isLost: true, mayPass: false)
        progress.fail(7, isLost: true, mayPass: false)
        #expect(progress == before)
    }
}
