/// What a feed's engine is at.
public struct EngineState: Sendable, Hashable {
    /// The refresh status; after a failure it is the same as after a success, and `error` tells.
    public internal(set) var status: RefreshStatus
    /// Whether a command is under way, or waits for its turn.
    public internal(set) var isRunning = false
    /// What the command under way has done so far; once it has ended, what it did.
    public internal(set) var progress = RunMetrics()
    /// Why the last command failed; nil while it has not, and as soon as another is sent. A command that was stopped has
    /// not failed.
    public internal(set) var error: FeedSyncError?

    init(status: RefreshStatus) { self.status = status }

    /// A command was sent.
    mutating func sent() {
        isRunning = true
        error = nil
    }

    /// A command begins.
    mutating func began() {
        progress = RunMetrics()
        error = nil
    }

    /// Something happened to a page.
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

    /// A command ended.
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
