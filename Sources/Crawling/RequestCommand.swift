/// A command to a feed's engine.
public enum RequestCommand: Sendable, Hashable {
    /// Request the first page; the feed starts again from it.
    case reload
    /// Request the page cursor; on a feed that was never loaded, the first page.
    case nextPage
    /// Repeat `nextPage` this many times, as long as there are pages.
    case nextPages(Int)
    /// Repeat `nextPage` up to the end.
    case allPages
    /// Bring everything up to date, as the definition's `sync` says.
    case sync

    /// The maximum number of pages that it requests; nil without a limit.
    var limit: Int? {
        switch self {
        case .reload, .nextPage: 1
        case .nextPages(let count): max(1, count)
        case .allPages, .sync: nil
        }
    }

    /// The name in `run.command`.
    package var name: String {
        switch self {
        case .reload: "reload"
        case .nextPage, .nextPages, .allPages: "more"
        case .sync: "sync"
        }
    }
}

/// The outcome of a run.
public enum RunOutcome: String, Sendable, Hashable, CaseIterable {
    /// Something was stored.
    case ok
    /// All pages were unchanged.
    case unchanged
    /// There was no further page to request.
    case noMoreData = "no_more_data"
    /// A page failed.
    case failed
    /// The upstream wants us to wait.
    case limited
    /// It was stopped.
    case cancelled
    /// Its process ended.
    case interrupted

    /// The outcome of a run that ended with an error.
    package init(_ error: FeedSyncError) {
        self =
            switch error.kind {
            case .cancelled: .cancelled
            case .limited: .limited
            default: .failed
            }
    }
}

/// The summary of a successful run.
public struct RunSummary: Sendable, Hashable {
    /// The run's number in the store.
    public let run: Int
    /// Its outcome.
    public let outcome: RunOutcome
    /// Its counts.
    public let figures: RunMetrics
    /// True if there is no further page to request.
    public let isAtEnd: Bool
    /// The reason why the crawl is incomplete although it has ended; nil if it is complete or continues.
    public let reason: IncompleteReason?
    /// The number of the feed's rows that the upstream has, after the run.
    public let itemCount: Int
    /// The number of items that the upstream reported; nil if it reported none.
    public let expectedCount: Int?
    /// The number of items that the crawl has met, including skipped ones and those known to follow.
    public let seenCount: Int
    /// Notices for the user although nothing failed, one sentence each.
    public let notices: [String]

    package init(
        run: Int, outcome: RunOutcome, figures: RunMetrics, isAtEnd: Bool, reason: IncompleteReason?, itemCount: Int,
        expectedCount: Int?, seenCount: Int, notices: [String]
    ) {
        self.run = run
        self.outcome = outcome
        self.figures = figures
        self.isAtEnd = isAtEnd
        self.reason = reason
        self.itemCount = itemCount
        self.expectedCount = expectedCount
        self.seenCount = seenCount
        self.notices = notices
    }
}
