import Pagination
import Testing

@testable import Crawling

@Suite("The choice of the next page")
struct CrawlRulesTests {
    private typealias Step = CrawlRules.Step

    // MARK: - Pages by hand

    @Test("A reload asks for the first page and no other", arguments: [false, true])
    func reload(isUnchanged: Bool) {
        var rules = CrawlRules(.reload)
        #expect(rules.opened(.loaded(.open(1, .p4, generations: [1]))) == .fetch(.header, nil))
        #expect(!rules.wantsNext)
        #expect(!rules.isSync)
        #expect(rules.committed(.page(1, .p2, isUnchanged: isUnchanged)) == .end(isUnchanged ? .unchanged : .ok))
    }

    @Test("The next page of a feed that was never loaded is the first")
    func firstOfMore() {
        var rules = CrawlRules(.nextPage)
        #expect(rules.opened(ResumePoint()) == .fetch(.header, nil))
        #expect(rules.committed(.page(1, .p2)) == .end(.ok))
    }

    @Test("At the end there is no next page", arguments: [RequestCommand.nextPage, .nextPages(3), .allPages])
    func noMoreData(_ command: RequestCommand) {
        var rules = CrawlRules(command)
        #expect(rules.opened(.loaded(.whole(1, generations: [1]))) == .end(.noMoreData))
    }

    @Test("`more` goes on at the open end, for so many pages, a first one included")
    func more() {
        var rules = CrawlRules(.nextPages(2))
        #expect(rules.opened(.loaded(.open(7, .p4, generations: [1]))) == .goOn(crawl: 7, from: nil))
        #expect(rules.pagesWanted == 1)
        #expect(rules.committed(.page(4, .p5, isUnchanged: true)) == .fetch(.footer, .p5))
        #expect(rules.pagesWanted == 0)
        #expect(rules.committed(.page(5, .p6)) == .end(.ok))

        var fresh = CrawlRules(.nextPages(2))
        #expect(fresh.opened(ResumePoint()) == .fetch(.header, nil))
        #expect(fresh.committed(.page(1, .p2, isUnchanged: true)) == .fetch(.footer, .p2))
        #expect(fresh.committed(.page(2, .p3, isUnchanged: true)) == .end(.unchanged))
    }

    @Test("All pages are those up to the end, past the ranges that are met on the way")
    func allPages() {
        var rules = CrawlRules(.allPages)
        #expect(rules.opened(.loaded(.open(7, .p2, generations: [1]))) == .goOn(crawl: 7, from: nil))
        #expect(rules.pagesWanted == nil)
        #expect(rules.committed(.range(2, .open(3, .p9, generations: [1]))) == .goOn(crawl: 3, from: nil))
        #expect(rules.committed(.page(9, .p10)) == .fetch(.footer, .p10))
        #expect(rules.committed(.end(10)) == .end(.ok))

        var joining = CrawlRules(.allPages)
        _ = joining.opened(.loaded(.open(7, .p2, generations: [1])))
        #expect(joining.committed(.whole(2, .whole(3, generations: [1]), isUnchanged: true)) == .end(.unchanged))
    }

    @Test(
        "The page with which `more` goes on behind a range is loose, unless it or the total shows that the list stayed",
        arguments: [
            (.init(number: 2), isShifting: true, isLoose: true),
            (.init(number: 2, total: 9, totalBefore: 9), isShifting: true, isLoose: false),
            (.init(number: 2, total: 9, totalBefore: 8), isShifting: true, isLoose: true),
            (.init(number: 2, total: 9), isShifting: true, isLoose: true),
            (.init(number: 2, overlaps: true), isShifting: true, isLoose: false),
            (.init(number: 2, overlaps: false), isShifting: true, isLoose: true),
            (.init(number: 2), isShifting: false, isLoose: false),
        ] as [(border: CrawlRules.Border, isShifting: Bool, isLoose: Bool)])
    func isLoose(border: CrawlRules.Border, isShifting: Bool, isLoose: Bool) {
        let point = ResumePoint.loaded(.open(7, .p2, generations: [1]))
        var more = CrawlRules(.allPages, CrawlRules.Feed(isShifting: isShifting))
        _ = more.opened(point)
        #expect(more.isLoose(border) == isLoose)
        var sync = CrawlRules(.sync, CrawlRules.Feed(isShifting: isShifting))
        _ = sync.opened(point)
        #expect(!sync.isLoose(border))
    }

    @Test("A total that fell holds up neither `reload` nor `more`")
    func noStepBackByHand() {
        var rules = CrawlRules(.allPages, CrawlRules.Feed(isShifting: true))
        _ = rules.opened(.loaded(.open(7, .p2, generations: [1])))
        #expect(rules.came(.init(number: 2, total: 9, totalBefore: 10, crawl: 7)) == nil)
    }

    @Test(
        "A page that does not come ends the run as its error says",
        arguments: [
            (FeedSyncError.Kind.cancelled, RunOutcome.cancelled), (.limited, .limited), (.unreachable, .failed),
            (.undecodable, .failed), (.rejected, .failed),
        ])
    func fails(kind: FeedSyncError.Kind, outcome: RunOutcome) {
        var rules = CrawlRules(.sync)
        _ = rules.opened(ResumePoint())
        #expect(rules.failed(FeedSyncError(kind, "it failed")) == outcome)
        #expect(!rules.wantsNext)
    }

    // MARK: - A sync

    @Test("A first sync reads every page, examines the crawl, and looks for what is gone")
    func firstSync() {
        var rules = CrawlRules(.sync, CrawlRules.Feed(mode: .all, isShifting: true))
        #expect(rules.opened(ResumePoint()) == .fetch(.header, nil))
        #expect(rules.isSync)
        #expect(rules.wantsNext)
        #expect(rules.pagesWanted == nil)
        #expect(rules.committed(.page(1, .p2)) == .fetch(.footer, .p2))
        #expect(rules.came(.init(number: 2, total: 20, totalBefore: 20, crawl: 1)) == nil)
        #expect(rules.committed(.end(2)) == .examine)
        let facts = CrawlFacts(met: 20, total: 20, hasTotals: true, pageCount: 2)
        #expect(rules.examined(facts) == .findMissing)
        #expect(rules.found(missingBeside: nil) == .end(.ok, .complete(isVerified: true)))
    }

    @Test("A list of one page is proved by that page")
    func onePage() {
        var rules = CrawlRules(.sync, CrawlRules.Feed(mode: .all, isShifting: true))
        _ = rules.opened(ResumePoint())
        #expect(rules.committed(.end(1)) == .examine)
        #expect(rules.examined(CrawlFacts(met: 3, pageCount: 1)) == .findMissing)
        #expect(rules.found(missingBeside: nil) == .end(.ok, .complete(isVerified: true)))
    }

    @Test(
        "One page that joins a whole range is a sync, as proved as the range was",
        arguments: [false, true], [false, true])
    func joinsWhole(isVerified: Bool, isUnchanged: Bool) {
        var whole = SyncedRange.whole(1, generations: [1])
        whole.isVerified = isVerified
        var rules = CrawlRules(.sync, CrawlRules.Feed(mode: .new, isShifting: true))
        _ = rules.opened(.loaded(whole))
        #expect(
            rules.committed(.whole(1, whole, isUnchanged: isUnchanged))
                == .end(isUnchanged ? .unchanged : .ok, .complete(isVerified: isVerified)))
    }

    @Test("Two pages that join a whole range have a border of their own to prove")
    func joinsWholeBehindAPage() {
        var whole = SyncedRange.whole(1, generations: [1])
        whole.isVerified = true
        var rules = CrawlRules(.sync, CrawlRules.Feed(mode: .new, isShifting: true))
        _ = rules.opened(.loaded(whole))
        _ = rules.committed(.page(1, .p2))
        #expect(rules.committed(.whole(2, whole)) == .examine)
        #expect(rules.examined(CrawlFacts(met: 30, pageCount: 2)) == .readHeadAgain)
        #expect(rules.headIsSame() == .end(.ok, .complete(isVerified: false)))
    }

    @Test(
        "A sync is incomplete for the reason for which the range it met may not be whole",
        arguments: IncompleteReason.allCases)
    func joinsIncomplete(_ reason: IncompleteReason) {
        var rules = CrawlRules(.sync, CrawlRules.Feed(mode: .new, isShifting: true))
        let whole = SyncedRange.whole(1, generations: [1], reason)
        _ = rules.opened(.loaded(whole))
        #expect(
            rules.committed(.whole(1, whole, reason, isUnchanged: true)) == .end(.unchanged, .incomplete(reason)))
    }

    @Test(
        "At an open range the crawl goes on, with its last page again only where nothing else shows the border",
        arguments: [
            (CrawlRules.Feed(isShifting: true), 5), (CrawlRules.Feed(isShifting: false), nil),
            (CrawlRules.Feed(isShifting: true, overlaps: true), nil),
            (CrawlRules.Feed(isShifting: true, isPartitioned: true), nil),
        ] as [(CrawlRules.Feed, Int?)])
    func joinsOpen(feed: CrawlRules.Feed, from: Int?) {
        let range = SyncedRange.open(1, .p6, generations: [1])
        var rules = CrawlRules(.sync, feed)
        _ = rules.opened(.loaded(range))
        #expect(rules.committed(.range(1, range, pages: 5, isUnchanged: true)) == .goOn(crawl: 1, from: from))
    }

    @Test("At a range that grows at its end the crawl looks behind it")
    func joinsGrowing() {
        var range = SyncedRange.open(1, .p6, generations: [1])
        (range.end, range.growsAtEnd) = (.last(nil), true)
        var rules = CrawlRules(.sync, CrawlRules.Feed(isShifting: false))
        _ = rules.opened(.loaded(range))
        #expect(
            rules.committed(.range(1, range, pages: 5, isUnchanged: true)) == .goOn(crawl: 1, from: 5))
    }

    @Test("Behind a range whose page cursors count items, its last page is read again")
    func joinsCounting() {
        let range = SyncedRange.open(1, .p6, generations: [1])
        var rules = CrawlRules(.sync, CrawlRules.Feed(isShifting: false))
        _ = rules.opened(.loaded(range))
        var page = CrawlRules.Committed.range(1, range, pages: 5)
        page.rangeCursorsHavePlaces = true
        #expect(rules.committed(page) == .goOn(crawl: 1, from: 5))
    }

    @Test("The page that was itself the range a moment ago is not read again")
    func joinsOnePage() {
        let range = SyncedRange.open(1, .p2, generations: [1])
        var rules = CrawlRules(.sync, CrawlRules.Feed(isShifting: true))
        _ = rules.opened(.loaded(range))
        #expect(rules.committed(.range(1, range, pages: 1, isUnchanged: true)) == .goOn(crawl: 1, from: nil))
    }

    @Test("A page that was requested as the last page of a range was is not read again")
    func joinsAtLastPage() {
        let range = SyncedRange.open(1, .p6, generations: [1])
        var rules = CrawlRules(.sync, CrawlRules.Feed(isShifting: true))
        _ = rules.opened(.loaded(range))
        var page = CrawlRules.Committed.range(2, range, pages: 5)
        page.isLastOfRange = true
        #expect(rules.committed(page) == .goOn(crawl: 1, from: nil))
    }

    @Test("A last page that shows nothing known is followed by the page before, until one does")
    func goesBackToWhatIsKnown() {
        let range = SyncedRange.open(1, .p6, generations: [1])
        var rules = CrawlRules(.sync, CrawlRules.Feed(isShifting: true))
        _ = rules.opened(.loaded(range))
        #expect(rules.committed(.range(1, range, pages: 5)) == .goOn(crawl: 1, from: 5))
        #expect(rules.came(.init(number: 5, crawl: 1)) == nil)
        #expect(rules.committed(.page(5, .p6, crawl: 1, hasOverlap: false)) == .goOn(crawl: 1, from: 4))
        #expect(rules.committed(.page(4, .p5, crawl: 1, hasOverlap: false)) == .goOn(crawl: 1, from: 3))
        #expect(rules.committed(.page(3, .p4, crawl: 1)) == .fetch(.footer, .p4))
    }

    @Test("A first page that shows nothing known has none before it")
    func goesBackToTheHead() {
        let range = SyncedRange.open(1, .p3, generations: [1])
        var rules = CrawlRules(.sync, CrawlRules.Feed(isShifting: true))
        _ = rules.opened(.loaded(range))
        _ = rules.committed(.range(1, range, pages: 2))
        #expect(rules.committed(.page(2, .p3, crawl: 1, hasOverlap: false)) == .goOn(crawl: 1, from: 1))
        #expect(rules.committed(.page(1, .p2, crawl: 1, hasOverlap: false)) == .fetch(.footer, .p2))
    }

    // MARK: - Borders

    struct Border: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let border: CrawlRules.Border
        var isShifting = true
        let step: CrawlRules.Step?
    }

    @Test(
        "A border that is broken takes the crawl a page back",
        arguments: [
            Border(
                testDescription: "the total fell", border: .init(number: 3, total: 9, totalBefore: 10, crawl: 1),
                step: .goOn(crawl: 1, from: 2)),
            Border(
                testDescription: "the total is as it was",
                border: .init(number: 3, total: 10, totalBefore: 10, crawl: 1), step: nil),
            Border(
                testDescription: "the total rose", border: .init(number: 3, total: 11, totalBefore: 10, crawl: 1),
                step: nil),
            Border(testDescription: "no total", border: .init(number: 3, totalBefore: 10, crawl: 1), step: nil),
            Border(testDescription: "no total before", border: .init(number: 3, total: 9, crawl: 1), step: nil),
            Border(
                testDescription: "the item that should overlap is another one",
                border: .init(number: 3, overlaps: false, crawl: 1), step: .goOn(crawl: 1, from: 2)),
            Border(
                testDescription: "the items overlap", border: .init(number: 3, overlaps: true, crawl: 1), step: nil),
            Border(
                testDescription: "there is no page before",
                border: .init(number: 1, total: 9, totalBefore: 10, crawl: 1), step: nil),
            Border(
                testDescription: "pages that go on behind an item do not shift",
                border: .init(number: 3, total: 9, totalBefore: 10, crawl: 1), isShifting: false, step: nil),
        ])
    func border(_ row: Border) {
        var rules = CrawlRules(.sync, CrawlRules.Feed(isShifting: row.isShifting))
        _ = rules.opened(ResumePoint())
        _ = rules.committed(.page(1, .p2))
        _ = rules.committed(.page(2, .p3))
        #expect(rules.came(row.border) == row.step)
    }

    /// Reads on with a total that falls at every page, for as long as the crawl steps back.
    private func stepsBack(_ rules: inout CrawlRules) -> Int {
        var steps = 0
        var total = 100
        while rules.came(.init(number: 3, total: total - 1, totalBefore: total, crawl: 1)) != nil, steps < 100 {
            steps += 1
            total -= 1
            // The page before has come again, and is known.
            #expect(rules.came(.init(number: 2, total: total, totalBefore: 100, crawl: 1)) == nil)
            #expect(rules.committed(.page(2, .p3, crawl: 1)) == .fetch(.footer, .p3))
        }
        return steps
    }

    @Test("A border that stays broken takes the crawl back only so often")
    func boundedSteps() {
        var rules = CrawlRules(.sync, CrawlRules.Feed(mode: .all, isShifting: true))
        _ = rules.opened(ResumePoint())
        _ = rules.committed(.page(1, .p2))
        _ = rules.committed(.page(2, .p3))
        #expect((1...10).contains(stepsBack(&rules)))
        #expect(rules.committed(.page(3, .p4, crawl: 1)) == .fetch(.footer, .p4))
    }

    @Test("A total that fell and rose again while the crawl went a page back is one that moved")
    func totalRoseAgain() {
        var rules = CrawlRules(.sync, CrawlRules.Feed(mode: .all, isShifting: true))
        _ = rules.opened(ResumePoint())
        _ = rules.committed(.page(1, .p2))
        #expect(rules.came(.init(number: 2, total: 4, totalBefore: 5, crawl: 1)) == .goOn(crawl: 1, from: 1))
        #expect(rules.committed(.page(1, .p2)) == .fetch(.footer, .p2))
        #expect(rules.committed(.end(2)) == .examine)
        // An item that was met is gone, and makes up for one that was not: the committed pages say five and have five.
        #expect(rules.examined(CrawlFacts(met: 5, total: 5, hasTotals: true, pageCount: 2)) == .readHeadAgain)
    }

    @Test("A crawl that could not be repaired in so many steps is not complete")
    func unrepaired() {
        var rules = CrawlRules(.sync, CrawlRules.Feed(mode: .all, isShifting: true))
        _ = rules.opened(ResumePoint())
        _ = rules.committed(.page(1, .p2))
        _ = rules.committed(.page(2, .p3))
        _ = stepsBack(&rules)
        var step = rules.committed(.end(3))
        // Items that were met and are gone make up for those that passed.
        if step == .examine {
            step = rules.examined(CrawlFacts(met: 94, total: 94, hasTotals: true, hasTotalMoved: true, pageCount: 3))
        }
        if step == .readHeadAgain { step = rules.headIsSame() }
        if step == .findMissing { step = rules.found(missingBeside: nil) }
        #expect(step == .end(.ok, .incomplete(.drift)))
    }

    @Test("A crawl that found nothing known behind so many steps back is not complete")
    func unjoined() {
        let range = SyncedRange.open(1, .p21, generations: [1])
        var rules = CrawlRules(.sync, CrawlRules.Feed(mode: .all, isShifting: true))
        _ = rules.opened(.loaded(range))
        var step = rules.committed(.range(1, range, pages: 20))
        var steps = 0
        while case .goOn(1, let number?) = step, steps < 100 {
            steps += 1
            step = rules.committed(.page(number, PageCursor("p\(number + 1)"), crawl: 1, hasOverlap: false))
        }
        #expect((1...10).contains(steps))
        if case .fetch = step { step = rules.committed(.end(21)) }
        if step == .examine { step = rules.examined(CrawlFacts(met: 94, pageCount: 21)) }
        if step == .readHeadAgain { step = rules.headIsSame() }
        if step == .findMissing { step = rules.found(missingBeside: nil) }
        #expect(step == .end(.ok, .incomplete(.drift)))
    }

    @Test("Steps back at one place leave some for places further on")
    func stepsRecover() {
        var rules = CrawlRules(.sync, CrawlRules.Feed(mode: .all, isShifting: true))
        _ = rules.opened(ResumePoint())
        _ = rules.committed(.page(1, .p2))
        _ = rules.committed(.page(2, .p3))
        _ = stepsBack(&rules)
        for number in 3...20 { _ = rules.committed(.page(number, PageCursor("p\(number + 1)"), crawl: 1)) }
        #expect(rules.came(.init(number: 21, total: 8, totalBefore: 9, crawl: 1)) == .goOn(crawl: 1, from: 20))
    }
}
