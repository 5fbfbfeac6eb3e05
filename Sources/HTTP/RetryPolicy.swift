internal import Platform

/// The rules for trying again after a failed attempt.
///
/// | outcome | within `retries` | after them |
/// | --- | --- | --- |
/// | connect, resolve, time-out, stall, lost connection, cut-short body, protocol error, broken coding | back-off | give up |
/// | any other transport error | give up | give up |
/// | 408, 425, 5xx | requested wait, else back-off | give up |
/// | 429, 403 rate-limited | requested wait, else back-off | limited |
/// | any of these four whose requested wait exceeds `maxWait` | limited | limited |
/// | any other status | give up | give up |
///
/// The requested wait is `Retry-After`, or the time until a spent quota is reset, whichever is longer. It is never cut
/// short, only limited to a day; a wait of zero, or until a past time, counts as none. The back-off is exponential with
/// full jitter: a random part of `base` doubled with each attempt, up to `cap`
/// (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
package struct RetryPolicy: Sendable, Hashable {
    /// The number of further attempts after the first.
    package var retries: Int
    /// The greatest back-off after the first attempt.
    package var base: Duration
    /// The greatest back-off after any attempt; a day at most.
    package var cap: Duration
    /// The longest requested wait that is accepted.
    package var maxWait: Duration

    /// 5 retries, back-offs of up to 0.5 s doubling to 30 s, and requested waits of up to 30 s.
    package init(
        retries: Int = 5, base: Duration = .milliseconds(500), cap: Duration = .seconds(30),
        maxWait: Duration = .seconds(30)
    ) {
        self.retries = retries
        self.base = base
        self.cap = cap
        self.maxWait = maxWait
    }

    /// The outcome of an attempt.
    package enum Outcome: Sendable, Hashable {
        /// An unwanted response, with the wait that it demands.
        case status(Int, retryAfter: Duration?, rateLimit: RateLimit?)
        /// No response.
        case failure(HTTPError)

        /// The outcome for `response`; `now` is in seconds since 1970.
        package static func response(_ response: Response, now: Int64) -> Outcome {
            .status(response.status, retryAfter: response.retryAfter(now: now), rateLimit: response.rateLimit(now: now))
        }
    }

    /// The next step.
    package enum Decision: Sendable, Hashable {
        /// Try again after that time.
        case retry(after: Duration)
        /// Report the outcome.
        case giveUp
        /// Report that the host asked us to wait for that time.
        case limited(wait: Duration)

        /// The wait before anything is requested again; zero if nothing says so.
        package var wait: Duration {
            switch self {
            case .retry(let wait), .limited(let wait): wait
            case .giveUp: .zero
            }
        }
    }

    /// Decides by the table above; `attempt` counts from 1, `random` is at least 0 and less than 1.
    package func decision(for outcome: Outcome, attempt: Int, random: Double) -> Decision {
        let isLastAttempt = attempt > retries
        switch outcome {
        case .failure(let error):
            return error.isRetryable && !isLastAttempt ? .retry(after: backOff(attempt, random)) : .giveUp
        case .status(let status, let retryAfter, let rateLimit):
            let isSpent = rateLimit?.isSpent == true
            let isLimit = status == 429 || (status == 403 && (isSpent || retryAfter != nil))
            guard isLimit || status == 408 || status == 425 || (500..<600).contains(status) else { return .giveUp }
            let requested = outcome.requestedWait
            if let requested, requested > maxWait { return .limited(wait: requested) }
            guard isLastAttempt else { return .retry(after: requested ?? backOff(attempt, random)) }
            return isLimit ? .limited(wait: requested ?? bound(attempt)) : .giveUp
        }
    }

    private func backOff(_ attempt: Int, _ random: Double) -> Duration {
        let part = random >= 0 && random <= 1 ? random : 0
        return .nanoseconds(Int64(Double(bound(attempt).nanoseconds) * part))
    }

    /// `base` doubled with each attempt but the first, limited to `cap` before anything is converted.
    private func bound(_ attempt: Int) -> Duration {
        let cap = min(max(cap, .zero), Self.day)
        var bound = min(max(base, .zero), cap)
        var doublings = max(attempt, 1) - 1
        while doublings > 0, bound > .zero, bound < cap {
            bound = min(bound + bound, cap)
            doublings -= 1
        }
        return bound
    }

    fileprivate static let day = Duration.seconds(RateLimit.longestWait)
}

extension RetryPolicy.Outcome {
    /// The wait that the host demands; nil if it demands none.
    package var requestedWait: Duration? {
        guard case .status(let status, let retryAfter, let rateLimit) = self else { return nil }
        // A quota with requests left says nothing about this failure; a 429 without a count does.
        let speaksOfQuota = rateLimit?.isSpent == true || (status == 429 && rateLimit?.remaining == nil)
        let reset = speaksOfQuota ? rateLimit?.resetAfter : nil
        return [retryAfter, reset].compactMap(\.self).max().flatMap { $0 > .zero ? min($0, RetryPolicy.day) : nil }
    }
}

extension Duration {
    /// Whole nanoseconds, for durations of up to a day, which fit easily.
    fileprivate var nanoseconds: Int64 {
        components.seconds &* 1_000_000_000 &+ components.attoseconds / 1_000_000_000
    }
}
