/// What came of the lists of a run, of a feed that has a list for each row of another.
struct PartsResults {
    var figures = RunMetrics()
    var hasChanged = false
    /// The lists that failed, and why the first did.
    var failures = 0
    var first: (list: String, error: FeedSyncError)?
    /// How many in a row of each host could not be reached.
    var unreachable: [String: Int] = [:]
    var notices: [String] = []
    var noticeCount = 0
    var asked = 0

    mutating func note(_ summary: RunSummary, of list: String, at host: String) {
        asked += 1
        unreachable[host] = nil
        figures.add(summary.figures)
        hasChanged = hasChanged || summary.outcome == .ok
        noticeCount += summary.notices.count
        if notices.isEmpty, let notice = summary.notices.first { notices = ["\(list): \(notice)"] }
    }

    /// A list is as it was.
    mutating func noteUnchanged(_ figures: RunMetrics, at host: String) {
        asked += 1
        unreachable[host] = nil
        self.figures.add(figures)
    }

    /// What requests cost whose lists are left for the next run.
    mutating func noteUnused(_ costs: [FetchCost]) { for cost in costs { figures.add(cost) } }

    /// The upstream has no such list any more.
    mutating func noteGone(removed: Int, at host: String) {
        asked += 1
        unreachable[host] = nil
        figures.items.removed += removed
    }

    /// - Parameter host: nil for a list that was not asked for.
    mutating func note(_ error: FeedSyncError, of list: String, at host: String?) {
        asked += 1
        failures += 1
        if let host {
            let isUnreachable = error.kind == .unreachable && error.httpStatus == nil
            unreachable[host] = isUnreachable ? unreachable[host, default: 0] + 1 : nil
        }
        first = first ?? (list, error)
    }
}

extension PartsResults {
    /// What the lists had to say beside their results, where any had.
    var summary: [String] {
        noticeCount > 1 ? notices + ["\(noticeCount - 1) more notes of other lists; see feedsync events"] : notices
    }

    /// Why the run failed although others of its lists did not.
    func failure(of count: Int) -> FeedSyncError? {
        guard let (list, error) = first else { return nil }
        return FeedSyncError(
            error.kind, "\(failures) of \(count) lists failed; \(list): \(error.message)",
            advice: error.advice, httpStatus: error.httpStatus, url: error.url)
    }
}
