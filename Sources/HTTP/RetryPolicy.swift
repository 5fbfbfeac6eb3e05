internal import Glibc

/// Whether and when to try again after an attempt that failed.
///
/// | outcome | within `retries` | after them |
/// | --- | --- | --- |
/// | connect, resolve, time-out, stall, lost connection, cut-short body, protocol error | back-off | give up |
/// | any other transport error | give up | give up |
/// | 408, 425, 5xx | told wait, else back-off | give up |
/// | 429, 403 rate-limited | told wait, else back-off | limited |
/// | any of these four whose told wait exceeds `maxWait` | limited | limited |
/// | any other status | give up | give up |
///
/// The told wait is `Retry-After`, or the time until a spent quota is reset, whichever is longer; it is never cut
/// short, only held to a day; one of no time at all, or to a time that has passed, counts as none. The back-off is full-jitter exponential: a random part of `base` doubled with each
/// attempt, up to `cap` (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
public struct RetryPolicy: Sendable, Hashable {
    /// How often to try again after the first attempt.
    public var retries: Int
    /// The greatest back-off after the first attempt.
    public var base: Duration
    /// The greatest back-off after any attempt; a day at most.
    public var cap: Duration
    /// The longest told wait that is waited for.
    public var maxWait: Duration

    /// A policy of 5 retries, back-offs of up to 0.5 s doubling to 30 s, and told waits of up to 30 s.
    public init(
        retries: Int = 5, base: Duration = .milliseconds(500), cap: Duration = .seconds(30),
        maxWait: Duration = .seconds(30)
    ) {
        self.retries = retries
        self.base = base
        self.cap = cap
        self.maxWait = maxWait
    }

    /// What an attempt came to.
    public enum Outcome: Sendable, Hashable {
        /// A response that is not wanted, with what it said about waiting.
        case status(Int, retryAfter: Duration?, rateLimit: RateLimit?)
        /// No response.
        case failure(HTTPError)

        /// What `response` came to; `now` is in seconds since 1970.
        public static func response(_ response: Response, now: Int64) -> Outcome {
            .status(response.status, retryAfter: response.retryAfter(now: now), rateLimit: response.rateLimit(now: now))
        }
    }

    /// What to do next.
    public enum Decision: Sendable, Hashable {
        /// Try again when that time has passed.
        case retry(after: Duration)
        /// Report the outcome.
        case giveUp
        /// Report that the host wants no request for that time.
        case limited(wait: Duration)
    }

    /// Decides by the table above; `attempt` counts from 1, `random` is from 0 up to but not including 1.
    public func decision(for outcome: Outcome, attempt: Int, random: Double) -> Decision {
        let isLastAttempt = attempt > retries
        switch outcome {
        case .failure(let error):
            return error.isRetryable && !isLastAttempt ? .retry(after: backOff(attempt, random)) : .giveUp
        case .status(let status, let retryAfter, let rateLimit):
            let isSpent = rateLimit?.isSpent == true
            let isLimit = status == 429 || (status == 403 && (isSpent || retryAfter != nil))
            guard isLimit || status == 408 || status == 425 || (500..<600).contains(status) else { return .giveUp }
            // A quota with requests left says nothing about this failure; a 429 without a count does.
            let speaksOfQuota = isSpent || (status == 429 && rateLimit?.remaining == nil)
            let reset = speaksOfQuota ? rateLimit?.resetAfter : nil
            let told = [retryAfter, reset].compactMap(\.self).max().flatMap { $0 > .zero ? min($0, Self.day) : nil }
            if let told, told > maxWait { return .limited(wait: told) }
            guard isLastAttempt else { return .retry(after: told ?? backOff(attempt, random)) }
            return isLimit ? .limited(wait: told ?? bound(attempt)) : .giveUp
        }
    }

    private func backOff(_ attempt: Int, _ random: Double) -> Duration {
        let part = random >= 0 && random <= 1 ? random : 0
        return .nanoseconds(Int64(Double(bound(attempt).nanoseconds) * part))
    }

    /// `base` doubled with each attempt but the first, held to `cap` before anything is converted.
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

    private static let day = Duration.seconds(RateLimit.longestWait)
}

extension Duration {
    /// Whole nanoseconds; only for durations of up to a day, which fit by far.
    fileprivate var nanoseconds: Int64 {
        components.seconds &* 1_000_000_000 &+ components.attoseconds / 1_000_000_000
    }
}
