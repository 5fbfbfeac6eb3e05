import Feeds
import Testing

@testable import Crawling

@Suite("Completeness")
struct CompletenessTests {
    // MARK: - The last page

    struct LastPage: CustomTestStringConvertible {
        let testDescription: String
        var change: @Sendable (inout CrawlState) -> Void = { _ in }
        var isCut = false
        var isPartitioned = false
        let reason: IncompleteReason?
    }

    @Test(
        "The last page of a crawl gives the gravest reason why it is not complete",
        arguments: [
            LastPage(testDescription: "a total that was met", reason: nil),
            LastPage(testDescription: "a total beyond the elements", change: { $0.total = 31 }, reason: .cap),
            LastPage(testDescription: "a smaller total", change: { $0.total = 29 }, reason: nil),
            LastPage(
                testDescription: "partitions, whose totals are their own", change: { $0.total = 31 },
                isPartitioned: true, reason: nil),
            LastPage(testDescription: "a capped partition", change: { $0.isCapped = true }, reason: .cap),
            LastPage(testDescription: "max_pages", change: { $0.total = 31 }, isCut: true, reason: .maxPages),
            LastPage(testDescription: "skipped items", change: { $0.skipped = 1 }, reason: .leftOut),
            LastPage(
                testDescription: "a list that moved, and all the rest",
                change: { ($0.hasDrifted, $0.isCapped, $0.skipped, $0.total) = (true, true, 1, 31) }, isCut: true,
                reason: .drift),
            LastPage(
                testDescription: "different items of one key, and all the rest",
                change: { ($0.sameKey, $0.hasDrifted, $0.skipped, $0.total) = (1, true, 1, 31) }, isCut: true,
                reason: .sameKey),
        ])
    func lastPage(_ row: LastPage) {
        var crawl = CrawlState(id: 1)
        (crawl.elements, crawl.total) = (30, 30)
        row.change(&crawl)
        #expect(Completeness.reason(of: crawl, isCut: row.isCut, isPartitioned: row.isPartitioned) == row.reason)
    }

    @Test(
        "Items that were not stored are a reason, and those that another one of their key replaced are the graver one",
        arguments: [(0, 0, nil), (2, 0, IncompleteReason.leftOut), (0, 1, .sameKey), (2, 1, .sameKey)])
    func unstored(skipped: Int, sameKey: Int, reason: IncompleteReason?) {
        var crawl = CrawlState(id: 1)
        (crawl.skipped, crawl.sameKey) = (skipped, sameKey)
        #expect(Completeness.unstoredReason(of: crawl) == reason)
    }

    struct More: CustomTestStringConvertible {
        let testDescription: String
        var isShifting = true
        var change: @Sendable (inout CrawlState) -> Void = { _ in }
        let hasMoved: Bool
    }

    @Test(
        "A sync reads the pages of `more` again where a total shows that the list moved",
        arguments: [
            More(testDescription: "a total that never moved", hasMoved: false),
            More(testDescription: "a total that moved", change: { $0.hasTotalMoved = true }, hasMoved: true),
            More(testDescription: "an item that moved down", change: { $0.isOrdered = false }, hasMoved: true),
            More(
                testDescription: "pages that go on behind an item", isShifting: false,
                change: { $0.hasTotalMoved = true }, hasMoved: false),
            More(
                testDescription: "pages that overlap", change: { ($0.hasTotalMoved, $0.overlaps) = (true, true) },
                hasMoved: false),
            More(
                testDescription: "a total on some pages alone",
                change: { ($0.hasTotalMoved, $0.hasTotals) = (true, false) }, hasMoved: false),
        ])
    func more(_ row: More) {
        var crawl = CrawlState(id: 1)
        (crawl.overlaps, crawl.total) = (false, 7)
        row.change(&crawl)
        #expect(Completeness.hasMovedUnderMore(crawl, isShifting: row.isShifting) == row.hasMoved)
    }

    // MARK: - The end of a crawl

    struct Case: CustomTestStringConvertible {
        let testDescription: String
        var feed = CrawlRules.Feed(mode: .all, isShifting: true)
        var facts = CrawlFacts(met: 30, pageCount: 3)
        let proof: Completeness.Proof

        /// Facts of three pages, changed.
        static func facts(_ change: (inout CrawlFacts) -> Void) -> CrawlFacts {
            var facts = CrawlFacts(met: 30, pageCount: 3)
            change(&facts)
            return facts
        }
    }

    @Test(
        "The proof of a crawl is the one that costs least",
        arguments: [
            Case(
                testDescription: "pages that overlap by one item", facts: CrawlFacts(overlaps: true, pageCount: 3),
                proof: .head(proves: true)),
            Case(
                testDescription: "a total that never moved and was met",
                facts: CrawlFacts(met: 30, total: 30, hasTotals: true, pageCount: 3), proof: .given),
            Case(
                testDescription: "a total that never moved and was exceeded",
                facts: CrawlFacts(met: 31, total: 30, hasTotals: true, pageCount: 3), proof: .head(proves: false)),
            Case(
                testDescription: "a total that moved, and was met",
                facts: CrawlFacts(met: 30, total: 30, hasTotals: true, hasTotalMoved: true, pageCount: 3),
                proof: .head(proves: true)),
            Case(
                testDescription: "a total that moved under cursors that hide a place: no page back was taken",
                feed: .init(mode: .all),
                facts: CrawlFacts(
                    met: 30, total: 30, hasTotals: true, hasTotalMoved: true, cursorsHavePlaces: true, pageCount: 3),
                proof: .head(proves: false)),
            Case(
                testDescription: "a total that moved while several pages were asked for at once",
                facts: CrawlFacts(
                    met: 30, total: 30, hasTotals: true, hasTotalMoved: true, pageCount: 3, isInSequence: false),
                proof: .head(proves: false)),
            Case(
                testDescription: "a total that was met, with an item that moved down",
                facts: CrawlFacts(met: 30, total: 30, hasTotals: true, hasMovedDown: true, pageCount: 3),
                proof: .head(proves: false)),
            Case(
                testDescription: "a total on some pages alone", facts: CrawlFacts(met: 30, total: 30, pageCount: 3),
                proof: .head(proves: false)),
            Case(
                testDescription: "pages that go on behind an item", feed: .init(mode: .all),
                proof: .head(proves: true)),
            Case(
                testDescription: "cursors that hide a place", feed: .init(mode: .all),
                facts: CrawlFacts(met: 30, cursorsHavePlaces: true, pageCount: 3), proof: .head(proves: false)),
            Case(
                testDescription: "cursors whose pages repeat items", feed: .init(mode: .all),
                facts: CrawlFacts(met: 30, hasRepeats: true, pageCount: 3), proof: .head(proves: false)),
            Case(testDescription: "pages that shift", proof: .head(proves: false)),
            Case(
                testDescription: "a last page that repeats, with a total that was met",
                facts: Case.facts { ($0.total, $0.hasTotals, $0.hasDoubtfulEnd) = (30, true, true) },
                proof: .head(proves: false)),
            Case(
                testDescription: "a last page that repeats, and `verify: always`",
                feed: .init(mode: .all, verify: .always), facts: Case.facts { $0.hasDoubtfulEnd = true },
                proof: .head(proves: false)),
            Case(
                testDescription: "pages that go on behind a value that items may share", feed: .init(mode: .all),
                facts: Case.facts { $0.mayShareValues = true }, proof: .head(proves: false)),
            Case(testDescription: "one page", facts: CrawlFacts(met: 3, pageCount: 1), proof: .given),
            Case(testDescription: "no page of its own", facts: CrawlFacts(), proof: .given),
            Case(
                testDescription: "partitions", feed: .init(mode: .all, isPartitioned: true),
                facts: CrawlFacts(met: 30, total: 30, hasTotals: true, pageCount: 3), proof: .pages),
            Case(
                testDescription: "one page, and `verify: always`", feed: .init(mode: .all, verify: .always),
                facts: CrawlFacts(met: 3, pageCount: 1), proof: .pages),
            Case(
                testDescription: "partitions, and `verify: always`",
                feed: .init(mode: .all, verify: .always, isPartitioned: true), proof: .pages),
            Case(
                testDescription: "a total that was met, and `verify: never`", feed: .init(mode: .all, verify: .never),
                facts: CrawlFacts(met: 30, total: 30, hasTotals: true, pageCount: 3), proof: .none),
        ])
    func proof(_ row: Case) {
        #expect(Completeness.Proof(row.feed.verify, row.feed, row.facts) == row.proof)
    }

    @Test("A total that exceeds the items is a cap, or drift where the list is known to have moved")
    func shortage() {
        var facts = CrawlFacts(met: 30)
        #expect(Completeness.shortage(facts) == nil)
        facts.total = 30
        #expect(Completeness.shortage(facts) == nil)
        facts.total = 31
        #expect(Completeness.shortage(facts) == .cap)
        facts.hasRepeats = true
        #expect(Completeness.shortage(facts) == .drift)
        (facts.hasRepeats, facts.hasTotalMoved) = (false, true)
        #expect(Completeness.shortage(facts) == .drift)
    }

    // MARK: - The rows at the end of a run

    struct Ending: CustomTestStringConvertible {
        let testDescription: String
        var closing = CrawlClosing.complete(isVerified: true)
        var mode: CrawlMode? = .all
        var total: Int?
        var suspectEnd: Int?
        /// True if the row that the crawl before missed first at that end is missing again.
        var isMissingAgain = true
        var behindEnd: Completeness.BehindEnd?
        /// The doubt about the answer that the sync before got.
        var doubtBefore: Completeness.BehindEnd.Doubt?
        var hasUncheckedEnd = false
        var totalOfRange: Int?
        var totalIsOfPage = false
        var isPartitioned = false
        var hasTotals = true
        var partitionTotalsAreMet = false
        var missing = 0
        var missingAtEnd = 0
        var missingInPartition = 0
        var isDoubtful = false
        /// The number of rows, and of elements on the longest page.
        var rows = 100
        var longest = 10
        /// The number of elements of the crawl; 0 if they do not matter.
        var elements = 0
        var fullPages: Int?
        /// The number of rows that are new.
        var added = 0
        let verdict: Completeness.Verdict
    }

    @Test(
        "The verdict goes by rows and totals",
        arguments: [
            Ending(testDescription: "nothing is missing", verdict: .complete(isVerified: true)),
            Ending(
                testDescription: "rows within the list are missing", missing: 40, verdict: .complete(isVerified: true)),
            Ending(
                testDescription: "a page of rows is missing at the end", missing: 10, missingAtEnd: 10,
                verdict: .complete(isVerified: true)),
            Ending(
                testDescription: "more than a page of rows is missing at the end", missing: 11, missingAtEnd: 11,
                verdict: .endedEarly(met: 89, .cutOff)),
            Ending(
                testDescription: "the same, and the total agrees", total: 89, missing: 11, missingAtEnd: 11,
                verdict: .complete(isVerified: true)),
            Ending(
                testDescription: "the same, and the crawl before ended like it", suspectEnd: 85, missing: 11,
                missingAtEnd: 11, verdict: .complete(isVerified: false)),
            Ending(
                testDescription: "the same, and the crawl before ended elsewhere", suspectEnd: 60, missing: 11,
                missingAtEnd: 11, verdict: .endedEarly(met: 89, .cutOff)),
            Ending(
                testDescription: "the same, and the list has again what was behind the end of the crawl before",
                suspectEnd: 85, isMissingAgain: false, missing: 11, missingAtEnd: 11,
                verdict: .endedEarly(met: 89, .cutOff)),
            Ending(
                testDescription: "the same, and the page behind it still has items and no others",
                suspectEnd: 89, behindEnd: .items(.none), doubtBefore: .items, missing: 11, missingAtEnd: 11,
                verdict: .endedEarly(met: 89, .cutOff)),
            Ending(
                testDescription: "the same, and the page behind it has nothing", suspectEnd: 89, behindEnd: .nothing,
                missing: 11, missingAtEnd: 11, verdict: .complete(isVerified: false)),
            Ending(
                testDescription: "the same, and the page has items and others for the second time", suspectEnd: 89,
                behindEnd: .items(.behind), doubtBefore: .items, missing: 11, missingAtEnd: 11,
                verdict: .complete(isVerified: false)),
            Ending(
                testDescription: "the same, and others before the items for the second time", suspectEnd: 89,
                behindEnd: .items(.before), doubtBefore: .items, missing: 11, missingAtEnd: 11,
                verdict: .complete(isVerified: false)),
            Ending(
                testDescription: "the same, and new items may have pushed the others there", suspectEnd: 89,
                behindEnd: .items(.before), doubtBefore: .items, missing: 11, missingAtEnd: 11, added: 1,
                verdict: .endedEarly(met: 89, .cutOff)),
            Ending(
                testDescription: "the same, and the page told nothing before", suspectEnd: 89,
                behindEnd: .items(.before), doubtBefore: .silent, missing: 11, missingAtEnd: 11,
                verdict: .endedEarly(met: 89, .cutOff)),
            Ending(
                testDescription: "the same, and the page behind it tells nothing", suspectEnd: 89,
                behindEnd: .unknown(isOfPage: true), missing: 11, missingAtEnd: 11,
                verdict: .endedEarly(met: 89, .cutOff)),
            Ending(
                testDescription: "the same, and the page behind it tells nothing for the second time", suspectEnd: 89,
                behindEnd: .unknown(isOfPage: true), doubtBefore: .silent, missing: 11, missingAtEnd: 11,
                verdict: .complete(isVerified: false)),
            Ending(
                testDescription: "the same, and the host refuses every request now", suspectEnd: 89,
                behindEnd: .unknown(isOfPage: false), doubtBefore: .silent, missing: 11, missingAtEnd: 11,
                verdict: .endedEarly(met: 89, .cutOff)),
            Ending(
                testDescription: "a count ends the list and cannot be checked", total: 100,
                behindEnd: .unknown(isOfPage: true), hasUncheckedEnd: true, verdict: .complete(isVerified: true)),
            Ending(
                testDescription: "the same, and a row was not met", total: 99, behindEnd: .unknown(isOfPage: true),
                hasUncheckedEnd: true, missing: 1, missingAtEnd: 1, verdict: .endedEarly(met: 99, .cutOff)),
            Ending(
                testDescription: "the same for the second time", total: 99, suspectEnd: 99,
                behindEnd: .unknown(isOfPage: true), doubtBefore: .silent, hasUncheckedEnd: true, missing: 1,
                missingAtEnd: 1, verdict: .complete(isVerified: false)),
            Ending(
                testDescription: "the same, and a total confirms the end", total: 89, suspectEnd: 89,
                behindEnd: .items(.none), missing: 11, missingAtEnd: 11,
                verdict: .complete(isVerified: false)),
            Ending(
                testDescription: "the same, and a total agrees that counts the elements of a page", total: 89,
                totalIsOfPage: true, missing: 11, missingAtEnd: 11, verdict: .endedEarly(met: 89, .cutOff)),
            Ending(
                testDescription: "the same, and as many rows are new: the list is a window that moves on", missing: 11,
                missingAtEnd: 11, added: 11, verdict: .complete(isVerified: true)),
            Ending(
                testDescription: "the crawl before ended like it, and more than a page of rows is new", suspectEnd: 45,
                missing: 40, missingAtEnd: 40, added: 20, verdict: .complete(isVerified: false)),
            Ending(
                testDescription: "a page behind the end has items", behindEnd: .items(.behind), missing: 1,
                missingAtEnd: 1, verdict: .endedEarly(met: 99, .cutOff)),
            Ending(
                testDescription: "half of the rows are missing at the end of a list of one page", missing: 50,
                missingAtEnd: 50, longest: 50, verdict: .endedEarly(met: 50, .cutOff)),
            Ending(
                testDescription: "the same, and the crawl before ended like it", suspectEnd: 50, missing: 50,
                missingAtEnd: 50, longest: 50, verdict: .complete(isVerified: false)),
            Ending(
                testDescription: "the same, and the total agrees", total: 50, missing: 50, missingAtEnd: 50,
                longest: 50, verdict: .complete(isVerified: true)),
            Ending(
                testDescription: "less than half of a list of one page is missing at the end", missing: 49,
                missingAtEnd: 49, longest: 51, verdict: .complete(isVerified: true)),
            Ending(
                testDescription: "half of a few rows is missing at the end", missing: 9, missingAtEnd: 9, rows: 18,
                longest: 9, verdict: .complete(isVerified: true)),
            Ending(
                testDescription: "the last page is missing", missing: 40, missingAtEnd: 40, rows: 140, longest: 50,
                elements: 100, verdict: .endedEarly(met: 100, .cutOff)),
            Ending(
                testDescription: "the same, and the list is as long as it was", missing: 40, missingAtEnd: 40,
                rows: 140, longest: 50, elements: 100, added: 40, verdict: .complete(isVerified: true)),
            Ending(
                testDescription: "the same, and the page before it has less, too", missing: 41, missingAtEnd: 41,
                rows: 140, longest: 50, elements: 99, verdict: .complete(isVerified: true)),
            Ending(
                testDescription: "the second of two pages is missing", missing: 40, missingAtEnd: 40, rows: 90,
                longest: 50, elements: 50, fullPages: 2, verdict: .endedEarly(met: 50, .cutOff)),
            Ending(
                testDescription: "the same of a list of one page", missing: 40, missingAtEnd: 40, rows: 90,
                longest: 50, elements: 50, fullPages: 1, verdict: .complete(isVerified: true)),
            Ending(
                testDescription: "all rows of a list of one page are missing, and as many are new", missing: 50,
                missingAtEnd: 50, longest: 50, added: 50, verdict: .complete(isVerified: true)),
            Ending(
                testDescription: "rows within partitions, no more than a page in each", isPartitioned: true,
                missing: 40, missingAtEnd: 11, missingInPartition: 10, verdict: .complete(isVerified: true)),
            Ending(
                testDescription: "more than a page of rows of one partition", isPartitioned: true, missing: 11,
                missingInPartition: 11, verdict: .endedEarly(met: 89, .cutOff)),
            Ending(
                testDescription: "the same, and the totals agree", total: 89, isPartitioned: true, missing: 11,
                missingInPartition: 11, verdict: .complete(isVerified: true)),
            Ending(
                testDescription: "the same, and the last crawl read only the head again", total: 10,
                isPartitioned: true, partitionTotalsAreMet: true, missing: 11, missingInPartition: 11,
                verdict: .complete(isVerified: true)),
            Ending(
                testDescription: "the same, and there is a partition without a total", total: 89, isPartitioned: true,
                hasTotals: false, missing: 11, missingInPartition: 11, verdict: .endedEarly(met: 89, .cutOff)),
            Ending(
                testDescription: "the same, and the crawl before missed them, too", total: 89, suspectEnd: 89,
                isPartitioned: true, hasTotals: false, missing: 11, missingInPartition: 11,
                verdict: .complete(isVerified: false)),
            Ending(
                testDescription: "a partition whose end proves little", isPartitioned: true, missing: 1,
                missingAtEnd: 1, isDoubtful: true, verdict: .endedEarly(met: 99, .cutOff)),
            Ending(
                testDescription: "an end before the total", closing: .incomplete(.cap), total: 120,
                verdict: .endedEarly(met: 100, .cap)),
            Ending(
                testDescription: "an end before the total, for the second time", closing: .incomplete(.cap),
                total: 120, suspectEnd: 100, verdict: .incomplete(.cap)),
            Ending(
                testDescription: "a list that moved", closing: .incomplete(.drift), verdict: .unknown(.drift)),
            Ending(
                testDescription: "items that could not be stored", closing: .incomplete(.leftOut),
                verdict: .incomplete(.leftOut)),
            Ending(
                testDescription: "a synced range with fewer rows than the total", mode: nil, total: 101,
                verdict: .unknown(.cap)),
            Ending(
                testDescription: "a synced range with as many rows as the total", mode: nil, total: 100,
                verdict: .complete(isVerified: true)),
            Ending(
                testDescription: "a synced range with more rows than the total", mode: nil, total: 99,
                verdict: .complete(isVerified: false)),
            Ending(
                testDescription: "a synced range that was capped", closing: .incomplete(.cap), mode: nil, total: 101,
                verdict: .incomplete(.cap)),
            Ending(
                testDescription: "a synced range behind an end that came too soon, without a total",
                closing: .incomplete(.cap), mode: nil, suspectEnd: 89, verdict: .unknown(.cap)),
            Ending(
                testDescription: "a synced range that is capped no more", closing: .incomplete(.cap), mode: nil,
                total: 100, verdict: .unknown(.cap)),
            Ending(
                testDescription: "a synced range whose end reported more than there is by now",
                closing: .incomplete(.cap), mode: nil, totalOfRange: 101, verdict: .incomplete(.cap)),
            Ending(
                testDescription: "a synced range that has by now what its end reported", closing: .incomplete(.cap),
                mode: nil, totalOfRange: 100, verdict: .unknown(.cap)),
        ])
    func verdict(_ row: Ending) {
        var crawl = CrawlState(id: 1)
        (crawl.mostElements, crawl.total, crawl.hasDoubtfulEnd) = (row.longest, row.total, row.isDoubtful)
        (crawl.hasTotals, crawl.elements) = (row.hasTotals, row.elements)
        let first = row.missingAtEnd + row.missingInPartition > 0 ? Place(generation: 1, position: 90) : nil
        var progress = CrawlProgress()
        progress.suspectEnd = row.suspectEnd.map {
            CrawlProgress.EarlyEnd(met: $0, firstMissing: first, doubt: row.doubtBefore)
        }
        (progress.totalIsOfPage, progress.fullPages) = (row.totalIsOfPage, row.fullPages)
        if let mode = row.mode { progress.beginRound(1, mode) }
        var rows = Completeness.Rows()
        (rows.count, rows.met, rows.missing, rows.missingAtEnd) = (row.rows, row.rows, row.missing, row.missingAtEnd)
        (rows.totalOfRange, rows.added) = (row.totalOfRange, row.added)
        (rows.missingInPartition, rows.firstMissing) = (row.missingInPartition, first)
        (rows.isMissingAgain, rows.partitionTotalsAreMet) = (row.isMissingAgain, row.partitionTotalsAreMet)
        (rows.behindEnd, rows.hasUncheckedEnd) = (row.behindEnd, row.hasUncheckedEnd)
        let verdict = Completeness.verdict(row.closing, crawl, progress, isPartitioned: row.isPartitioned, rows)
        #expect(verdict == row.verdict)
    }

    @Test(
        "A page behind the end shows that the list goes on if it ends with items that the crawl did not meet",
        arguments: [
            ("", Completeness.BehindEnd.nothing, Completeness.BehindEnd.nothing), ("abc", .nothing, .nothing),
            ("xyz", .items(.none), .items(.none)), ("axy", .items(.before), .items(.none)),
            ("abxy", .items(.before), .items(.none)), ("abx", .items(.before), .items(.before)),
            ("abcxy", .items(.before), .items(.before)), ("axb", .items(.behind), .items(.behind)),
            ("xya", .items(.behind), .items(.behind)),
        ])
    func behindEnd(keys: String, meaning: Completeness.BehindEnd, withRepeats: Completeness.BehindEnd) {
        let keys = keys.map(String.init)
        #expect(Completeness.BehindEnd(keys) { "abc".contains($0) } == meaning)
        #expect(Completeness.BehindEnd(keys, mayRepeat: true) { "abc".contains($0) } == withRepeats)
    }

    @Test(
        "A page behind the end that is not there is the end, and one that fails tells nothing",
        arguments: [
            (404, .nothing), (410, .nothing), (400, .nothing), (422, .nothing), (403, .unknown(isOfPage: true)),
            (500, .unknown(isOfPage: true)), (nil, .unknown(isOfPage: false)),
        ] as [(Int?, Completeness.BehindEnd)])
    func failure(status: Int?, meaning: Completeness.BehindEnd) {
        #expect(Completeness.BehindEnd(FeedSyncError(.unreachable, "failed", httpStatus: status)) == meaning)
        #expect(Completeness.BehindEnd(FeedSyncError(.limited, "wait", httpStatus: 429)) == .unknown(isOfPage: false))
    }

    @Test("A crawl that met the list in doubt is complete and not verified")
    func doubtful() {
        var progress = CrawlProgress()
        progress.beginRound(1, .all)
        progress.round?.mayHaveMissedItems = true
        let verdict = Completeness.verdict(
            .complete(isVerified: true), CrawlState(id: 1), progress, isPartitioned: false, .init())
        #expect(verdict == .complete(isVerified: false))
    }

    @Test(
        "A round total that is met by a full page may count no further than the upstream serves",
        arguments: [
            (1_000, 1_000, 100, true), (10_000, 10_000, 50, true), (1_000, 999, 100, false), (1_100, 1_100, 100, false),
            (1_000, 1_000, 30, false), (nil, 1_000, 100, false), (0, 0, 0, false),
        ] as [(Int?, Int, Int, Bool)])
    func totalToCap(total: Int?, elements: Int, fullPage: Int, mayCount: Bool) {
        var crawl = CrawlState(id: 1)
        (crawl.total, crawl.elements, crawl.mostElements) = (total, elements, fullPage)
        (crawl.pages, crawl.overlaps) = (2, false)
        #expect(Completeness.totalMayBeCap(crawl) == mayCount)
        (crawl.mostElements, crawl.overlaps) = (fullPage + 1, true)
        #expect(Completeness.totalMayBeCap(crawl) == mayCount)
    }

    struct Pushed: CustomTestStringConvertible {
        let testDescription: String
        var change: @Sendable (inout CrawlRules.Crawl) -> Void = { _ in }
        var isPartitioned = false
        let mayHavePassed: Bool
    }

    @Test(
        "Items that come again tell that rows may have moved past the crawl, unless something else explains them",
        arguments: [
            Pushed(testDescription: "the head is as it was", mayHavePassed: true),
            Pushed(testDescription: "no item came again", change: { $0.hasRepeats = false }, mayHavePassed: false),
            Pushed(testDescription: "new items at the head", change: { $0.hasSameHead = false }, mayHavePassed: false),
            Pushed(
                testDescription: "new items at the head, and pages out of order",
                change: { ($0.hasSameHead, $0.isInSequence) = (false, false) }, mayHavePassed: true),
            Pushed(testDescription: "every page is as stored", change: { $0.hasMoved = false }, mayHavePassed: false),
            Pushed(testDescription: "the second crawl alike", change: { $0.isLikeDrift = true }, mayHavePassed: false),
            Pushed(
                testDescription: "each page is as it was",
                change: { ($0.hasSameHead, $0.hasSamePages) = (false, true) }, mayHavePassed: true),
            Pushed(testDescription: "partitions", isPartitioned: true, mayHavePassed: false),
        ])
    func passed(_ row: Pushed) {
        var crawl = CrawlRules.Crawl()
        (crawl.hasRepeats, crawl.hasMoved, crawl.hasSameHead) = (true, true, true)
        row.change(&crawl)
        let feed = CrawlRules.Feed(mode: .all, isPartitioned: row.isPartitioned)
        #expect(Completeness.mayHavePassed(crawl, feed) == row.mayHavePassed)
    }

    // MARK: - A run

    @Test("A run is as complete as the mirror that it leaves, unless it failed", arguments: RunOutcome.allCases)
    func run(_ outcome: RunOutcome) {
        var state = FeedState()
        (state.isComplete, state.isVerified) = (true, true)
        let isSuccess = [.ok, .unchanged, .noMoreData].contains(outcome)
        let failure: IncompleteReason? = isSuccess ? nil : outcome == .failed ? .failed : .cutOff
        var run = Completeness.of(outcome, state)
        #expect((run.isComplete, run.isVerified) == (isSuccess, isSuccess))
        #expect(run.reason == failure)

        state.isComplete = false
        state.progress.synced = SyncedRanges(ranges: [.whole(1, generations: [1], .cap)])
        run = Completeness.of(outcome, state)
        #expect((run.isComplete, run.isVerified) == (false, false))
        #expect(run.reason == failure ?? .cap)
    }

    @Test("A run over lists is complete if each list is", arguments: RunOutcome.allCases, [false, true])
    func lists(_ outcome: RunOutcome, hasFailures: Bool) {
        let whole = Completeness.ofLists(outcome, isWhole: true, isProved: true, hasFailures: hasFailures)
        let failure: IncompleteReason? = outcome.isSuccess ? nil : outcome == .failed ? .failed : .cutOff
        #expect(whole == .init(isComplete: outcome.isSuccess, isVerified: outcome.isSuccess, reason: failure))
        let partial = Completeness.ofLists(outcome, isWhole: false, isProved: true, hasFailures: hasFailures)
        #expect(!partial.isComplete && !partial.isVerified)
        #expect(partial.reason == (outcome == .failed || outcome.isSuccess && hasFailures ? .failed : .cutOff))
    }
}
