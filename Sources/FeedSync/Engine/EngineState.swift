/// The current state of a feed's engine.
public struct EngineState: Sendable, Hashable {
    /// The refresh status. It is the same after a failure as after a success; `error` tells them apart.
    public internal(set) var status: RefreshStatus
    /// True if a command is running or waits for its turn.
    public internal(set) var isRunning = false
    /// The work of the current command so far, or of the last command once it has ended.
    public internal(set) var progress = RunMetrics()
    /// The error of the last command; nil if it did not fail, and from the moment that another command is sent. A
    /// cancelled command has not failed.
    public internal(set) var error: FeedSyncError?

    package init(
        status: RefreshStatus, isRunning: Bool = false, progress: RunMetrics = RunMetrics(),
        error: FeedSyncError? = nil
    ) {
        (self.status, self.isRunning, self.progress, self.error) = (status, isRunning, progress, error)
    }

    /// Records that a command was sent.
    mutating func sent() {
        isRunning = true
        error = nil
    }

    /// Records that a command begins.
    mutating func began() {
        progress = RunMetrics()
        error = nil
    }

    /// Records an event of a page.
    mutating func follow(_ event: StatusEvent) {
        status = event.status
        switch event.status {
        case .endHeader, .endFooter, .noMoreData:
            if let failure = event.failure {
                fail(failure)
            } else {
                progress.pages += 1
                progress.items.add(event.items)
            }
        case .none, .beginHeader, .beginFooter: break
        }
    }

    /// Records that a command ended.
    mutating func ended(_ result: Result<RunSummary, FeedSyncError>) {
        switch result {
        case .success(let summary): progress = summary.figures
        case .failure(let failure): fail(failure)
        }
    }

    private mutating func fail(_ failure: FeedSyncError) {
        if failure.kind != .cancelled { error = failure }
    }
}
