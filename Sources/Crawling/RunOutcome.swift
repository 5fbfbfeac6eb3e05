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

    /// True if the run did its work.
    package var isSuccess: Bool {
        switch self {
        case .ok, .unchanged, .noMoreData: true
        case .failed, .limited, .cancelled, .interrupted: false
        }
    }
}
