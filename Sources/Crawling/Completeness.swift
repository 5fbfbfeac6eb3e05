/// Decides when a mirror is complete, when that is proved, and why it is not.
///
/// Nothing else makes an `IncompleteReason`, or says `complete` or `verified`. The store loads the facts and saves the
/// verdict. Two rules come first: nothing that an earlier run read proves anything of a crawl, and a row is removed only by
/// what this run saw.
package enum Completeness {
    // MARK: - The last page

    /// The reason why a crawl that has read its last page is not complete; the gravest one first.
    ///
    /// - Parameters:
    ///   - isCut: True if the upstream leads on, and the definition wants no more pages.
    ///   - isPartitioned: True if the list is requested in partitions, each of which has a total of its own.
    ///   - sign: The sign that there is more behind the page.
    package static func reason(
        of crawl: CrawlState, isCut: Bool, isPartitioned: Bool, sign: SignOfMore? = nil
    ) -> IncompleteReason? {
        // A key that does not tell items apart makes the list seem to move, and to be shorter than its total.
        if crawl.sameKey > 0 { return .sameKey }
        if crawl.hasDrifted { return .drift }
        if crawl.isCapped { return .cap }
        if isCut { return .maxPages }
        // An end where there should be more.
        if !isPartitioned, let total = crawl.total, total > crawl.elements { return .cap }
        if let sign { return sign.kind == .total ? .cap : .upstreamIncomplete }
        return unstoredReason(of: crawl)
    }

    /// The reason that the items of a crawl give which the store lacks; nil if it has all that the crawl met.
    package static func unstoredReason(of crawl: CrawlState) -> IncompleteReason? {
        crawl.sameKey > 0 ? .sameKey : crawl.skipped > 0 ? .skipped : nil
    }

    /// True if the list moved under `more`, as far as totals tell: it looks neither back nor at the head again, so the next
    /// sync reads the pages again.
    ///
    /// - Parameter isShifting: True if items move from page to page as others come and go.
    package static func hasMovedUnderMore(_ crawl: CrawlState, isShifting: Bool) -> Bool {
        guard isShifting, !crawl.overlaps, crawl.hasTotals, crawl.total != nil else { return false }
        return crawl.hasTotalMoved || !crawl.isOrdered
    }

    // MARK: - The end of a crawl

    /// The reason why a crawl met fewer items than there are; nil if it met them all, or if nothing tells.
    ///
    /// A total is believed against the crawl, never for it.
    package static func shortage(_ facts: CrawlFacts) -> IncompleteReason? {
        guard let total = facts.total, facts.met < total else { return nil }
        return facts.hasRepeats || facts.hasTotalMoved ? .drift : .cap
    }

    /// Evidence that a crawl missed nothing.
    ///
    /// The costs of each kind, and the items that it misses, were counted in simulated histories of lists that move while
    /// they are read. A page is asked for again only for the head, except in
    /// partitions and with `verify: always`.
    ///
    /// | the pages | proof | requests |
    /// | --- | --- | --- |
    /// | are a single one | given | 0 |
    /// | overlap by one item (`offset`) | the head again | 1 |
    /// | say one total, which was met | given | 0 |
    /// | say a total that moved, in turn; a page back where it fell; it was met | the head again | 1 |
    /// | go on behind an item (`cursor`, `keyset`) | the head again | 1 |
    /// | anything else | none; the head again finds what is new, and shows a list that moved up | 1 |
    /// | any in partitions, and any with `verify: always` | each page again, in this run | N |
    enum Proof: Sendable, Hashable {
        /// Nothing is asked, and nothing is proved.
        case none
        /// The pages themselves are the proof.
        case given
        /// The first page again, and further ones up to one that is as it was; `proves` is false where that is not enough.
        case head(proves: Bool)
        /// Every page again.
        case pages

        init(_ rule: VerifyRule, _ feed: CrawlRules.Feed, _ facts: CrawlFacts) {
            // Tokens that count, or pages that repeat items, are page numbers in disguise.
            let isShifting = feed.isShifting || facts.hasRepeats || facts.cursorsCount
            let totalsTell = facts.hasTotals && !facts.hasMovedDown
            self =
                switch rule {
                // How the list goes on is not known.
                case _ where feed.isOpen: .none
                case .never: .none
                case .always: .pages
                // The first page of a partition says nothing of the others.
                case .auto where feed.isPartitioned: .pages
                case .auto where facts.pageCount < 2: .given
                case .auto where !isShifting || facts.overlaps: .head(proves: true)
                case .auto where totalsTell && !facts.hasTotalMoved && facts.total == facts.met: .given
                // A fall is mended by a page back, where pages are places in the list.
                case .auto where totalsTell && facts.hasTotalMoved && facts.isInSequence && feed.isShifting:
                    .head(proves: true)
                case .auto: .head(proves: false)
                }
        }
    }

    /// True if an item moved down while the list was read, and no proof shows that the one in its place was met.
    static func isDrift(_ facts: CrawlFacts, _ proof: Proof) -> Bool {
        switch proof {
        case .head(proves: false), .none: facts.hasMovedDown
        case .head(proves: true), .given, .pages: false
        }
    }

    /// True if a crawl of several runs has to read the pages of the earlier runs again before it is complete: rows that it
    /// did not meet are removed then, or each sync promises the whole list. What a first load of another mode has read is a
    /// synced range, which the sync joins.
    package static func mustReadThrough(_ rule: SyncRule, _ progress: CrawlProgress) -> Bool {
        guard progress.round != nil else { return false }
        switch rule {
        case .all, .since: return true
        case .new, .auto: return !progress.synced.isEmpty
        }
    }

    // MARK: - The rows at the end of a run

    /// The rows of a feed when a sync has ended, before any is removed.
    package struct Rows: Sendable, Hashable {
        /// The rows that the upstream has, as far as is known.
        package var count = 0
        /// The rows that the crawl did not meet.
        package var missing = 0
        /// The missing rows behind which only missing ones stand.
        package var missingAtEnd = 0
        /// The elements of the pages that are no items: totals count them, too.
        package var others = 0
        /// The items that a total is held against: those that the crawl met or, where it stopped at a synced range, those
        /// that are stored.
        package var met = 0

        package init() {}
    }

    /// The verdict on a crawl, with its consequences for rows and ranges.
    package enum Verdict: Sendable, Hashable {
        /// The crawl met everything. The rows whose absence this run has shown are removed.
        case complete(isVerified: Bool)
        /// The list ended before rows that stood at its end, or before its total. That may be a slip of the upstream's: the
        /// next sync looks at the last page again, and believes a second end like it.
        case endedEarly(met: Int)
        /// The crawl went as far as it could; what it read is a synced range.
        case incomplete(IncompleteReason)
        /// The next sync reads through what is stored.
        case unknown(IncompleteReason)

        /// The reason why the mirror is not complete.
        package var reason: IncompleteReason? {
            switch self {
            case .complete: nil
            case .endedEarly: .cap
            case .incomplete(let reason), .unknown(let reason): reason
            }
        }
    }

    /// The verdict at the end of a sync.
    package static func verdict(
        _ closing: CrawlClosing, _ crawl: CrawlState?, _ progress: CrawlProgress, isPartitioned: Bool, _ rows: Rows
    ) -> Verdict {
        let mode = progress.round?.mode
        switch closing {
        case .complete(let isVerified):
            if mode == nil {
                // What stopped at a synced range is not complete where there are more items than rows.
                let isShort = !isPartitioned && (crawl?.total).map { $0 > rows.met + rows.others } ?? false
                return isShort ? .unknown(.cap) : .complete(isVerified: isVerified)
            }
            if mode == .all, isSuspect(crawl, progress, isPartitioned: isPartitioned, rows) {
                return .endedEarly(met: rows.count - rows.missing)
            }
            return .complete(isVerified: isVerified && progress.round?.isDoubtful != true)
        case .incomplete(let reason):
            guard reason.leavesSyncedRange else { return .unknown(reason) }
            if reason == .cap, mode == .all, !isPartitioned, !isLikeEarlyEnd(crawl, progress, met: rows.count) {
                return .endedEarly(met: rows.count)
            }
            // The upstream has no more than that by now: the next sync finds out where the list ends.
            if reason == .cap, mode == nil, let total = crawl?.total, total <= rows.count { return .unknown(.cap) }
            return .incomplete(reason)
        }
    }

    /// True if the list seems to end too soon: more than a page of rows at its end was not met, no total agrees, and the
    /// crawl before did not end like this one.
    private static func isSuspect(
        _ crawl: CrawlState?, _ progress: CrawlProgress, isPartitioned: Bool, _ rows: Rows
    ) -> Bool {
        guard let crawl, !isPartitioned || crawl.isDoubtful else { return false }
        guard rows.missingAtEnd > (crawl.isDoubtful ? 0 : crawl.mostElements) else { return false }
        let met = rows.count - rows.missing
        if let total = crawl.total, total == met + rows.others { return false }
        return !isLikeEarlyEnd(crawl, progress, met: met)
    }

    /// True if the crawl before ended too soon within a page of where this one did.
    private static func isLikeEarlyEnd(_ crawl: CrawlState?, _ progress: CrawlProgress, met: Int) -> Bool {
        guard let before = progress.suspectEnd else { return false }
        return abs(before - met) <= crawl?.mostElements ?? 0
    }

    // MARK: - A run

    /// The columns of `run` that say how complete the mirror is which it leaves.
    package struct OfRun: Sendable, Hashable {
        package let isComplete: Bool
        package let isVerified: Bool
        package let reason: IncompleteReason?
    }

    /// A run leaves the mirror as complete as it is, unless it came to nothing itself.
    package static func of(_ outcome: RunOutcome, _ state: FeedState) -> OfRun {
        let isComplete = outcome.isSuccess && state.isComplete
        return OfRun(
            isComplete: isComplete, isVerified: isComplete && state.isVerified,
            reason: isComplete ? nil : outcome.reason ?? reason(of: state) ?? .cutOff)
    }

    /// A run over a feed with a list for each row is complete if each list is.
    ///
    /// - Parameters:
    ///   - isWhole: True if every list is complete.
    ///   - isProved: True if every list is verified.
    ///   - hasFailures: True if some lists failed.
    package static func ofLists(_ outcome: RunOutcome, isWhole: Bool, isProved: Bool, hasFailures: Bool) -> OfRun {
        OfRun(
            isComplete: isWhole && outcome.isSuccess, isVerified: isWhole && isProved && outcome.isSuccess,
            reason: isWhole ? nil : outcome == .failed || outcome.isSuccess && hasFailures ? .failed : .cutOff)
    }

    /// The reason why a feed is not complete; nil if it is.
    package static func reason(of state: FeedState) -> IncompleteReason? {
        state.isComplete ? nil : state.crawl?.reason ?? state.progress.reason
    }
}

extension RunOutcome {
    /// True if the run did what it was to do.
    package var isSuccess: Bool {
        switch self {
        case .ok, .unchanged, .noMoreData: true
        case .failed, .limited, .cancelled, .interrupted: false
        }
    }

    /// The reason that a run which did not succeed leaves.
    fileprivate var reason: IncompleteReason? { isSuccess ? nil : self == .failed ? .failed : .cutOff }
}
