internal import Concurrency
package import HTTP

/// Fetches pages: attempt by attempt, until a response is worth going on with or nothing is left to try.
///
/// - Isolation: any; it keeps nothing between pages.
package struct Fetcher: Sendable {
    private let client: Client
    private var rules: [ResponseRule]
    private var policy: RetryPolicy
    private let clock: any Clock<Duration>
    private let random: @Sendable () -> Double
    private let now: @Sendable () -> Int64
    private var progress: @Sendable (FetchProgress) -> Void
    private let pacer: RequestPacer
    private let trace: TraceHandler?
    private var breaker: CircuitBreaker?
    /// The meter that counts the requests.
    package private(set) var meter: RequestMeter

    /// A fetcher for the pages of a feed.
    ///
    /// - Parameters:
    ///   - client: Sends the requests.
    ///   - rules: The definition's `responses`.
    ///   - policy: The rules for trying again, with the definition's `retries` and the command's `--max-wait`.
    ///   - clock: Waits.
    ///   - random: A number from 0 up to but not including 1, for the back-off.
    ///   - now: The time in seconds since 1970.
    ///   - meter: Counts the requests.
    ///   - progress: Receives activities that would otherwise look like a stall.
    ///   - pacer: The turns of requests with a rate limit.
    ///   - trace: Receives each request and response; nil for no trace.
    package init(
        client: Client, rules: [ResponseRule], policy: RetryPolicy,
        clock: any Clock<Duration> = ContinuousClock(),
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
        now: @escaping @Sendable () -> Int64, meter: RequestMeter = RequestMeter(),
        progress: @escaping @Sendable (FetchProgress) -> Void = { _ in },
        pacer: RequestPacer = RequestPacer(), trace: TraceHandler? = nil
    ) {
        self.client = client
        self.rules = rules
        self.policy = policy
        self.clock = clock
        self.random = random
        self.now = now
        self.meter = meter
        self.progress = progress
        self.pacer = pacer
        self.trace = trace
    }

    /// The time in seconds since 1970.
    var seconds: Int64 { now() }

    /// A fetcher that differs in its rules alone.
    package func with(rules: [ResponseRule]) -> Fetcher {
        var fetcher = self
        fetcher.rules = rules
        return fetcher
    }

    /// A fetcher that makes no request again.
    package func withoutRetries() -> Fetcher {
        var fetcher = self
        fetcher.policy.retries = 0
        return fetcher
    }

    /// The requests that may still be made; nil without a limit.
    package var requestsLeft: Int? { client.budget?.left }

    /// A fetcher that shuts the breaker when a response speaks against more requests.
    package func through(_ breaker: CircuitBreaker) -> Fetcher {
        var fetcher = self
        fetcher.breaker = breaker
        return fetcher
    }

    /// A fetcher with another meter for its requests.
    package func counting(in meter: RequestMeter) -> Fetcher {
        var fetcher = self
        fetcher.meter = meter
        return fetcher
    }

    /// Fetches a page, conditionally if there are validators and it is a GET.
    ///
    /// - Parameter isAhead: True for a prefetched page: the request is not sent if the breaker is shut by then.
    /// - Throws: `FeedSyncError`: `cancelled` as soon as the task is, `heldBack` for a request that was held back.
    package func fetch(
        _ page: PreparedPage, validators: Validators? = nil, isAhead: Bool = false
    ) async throws(FeedSyncError) -> FetchedPage {
        var report = FetchReport(page, meter: meter)
        var request = page.request
        var isConditional = false
        if let validators, !validators.isEmpty, page.mayBeConditional {
            request.headers.setConditions(validators)
            isConditional = true
        }
        let observer = trace.map { TraceMask(page).observer(telling: $0) }
        var hasAskedAgain = false
        var attempt = 1
        // The credentials that the host refused in this attempt.
        var refused: Set<Int64> = []
        while true {
            if let interval = page.interval { try await waitForTurn(interval, at: request.url.origin) }
            if page.isIndivisible, Task.isCancelled { throw .cancelled }
            guard client.budget?.take() ?? true else {
                throw FeedSyncError(.cancelled, "no further request was allowed")
            }
            let response: Response
            request.credentials = report.credentials(at: now())
            do throws(HTTPError) {
                response =
                    page.isIndivisible
                    ? try await sendUncancelled(request, observer)
                    : try await client.send(
                        request, breaker: breaker, isAhead: isAhead && attempt == 1, observer: observer)
            } catch {
                guard error.kind != .heldBack else {
                    client.budget?.giveBack()
                    report.endRequest()
                    throw .heldBack
                }
                report.addFailedRequest()
                guard case .retry(let wait) = decision(.failure(error), attempt) else {
                    throw report.failure(error, attempts: attempt)
                }
                try await pause(wait, isAskedFor: false, before: &attempt, because: error.message, report)
                continue
            }
            let now = now()
            report.add(response, now: now)
            let disposition = ResponseDisposition(
                of: response, isConditional: isConditional, mayBeBeyondEnd: page.mayBeBeyondEnd, rules: rules)
            switch disposition {
            case .page(let kind):
                return report.fetched(kind, response)
            case .failure(let kind):
                throw report.failure(kind, response, attempts: attempt)
            case .expired:
                var error = report.failure(ResponseDisposition.failure(response.status), response)
                error.isOfOldToken = true
                throw error
            case .unaskedNotModified:
                guard !hasAskedAgain else { throw report.failure(.unreachable, response) }
                hasAskedAgain = true
                request.headers.setConditions(nil)
                request.headers["Cache-Control"] = "no-cache"
            case .retry:
                var outcome = outcome(of: response, now: now)
                var decision = decision(outcome, attempt)
                if response.isRateLimited || ResponseDisposition.saysTooOften(response),
                    let choice = report.rest(after: response, for: outcome.requestedWait ?? decision.wait, now: now)
                {
                    if let credential = report.credential { refused.insert(credential.fingerprint) }
                    switch choice {
                    case .now(let index) where !refused.contains(page.quotaCredentials[index]):
                        trace?(.changingCredential(because: StatusText.text(response.status)))
                        continue
                    case .now: break
                    case .later(_, let end):
                        outcome = .status(429, retryAfter: .seconds(end - now), rateLimit: nil)
                        decision = self.decision(outcome, attempt)
                    }
                }
                switch decision {
                case .retry(let wait):
                    refused = []
                    try await pause(
                        wait, isAskedFor: outcome.requestedWait != nil, before: &attempt,
                        because: StatusText.text(response.status), report)
                case .limited(let wait):
                    throw report.limited(
                        response, wait: wait, isTooLong: wait > policy.maxWait, attempts: attempt, now: now)
                case .giveUp:
                    let kind =
                        ResponseDisposition.saysTooOften(response)
                        ? .limited : ResponseDisposition.failureAfterRetries(response.status)
                    throw report.failure(kind, response, attempts: attempt)
                }
            }
        }
    }

    /// Sends a request, and waits for the response even if the task is cancelled meanwhile.
    private func sendUncancelled(
        _ request: Request, _ observer: ExchangeObserver?
    ) async throws(HTTPError) -> Response {
        let sending = Task {
            await Result { () async throws(HTTPError) in try await client.send(request, observer: observer) }
        }
        return try await sending.value.get()
    }

    private func waitForTurn(_ interval: Duration, at origin: Origin) async throws(FeedSyncError) {
        let wait = pacer.wait(for: origin, interval: interval)
        guard wait > .zero else { return }
        trace?(.paced(wait))
        progress(.paced(for: wait))
        try await sleep(for: wait)
    }

    private func decision(_ outcome: RetryPolicy.Outcome, _ attempt: Int) -> RetryPolicy.Decision {
        policy.decision(for: outcome, attempt: attempt, random: random())
    }

    /// The outcome for the policy; a status that is tried again only by a rule counts as a 503, and one with the words
    /// of a 429 as that.
    private func outcome(of response: Response, now: Int64) -> RetryPolicy.Outcome {
        let outcome = RetryPolicy.Outcome.response(response, now: now)
        guard case .status(let status, let retryAfter, let rateLimit) = outcome else { return outcome }
        let isKnown = [408, 425, 429].contains(status) || (500..<600).contains(status) || response.isRateLimited
        if isKnown { return outcome }
        let isTooOften = ResponseDisposition.saysTooOften(response)
        return .status(isTooOften ? 429 : 503, retryAfter: retryAfter, rateLimit: rateLimit)
    }

    private func pause(
        _ wait: Duration, isAskedFor: Bool, before attempt: inout Int, because reason: String, _ report: FetchReport
    ) async throws(FeedSyncError) {
        attempt += 1
        // A rule may say so of a response that looks well.
        breaker?.shut()
        let reason = report.page.secrets.mask(reason)
        trace?(.retrying(attempt: attempt, wait: wait, isAskedFor: isAskedFor, because: reason))
        progress(.retry(attempt: attempt, because: reason))
        guard wait > .zero else { return }
        progress(.waiting(for: wait))
        try await sleep(for: wait)
    }

    /// - Throws: `FeedSyncError` of kind `cancelled`.
    func sleep(for wait: Duration) async throws(FeedSyncError) {
        do {
            try await clock.sleep(for: wait)
        } catch {
            throw FeedSyncError(.cancelled, "the request was cancelled")
        }
    }
}
