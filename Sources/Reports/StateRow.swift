package import FeedSync

/// A feed's state, and the reason, in words.
package struct StateRow: Sendable, JSONRecord {
    package let feed: KnownFeed
    package let state: MirrorState
    /// The state but for a run under way.
    package let stateAtRest: MirrorState
    /// The time at which the feed is due; nil for a feed that is not in the configuration.
    package let plan: Plan?
    private let condition: FeedCondition
    private let now: Int64

    /// - Parameters:
    ///   - condition: The store's knowledge of it.
    ///   - now: In milliseconds since 1970.
    package init(_ feed: KnownFeed, _ condition: FeedCondition, now: Int64) {
        self.feed = feed
        self.condition = condition
        self.now = now
        plan = feed.definition.map { Planner.plan(condition.history, of: $0) }
        var facts = condition.facts(plan)
        state = MirrorState(facts, now: now)
        facts.isRunning = false
        stateAtRest = MirrorState(facts, now: now)
    }

    /// The state of each of these feeds; of nothing stored where there is no store.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    package static func rows(of feeds: [KnownFeed], in store: Store?) async throws(FeedSyncError) -> [StateRow] {
        let names = feeds.map(\.name)
        let conditions = try await store?.conditions(of: names) ?? names.map(FeedCondition.init)
        let now = WallClock.system.milliseconds
        return zip(feeds, conditions).map { StateRow($0, $1, now: now) }
    }

    /// True if all is well, or will be when the run under way has ended.
    package var isWell: Bool { stateAtRest == .fresh && hookFailure == nil }

    /// The error of its state; nil if there is none, or if it was not kept.
    package var problem: FeedSyncError? {
        switch state {
        case .failing: condition.failure?.error
        case .limited: FeedSyncError(.limited, why(state) ?? "")
        case .running, .new, .loading, .stale, .incomplete, .fresh: nil
        }
    }

    /// The command to try again; nil unless it is failing.
    package var retry: String? {
        guard case .failing = state else { return nil }
        // Only a sync makes up for one that failed.
        return condition.history.failures > 0 ? RequestCommand.sync.name : condition.failure?.command
    }

    /// Words about a hook that did not take what changed; nil if all is well.
    package var hookFailure: String? {
        guard condition.isHookBehind, feed.definition?.hook != nil else { return nil }
        return "on_change failed; what changed is kept, and comes with the next run"
    }

    /// The time at which it is due; empty for a feed that is not in the configuration.
    package var due: String {
        guard let plan else { return "" }
        guard !plan.isPaused else { return "paused" }
        guard let dueAt = plan.dueAt, dueAt > now else { return "now" }
        return "in \(RelativeTime.until(dueAt, now: now))"
    }

    /// The reason for its state; nil for a new feed.
    package var why: String? { reasons(why(state)) }

    private func reasons(_ why: String?) -> String? {
        let reasons = [why, hookFailure].compactMap(\.self)
        return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
    }

    /// The state that a sync left, such as `fresh (head 2 min ago, all of it 6 h ago)`; no more than the word where all
    /// of the list was looked at.
    package var textAfterSync: String {
        if stateAtRest == .fresh, lastLook?.isWhole ?? false { return stateAtRest.word }
        return stateAtRest.word + (why(stateAtRest).map { " (\($0))" } ?? "")
    }

    /// The reason for its state apart from a run under way.
    package var whyAtRest: String? { why(stateAtRest) }

    /// - Parameter isExact: True for times of ISO 8601, so that the words change only when something has changed.
    private func why(_ state: MirrorState, isExact: Bool = false) -> String? {
        switch state {
        case .running:
            if case .failing = stateAtRest {
                [progress, why(stateAtRest, isExact: isExact)].compactMap(\.self).joined(separator: "; ")
            } else {
                progress
            }
        case .failing(let times, let since):
            failures(times, since.map { past($0, isExact: isExact) }) + cause
        case .limited(let until):
            isExact
                ? "the server asked us to wait until \(Self.exact(until))"
                : "the server asked us to wait for another \(RelativeTime.until(until, now: now))"
        case .new: nil
        case .loading, .incomplete(nil): reach.map { "\($0.count), \($0.next)" }
        case .stale(let since): "due \(past(since, isExact: isExact)), and not synced since"
        case .incomplete(let reason?):
            reason.words(
                seen: condition.history.seenCount, expected: condition.history.expectedCount,
                hasOnePage: condition.hasOnePage)
        case .fresh:
            lastLook?.text { isExact ? $0.map { "at \($0)" } ?? "" : RelativeTime.ago($0, now: now / 1000) }
        }
    }

    private func past(_ time: Int64, isExact: Bool) -> String {
        isExact ? "at \(Self.exact(time))" : RelativeTime.ago(time, now: now)
    }

    private static func exact(_ time: Int64) -> String { Timestamp(milliseconds: time)?.text ?? "" }

    private var lastLook: LastLook? { condition.record.map { LastLook(record: $0, rule: feed.definition?.sync) } }

    /// The process that works on it, and the run's progress.
    private var progress: String? {
        guard let run = condition.run else { return nil }
        let who = run.holder.process.map { "pid \($0)" } ?? "another feedsync"
        return [who, pageOfRun].compactMap(\.self).joined(separator: ", ")
    }

    /// The page of the run under way, as in `page 3 of about 10`; nil before its first page.
    package var pageOfRun: String? {
        guard let run = condition.run, let page = run.page else { return nil }
        let count = run.pageCount.map { " of about \(NumberFormat.count($0))" } ?? ""
        return "page \(NumberFormat.count(page))\(count)"
    }

    private func failures(_ times: Int, _ since: String?) -> String {
        guard times > 1 else { return "" }
        return "\(times) failures in a row\(since.map { ", first \($0)" } ?? ""): "
    }

    private var cause: String { condition.failure?.error.message ?? "the reason was not kept" }

    private var reach: LoadingReach? { condition.record.map { LoadingReach($0, condition.history, condition.parts) } }

    /// The feed's row of the table `feed`, with its state.
    package var fields: JSONFields { feed.fields + stateFields }

    /// The state, and why it is so.
    package var stateFields: JSONFields { ["state": state.word, "why": reasons(why(state, isExact: true))] }
}

extension IncompleteReason {
    /// The meaning, in a few words.
    ///
    /// - Parameters:
    ///   - seen: The number of items that the upstream has served.
    ///   - expected: The number that it states; nil if it states none.
    ///   - hasOnePage: True if no other page was asked for than the first; nil where a notice says what to do.
    package func words(seen: Int, expected: Int?, hasOnePage: Bool? = nil) -> String {
        switch self {
        case .cutOff: "the list ended early; the next sync looks again"
        case .failed: "a page failed"
        case .cap:
            if let expected, expected > seen {
                "the upstream has served \(NumberFormat.count(seen)) of \(NumberFormat.count(expected, "item"))"
                    + (hasOnePage.map { Self.advice(hasOnePage: $0) } ?? "")
            } else {
                "the upstream has more items, but serves no further pages"
            }
        case .maxPages: "stopped at max_pages"
        case .leftOut: "some items were skipped"
        case .sameKey: "different items have the same key; give the feed another `key`"
        case .upstreamIncomplete:
            "the upstream says that a part is missing: see feedsync explain, and write `pagination` "
                + "if other pages have it"
        case .drift: "the list moved while it was read"
        }
    }

    private static func advice(hasOnePage: Bool) -> String {
        hasOnePage
            ? ": no other page was asked for, so write `pagination`" : ": narrow the query, or use `partition`"
    }
}

/// The part of a complete list that was last examined, and the time, in one clause.
private struct LastLook {
    let record: FeedRecord
    /// The sync rule of the feed; nil if the configuration lacks the feed.
    let rule: SyncRule?

    /// True if all of it was examined.
    var isWhole: Bool {
        // The store writes times in one form, so that text compares as time.
        guard let fullAt = record.fullAtText else { return false }
        return max(record.syncedAtText ?? "", record.reloadedAtText ?? "") <= fullAt
    }

    /// Such as `head 2 min ago, all of it 6 h ago`; where the last look was at all of it, simply when.
    ///
    /// - Parameter ago: Puts a time of the store into words.
    func text(_ ago: (String?) -> String) -> String? {
        if isWhole { return ago(record.fullAtText) }
        let head = record.reloadedAtText ?? record.syncedAtText
        guard let syncedAt = record.syncedAtText else { return head.map { "head \(ago($0))" } }
        let part = if rule?.asksForChanges == true { "changes \(ago(syncedAt))" } else { "head \(ago(head))" }
        return "\(part), all of it \(record.fullAtText.map(ago) ?? "never")"
    }
}
