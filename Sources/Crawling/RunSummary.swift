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
