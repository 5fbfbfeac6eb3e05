internal import Concurrency
internal import HTTP

/// The access tokens of a process, in memory alone: one for each client and scope, however many feeds share it.
///
/// - Isolation: any task or thread.
package final class AccessTokens: Sendable {
    /// What a fetch of a token came to.
    typealias Outcome = Result<AccessToken, FeedSyncError>

    private struct Waiter {
        let number: Int
        let reply: Reply<Outcome>
    }

    private struct Fetch {
        let number: Int
        let task: Task<Void, Never>
        /// In the order in which they came; the fetch goes on as long as there is one.
        var waiters: [Waiter]
    }

    private struct State {
        var tokens: [TokenRequest: AccessToken] = [:]
        var fetches: [TokenRequest: Fetch] = [:]
        private var numbers = 0

        mutating func nextNumber() -> Int {
            numbers += 1
            return numbers
        }
    }

    private let state = Lock(State())

    /// No tokens yet.
    package init() {}

    /// The token for a request, fresh or not; nil where none was fetched.
    func current(_ request: TokenRequest) -> AccessToken? { state.withLock { $0.tokens[request] } }

    /// Has a token renewed that was refused, unless another one has taken its place.
    ///
    /// It stays till then: a feed that prepares a page meanwhile must not send it without any.
    func expire(_ token: AccessToken?, of request: TokenRequest) {
        state.withLock { if $0.tokens[request] == token { $0.tokens[request]?.renewal = .min } }
    }

    /// Sees to it that there is a fresh token: one fetch serves all who ask meanwhile, and counts as the first one's.
    ///
    /// Whoever is cancelled stops waiting; the fetch is cancelled with the last one who waits for it.
    func renew(
        _ request: TokenRequest, now: Int64, fetch: @escaping @Sendable () async -> Outcome
    ) async -> Outcome {
        let number = state.withLock { $0.nextNumber() }
        return await withTaskCancellationHandler {
            await Reply.wait { reply in
                let waiter = Waiter(number: number, reply: reply)
                if let outcome = join(request, as: waiter, now: now, fetch: fetch) {
                    reply.resume(returning: outcome)
                }
            }
        } onCancel: {
            leave(request, number)
        }
    }

    /// Has the waiter wait for a fetch, unless what it will come to is known already.
    private func join(
        _ request: TokenRequest, as waiter: Waiter, now: Int64, fetch: @escaping @Sendable () async -> Outcome
    ) -> Outcome? {
        state.withLock { state in
            // Cancelled from here on, it is found among those who wait.
            if Task.isCancelled { return .failure(.cancelled) }
            if let token = state.tokens[request], token.isFresh(at: now) { return .success(token) }
            if state.fetches[request] != nil {
                state.fetches[request]?.waiters.append(waiter)
                return nil
            }
            let number = state.nextNumber()
            let task = Task { [self] in finish(request, number, with: await fetch()) }
            state.fetches[request] = Fetch(number: number, task: task, waiters: [waiter])
            return nil
        }
    }

    private func finish(_ request: TokenRequest, _ number: Int, with outcome: Outcome) {
        let waiters = state.withLock { state -> [Waiter] in
            if case .success(let token) = outcome { state.tokens[request] = token }
            guard let fetch = state.fetches[request], fetch.number == number else { return [] }
            state.fetches[request] = nil
            return fetch.waiters
        }
        for waiter in waiters { waiter.reply.resume(returning: outcome) }
    }

    private func leave(_ request: TokenRequest, _ number: Int) {
        let (waiter, task) = state.withLock { state -> (Waiter?, Task<Void, Never>?) in
            guard var fetch = state.fetches[request],
                let index = fetch.waiters.firstIndex(where: { $0.number == number })
            else { return (nil, nil) }
            let waiter = fetch.waiters.remove(at: index)
            state.fetches[request] = fetch.waiters.isEmpty ? nil : fetch
            return (waiter, fetch.waiters.isEmpty ? fetch.task : nil)
        }
        task?.cancel()
        waiter?.reply.resume(returning: .failure(.cancelled))
    }
}

extension AccessTokens: CustomStringConvertible, CustomReflectable {
    /// How many there are.
    package var description: String { "\(state.withLock { $0.tokens.count }) access tokens" }

    /// A mirror without children, so that `dump` shows no secret.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
