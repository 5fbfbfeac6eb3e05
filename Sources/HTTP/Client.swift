internal import CCurl
internal import Concurrency
internal import Glibc

/// The settings that all requests of one client share.
struct ClientConfiguration: Sendable {
    let userAgent: String
    let maximumPerHost: Int
    let caFile: String?
}

/// Sends requests over one pool of connections, driven by one thread of its own.
///
/// The thread starts with the first request and ends with the client. Proxies are taken from the environment as
/// curl does, except for this machine's own hosts, which are asked directly.
///
/// - Isolation: any task or thread.
public final class Client: Sendable {
    /// The requests that the client's users may still make; nil without a limit. Every sender takes from it first.
    public let budget: RequestBudget?
    private let configuration: ClientConfiguration
    private let inbox = Inbox()
    private let isStarted = Lock(false)

    /// A client that introduces itself as `userAgent` and has at most `maximumPerHost` requests under way at one
    /// origin; further ones wait in order.
    ///
    /// `caFile` is a PEM file of certificates to trust in place of the system's.
    public init(
        userAgent: String, maximumPerHost: Int = 1, caFile: String? = nil, budget: RequestBudget? = nil
    ) {
        self.budget = budget
        configuration = ClientConfiguration(
            userAgent: userAgent, maximumPerHost: max(maximumPerHost, 1), caFile: caFile)
    }

    deinit { inbox.close() }

    /// Makes one attempt, following redirects, and returns the response, whatever its status.
    ///
    /// A redirect obeys the same rules as the request: credentials only to their origin, never from https to http, at
    /// most `limits.redirects`, no circle.
    ///
    /// - Parameters:
    ///   - breaker: Records the request's outcome before another one is sent.
    ///   - isAhead: True if the request is held back once the breaker has opened before its turn at the host.
    ///   - observer: Receives the exchange.
    ///   - prepare: Prepares the response on the client's thread, while the caller may be busy; the result becomes
    ///     `Response.prepared`. The next request to the host has been sent by then; everything else waits for it.
    /// - Throws: `HTTPError`; of kind `cancelled` as soon as the task is cancelled, `heldBack` if it was not sent.
    /// - Isolation: returns to the caller's isolation; an actor with a thread of its own is woken once.
    public func send(
        _ request: Request, breaker: CircuitBreaker? = nil, isAhead: Bool = false, observer: ExchangeObserver? = nil,
        preparing prepare: (@Sendable (Response) -> (any Sendable)?)? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Response {
        let route = try Route(request)
        try start()
        let id = inbox.makeID()
        let outcome = await withTaskCancellationHandler {
            // Names the caller's isolation: otherwise the closure would go through the global pool and wake a thread.
            _ = isolation
            return await Reply.wait { reply in
                let submission = Submission(
                    id: id, request: request, route: route, prepare: prepare, breaker: breaker, observer: observer,
                    isAhead: isAhead, reply: reply)
                if !inbox.submit(submission) {
                    reply.resume(returning: .failure(route.refusal(.cancelled, "the request was cancelled")))
                }
            }
        } onCancel: {
            inbox.cancel(id)
        }
        return try outcome.get()
    }

    private func start() throws(HTTPError) {
        try isStarted.withLock { isStarted throws(HTTPError) in
            if isStarted { return }
            try CurlLibrary.load()
            guard let multi = ccurl_multi_init() else { throw HTTPError(.other(code: 27), "out of memory", code: 27) }
            // Without the pair of descriptors that this needs, each request would wait until a poll times out.
            guard ccurl_multi_wakeup(multi) == CURLM_OK else {
                ccurl_multi_cleanup(multi)
                throw HTTPError(.other(code: 27), "too few files can be opened at once: see `ulimit -n`", code: 27)
            }
            try LoopThread.start(inbox: inbox, configuration: configuration, multi: multi)
            isStarted = true
        }
    }
}
