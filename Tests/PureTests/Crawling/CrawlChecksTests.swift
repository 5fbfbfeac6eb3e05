import Pagination
import Testing

@testable import Crawling

@Suite("The requests that a crawl repeats at its end")
struct CrawlChecksTests {
    private static let pages = (1...4).map { PageOfCrawl(crawl: 1, number: $0) }

    /// Rules of a sync that has read four pages up to the end.
    private static func atEnd(
        _ feed: CrawlRules.Feed = CrawlRules.Feed(mode: .all, isShifting: true), _ reason: IncompleteReason? = nil,
        isUnchanged: Bool = true, isInPlace: Bool = true
    ) -> (rules: CrawlRules, step: CrawlRules.Step) {
        var rules = CrawlRules(.sync, feed)
        _ = rules.opened(ResumePoint.loaded())
        for number in 1...3 {
            _ = rules.committed(.page(number, PageCursor("p\(number + 1)"), isUnchanged: isUnchanged))
        }
        let step = rules.committed(.end(4, reason, isUnchanged: isUnchanged, isInPlace: isInPlace))
        return (rules, step)
    }

    private static let facts = CrawlFacts(met: 40, pageCount: 4, pages: pages)
    private static let always = CrawlRules.Feed(mode: .all, verify: .always, isShifting: true)

    // MARK: - The end

    @Test(
        "A reason that leaves a gap ends the sync at once, others are examined first",
        arguments: IncompleteReason.allCases)
    func reasons(_ reason: IncompleteReason) {
        let step = Self.atEnd(.init(mode: .all), reason).step
        let isExamined = [.maxPages, .leftOut, .sameKey].contains(reason)
        #expect(step == (isExamined ? .examine : .end(.unchanged, .incomplete(reason))))
    }

    @Test(
        "A crawl with a reason looks for no missing rows, however it is proved",
        arguments: [IncompleteReason.maxPages, .leftOut, .sameKey])
    func reasonRemovesNothing(_ reason: IncompleteReason) {
        var rules = Self.atEnd(.init(mode: .all), reason).rules
        #expect(rules.examined(CrawlFacts(met: 4, pageCount: 1)) == .end(.unchanged, .incomplete(reason)))
    }

    @Test(
        "A total that exceeds what was met makes the crawl incomplete, whatever would prove it",
        arguments: VerifyRule.allCases)
    func totalsAgainstUs(_ verify: VerifyRule) {
        let feed = CrawlRules.Feed(mode: .all, verify: verify, isShifting: true)
        var facts = Self.facts
        facts.total = 41
        var rules = Self.atEnd(feed).rules
        #expect(rules.examined(facts) == .end(.unchanged, .incomplete(.cap)))
        facts.hasRepeats = true
        rules = Self.atEnd(feed).rules
        #expect(rules.examined(facts) == .readHeadAgain)
        #expect(rules.headIsSame() == .examine)
        #expect(rules.examined(facts) == .end(.unchanged, .incomplete(.drift)))
    }

    @Test("A total that is the most that the upstream serves proves nothing, though every page is as it was")
    func totalMayBeCap() {
        for totalMayBeCap in [false, true] {
            var (rules, _) = Self.atEnd(.init(mode: .all, isPartitioned: true))
            var facts = Self.facts
            facts.totalMayBeCap = totalMayBeCap
            let pages: [PageComparison] = [.same, .same, .same, .same]
            let (step, asked) = Self.check(&rules, from: rules.examined(facts), [pages])
            #expect(asked == [[1, 2, 3, 4]] && step == .findMissing)
            #expect(rules.found(missingBeside: nil) == .end(.unchanged, .complete(isVerified: !totalMayBeCap)))
        }
    }

    @Test("A crawl that nobody was to verify is complete and not verified")
    func neverVerified() {
        var rules = Self.atEnd(.init(mode: .all, verify: .never, isShifting: true)).rules
        #expect(rules.examined(Self.facts) == .findMissing)
        #expect(rules.found(missingBeside: nil) == .end(.unchanged, .complete(isVerified: false)))
    }

    @Test("Only a crawl of every page looks for rows that it did not meet", arguments: [CrawlMode.new, .since])
    func othersRemoveNothing(_ mode: CrawlMode) {
        var rules = Self.atEnd(.init(mode: mode, isShifting: false)).rules
        #expect(rules.examined(CrawlFacts(met: 40, pageCount: 4)) == .readHeadAgain)
        #expect(rules.headIsSame() == .end(.unchanged, .complete(isVerified: true)))
    }

    @Test("A page behind the end is looked at before rows are, and no row is removed if it shows that they are there")
    func behindEnd() {
        for keepsRows in [false, true] {
            var (rules, _) = Self.atEnd(.init(mode: .all, verify: .never))
            #expect(rules.examined(Self.facts) == .findMissing)
            #expect(rules.found(behindEnd: .p5) == .lookBehindEnd(.p5))
            for isEnough in [false, false, true] {
                #expect(rules.hasLookedEnough == isEnough)
                let mayLook = rules.looksFurther()
                #expect(mayLook)
            }
            let step = rules.looked(keepsRows: keepsRows)
            #expect(step == (keepsRows ? .end(.unchanged, .complete(isVerified: false)) : .findMissing))
        }
    }

    @Test("A run without requests for the page behind the end keeps the rows that were there")
    func noRequestBehindEnd() {
        var rules = Self.atEnd(.init(mode: .all, verify: .never)).rules
        var facts = Self.facts
        facts.requestsLeft = 0
        #expect(rules.examined(facts) == .findMissing)
        let kept = CrawlClosing.complete(isVerified: false, keepsUnmetRows: true)
        #expect(rules.found(behindEnd: .p5) == .end(.unchanged, kept))
        #expect(rules.keepsUnmetRows)
    }

    @Test(
        "The page behind a counted end is requested once, if that may prove anything",
        arguments: [
            (.sync, .init(), .toCheck), (.allPages, .init(), .toCheck), (.nextPage, .init(), .unchecked),
            (.sync, .init(verify: .never), .believed), (.sync, .init(isPartitioned: true), .believed),
            (.sync, .init(pageLimit: PageLimit(4)), .believed), (.sync, .init(pageLimit: PageLimit(5)), .toCheck),
        ] as [(RequestCommand, CrawlRules.Feed, CrawlRules.CountedEnd)])
    func countedEnd(_ command: RequestCommand, _ feed: CrawlRules.Feed, _ counted: CrawlRules.CountedEnd) {
        var rules = CrawlRules(command, feed)
        _ = rules.opened(ResumePoint())
        #expect(rules.countedEnd(onPage: 4, isChecked: false, ledOn: true, mayRequest: true) == counted)
        let later = counted == .toCheck ? .unchecked : counted
        #expect(rules.countedEnd(onPage: 4, isChecked: false, ledOn: true, mayRequest: false) == later)
        #expect(rules.countedEnd(onPage: 4, isChecked: true, ledOn: false, mayRequest: true) == .believed)
    }

    @Test("A counted end that was not checked proves nothing")
    func uncheckedEnd() {
        var rules = CrawlRules(.sync, .init(mode: .all))
        _ = rules.opened(ResumePoint.loaded())
        var page = CrawlRules.Committed.end(1)
        page.hasUncheckedEnd = true
        #expect(rules.committed(page) == .examine)
        #expect(!rules.isProved)
    }

    // MARK: - The head again

    @Test(
        "The head again proves pages that go on behind an item; others it only brings up to date",
        arguments: [false, true])
    func head(isShifting: Bool) {
        var rules = Self.atEnd(.init(mode: .all, isShifting: isShifting), isUnchanged: false).rules
        #expect(rules.examined(CrawlFacts(met: 40, pageCount: 4)) == .readHeadAgain)
        #expect(rules.isReadingHeadAgain)
        #expect(rules.headIsSame() == .findMissing)
        #expect(!rules.isReadingHeadAgain)
        #expect(rules.found(missingBeside: nil) == .end(.ok, .complete(isVerified: !isShifting)))
    }

    @Test("A head that changed is read on until it meets what was read")
    func headChanged() {
        var rules = Self.atEnd(.init(mode: .all)).rules
        _ = rules.examined(CrawlFacts(met: 40, pageCount: 4))
        #expect(rules.committed(.page(1, .p2, crawl: 2)) == .fetch(.footer, .p2))
        #expect(rules.isReadingHeadAgain)
        // While the second page was read, more may have come to the first.
        #expect(rules.committed(.whole(2, .whole(1, generations: [1]))) == .readHeadAgain)
        #expect(rules.headIsSame() == .findMissing)
        #expect(rules.found(missingBeside: nil) == .end(.ok, .complete(isVerified: true)))
    }

    @Test("A head that gains more than a page whenever it is read proves nothing")
    func headNeverRests() {
        var rules = Self.atEnd(.init(mode: .all)).rules
        var step = rules.examined(CrawlFacts(met: 40, pageCount: 4))
        var reads = 0
        while step == .readHeadAgain, reads < 10 {
            reads += 1
            _ = rules.committed(.page(1, .p2, crawl: 2))
            step = rules.committed(.whole(2, .whole(1, generations: [1])))
        }
        #expect(reads == 3)
        #expect(step == .findMissing)
        #expect(rules.found(missingBeside: nil) == .end(.ok, .complete(isVerified: false)))
    }

    @Test("A head that leads to the end and meets nothing that was read shows another list")
    func headMeetsNothing() {
        var rules = Self.atEnd(.init(mode: .all)).rules
        _ = rules.examined(CrawlFacts(met: 40, pageCount: 4))
        #expect(rules.committed(.page(1, .p2, crawl: 2)) == .fetch(.footer, .p2))
        #expect(rules.committed(.end(2)) == .end(.ok, .incomplete(.drift)))
    }

    // MARK: - Every page again

    /// Asks for pages until the rules want something else.
    private static func check(
        _ rules: inout CrawlRules, from first: CrawlRules.Step, _ results: [[PageComparison]]
    ) -> (step: CrawlRules.Step, asked: [[Int]]) {
        var step = first
        var asked: [[Int]] = [[]]
        var left = results
        while case .check(let page) = step {
            if left.first?.isEmpty == true {
                left.removeFirst()
                asked.append([])
            }
            let result = left.first?.first ?? .same
            if !left.isEmpty { left[0].removeFirst() }
            asked[asked.count - 1].append(page.number)
            step = rules.checked(page, result)
            if asked.joined().count > 100 { break }
        }
        return (step, asked)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The findings of each page, round by round.
        let results: [[PageComparison]]
        let asked: [[Int]]
        /// nil for drift.
        let isVerified: Bool?
    }

    @Test(
        "Every page again proves a crawl whose pages are as they were; after a change it only repairs, for three rounds",
        arguments: [
            Case(
                testDescription: "all the same", results: [[.same, .same, .same, .same]], asked: [[1, 2, 3, 4]],
                isVerified: true),
            Case(
                testDescription: "one changed, then all the same",
                results: [[.same, .changed, .same, .same], [.same, .same, .same, .same]],
                asked: [[1, 2, 3, 4], [1, 2, 3, 4]],
                isVerified: false),
            Case(
                testDescription: "items moved up, and then rested",
                results: [[.same, .movedUp, .same, .same], [.same, .same, .same, .same]],
                asked: [[1, 2, 3, 4], [1, 2, 3, 4]],
                isVerified: false),
            Case(
                testDescription: "a list that shifts down, and then up again",
                results: [
                    [.same, .shifted(by: 2, isLast: false), .shifted(by: 1, isLast: false), .same],
                    [.same, .same, .same, .same],
                ],
                asked: [[1, 2, 3, 4], [1, 2, 3, 4]], isVerified: false),
            Case(
                testDescription: "always something new above: no drift, no proof",
                results: [
                    [.changed, .same, .same, .same], [.changed, .same, .same, .same], [.changed, .same, .same, .same],
                ], asked: [[1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4]], isVerified: false),
            Case(
                testDescription: "pushed down, and what follows shows where to",
                results: [
                    [.pushedDown, .pushedDown, .pushedDown, .changed],
                    [.pushedDown, .pushedDown, .pushedDown, .changed],
                    [.pushedDown, .pushedDown, .pushedDown, .changed],
                ], asked: [[1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4]], isVerified: false),
            Case(
                testDescription: "the last page was pushed down",
                results: [[.same, .same, .same, .pushedDown]],
                asked: [[1, 2, 3, 4]], isVerified: nil),
            Case(
                testDescription: "items move up in every round",
                results: [
                    [.movedUp, .same, .same, .same], [.same, .movedUp, .same, .same], [.same, .same, .movedUp, .same],
                ], asked: [[1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4]], isVerified: nil),
            Case(
                testDescription: "a page in the middle lost its place: another round shows what it led to",
                results: [[.detached, .same, .same, .same], [.same, .same, .same, .same]],
                asked: [[1, 2, 3, 4], [1, 2, 3, 4]], isVerified: false),
            Case(
                testDescription: "a page leads elsewhere", results: [[.same, .outgrown, .same]], asked: [[1, 2]],
                isVerified: nil),
        ])
    func checksPages(_ row: Case) {
        var (rules, _) = Self.atEnd(Self.always)
        let first = rules.examined(Self.facts)
        let (step, asked) = Self.check(&rules, from: first, row.results)
        #expect(asked == row.asked)
        guard let isVerified = row.isVerified else {
            #expect(step == .end(.ok, .incomplete(.drift)))
            return
        }
        #expect(step == .findMissing)
        let hasChanged = row.results.joined().contains { $0 != .same }
        #expect(
            rules.found(missingBeside: nil) == .end(hasChanged ? .ok : .unchanged, .complete(isVerified: isVerified)))
    }

    @Test(
        "A list that only shifted down missed nothing if its last page still ends it: the head shows what is new",
        arguments: [true, false])
    func shiftedDown(_ isLast: Bool) {
        var (rules, _) = Self.atEnd(Self.always)
        let first = rules.examined(Self.facts)
        let shifts = [1, 1, 2].map { PageComparison.shifted(by: $0, isLast: $0 == 2 && isLast) }
        let (step, asked) = Self.check(&rules, from: first, [[.same] + shifts])
        #expect(asked == [[1, 2, 3, 4]])
        #expect(step == .readHeadAgain)
        #expect(rules.headIsSame() == .findMissing)
        #expect(rules.found(missingBeside: nil) == .end(.ok, .complete(isVerified: isLast)))
    }

    @Test(
        "No more pages than `max_pages` are asked for, those again included: what has no room is not proved, or stays",
        arguments: [(7, false), (8, true)])
    func maxPages(_ most: Int, isVerified: Bool) {
        let feed = CrawlRules.Feed(mode: .all, verify: .always, isShifting: true, pageLimit: PageLimit(most))
        var (rules, _) = Self.atEnd(feed)
        let (step, asked) = Self.check(&rules, from: rules.examined(Self.facts), [])
        #expect(asked == (isVerified ? [[1, 2, 3, 4]] : [[]]))
        #expect(step == .findMissing)
        #expect(rules.found(missingBeside: nil) == .end(.unchanged, .complete(isVerified: isVerified)))

        var facts = Self.facts
        facts.hasTotals = true
        facts.total = 40
        (rules, _) = Self.atEnd(.init(mode: .all, isShifting: true, pageLimit: PageLimit(most - 2)))
        #expect(rules.examined(facts) == .findMissing)
        let removal = rules.found(missingBeside: [PageOfCrawl(crawl: 1, number: 2)])
        #expect(removal == (isVerified ? .readHeadAgain : .end(.unchanged, .incomplete(.maxPages))))
    }

    @Test("Pages are asked for again with `verify: always` alone")
    func auto() {
        var (rules, _) = Self.atEnd(isUnchanged: false)
        #expect(rules.examined(Self.facts) == .readHeadAgain)
        #expect(rules.headIsSame() == .findMissing)
        #expect(rules.found(missingBeside: nil) == .end(.ok, .complete(isVerified: false)))
    }

    @Test("A head that lost items shows that pages without a proof were passed over", arguments: [false, true])
    func headMovedUp(isShifting: Bool) {
        var (rules, _) = Self.atEnd(.init(mode: .all, isShifting: isShifting), isUnchanged: false)
        #expect(rules.examined(Self.facts) == .readHeadAgain)
        rules.head(hasMovedUp: true)
        let step = rules.committed(.whole(1, .whole(1, generations: [1])))
        guard !isShifting else {
            #expect(step == .end(.ok, .incomplete(.drift)))
            return
        }
        #expect(step == .findMissing)
        #expect(rules.found(missingBeside: nil) == .end(.ok, .complete(isVerified: true)))
    }

    @Test("A list that is as it was has no head to read again")
    func unchanged() {
        var (rules, _) = Self.atEnd()
        #expect(rules.examined(Self.facts) == .findMissing)
    }

    @Test("An item that moved down is drift, unless the crawl is proved", arguments: [false, true])
    func movedDown(isShifting: Bool) {
        var facts = Self.facts
        facts.hasMovedDown = true
        var (rules, _) = Self.atEnd(.init(mode: .all, isShifting: isShifting))
        #expect(rules.examined(facts) == (isShifting ? .end(.unchanged, .incomplete(.drift)) : .readHeadAgain))
    }

    @Test("A head that does not come again leaves a crawl complete, and without a proof")
    func headFailed() {
        var (rules, _) = Self.atEnd(.init(mode: .all))
        #expect(rules.examined(Self.facts) == .readHeadAgain)
        #expect(rules.headFailed() == .end(.unchanged, .complete(isVerified: false)))
    }

    @Test("A page that is requested again counts as read if it is as it was or stored; in a search, in any case")
    func countsAsRead() {
        let moved: [PageComparison] = [
            .shifted(by: 1, isLast: false), .overtaken(isLast: false), .pushedDown, .movedUp, .detached, .outgrown,
        ]
        var (rules, _) = Self.atEnd(Self.always)
        #expect(rules.examined(Self.facts) == .check(Self.pages[0]))
        #expect([.same, .changed].allSatisfy(rules.countsAsRead))
        #expect(!moved.contains(where: rules.countsAsRead))
        (rules, _) = Self.atEnd(.init(mode: .all, isShifting: true))
        #expect(rules.examined(Self.facts) == .findMissing)
        #expect(rules.found(missingBeside: [Self.pages[1]]) == .readHeadAgain)
        #expect(rules.headIsSame() == .findMissing)
        #expect(rules.found(missingBeside: [Self.pages[1]]) == .check(Self.pages[1]))
        #expect(moved.allSatisfy(rules.countsAsRead))
    }

    @Test("Rows that were not met wait for a head that does not come")
    func headFailedBeforeRemoval() {
        var (rules, _) = Self.atEnd(.init(mode: .all, isShifting: true))
        #expect(rules.examined(Self.facts) == .findMissing)
        #expect(rules.found(missingBeside: [Self.pages[1]]) == .readHeadAgain)
        #expect(rules.headFailed() == nil)
    }

    @Test("Fewer items than the total are looked for at the head, where the list moved", arguments: [40, 41])
    func total(_ total: Int) {
        var facts = Self.facts
        (facts.total, facts.hasTotals, facts.hasTotalMoved) = (41, true, true)
        var (rules, _) = Self.atEnd()
        #expect(rules.examined(facts) == .readHeadAgain)
        #expect(rules.committed(.whole(1, .whole(1, generations: [1]))) == .examine)
        (facts.met, facts.total) = (40, total)
        let step = rules.examined(facts)
        #expect(step == (total == 40 ? .findMissing : .end(.ok, .incomplete(.drift))))
    }

    // MARK: - Pages of earlier runs

    @Test("Pages that only earlier runs read are read again from the head on, if the run has requests for that")
    func readThrough() {
        var facts = Self.facts
        facts.olderPages = 3
        var (rules, _) = Self.atEnd()
        #expect(rules.examined(facts) == .readThrough)
        #expect(rules.isReadingThrough)
        #expect(rules.committed(.page(1, .p2, crawl: 2, isUnchanged: true)) == .fetch(.footer, .p2))
        #expect(rules.committed(.whole(2, .whole(1, generations: [1]))) == .examine)
        #expect(!rules.isReadingThrough)
        facts.olderPages = 0
        #expect(rules.examined(facts) == .findMissing)
        #expect(rules.found(missingBeside: nil) == .end(.ok, .complete(isVerified: false)))

        facts.olderPages = 3
        facts.requestsLeft = 1
        (rules, _) = Self.atEnd()
        // A row that is missing may stand on one of them.
        #expect(rules.examined(facts) == .findMissing)
        let kept = CrawlClosing.complete(isVerified: false, keepsUnmetRows: true)
        #expect(rules.found(missingBeside: Self.pages) == .end(.unchanged, kept))
        #expect(rules.keepsUnmetRows)
    }

    @Test("A list that is read through to its end is read in one go")
    func readThroughToTheEnd() {
        var facts = Self.facts
        facts.olderPages = 5
        var (rules, _) = Self.atEnd(.init(mode: .all))
        #expect(rules.examined(facts) == .readThrough)
        #expect(rules.committed(.page(1, .p2, crawl: 2)) == .fetch(.footer, .p2))
        #expect(rules.committed(.end(2)) == .examine)
        facts.olderPages = 0
        #expect(rules.examined(facts) == .findMissing)
        #expect(rules.found(missingBeside: nil) == .end(.ok, .complete(isVerified: true)))
    }

    @Test("A run that may not ask for all pages beside missing rows asks for some of them")
    func missingBeyondBudget() {
        var facts = Self.facts
        facts.requestsLeft = 3
        var (rules, _) = Self.atEnd(.init(mode: .all))
        #expect(rules.examined(facts) == .readHeadAgain)
        #expect(rules.headIsSame() == .findMissing)
        #expect(rules.found(missingBeside: Self.pages) == .check(Self.pages[0]))
        #expect(rules.checked(Self.pages[0], .same) == .check(Self.pages[1]))
        #expect(rules.checked(Self.pages[1], .same) == .end(.unchanged, .complete(isVerified: true)))
    }

    @Test(
        "A run without the requests that show that rows are gone is complete, not verified, and keeps them",
        arguments: [(0, false), (1, false), (2, true)])
    func missingWithoutRequests(left: Int, isChecked: Bool) {
        var facts = Self.facts
        facts.requestsLeft = left + 1
        var (rules, _) = Self.atEnd(.init(mode: .all))
        #expect(rules.examined(facts) == .readHeadAgain)
        #expect(rules.headIsSame() == .findMissing)
        let step = rules.found(missingBeside: [Self.pages[0], Self.pages[1]])
        #expect(step == (isChecked ? .check(Self.pages[0]) : .end(.unchanged, .complete(isVerified: false))))
        #expect(rules.keepsUnmetRows == !isChecked)
    }

    @Test("A run that cannot read the head again keeps rows that its other pages show to be gone")
    func missingWithoutHead() {
        var (rules, _) = Self.atEnd(.init(mode: .all))
        var facts = Self.facts
        facts.requestsLeft = 0
        #expect(rules.examined(facts) == .findMissing)
        let kept = CrawlClosing.complete(isVerified: false, keepsUnmetRows: true)
        #expect(rules.found(missingBeside: []) == .end(.unchanged, kept))
    }

    @Test("Rows that no two pages show to be gone stay, and the crawl is not verified")
    func unclear() {
        var (rules, _) = Self.atEnd(.init(mode: .all))
        _ = rules.examined(CrawlFacts(met: 40, pageCount: 4))
        #expect(rules.headIsSame() == .findMissing)
        #expect(rules.found(missingBeside: nil, isUnclear: true) == .end(.unchanged, .complete(isVerified: false)))
        #expect(!rules.keepsUnmetRows)
    }

    // MARK: - Missing rows

    @Test("Rows that were not met are gone only once the head and the pages beside them were asked for again")
    func missingRows() {
        var (rules, _) = Self.atEnd(.init(mode: .all))
        _ = rules.examined(CrawlFacts(met: 4, pageCount: 1))
        #expect(rules.found(missingBeside: [Self.pages[1]]) == .readHeadAgain)
        #expect(rules.headIsSame() == .findMissing)
        #expect(rules.found(missingBeside: [Self.pages[1], Self.pages[2]]) == .check(Self.pages[1]))
        #expect(rules.checked(Self.pages[1], .same) == .check(Self.pages[2]))
        #expect(rules.checked(Self.pages[2], .same) == .end(.unchanged, .complete(isVerified: true)))
    }

    @Test("Rows between two that came on one page need no page again, but the head")
    func missingInsideAPage() {
        var (rules, _) = Self.atEnd(.init(mode: .all))
        _ = rules.examined(CrawlFacts(met: 4, pageCount: 1))
        #expect(rules.found(missingBeside: []) == .readHeadAgain)
        #expect(rules.headIsSame() == .findMissing)
        #expect(rules.found(missingBeside: []) == .end(.unchanged, .complete(isVerified: true)))
    }

    @Test("Rows that the head shows again are not missing")
    func foundAtTheHead() {
        var (rules, _) = Self.atEnd(.init(mode: .all))
        _ = rules.examined(CrawlFacts(met: 4, pageCount: 1))
        _ = rules.found(missingBeside: [Self.pages[1]])
        #expect(rules.committed(.whole(1, .whole(1, generations: [1]))) == .findMissing)
        #expect(rules.found(missingBeside: nil) == .end(.ok, .complete(isVerified: true)))
    }

    @Test("A head that the proof has read is not asked for once more")
    func headOnce() {
        var (rules, _) = Self.atEnd(.init(mode: .all))
        _ = rules.examined(CrawlFacts(met: 40, pageCount: 4))
        #expect(rules.headIsSame() == .findMissing)
        #expect(rules.found(missingBeside: [Self.pages[0]]) == .check(Self.pages[0]))
    }

    @Test(
        "A page beside missing rows that shows other items than it did keeps them",
        arguments: [
            (PageComparison.same, true), (.changed, true), (.pushedDown, false), (.movedUp, false),
            (.detached, false), (.outgrown, false),
        ])
    func missingBesideChange(result: PageComparison, isComplete: Bool) {
        var (rules, _) = Self.atEnd(.init(mode: .all))
        _ = rules.examined(CrawlFacts(met: 40, pageCount: 4))
        _ = rules.headIsSame()
        _ = rules.found(missingBeside: [Self.pages[0]])
        let closing = rules.checked(Self.pages[0], result)
        let outcome: RunOutcome = result == .same ? .unchanged : .ok
        #expect(closing == .end(outcome, isComplete ? .complete(isVerified: true) : .incomplete(.drift)))
    }

    @Test("Beside a page that was pushed down, the pages are asked for that have by now what stood on it")
    func missingPushedDown() {
        var (rules, _) = Self.atEnd(.init(mode: .all))
        _ = rules.examined(CrawlFacts(met: 40, pageCount: 4))
        _ = rules.headIsSame()
        _ = rules.found(missingBeside: [Self.pages[0], Self.pages[1]])
        let pushed = PageComparison.shifted(by: 7, isLast: false)
        let next = rules.checked(Self.pages[0], pushed, pushedTo: [Self.pages[1], Self.pages[2]])
        #expect(next == .check(Self.pages[1]))
        #expect(rules.checked(Self.pages[1], pushed, pushedTo: [Self.pages[2]]) == .check(Self.pages[2]))
        #expect(rules.checked(Self.pages[2], pushed) == .end(.ok, .complete(isVerified: true)))
    }

    @Test("Rows that may have been pushed behind the last page stay")
    func missingPushedOut() {
        var (rules, _) = Self.atEnd(.init(mode: .all))
        _ = rules.examined(CrawlFacts(met: 40, pageCount: 4))
        _ = rules.headIsSame()
        _ = rules.found(missingBeside: [Self.pages[2]])
        let pushed = PageComparison.shifted(by: 7, isLast: false)
        #expect(rules.checked(Self.pages[2], pushed, pushedTo: nil) == .end(.ok, .incomplete(.drift)))
    }

    // MARK: - Loose pages

    private static func loose(_ range: SyncedRange) -> SyncedRange {
        var range = range
        range.loosePages = [2, 3, 7]
        return range
    }

    /// Rules of a sync whose first page met the range, and the check after it.
    private static func meeting(_ range: SyncedRange) -> (rules: CrawlRules, step: CrawlRules.Step) {
        var rules = CrawlRules(.sync, CrawlRules.Feed(mode: .new, isShifting: true))
        _ = rules.opened(.loaded(range))
        let page: CrawlRules.Committed =
            range.cursor == nil ? .whole(1, range, isUnchanged: true) : .range(1, range, pages: 8, isUnchanged: true)
        let step = rules.committed(page)
        return (rules, step)
    }

    @Test("Pages that other commands fetched one by one are asked for again, each with the one behind it")
    func loosePages() {
        var (rules, first) = Self.meeting(Self.loose(.whole(1, generations: [1])))
        let (step, asked) = Self.check(&rules, from: first, [])
        #expect(asked == [[2, 3, 4, 7, 8]])
        #expect(step == .end(.unchanged, .complete(isVerified: false)))
    }

    @Test("Behind loose pages that are as they were the crawl goes on at the range's end")
    func loosePagesOfOpen() {
        var (rules, first) = Self.meeting(Self.loose(.open(1, .p9, generations: [1])))
        let (step, asked) = Self.check(&rules, from: first, [])
        #expect(asked == [[2, 3, 4, 7, 8]])
        #expect(step == .goOn(crawl: 1, from: nil))
    }

    @Test(
        "From a loose page that is not as it was on, or the one before it, the list is read again",
        arguments: [PageComparison.changed, .pushedDown, .movedUp, .detached, .outgrown],
        [
            (asked: [2], from: 2), (asked: [2, 3], from: 2), (asked: [2, 3, 4, 7], from: 7),
            (asked: [2, 3, 4, 7, 8], from: 7),
        ])
    func loosePagesChanged(_ result: PageComparison, at place: (asked: [Int], from: Int)) {
        for range in [SyncedRange.open(1, .p9, generations: [1]), .whole(1, generations: [1])] {
            var (rules, first) = Self.meeting(Self.loose(range))
            let results = Array(repeating: PageComparison.same, count: place.asked.count - 1) + [result]
            let (step, asked) = Self.check(&rules, from: first, [results])
            #expect(asked == [place.asked], "the others are read again, or need not be asked for in this run")
            #expect(step == .goOn(crawl: 1, from: place.from))
            #expect(rules.committed(.page(2, .p3, isUnchanged: true)) == .fetch(.footer, .p3))
        }
    }
}
