import Testing

@testable import HTTP

private let policy = RetryPolicy()
private let spent = RateLimit(remaining: 0, resetAfter: .seconds(20))

private func status(_ status: Int, after: Duration? = nil, _ rateLimit: RateLimit? = nil) -> RetryPolicy.Outcome {
    .status(status, retryAfter: after, rateLimit: rateLimit)
}

private func failure(_ kind: HTTPError.Kind) -> RetryPolicy.Outcome { .failure(HTTPError(kind, "failed")) }

@Suite("The retry policy") struct RetryPolicyTests {
    @Test(
        "The retry policy decides by its table",
        arguments: [
            (status(500), .retry(after: .milliseconds(250)), .giveUp),
            (status(501), .retry(after: .milliseconds(250)), .giveUp),
            (status(503, after: .seconds(3)), .retry(after: .seconds(3)), .giveUp),
            (status(503, after: .zero), .retry(after: .milliseconds(250)), .giveUp),
            (status(503, after: .seconds(-5)), .retry(after: .milliseconds(250)), .giveUp),
            (status(429, after: .zero), .retry(after: .milliseconds(250)), .limited(wait: .seconds(16))),
            (status(403, after: .zero), .retry(after: .milliseconds(250)), .limited(wait: .seconds(16))),
            (status(503, after: .seconds(31)), .limited(wait: .seconds(31)), .limited(wait: .seconds(31))),
            (status(408), .retry(after: .milliseconds(250)), .giveUp),
            (status(425), .retry(after: .milliseconds(250)), .giveUp),
            (status(429), .retry(after: .milliseconds(250)), .limited(wait: .seconds(16))),
            (status(429, after: .seconds(30)), .retry(after: .seconds(30)), .limited(wait: .seconds(30))),
            (status(429, spent), .retry(after: .seconds(20)), .limited(wait: .seconds(20))),
            (status(429, RateLimit(resetAfter: .seconds(9))), .retry(after: .seconds(9)), .limited(wait: .seconds(9))),
            (status(429, after: .seconds(2), spent), .retry(after: .seconds(20)), .limited(wait: .seconds(20))),
            (status(429, after: .seconds(100_000)), .limited(wait: .seconds(86_400)), .limited(wait: .seconds(86_400))),
            (status(403), .giveUp, .giveUp), (status(403, RateLimit(remaining: 3)), .giveUp, .giveUp),
            (status(403, spent), .retry(after: .seconds(20)), .limited(wait: .seconds(20))),
            (status(403, after: .seconds(60)), .limited(wait: .seconds(60)), .limited(wait: .seconds(60))),
            (
                status(500, RateLimit(remaining: 3, resetAfter: .seconds(20))), .retry(after: .milliseconds(250)),
                .giveUp
            ),
            (status(400), .giveUp, .giveUp), (status(401), .giveUp, .giveUp), (status(404), .giveUp, .giveUp),
            (status(200), .giveUp, .giveUp),
        ] as [(RetryPolicy.Outcome, RetryPolicy.Decision, RetryPolicy.Decision)])
    func decisions(outcome: RetryPolicy.Outcome, first: RetryPolicy.Decision, last: RetryPolicy.Decision) {
        #expect(policy.decision(for: outcome, attempt: 1, random: 0.5) == first)
        #expect(policy.decision(for: outcome, attempt: 6, random: 0.5) == last)
    }

    @Test(
        "Temporary failures are tried again",
        arguments: [
            .resolve, .connect, .handshake, .timeout, .stalled, .connectionLost, .truncated, .protocolError,
            .contentCoding,
        ]
            as [HTTPError.Kind])
    func retryable(kind: HTTPError.Kind) {
        #expect(policy.decision(for: failure(kind), attempt: 5, random: 0) == .retry(after: .zero))
        #expect(policy.decision(for: failure(kind), attempt: 6, random: 0) == .giveUp)
    }

    @Test(
        "Failures that will not change are given up",
        arguments: [
            .invalidURL, .unsupportedScheme, .invalidRequest, .tls, .tooLarge, .tooManyRedirects, .redirectLoop,
            .insecureRedirect, .cancelled, .other(code: 2),
        ] as [HTTPError.Kind])
    func notRetryable(kind: HTTPError.Kind) {
        #expect(policy.decision(for: failure(kind), attempt: 1, random: 0) == .giveUp)
    }

    @Test(
        "The back-off doubles up to its cap",
        arguments: [(1, 500), (2, 1000), (3, 2000), (6, 16_000), (7, 30_000), (64, 30_000), (Int.max, 30_000)])
    func backOff(attempt: Int, milliseconds: Int) {
        let patient = RetryPolicy(retries: .max)
        let half = policy.retries < attempt ? patient : policy
        #expect(
            half.decision(for: status(500), attempt: attempt, random: 0.5)
                == (attempt == .max
                    ? .retry(after: .milliseconds(15_000)) : .retry(after: .milliseconds(milliseconds / 2))))
        #expect(patient.decision(for: status(500), attempt: attempt, random: 0) == .retry(after: .zero))
    }

    @Test("The retry policy survives absurd numbers")
    func absurdFigures() {
        let endless = RetryPolicy(retries: .max, base: .seconds(Int64.max), cap: .seconds(Int64.max))
        #expect(endless.decision(for: status(500), attempt: 9, random: 0.5) == .retry(after: .seconds(43_200)))
        #expect(endless.decision(for: status(500), attempt: 9, random: .nan) == .retry(after: .zero))
        #expect(endless.decision(for: status(500), attempt: .min, random: 7) == .retry(after: .zero))
        let negative = RetryPolicy(retries: -1, base: .seconds(-1), cap: .seconds(-1), maxWait: .seconds(-1))
        #expect(negative.decision(for: status(500), attempt: 1, random: 0.5) == .giveUp)
    }

    @Test("The outcome for the retry policy is read from a response")
    func outcome() throws {
        let headers: Headers = ["Retry-After": "5", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1795000020"]
        let response = Response(status: 403, headers: headers, url: try WebURL("https://example.com/"))
        #expect(
            RetryPolicy.Outcome.response(response, now: 1_795_000_000) == status(403, after: .seconds(5), spent))
    }
}
