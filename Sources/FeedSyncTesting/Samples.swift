extension EngineState {
    /// A state, for the preview or the test of a view.
    public init(
        _ status: RefreshStatus, isRunning: Bool = false, progress: RunMetrics = RunMetrics(),
        error: FeedSyncError? = nil
    ) {
        self.init(status: status, isRunning: isRunning, progress: progress, error: error)
    }
}

extension FeedList {
    /// A list, for the preview or the test of a view.
    public init(_ items: [Item], _ state: EngineState = EngineState(.noMoreData)) {
        self.init(items: items, state: state)
    }
}

extension TypedSearch.Results {
    /// The results for a text, for the preview or the test of a view.
    public init(_ text: String, _ items: [Item], error: FeedSyncError? = nil) {
        self.init(text: text, items: items, error: error)
    }
}

extension RunSummary {
    /// The summary of a run, for the preview or the test of a view.
    public init(
        _ outcome: RunOutcome = .ok, run: Int = 1, figures: RunMetrics = RunMetrics(), isAtEnd: Bool = true,
        reason: IncompleteReason? = nil, itemCount: Int = 0, expectedCount: Int? = nil, notices: [String] = []
    ) {
        self.init(
            run: run, outcome: outcome, figures: figures, isAtEnd: isAtEnd, reason: reason, itemCount: itemCount,
            expectedCount: expectedCount, seenCount: itemCount, notices: notices)
    }
}
