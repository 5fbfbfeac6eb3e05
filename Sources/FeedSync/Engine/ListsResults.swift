/// The results of a run's lists, for a feed that has one list for each row of another feed.
struct ListsResults {
    var metrics = RunMetrics()
    var hasChanged = false
    /// The number of lists that failed, and the first failure.
    var failures = 0
    var first: (list: String, error: FeedSyncError)?
    /// The number of lists in a row that could not be reached, by host.
    var unreachable: [String: Int] = [:]
    /// The notes of the lists, by their text: the first list that has each, and their number.
    private var notes: [(text: String, list: String, count: Int)] = []
    /// The number of notes whose text is not kept.
    private var otherNotes = 0
    var asked = 0

    mutating func note(_ summary: RunSummary, of list: String, at host: String) {
        noteReached(summary.figures, at: host)
        hasChanged = hasChanged || summary.outcome == .ok
        for text in summary.notices { add(text, of: list) }
    }

    private mutating func add(_ note: String, of list: String) {
        if let index = notes.firstIndex(where: { $0.text == note }) {
            notes[index].count += 1
        } else if notes.count < Self.mostNotes {
            notes.append((note, list, 1))
        } else {
            otherNotes += 1
        }
    }

    /// The number of notes that people read for one feed.
    private static let mostNotes = 10

    /// Records the requests of a list whose host answered.
    mutating func noteReached(_ metrics: RunMetrics, at host: String) {
        asked += 1
        unreachable[host] = nil
        self.metrics.add(metrics)
    }

    /// Records the cost of requests whose lists are left to the next run.
    mutating func noteUnused(_ costs: [FetchCost]) { for cost in costs { metrics.add(cost) } }

    /// Records a list that the upstream no longer has.
    ///
    /// - Parameter removed: The number of its items that were removed; nil if they stay until it is gone again.
    mutating func noteGone(_ list: String, removed: Int?, _ metrics: RunMetrics, at host: String) {
        noteReached(metrics, at: host)
        noteRemoved(removed ?? 0)
        if removed == nil { add("not found; its items are removed if the next sync does not find it either", of: list) }
    }

    /// Records items that were removed with their list or with their parent's row.
    mutating func noteRemoved(_ count: Int) {
        metrics.items.removed += count
        hasChanged = hasChanged || count > 0
    }

    /// - Parameter host: nil for a list that was not requested.
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

extension ListsResults {
    /// The outcome of a run that reached all lists.
    var outcome: RunOutcome {
        guard failures == 0 || failures < asked else { return .failed }
        return hasChanged ? .ok : .unchanged
    }

    /// The notes of the lists, each text once; empty if there are none.
    var summary: [String] {
        let told = notes.map { note in
            let others = note.count - 1
            let more = others == 0 ? "" : " and \(others.counted("other list"))"
            return "\(note.list)\(more): \(note.text)"
        }
        guard otherNotes > 0 else { return told }
        return told + ["\(otherNotes.counted("more note")) of other lists"]
    }

    /// The error of a run with failed lists; nil if none failed.
    func failure(of count: Int) -> FeedSyncError? {
        guard let (list, error) = first else { return nil }
        return FeedSyncError(
            error.kind, "\(failures) of \(count) lists failed; \(list): \(error.message)",
            advice: error.advice, httpStatus: error.httpStatus, url: error.url)
    }
}
