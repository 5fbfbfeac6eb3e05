/// Decides if a mirror is complete, if that is proved, and if not, why.
///
/// Nothing else makes an `IncompleteReason`, `complete` or `verified`. `CrawlRules` looks for evidence, page by page;
/// the store loads the facts and saves the verdict, and a synced range keeps what was found out about its pages. Two
/// rules come first: pages that an earlier run read prove nothing about a crawl, and only evidence of this run removes
/// a row.
///
/// | at the end of | decided by |
/// | --- | --- |
/// | a page | `afterPage` |
/// | a crawl | `Claim.closing`, then `verdict`, which also knows the rows, then `after` |
/// | a run | `of`; `ofLists` for a feed with a list for each row; `ofGoneList` for a list that is not there any more |
package enum Completeness {
    // MARK: - A sync's crawl

    /// The completeness of the list, as far as a sync has found it out: the reason why it is incomplete, and if it is
    /// proved that nothing was missed. `CrawlRules` finds the evidence.
    package struct Claim: Sendable, Hashable {
        package private(set) var reason: IncompleteReason?
        /// True if it is proved, as far as the crawl has come, that nothing was missed.
        package private(set) var isVerified = false
        private var keepsUnmetRows = false

        package init() {}

        /// Evidence, and its effect on the claim.
        ///
        /// | evidence | reason | verified |
        /// | --- | --- | --- |
        /// | the list's end | that of the last page; `drift` if the head was read again up to there | yes |
        /// | the end of a stored range | that of the range | that of the range; of a crawl of the whole list: yes |
        /// | the end of a range that grew at its end | – | that of the range |
        /// | an item moved past the crawl, or may be hidden | `drift` | – |
        /// | the head lost items, or has items from further down | `drift`, if unproved and without another reason | – |
        /// | the upstream says that it left items out | `upstreamIncomplete`, if there is no other reason yet | – |
        /// | fewer items than there are | that of the shortage | – |
        /// | the definition allows no more pages | `max_pages` | – |
        /// | no proof, or one that does not hold | – | no |
        /// | rows that were not met, and the run cannot show that they are gone | – | no, and all of these rows stay |
        package enum Evidence: Sendable, Hashable {
            case end(IncompleteReason?, isReadingHead: Bool)
            case endOfRange(IncompleteReason?, isVerified: Bool, mode: CrawlMode)
            case endOfGrowingRange(isVerified: Bool)
            case moved
            case headMovedUp
            case upstreamIncomplete
            case shortage(IncompleteReason)
            case outOfPages
            case unproved
            case unmetRows
        }

        package mutating func take(_ evidence: Evidence) {
            switch evidence {
            case .end(let last, let isReadingHead):
                reason = isReadingHead ? .drift : last
                isVerified = true
            case .endOfRange(let last, let isProved, let mode):
                reason = last
                // The result of a full crawl is known only when the whole list has been read.
                isVerified = isProved || mode == .all || mode == .since
            case .endOfGrowingRange(let isProved): isVerified = isProved
            case .moved: reason = .drift
            case .headMovedUp: if !isVerified { reason = reason ?? .drift }
            case .upstreamIncomplete: reason = reason ?? .upstreamIncomplete
            case .shortage(let shortage): reason = shortage
            case .outOfPages: reason = .maxPages
            case .unproved: isVerified = false
            case .unmetRows: (isVerified, keepsUnmetRows) = (false, true)
            }
        }

        /// The result of the crawl.
        package var closing: CrawlClosing {
            reason.map(CrawlClosing.incomplete) ?? .complete(isVerified: isVerified, keepsUnmetRows: keepsUnmetRows)
        }
    }

    // MARK: - The last page

    /// The reason why a crawl that has read its last page is incomplete, the most serious one first; nil if there is
    /// none.
    ///
    /// - Parameters:
    ///   - isCut: True if the upstream has further pages, but the definition allows no more.
    ///   - isPartitioned: True if the list is requested in partitions, each with its own total.
    ///   - sign: The sign that there are more pages.
    package static func reason(
        of crawl: CrawlState, isCut: Bool, isPartitioned: Bool, sign: SignOfMore? = nil
    ) -> IncompleteReason? {
        // A key that does not tell items apart makes the list seem to move and to be shorter than its total.
        if crawl.sameKey > 0 { return .sameKey }
        if crawl.hasDrifted { return .drift }
        if crawl.isCapped { return .cap }
        if isCut { return .maxPages }
        // The list ended before its total.
        if !isPartitioned, let total = crawl.total, total > crawl.elements { return .cap }
        switch sign?.kind {
        case .total?, .cap?: return .cap
        case .untried?: return .cutOff
        case .some: return .upstreamIncomplete
        case nil: break
        }
        return unstoredReason(of: crawl)
    }

    /// The reason given by items that the crawl met and the store could not keep, and by those that the upstream left
    /// out on a page before the last one; nil if it has them all.
    package static func unstoredReason(of crawl: CrawlState) -> IncompleteReason? {
        if crawl.sameKey > 0 { return .sameKey }
        if crawl.reason == .upstreamIncomplete { return .upstreamIncomplete }
        return crawl.skipped > 0 ? .leftOut : nil
    }

    /// The reason that a crawl has after a page that leads on: the upstream may say that it left items out, and no
    /// later page brings them.
    package static func reason(after sign: SignOfMore?, _ before: IncompleteReason?) -> IncompleteReason? {
        sign?.kind == .partial ? .upstreamIncomplete : before
    }

    /// The reason if the head, requested again unchanged, reports more items than the crawl met: later pages may have
    /// come from an older copy of the list.
    ///
    /// - Parameters:
    ///   - met: The number of different items that the crawl met; nil if the upstream reports no total.
    ///   - total: The number of items that the head reported both times at least; nil if it reports none.
    static func shortage(met: Int?, atHead total: Int?) -> IncompleteReason? {
        if let met, let total, total > met { .drift } else { nil }
    }

    /// True if the list moved under `more`, as far as totals show. `more` neither goes back nor reads the head again,
    /// so the next sync reads the pages again.
    ///
    /// - isShifting: True if items move from page to page as other items come and go.
    package static func hasMovedUnderMore(_ crawl: CrawlState, isShifting: Bool) -> Bool {
        guard isShifting, !crawl.overlaps, crawl.hasTotals, crawl.total != nil else { return false }
        return crawl.hasTotalMoved || !crawl.isOrdered
    }

    /// The completeness of the mirror after a page of a crawl.
    package static func afterPage(_ crawl: CrawlState, _ progress: CrawlProgress) -> (
        isComplete: Bool, isVerified: Bool
    ) {
        let synced = progress.synced
        // An end that came too soon hides what is behind it.
        let isOpen = progress.walk != nil || progress.suspectEnd != nil
        let isComplete = synced.isWhole && synced.reason == nil && !crawl.hasDrifted && !isOpen
        return (isComplete, isComplete && synced.ranges.first?.isVerified == true)
    }

    // MARK: - The end of a crawl

    /// The reason why a crawl met fewer items than there are; nil if it met them all, or if there is no total.
    ///
    /// A total can show that items are missing, but never that none is.
    package static func shortage(_ facts: CrawlFacts) -> IncompleteReason? {
        guard let total = facts.total, facts.met < total else { return nil }
        return facts.hasRepeats || facts.hasTotalMoved ? .drift : .cap
    }

    /// True if a total may count no further than the upstream serves: it is met by a full page, and is as round as such
    /// limits are.
    package static func totalMayBeCap(_ crawl: CrawlState) -> Bool {
        guard let total = crawl.total, total > 0, crawl.elements == total else { return false }
        return total.isMultiple(of: 1_000) && endsWithFullPage(crawl)
    }

    /// True if the elements of a crawl would fill pages as long as its longest one.
    private static func endsWithFullPage(_ crawl: CrawlState) -> Bool {
        // A page that overlaps the one before has one element more.
        let full = crawl.mostElements - (crawl.overlaps && crawl.pages > 1 ? 1 : 0)
        return full > 0 && crawl.elements.isMultiple(of: full)
    }

    /// Evidence that a crawl missed nothing.
    ///
    /// The costs and misses of each kind were counted in simulated histories of lists that move while they are read.
    /// Only the head is requested again, except in partitions and with `verify: always`.
    ///
    /// | the pages | proof | requests |
    /// | --- | --- | --- |
    /// | any with `verify: never` | none | 0 |
    /// | have a doubtful end, or continue after a value that items may share | none; the head again finds new items | 1 |
    /// | any in partitions, and any with `verify: always` | each page again, in this run | N |
    /// | are a single one | given | 0 |
    /// | overlap by one item (`offset`) | the head again | 1 |
    /// | have one total, which was met | given | 0 |
    /// | have a changing total, read in sequence, with a page back after each fall; it was met | the head again | 1 |
    /// | continue after an item (`cursor`, `keyset`), and none is empty for the first time | the head again | 1 |
    /// | none of these | none; the head again finds new items, and shows a list that moved up | 1 |
    enum Proof: Sendable, Hashable {
        /// Nothing is requested, and nothing is proved.
        case none
        /// The pages themselves are the proof.
        case given
        /// The first page again, and further pages up to an unchanged one; `proves` is false if that is not enough.
        case head(proves: Bool)
        /// Every page again.
        case pages

        init(_ rule: VerifyRule, _ feed: CrawlRules.Feed, _ facts: CrawlFacts) {
            // Cursors that contain positions, or pages that repeat items, behave like page numbers.
            let isShifting = feed.isShifting || facts.hasRepeats || facts.cursorsHavePlaces
            let totalsTell = facts.hasTotals && !facts.hasMovedDown
            self =
                switch rule {
                // The way to the next page is not known.
                case _ where feed.isOpen: .none
                case .never: .none
                case _ where !isProvable(facts): .head(proves: false)
                case .always: .pages
                // The first page of a partition proves nothing about the others.
                case .auto where feed.isPartitioned: .pages
                case .auto where facts.pageCount < 2: .given
                case .auto where !isShifting || facts.overlaps: .head(proves: !facts.hasEmptyPages)
                case .auto where totalsTell && !facts.hasTotalMoved && facts.total == facts.met: .given
                // Going a page back makes up for a fall of the total, if pages are places in the list.
                case .auto where totalsTell && facts.hasTotalMoved && facts.isInSequence && feed.isShifting:
                    .head(proves: true)
                case .auto: .head(proves: false)
                }
        }
    }

    /// True if a proof can hold, whatever its kind. No request shows the items behind an end that proves little, or
    /// those that `keyset` passed over because they share their value, which is not the key, with the last item of a
    /// page.
    static func isProvable(_ facts: CrawlFacts) -> Bool { !facts.hasDoubtfulEnd && !facts.mayShareValues }

    /// True if an item moved down while the list was read, and no proof shows that the item in its place was met.
    static func isDrift(_ facts: CrawlFacts, _ proof: Proof) -> Bool {
        switch proof {
        // A second crawl that meets the same items is believed: each crawl of such a list may repeat some.
        case .head(proves: false), .none: facts.hasMovedDown && !facts.isLikeDrift
        case .head(proves: true), .given, .pages: false
        }
    }

    /// True if items came again on later pages of a list that is as it was. New items at the head push others down, but
    /// here nothing did: an item has moved to the pages already read, or the list has no fixed order, and each page is
    /// a query of its own. Others are then on none of the pages.
    static func mayHideItems(_ crawl: CrawlRules.Crawl) -> Bool {
        crawl.hasOddRepeats && (crawl.hasSameHead || crawl.hasSamePages)
    }

    /// True if an item may have moved up past the crawl. Of pages that were requested out of order, even new items at
    /// the head push others past the crawl. A crawl that finds every page as it is stored met what the one before met,
    /// and of an upstream that always repeats items a second crawl that meets the same ones is believed. The items of a
    /// partition that is too large come again in its halves, and its pages are requested again anyway.
    static func mayHavePassed(_ crawl: CrawlRules.Crawl, _ feed: CrawlRules.Feed) -> Bool {
        guard !feed.isPartitioned, crawl.hasRepeats, crawl.hasMoved, !crawl.isLikeDrift else { return false }
        return crawl.hasSameHead || crawl.hasSamePages || !crawl.isInSequence
    }

    /// True if a crawl of several runs has to read the pages of the earlier runs again before it is complete, because
    /// it then removes rows, or because each sync promises the whole list. With other modes, nothing is removed after a
    /// first load, and its pages are a synced range, which the sync joins.
    ///
    /// - Parameter isFirstLoad: True if no row is older than the crawl.
    package static func mustReadThrough(
        _ rule: SyncRule, _ progress: CrawlProgress, isFirstLoad: @autoclosure () throws -> Bool
    ) rethrows -> Bool {
        guard progress.round != nil else { return false }
        switch rule {
        case .all, .since, .delta: return true
        case .new, .auto: return try !progress.synced.isEmpty || !isFirstLoad()
        }
    }

    /// True if items may have moved up past a crawl by watermark, from one of its pages to another that had been read.
    /// The next sync then begins where this one did: where nothing is new to it, it has met them all.
    ///
    /// - Parameter items: The items that the run brought.
    package static func watermarkMayHavePassedItems(
        _ closing: CrawlClosing, _ crawl: CrawlState?, _ items: ItemCounts
    ) -> Bool {
        guard case .complete(isVerified: false, _) = closing, let crawl, crawl.pages > 1 else { return false }
        return items.inserted + items.updated > 0
    }

    /// True if a crawl by watermark asks for everything since its `start`, and so is a full crawl. Windows have one of
    /// their own.
    package static func beginsAtStart(_ rule: SyncRule, _ resumePoint: ResumePoint) -> Bool {
        guard case .since(let rule) = rule, rule.start != nil, rule.windows == nil else { return false }
        return resumePoint.watermark == nil || resumePoint.isFullDue
    }

    // MARK: - The rows at the end of a run

    /// The row counts of a feed at the end of a sync, before any row is removed.
    package struct Rows: Sendable, Hashable {
        /// The number of rows that the upstream has, as far as known.
        package var count = 0
        /// The number of those that the run added.
        package var added = 0
        /// The number of rows that the crawl did not meet.
        package var missing = 0
        /// The number of missing rows that have only missing rows after them.
        package var missingAtEnd = 0
        /// The most rows that are missing one after another in a list in partitions, each of which has its end; 0 for
        /// other lists.
        package var missingInPartition = 0
        /// The place of the first of those rows, or of the ones at the end; nil if there are none.
        package var firstMissing: Place?
        /// True if the items of each partition are as many as its total says, in all crawls that make up the list.
        package var partitionTotalsAreMet = false
        /// True if the row that an earlier crawl missed first, behind an end that came too soon, is missing again.
        package var isMissingAgain = false
        /// The answer to a request for the page to which the list led on before; nil if there was none.
        package var behindEnd: BehindEnd?
        /// True if only a count ends the list, and the page behind it could not be read.
        package var hasUncheckedEnd = false
        /// The number of elements on the pages that are not items. Totals count them, too.
        package var others = 0
        /// The number of items that a total is compared with: those that the crawl met or, if it stopped at a synced
        /// range, those that are stored.
        package var met = 0
        /// The total that the upstream reported at the end of the synced range at which the crawl stopped.
        package var totalOfRange: Int?

        package init() {}
    }

    /// The verdict on a crawl, with its consequences for rows and ranges.
    package enum Verdict: Sendable, Hashable {
        /// The crawl met everything. Rows that this run has shown to be gone are removed, unless it could not look.
        case complete(isVerified: Bool, keepsUnmetRows: Bool = false)
        /// The list ended before rows that were at its end (`cutOff`), or before its total (`cap`). That may be a
        /// mistake of the upstream: the next sync checks the last page again, and accepts a second end like it.
        case endedEarly(met: Int, IncompleteReason)
        /// The crawl could not get everything. Its pages are a synced range.
        case incomplete(IncompleteReason)
        /// The next sync reads through the stored pages.
        case unknown(IncompleteReason)

        /// The reason why the mirror is incomplete; nil if it is complete.
        package var reason: IncompleteReason? {
            switch self {
            case .complete: nil
            case .endedEarly(_, let reason), .incomplete(let reason), .unknown(let reason): reason
            }
        }
    }

    /// The verdict at the end of a sync.
    ///
    /// - Parameter isNewestFirst: True if a list that has the newest items first is read up to the newest known one.
    package static func verdict(
        _ closing: CrawlClosing, _ crawl: CrawlState?, _ progress: CrawlProgress, isPartitioned: Bool,
        isNewestFirst: Bool = false, _ rows: Rows
    ) -> Verdict {
        let mode = progress.round?.mode
        switch closing {
        case .complete(let isVerified, let keepsUnmetRows):
            if mode == nil {
                let isShort = isShort(crawl, stored: rows.met, others: rows.others, isPartitioned: isPartitioned)
                // More rows than the upstream has items: some are gone, and the next full crawl removes them.
                let isLong = !isPartitioned && crawl?.total.map { $0 < rows.count } ?? false
                return isShort ? .unknown(.cap) : .complete(isVerified: isVerified && !isLong)
            }
            if mode == .all, isSuspect(crawl, progress, isPartitioned: isPartitioned, rows) {
                return .endedEarly(met: rows.count - rows.missing, .cutOff)
            }
            let isSound = mode != .since || isSoundBefore(progress, isNewestFirst: isNewestFirst)
            // A second end like the first one is accepted, but it proves nothing.
            let isBelieved = progress.suspectEnd != nil && rows.missing > 0
            return .complete(
                isVerified: isVerified && isSound && !isBelieved && progress.round?.mayHaveMissedItems != true,
                keepsUnmetRows: keepsUnmetRows)
        case .incomplete(let reason):
            guard reason.leavesSyncedRange else { return .unknown(reason) }
            if reason == .cap, mode == .all, !isPartitioned, !isLikeEarlyEnd(crawl, progress, met: rows.count, rows) {
                return .endedEarly(met: rows.count, reason)
            }
            // The upstream now has no more items than that, or the cap was an end that came too soon, and no total says
            // that it still is. The next sync finds the end of the list.
            let total = crawl?.total ?? rows.totalOfRange
            if reason == .cap, mode == nil, total.map({ $0 <= rows.count }) ?? (progress.suspectEnd != nil) {
                return .unknown(.cap)
            }
            return .incomplete(reason)
        }
    }

    /// True if a crawl that stopped at a synced range is incomplete, because the upstream reports more items than are
    /// stored.
    ///
    /// - Parameter others: The number of elements on the list's pages that have no row. Totals count them, too.
    package static func isShort(
        _ crawl: CrawlState?, stored: @autoclosure () throws -> Int, others: Int, isPartitioned: Bool
    ) rethrows -> Bool {
        guard !isPartitioned, let total = crawl?.total else { return false }
        return total > (try stored()) + others
    }

    /// True if nothing was missing before a sync that asks only for what is new: it met the changed items, and items
    /// that an earlier crawl missed are still missing. Where the upstream takes no watermark, only the list's order shows
    /// that nothing new is further down, and the order is not proved.
    private static func isSoundBefore(_ progress: CrawlProgress, isNewestFirst: Bool) -> Bool {
        (progress.synced.ranges.first?.isVerified ?? true) && progress.isFullVerified && !isNewestFirst
    }

    /// The mirror after the end of a crawl.
    package struct AfterCrawl: Sendable, Hashable {
        package let isComplete: Bool
        package let isVerified: Bool
        package let reason: IncompleteReason?
        /// The windows that are still to be read; nil if there are none.
        package let walk: WindowWalk?
    }

    /// The mirror after the verdict on a crawl. A crawl of one window of several leaves the mirror incomplete until all
    /// have been read, and then for the reason of the first one that was incomplete.
    ///
    /// - Parameter window: The window that the crawl asked for; nil without windows.
    package static func after(_ verdict: Verdict, window: WindowEnd?, _ progress: CrawlProgress) -> AfterCrawl {
        var (reason, walk) = (verdict.reason, progress.walk)
        if let window {
            var way = window.walk
            way.missed = way.missed ?? reason
            reason = way.missed
            walk = window.window.isLast ? nil : way
        }
        let isProved = if case .complete(let isVerified, _) = verdict { isVerified } else { false }
        let isComplete = reason == nil && walk == nil
        return AfterCrawl(isComplete: isComplete, isVerified: isComplete && isProved, reason: reason, walk: walk)
    }

    // MARK: - A crawl that proves the one before

    /// True if a full crawl proves the full crawl before it: it found each page unchanged, so both read each page, and
    /// any move in between would show in one of them. This proves nothing about the crawl itself.
    ///
    /// - Parameters:
    ///   - isWhole: True if it met all rows.
    ///   - crawls: The number of crawls that read the list.
    package static func provesBefore(_ crawl: CrawlState?, isWhole: Bool, crawls: Int) -> Bool {
        isWhole && crawl?.onlyGrows == true && crawls == 1
    }

    /// True if a later crawl that finds each page unchanged may prove this one. Items that came again were pushed down,
    /// maybe by one that moved to the top, which the next crawl would take for a new one.
    package static func mayBeProvedLater(_ crawl: CrawlState?, isVerified: Bool, hasRepeats: Bool) -> Bool {
        guard let crawl, !isVerified, !hasRepeats else { return false }
        return !crawl.hasDoubtfulEnd && !crawl.mayShareValues && crawl.repeats == 0
    }

    /// True if, after this page, the crawl before may still be proved: what changed since cannot show that the list was
    /// as that crawl had read it.
    ///
    /// - Parameters:
    ///   - isCheck: True for a page that was requested again.
    ///   - isUnchanged: True if the page changed no row.
    package static func mayStillProveBefore(_ crawl: CrawlState, isCheck: Bool, isUnchanged: Bool) -> Bool {
        crawl.onlyGrows && (!isCheck || isUnchanged)
    }

    /// True if the list moved although a page of it, requested again, has the items that it had.
    package static func movedUnseen(_ comparison: PageComparison, total: Int?, before: Int?) -> Bool {
        comparison.hasSameItems && total != before
    }

    // MARK: - The page behind the end

    /// The answer to a request for the page to which the list led on before, behind its end.
    package enum BehindEnd: Sendable, Hashable {
        /// It has items that the crawl did not meet: the list goes on, and no longer says so.
        case items(Others)
        /// It has none of them, or is gone.
        case nothing
        /// It tells nothing, as an answer of a proxy does. `isOfPage` is false if the page itself gave no answer: the host
        /// was not reached, or refuses every request now.
        case unknown(isOfPage: Bool)

        /// The items on such a page that the crawl met. The list moves, or the page cursor stands for the list as it
        /// was once.
        package enum Others: Sendable, Hashable {
            /// There are none, or no more than each page may repeat.
            case none
            /// They come first. Items that came at the head of the list may have pushed them there.
            case before
            /// Some come behind the others.
            case behind
        }

        /// The meaning of a page that came.
        ///
        /// - Parameters:
        ///   - keys: Its keys, in order.
        ///   - mayRepeat: True if pages of the crawl repeat items of others, as pinned ones.
        ///   - isMet: True for a key that the crawl met.
        package init(_ keys: [String], mayRepeat: Bool = false, isMet: (String) -> Bool) {
            guard let first = keys.firstIndex(where: { !isMet($0) }) else {
                self = .nothing
                return
            }
            let isBefore = first > (mayRepeat ? keys.count - first : 0)
            self = .items(keys[first...].contains(where: isMet) ? .behind : isBefore ? .before : .none)
        }

        /// The meaning of a failed request for the page. A page that is not there may have any of these statuses.
        package init(_ error: FeedSyncError) {
            let isGone = [400, 404, 410, 416, 422].contains(error.httpStatus)
            self = isGone ? .nothing : .unknown(isOfPage: error.kind != .limited && error.httpStatus != nil)
        }

        /// True if the rows behind the end stay.
        ///
        /// - Parameters:
        ///   - before: The early end that the sync before left; nil if it left none.
        ///   - added: The number of rows that are new: none pushed others during the sync before if there are none.
        package func keepsRows(after before: CrawlProgress.EarlyEnd?, added: Int) -> Bool {
            guard let doubt, doubt == before?.doubt else { return self != .nothing }
            return self == .items(.before) && added > 0
        }

        /// The reason why the end may be right all the same; nil if there is none.
        package var doubt: Doubt? {
            switch self {
            case .items(.before), .items(.behind): .items
            case .items(.none), .nothing: nil
            case .unknown(let isOfPage): isOfPage ? .silent : nil
            }
        }

        /// A reason to doubt that the list goes on behind its end.
        package enum Doubt: String, Sendable, Hashable {
            /// The page has items that the crawl met, too.
            case items
            /// The page cannot be read: some servers always fail behind their last page.
            case silent
        }
    }

    /// True if the list may go on behind its last page, which is full or as long as before.
    package static func mayGoOnBehindEnd(_ crawl: CrawlState?, endsAsLong: Bool) -> Bool {
        crawl.map { endsAsLong || endsWithFullPage($0) } ?? false
    }

    /// True if the page to which such a list led on before is requested, because rows at its end would be removed now.
    package static func mustLookBehindEnd(_ crawl: CrawlState?, _ progress: CrawlProgress, _ rows: Rows) -> Bool {
        guard let crawl, rows.missingAtEnd > 0, !isEndConfirmed(crawl, progress, isPartitioned: false, rows) else {
            return false
        }
        return !isSuspect(crawl, progress, isPartitioned: false, rows)
    }

    /// True if a list may go on behind a last page that never led on, because its request is new: the list has lost
    /// more rows than it gained. A window that moves on loses no more.
    package static func mayHaveLostNext(_ progress: CrawlProgress, _ rows: Rows) -> Bool {
        progress.suspectEnd != nil || rows.added < rows.missingAtEnd
    }

    /// True if the list, or one of its partitions, seems to end too soon: the page to which it led on still has items;
    /// or more than a page of rows at its end was not met, or the list is half as long as it was, or it lacks its last
    /// page, or its last page proves too little; no total confirms that, and the previous crawl did not end at the same
    /// place.
    private static func isSuspect(
        _ crawl: CrawlState?, _ progress: CrawlProgress, isPartitioned: Bool, _ rows: Rows
    ) -> Bool {
        guard let crawl, !isEndConfirmed(crawl, progress, isPartitioned: isPartitioned, rows) else { return false }
        let met = rows.count - rows.missing
        if let answer = rows.behindEnd {
            if rows.missing > 0, answer.keepsRows(after: progress.suspectEnd, added: rows.added) { return true }
        } else if rows.hasUncheckedEnd {
            // The run had no request left to check it.
            return !isLikeEarlyEnd(crawl, progress, met: met, rows)
        }
        let missing = isPartitioned ? rows.missingInPartition : rows.missingAtEnd
        // A list of one page may come with a part of it, which is a page all the same.
        let before = rows.count - rows.added
        let isHalf = missing >= fewestOddLoss && met <= before / 2
        let endsWhole = missing >= fewestOddLoss && met <= before - fewestOddLoss && endsWithFullPage(crawl, progress)
        let isDoubtful = crawl.hasDoubtfulEnd && rows.missingAtEnd > 0
        // A window that moves on loses as many rows as are new.
        let hasLostPage = missing > crawl.mostElements && met < before
        guard isHalf || endsWhole || isDoubtful || hasLostPage else { return false }
        return !isLikeEarlyEnd(crawl, progress, met: met, rows)
    }

    /// True if a total confirms the end of the list.
    private static func isEndConfirmed(
        _ crawl: CrawlState, _ progress: CrawlProgress, isPartitioned: Bool, _ rows: Rows
    ) -> Bool {
        // The count that ended the list may be wrong.
        if rows.hasUncheckedEnd { return false }
        // The last crawl may have read only the head.
        if isPartitioned, rows.partitionTotalsAreMet { return true }
        // The total of partitions is what came, as far as they say none.
        let mayTell = isPartitioned ? crawl.hasTotals : !progress.totalIsOfPage
        return mayTell && crawl.total.map { $0 == rows.count - rows.missing + rows.others } ?? false
    }

    /// The loss of fewer rows than this is nothing odd, unless they are more than a page.
    private static let fewestOddLoss = 10

    /// True if a list that had several pages ends with a full one, as it does where a later page comes empty by
    /// mistake. A list that gets shorter seldom does.
    private static func endsWithFullPage(_ crawl: CrawlState, _ progress: CrawlProgress) -> Bool {
        guard endsWithFullPage(crawl) else { return false }
        let full = crawl.mostElements
        return crawl.elements > full
            || crawl.elements == full && progress.fullPages.map { $0 > 1 } ?? false
                && PaginationInput.usualSizes.contains(full)
    }

    /// True if the previous crawl ended too soon within a page of this one's end, and missed the same rows. A list that
    /// now has some of them did not end there.
    private static func isLikeEarlyEnd(
        _ crawl: CrawlState?, _ progress: CrawlProgress, met: Int, _ rows: Rows
    ) -> Bool {
        guard let before = progress.suspectEnd else { return false }
        let missesSame = before.firstMissing == nil ? rows.firstMissing == nil : rows.isMissingAgain
        let page = crawl?.mostElements ?? 0
        // New rows move no end.
        return missesSame && before.met - met <= page && met - before.met <= page + rows.added
    }

    // MARK: - A run

    /// The columns of `run` that tell how complete the mirror is after the run.
    package struct OfRun: Sendable, Hashable {
        package let isComplete: Bool
        package let isVerified: Bool
        package let reason: IncompleteReason?
    }

    /// The completeness of the mirror after a run; incomplete if the run itself failed.
    package static func of(_ outcome: RunOutcome, _ state: FeedState) -> OfRun {
        let isComplete = outcome.isSuccess && state.isComplete
        return OfRun(
            isComplete: isComplete, isVerified: isComplete && state.isVerified,
            reason: isComplete ? nil : reason(of: outcome) ?? reason(of: state) ?? .cutOff)
    }

    /// The reason that the end of a run gives; nil if it did its work.
    package static func reason(of outcome: RunOutcome) -> IncompleteReason? {
        outcome.isSuccess ? nil : outcome == .failed ? .failed : .cutOff
    }

    /// The completeness of a verified list of one page, which the upstream has just said is unchanged.
    package static let ofUnchangedList = OfRun(isComplete: true, isVerified: true, reason: nil)

    /// The completeness of a list that the upstream no longer has. If it had items, that may be a mistake of the
    /// upstream, or the answer to a client that may see the list no more: a second sync has to find the same.
    ///
    /// - Parameters:
    ///   - isForGood: True if the upstream says that the list does not come back.
    ///   - progress: The progress of the list as the sync before left it.
    package static func ofGoneList(isForGood: Bool, items: Int, _ progress: CrawlProgress) -> OfRun {
        let isBelieved = isForGood || items == 0 || progress.wasNotFound
        return OfRun(isComplete: isBelieved, isVerified: false, reason: isBelieved ? nil : .cutOff)
    }

    /// The completeness after a run over a feed with a list for each row: complete if each list is.
    ///
    /// - Parameters:
    ///   - isWhole: True if every list is complete.
    ///   - isProved: True if every list is verified.
    ///   - hasFailures: True if some lists failed.
    package static func ofLists(_ outcome: RunOutcome, isWhole: Bool, isProved: Bool, hasFailures: Bool) -> OfRun {
        OfRun(
            isComplete: isWhole && outcome.isSuccess, isVerified: isWhole && isProved && outcome.isSuccess,
            reason: isWhole && outcome.isSuccess
                ? nil : outcome == .failed || outcome.isSuccess && hasFailures ? .failed : .cutOff)
    }

    /// The reason why a feed is incomplete; nil if it is complete.
    package static func reason(of state: FeedState) -> IncompleteReason? {
        state.isComplete ? nil : state.crawl?.reason ?? state.progress.reason
    }
}

/// The result of a sync's crawl.
package enum CrawlClosing: Sendable, Hashable {
    /// The crawl met everything that it was meant to meet; `isVerified` is true if that is proved. `keepsUnmetRows` is
    /// true if the run could not see if the rows that it did not meet are gone.
    case complete(isVerified: Bool, keepsUnmetRows: Bool = false)
    /// The crawl did not meet everything, or that is not certain.
    case incomplete(IncompleteReason)
}
