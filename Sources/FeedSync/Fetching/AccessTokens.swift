internal import Concurrency
internal import HTTP

/// The access tokens of a process, in memory alone: one for each client and scope, however many feeds share it.
///
/// - Isolation: any task or thread.
public final class AccessTokens: Sendable {
    /// What a fetch of a token came to.
    struct Outcome: Sendable {
        let result: Result<AccessToken, FeedError>
        var cost = FetchCost()
    }

    private struct State {
        var tokens: [TokenRequest: AccessToken] = [:]
        var fetches: [TokenRequest: Task<Outcome, Never>] = [:]
    }

    private let state = Lock(State())

    /// No tokens yet.
    public init() {}

    /// The token for a request, fresh or not; nil where none was fetched.
    func current(_ request: TokenRequest) -> AccessToken? { state.withLock { $0.tokens[request] } }

    /// Has a token renewed that was refused, unless another one has taken its place.
    ///
    /// It stays till then: a feed that prepares a page meanwhile must not send it without any.
    func expire(_ token: AccessToken?, of request: TokenRequest) {
        state.withLock { if $0.tokens[request] == token { $0.tokens[request]?.renewal = .min } }
    }

    /// Sees to it that there is a fresh token: one fetch serves all who ask meanwhile, and its cost is the first one's.
    func renew(
        _ request: TokenRequest, now: Int64, fetch: @escaping @Sendable () async -> Outcome
    ) async -> Outcome {
        while true {
            let (task, isOwn) = state.withLock { state -> (Task<Outcome, Never>?, Bool) in
                if let token = state.tokens[request], token.isFresh(at: now) { return (nil, false) }
                if let task = state.fetches[request] { return (task, false) }
                let task = Task { [self] in
                    let outcome = await fetch()
                    self.state.withLock { state in
                        state.fetches[request] = nil
                        if case .success(let token) = outcome.result { state.tokens[request] = token }
                    }
                    return outcome
                }
                state.fetches[request] = task
                return (task, true)
            }
            guard let task else {
                if let token = current(request) { return Outcome(result: .success(token)) }
                continue
            }
            let outcome = await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
            if isOwn { return outcome }
            // Whoever began the fetch may have been stopped, which is no reason for others to stop.
            if case .failure(let error) = outcome.result, error.kind == .cancelled, !Task.isCancelled { continue }
            return Outcome(result: outcome.result)
        }
    }
}

extension AccessTokens: CustomStringConvertible, CustomReflectable {
    /// How many there are.
    public var description: String { "\(state.withLock { $0.tokens.count }) access tokens" }

    /// A mirror without children, so that `dump` shows no secret.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
