/// The rules of one run: which page comes next, and when it is over. Pure; the engine does what it says.
struct RunRules {
    /// What to do next.
    enum Step: Equatable {
        /// Get the page and commit it.
        case fetch(PageDirection, Continuation?)
        /// Nothing more.
        case end(RunOutcome)
    }

    private enum State {
        case opening(RequestCommand)
        case fetching(left: Int?, hasChanged: Bool)
        case ended
    }

    private var state: State

    init(_ command: RequestCommand) {
        state = .opening(command)
    }

    /// Whether the page being fetched is wanted to be followed by another.
    var wantsNext: Bool {
        guard case .fetching(let left, _) = state else { return false }
        return left.map { $0 > 1 } ?? true
    }

    /// The feed is held and read.
    mutating func opened(_ standing: FeedStanding) -> Step {
        guard case .opening(let command) = state else { return end(.failed) }
        let isHeader = command == .reload || !standing.isLoaded
        guard isHeader || !standing.isAtEnd else { return end(.noMoreData) }
        state = .fetching(left: command.limit, hasChanged: false)
        return isHeader ? .fetch(.header, nil) : .fetch(.footer, standing.continuation)
    }

    /// A page is committed; `next` is what it led to.
    mutating func committed(isUnchanged: Bool, next: Continuation?) -> Step {
        guard case .fetching(let left, let hasChanged) = state else { return end(.failed) }
        let changed = hasChanged || !isUnchanged
        let rest = left.map { $0 - 1 }
        guard let next, rest != 0 else { return end(changed ? .ok : .unchanged) }
        state = .fetching(left: rest, hasChanged: changed)
        return .fetch(.footer, next)
    }

    /// The page did not come, or could not be committed.
    mutating func failed(_ error: FeedError) -> RunOutcome {
        state = .ended
        switch error.kind {
        case .cancelled: return .cancelled
        case .limited: return .limited
        default: return .failed
        }
    }

    private mutating func end(_ outcome: RunOutcome) -> Step {
        state = .ended
        return .end(outcome)
    }
}
