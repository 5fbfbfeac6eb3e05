import Testing

@testable import Crawling

@Suite("The completeness that a crawl claims, and that of the mirror after it")
struct CompletenessClaimTests {
    typealias Evidence = Completeness.Claim.Evidence

    @Test(
        "The evidence of a crawl, in its order, gives its result",
        arguments: [
            ([.end(nil, isReadingHead: false)], .complete(isVerified: true)),
            ([.end(.leftOut, isReadingHead: false)], .incomplete(.leftOut)),
            ([.end(.cap, isReadingHead: true)], .incomplete(.drift)),
            ([.end(nil, isReadingHead: false), .unproved], .complete(isVerified: false)),
            ([.end(nil, isReadingHead: false), .moved], .incomplete(.drift)),
            ([.end(nil, isReadingHead: false), .outOfPages], .incomplete(.maxPages)),
            ([.end(nil, isReadingHead: false), .upstreamIncomplete], .incomplete(.upstreamIncomplete)),
            ([.end(.leftOut, isReadingHead: false), .upstreamIncomplete], .incomplete(.leftOut)),
            ([.end(nil, isReadingHead: false), .shortage(.cap)], .incomplete(.cap)),
            // Items that the head lost are known to be stored, if the proof holds.
            ([.end(nil, isReadingHead: false), .headMovedUp], .complete(isVerified: true)),
            ([.end(nil, isReadingHead: false), .unproved, .headMovedUp], .incomplete(.drift)),
            ([.end(.leftOut, isReadingHead: false), .unproved, .headMovedUp], .incomplete(.leftOut)),
            ([.endOfRange(nil, isVerified: true, mode: .new)], .complete(isVerified: true)),
            ([.endOfRange(nil, isVerified: false, mode: .new)], .complete(isVerified: false)),
            ([.endOfRange(nil, isVerified: false, mode: .all)], .complete(isVerified: true)),
            ([.endOfRange(nil, isVerified: false, mode: .since)], .complete(isVerified: true)),
            ([.endOfRange(.cap, isVerified: true, mode: .new)], .incomplete(.cap)),
            (
                [.end(nil, isReadingHead: false), .endOfGrowingRange(isVerified: false)], .complete(isVerified: false)
            ),
            (
                [.end(nil, isReadingHead: false), .unmetRows],
                .complete(isVerified: false, keepsUnmetRows: true)
            ),
            ([.end(nil, isReadingHead: false), .unmetRows, .moved], .incomplete(.drift)),
            ([], .complete(isVerified: false)),
        ] as [([Evidence], CrawlClosing)])
    func claim(evidence: [Evidence], closing: CrawlClosing) {
        var claim = Completeness.Claim()
        for one in evidence { claim.take(one) }
        #expect(claim.closing == closing)
    }

    @Test(
        "A crawl by watermark is verified if nothing was missing before it, and the list was asked for what is new",
        arguments: [
            (true, true, false, true), (false, true, false, false), (true, false, false, false),
            (true, true, true, false),
        ])
    func since(isFullVerified: Bool, isRangeVerified: Bool, isNewestFirst: Bool, isVerified: Bool) {
        var progress = CrawlProgress()
        progress.isFullVerified = isFullVerified
        var range = SyncedRange(crawls: [1], generations: [1], end: .last(nil))
        range.isVerified = isRangeVerified
        progress.synced = .whole(range)
        progress.beginRound(2, .since)
        let verdict = Completeness.verdict(
            .complete(isVerified: true), CrawlState(id: 2), progress, isPartitioned: false,
            isNewestFirst: isNewestFirst, .init())
        #expect(verdict == .complete(isVerified: isVerified))
    }

    private static let (first, last) = (SyncWindow(from: 0, to: 9), SyncWindow(from: 10, to: 19, isLast: true))

    @Test("A mirror is complete after its last window, if no window before was incomplete")
    func windows() {
        let proved = Completeness.Verdict.complete(isVerified: true)
        let clean = WindowWalk(next: 10, isFull: true)
        let missed = WindowWalk(next: 10, isFull: true, missed: .drift)
        let progress = CrawlProgress()
        func after(_ verdict: Completeness.Verdict, _ window: SyncWindow, _ walk: WindowWalk) -> Completeness.AfterCrawl
        {
            Completeness.after(verdict, window: WindowEnd(window, walk), progress)
        }
        #expect(
            after(proved, Self.first, clean) == .init(isComplete: false, isVerified: false, reason: nil, walk: clean))
        #expect(after(proved, Self.last, clean) == .init(isComplete: true, isVerified: true, reason: nil, walk: nil))
        #expect(
            after(proved, Self.last, missed) == .init(isComplete: false, isVerified: false, reason: .drift, walk: nil))
        #expect(
            after(.incomplete(.leftOut), Self.first, clean)
                == .init(
                    isComplete: false, isVerified: false, reason: .leftOut,
                    walk: WindowWalk(next: 10, isFull: true, missed: .leftOut)))
        #expect(after(.incomplete(.leftOut), Self.last, missed).reason == .drift)
    }

    @Test("Without windows, a mirror is as the verdict says, unless windows of another run are left")
    func noWindows() {
        var progress = CrawlProgress()
        let proved = Completeness.Verdict.complete(isVerified: true)
        #expect(
            Completeness.after(proved, window: nil, progress)
                == .init(isComplete: true, isVerified: true, reason: nil, walk: nil))
        #expect(
            Completeness.after(.endedEarly(met: 3, .cutOff), window: nil, progress)
                == .init(isComplete: false, isVerified: false, reason: .cutOff, walk: nil))
        progress.walk = WindowWalk(next: 10, isFull: false)
        #expect(!Completeness.after(proved, window: nil, progress).isComplete)
    }

    @Test("A crawl that finds the pages of the one before proves that one, if it met all rows in one go")
    func proofOfBefore() {
        let crawl = CrawlState(id: 1)
        #expect(crawl.onlyGrows)
        #expect(Completeness.provesBefore(crawl, isWhole: true, crawls: 1))
        #expect(!Completeness.provesBefore(crawl, isWhole: false, crawls: 1))
        #expect(!Completeness.provesBefore(crawl, isWhole: true, crawls: 2))
        #expect(!Completeness.provesBefore(nil, isWhole: true, crawls: 1))
        #expect(Completeness.mayStillProveBefore(crawl, isCheck: true, isUnchanged: true))
        #expect(Completeness.mayStillProveBefore(crawl, isCheck: false, isUnchanged: false))
        #expect(!Completeness.mayStillProveBefore(crawl, isCheck: true, isUnchanged: false))
    }

    @Test("A crawl may be proved later if it is not proved, no item came again and nothing makes it doubtful")
    func proofLater() {
        var crawl = CrawlState(id: 1)
        #expect(Completeness.mayBeProvedLater(crawl, isVerified: false, hasRepeats: false))
        #expect(!Completeness.mayBeProvedLater(crawl, isVerified: true, hasRepeats: false))
        #expect(!Completeness.mayBeProvedLater(crawl, isVerified: false, hasRepeats: true))
        crawl.hasDoubtfulEnd = true
        #expect(!Completeness.mayBeProvedLater(crawl, isVerified: false, hasRepeats: false))
        (crawl.hasDoubtfulEnd, crawl.mayShareValues) = (false, true)
        #expect(!Completeness.mayBeProvedLater(crawl, isVerified: false, hasRepeats: false))
    }

    @Test("A page that is unchanged while the total moved makes a crawl doubtful")
    func doubt() {
        #expect(Completeness.movedUnseen(.same, total: 9, before: 10))
        #expect(!Completeness.movedUnseen(.same, total: 10, before: 10))
        #expect(!Completeness.movedUnseen(.changed, total: 9, before: 10))
    }
}
