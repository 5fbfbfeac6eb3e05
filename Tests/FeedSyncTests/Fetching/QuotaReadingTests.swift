import HTTP
import Testing

@testable import Upstream

private let now: Int64 = 1_795_000_000

private func page(_ members: String = "auth: {bearer: hunter2}") throws -> PreparedPage {
    let definition = try FetchBench.definition(url: "https://api.example.com/things", members)
    return try RequestPlan(definition, environment: [:], folder: "", salt: "").page(for: nil)
}

@Suite("A quota reading") struct QuotaReadingTests {
    struct Case: Sendable {
        let status: Int
        let headers: Headers
        var remaining: Int64?
        var resetIn: Int64?
        var blockedFor: Int64?
        var resource = ""
    }

    @Test(
        "A quota reading has the time until which a host permits no request",
        arguments: [
            Case(
                status: 200, headers: ["X-RateLimit-Remaining": "9", "X-RateLimit-Reset": "1795000060"], remaining: 9,
                resetIn: 60),
            Case(
                status: 200, headers: ["RateLimit": "\"search\";r=3;t=5"], remaining: 3, resetIn: 5, resource: "search"),
            Case(
                status: 200, headers: ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1795000060"], remaining: 0,
                resetIn: 60, blockedFor: 60),
            Case(
                status: 200,
                headers: ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1794999990"], remaining: 0, resetIn: 0),
            Case(status: 304, headers: ["X-RateLimit-Remaining": "8"], remaining: 8),
            Case(
                status: 403,
                headers: [
                    "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1795000060", "X-RateLimit-Resource": "core",
                ],
                remaining: 0, resetIn: 60, blockedFor: 60, resource: "core"),
            Case(status: 403, headers: ["Retry-After": "30"], blockedFor: 30),
            Case(status: 429, headers: ["Retry-After": "30"], blockedFor: 30),
            Case(status: 429, headers: ["Retry-After": "1000000"], blockedFor: 86_400),
            Case(status: 429, headers: ["RateLimit-Reset": "7"], resetIn: 7, blockedFor: 7),
            Case(
                status: 429,
                headers: ["Retry-After": "30", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1795000060"],
                remaining: 0, resetIn: 60, blockedFor: 60),
            Case(status: 503, headers: ["Retry-After": "30"], blockedFor: 30),
            Case(
                status: 500, headers: ["X-RateLimit-Remaining": "9", "X-RateLimit-Reset": "1795000060"], remaining: 9,
                resetIn: 60),
        ])
    func blocked(expected: Case) throws {
        let url = try WebURL("https://api.example.com/things")
        let response = Response(status: expected.status, headers: expected.headers, url: url)
        let page = try page()
        let reading = try #require(QuotaReading(of: response, to: page, now: now))
        #expect(
            reading
                == QuotaReading(
                    origin: "https://api.example.com", credential: page.credentialFingerprint,
                    resource: expected.resource, remaining: expected.remaining,
                    resetAt: expected.resetIn.map { now + $0 }, blockedUntil: expected.blockedFor.map { now + $0 }))
    }

    @Test(
        "A response without a quota has no reading",
        arguments: [
            (200, [:]), (429, [:]), (503, [:]), (200, ["Retry-After": "30"]), (429, ["Retry-After": "soon"]),
            (429, ["Retry-After": "0"]),
        ] as [(Int, Headers)])
    func silent(status: Int, headers: Headers) throws {
        let url = try WebURL("https://api.example.com/things")
        let response = Response(status: status, headers: headers, url: url)
        #expect(QuotaReading(of: response, to: try page(), now: now) == nil)
    }

    @Test("A quota reading belongs to the origin that answered, without credentials if it is another one")
    func otherOrigin() throws {
        let url = try WebURL("https://cdn.example.com/things")
        let response = Response(status: 429, headers: ["Retry-After": "30"], url: url)
        let reading = try #require(QuotaReading(of: response, to: try page(), now: now))
        #expect(reading.origin == "https://cdn.example.com")
        #expect(reading.credential == 0)
    }

    @Test("A quota reading survives clocks at the end of time", arguments: [Int64.max, Int64.min, 0])
    func absurdClock(now: Int64) throws {
        let url = try WebURL("https://api.example.com/things")
        let response = Response(status: 429, headers: ["Retry-After": "9", "X-RateLimit-Reset": "9"], url: url)
        #expect(QuotaReading(of: response, to: try page(), now: now) != nil)
    }
}
