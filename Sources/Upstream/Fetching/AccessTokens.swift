internal import Concurrency
internal import HTTP

/// The access tokens of a process, in memory alone: one for each client and scope, however many feeds share it.
///
/// - Isolation: any task or thread.
package final class AccessTokens: Sendable {
    /// The result of fetching a token.
    typealias Outcome = Result<AccessToken, FeedSyncError>

    private struct Waiter {
        let number: Int
        /// Gets nil if the fetch was abandoned by those who shared it, and has brought nothing.
        let reply: Reply<Outcome?>
    }

    private struct Fetch {
        let number: Int
        let task: Task<Void, Never>
        /// The waiting requests, in order; the fetch continues while there is one.
        var waiters: [Waiter]
        /// True if it was cancelled, and is still waited for.
        var isAbandoned = false
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

    /// Returns once a fresh token is stored: one fetch serves all callers that wait meanwhile, and is counted for the
    /// first.
    ///
    /// A cancelled caller stops waiting; the fetch is cancelled with its last caller. Of an indivisible one, that
    /// caller waits for the end: the process must not exit before the token is kept.
    func renew(
        _ request: TokenRequest, now: Int64, fetch: @escaping @Sendable () async -> Outcome
    ) async -> Outcome {
        while !Task.isCancelled {
            if let outcome = await wait(for: request, now: now, fetch: fetch) { return outcome }
        }
        return .failure(.cancelled)
    }

    private func wait(
        for request: TokenRequest, now: Int64, fetch: @escaping @Sendable () async -> Outcome
    ) async -> Outcome? {
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

    /// Makes the waiter wait for a fetch, unless the outcome is already known.
    private func join(
        _ request: TokenRequest, as waiter: Waiter, now: Int64, fetch: @escaping @Sendable () async -> Outcome
    ) -> Outcome? {
        state.withLock { state in
            // If it is cancelled after this, `leave` finds it among the waiters.
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
        let fetch = state.withLock { state -> Fetch? in
            if case .success(let token) = outcome { state.tokens[request] = token }
            guard let fetch = state.fetches[request], fetch.number == number else { return nil }
            state.fetches[request] = nil
            return fetch
        }
        let hasToken = if case .success = outcome { true } else { false }
        let known = fetch?.isAbandoned == true && !hasToken ? nil : outcome
        for waiter in fetch?.waiters ?? [] { waiter.reply.resume(returning: known) }
    }

    private func leave(_ request: TokenRequest, _ number: Int) {
        let (waiter, task) = state.withLock { state -> (Waiter?, Task<Void, Never>?) in
            guard var fetch = state.fetches[request],
                let index = fetch.waiters.firstIndex(where: { $0.number == number })
            else { return (nil, nil) }
            if request.isIndivisible, fetch.waiters.count == 1 {
                state.fetches[request]?.isAbandoned = true
                return (nil, fetch.task)
            }
            let waiter = fetch.waiters.remove(at: index)
            state.fetches[request] = fetch.waiters.isEmpty ? nil : fetch
            return (waiter, fetch.waiters.isEmpty ? fetch.task : nil)
        }
        task?.cancel()
        waiter?.reply.resume(returning: .failure(.cancelled))
    }
}

extension AccessTokens: SecretHolder {
    /// The number of tokens.
    package var description: String { "\(state.withLock { $0.tokens.count }) access tokens" }
}
