internal import CCurl
package import Concurrency
internal import Platform

/// The settings that all requests of one client share.
struct ClientConfiguration: Sendable {
    let userAgent: String
    let maximumPerHost: Int
    let caFile: String?
}

/// Sends requests over one pool of connections, driven by one thread.
///
/// Proxies are taken from the environment as curl does, except for this machine's own hosts, which are asked directly.
///
/// - Isolation: any task or thread.
package final class Client: Sendable {
    /// The requests that the client's users may still make; nil without a limit. Every sender takes from it first.
    package let budget: RequestBudget?
    private let configuration: ClientConfiguration
    private let submissions = Submissions()
    private let loop = Lock<TransferLoop?>(nil)
    private let executor = Lock<ThreadExecutor?>(nil)

    /// A client that introduces itself as `userAgent` and has at most `maximumPerHost` requests under way at one
    /// origin; further ones wait in order.
    ///
    /// `caFile` is a PEM file of certificates to trust in place of the system's.
    package init(
        userAgent: String, maximumPerHost: Int = 1, caFile: String? = nil, budget: RequestBudget? = nil
    ) {
        self.budget = budget
        configuration = ClientConfiguration(
            userAgent: userAgent, maximumPerHost: max(maximumPerHost, 1), caFile: caFile)
    }

    deinit {
        guard let loop = loop.withLock({ $0 }) else { return }
        loop.executor.perform { [executor = loop.executor] in
            loop.close()
            executor.source = nil
        }
    }

    /// Has the executor's thread drive the transfers, so that a response goes to its actors without a change of thread.
    ///
    /// Of several executors, the first one drives them. Without one, and if that one drives those of another client,
    /// the client starts a thread with its first request.
    package func run(on executor: ThreadExecutor) {
        self.executor.withLock { $0 = $0 ?? executor }
    }

    /// Makes one attempt, following redirects, and returns the response, whatever its status.
    ///
    /// A redirect obeys the same rules as the request: credentials only to their origin, never from https to http, at
    /// most `limits.redirects`, no circle.
    ///
    /// - Parameters:
    ///   - breaker: Records the request's outcome before another one is sent.
    ///   - isAhead: True if the request is held back once the breaker has opened before its turn at the host.
    ///   - observer: Receives the exchange.
    /// - Throws: `HTTPError`; of kind `cancelled` as soon as the task is cancelled, `heldBack` if it was not sent.
    /// - Isolation: returns to the caller's isolation. The request is on the wire, or waits for its turn at the host,
    ///   before the task is suspended if the caller is on the thread that drives the transfers.
    package func send(
        _ request: Request, breaker: CircuitBreaker? = nil, isAhead: Bool = false, observer: ExchangeObserver? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Response {
        let route = try Route(request)
        let loop = try start()
        let id = submissions.makeID()
        let outcome = await withTaskCancellationHandler {
            // Names the caller's isolation: otherwise the closure would go through the global pool and wake a thread.
            _ = isolation
            return await Reply.wait { reply in
                let submission = Submission(
                    id: id, request: request, route: route, breaker: breaker, observer: observer, isAhead: isAhead,
                    reply: reply)
                guard submissions.add(id) else { return submission.refuse() }
                loop.executor.perform { [submissions] in
                    if submissions.take(id) { loop.accept(submission) } else { submission.refuse() }
                }
            }
        } onCancel: {
            if !submissions.take(id) { loop.executor.perform { loop.cancel(id) } }
        }
        return try outcome.get()
    }

    private func start() throws(HTTPError) -> TransferLoop {
        try loop.withLock { loop throws(HTTPError) in
            if let loop { return loop }
            try CurlLibrary.load()
            guard let multi = ccurl_multi_init() else { throw HTTPError(.other(code: 27), "out of memory", code: 27) }
            // Without the pair of descriptors that this needs, each request would wait until a poll times out.
            guard ccurl_multi_wakeup(multi) == CURLM_OK else {
                ccurl_multi_cleanup(multi)
                throw HTTPError(.other(code: 27), "too few files can be opened at once: see `ulimit -n`", code: 27)
            }
            guard let executor = freeExecutor else {
                ccurl_multi_cleanup(multi)
                throw HTTPError(.other(code: EAGAIN), "the transfer thread could not be started: see `ulimit -u`")
            }
            let started = TransferLoop(on: executor, configuration: configuration, multi: multi)
            executor.perform { executor.source = started }
            loop = started
            return started
        }
    }

    /// An executor that is reserved for the client; nil if the system has no more threads.
    private var freeExecutor: ThreadExecutor? {
        if let executor = executor.withLock({ $0 }), executor.reserve() { return executor }
        let own = ThreadExecutor()
        return own?.reserve() == true ? own : nil
    }
}

/// A `send` on its way to the loop.
struct Submission: Sendable {
    let id: UInt64
    let request: Request
    let route: Route
    /// Records the request's outcome.
    let breaker: CircuitBreaker?
    /// Receives the exchange; nil for no observer.
    let observer: ExchangeObserver?
    /// True if the request is dropped once the breaker has opened before its turn.
    let isAhead: Bool
    let reply: Reply<Result<Response, HTTPError>>

    /// Answers that the request was cancelled before the loop had it.
    func refuse() { reply.resume(returning: .failure(route.refusal(.cancelled, "the request was cancelled"))) }
}

/// The numbers of the submissions that the loop does not have yet.
private final class Submissions: Sendable {
    private struct State {
        var lastID: UInt64 = 0
        var waiting: Set<UInt64> = []
    }

    private let state = Lock(State())

    /// A unique number.
    func makeID() -> UInt64 {
        state.withLock { state in
            state.lastID &+= 1
            return state.lastID
        }
    }

    /// Adds a submission; false if its task is cancelled.
    func add(_ id: UInt64) -> Bool {
        state.withLock { state in
            // Checked under the lock: if the task is cancelled later, its handler finds the number.
            guard !Task.isCancelled else { return false }
            state.waiting.insert(id)
            return true
        }
    }

    /// Takes a submission out, for the loop or to cancel it; false if it was taken before.
    func take(_ id: UInt64) -> Bool { state.withLock { $0.waiting.remove(id) != nil } }
}
