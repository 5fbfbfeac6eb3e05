import Testing
import Text

@testable import HTTP

private let now: Int64 = 1_795_000_000

private func response(_ status: Int = 200, _ headers: Headers) throws -> Response {
    Response(status: status, headers: headers, url: try WebURL("https://example.com/"))
}

// Outside of the macro, in which literals lose their type.
private let quotas: [(Headers, RateLimit)] = [
    (
        [
            "X-RateLimit-Limit": "60", "x-ratelimit-remaining": "0", "X-RateLimit-Reset": "1795000090",
            "X-RateLimit-Resource": "search",
        ],
        RateLimit(limit: 60, remaining: 0, resetAfter: .seconds(90), resource: "search")
    ),
    (["X-RateLimit-Reset": "1795000090000"], RateLimit(resetAfter: .seconds(90))),
    (["X-RateLimit-Reset": "1700000000"], RateLimit(resetAfter: .zero)),
    (["X-RateLimit-Reset": "30"], RateLimit(resetAfter: .seconds(30))),
    (["X-RateLimit-Reset": "9999999999"], RateLimit(resetAfter: .seconds(86_400))),
    // Mastodon's, Okta's and X's.
    (
        ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "2026-11-18T11:08:10.123456Z"],
        RateLimit(remaining: 0, resetAfter: .seconds(90))
    ),
    (["X-RateLimit-Reset": "2023-08-17T08:42:22+00:00"], RateLimit(resetAfter: .zero)),
    (
        ["X-Rate-Limit-Limit": "60", "X-Rate-Limit-Remaining": "0", "X-Rate-Limit-Reset": "1795000090"],
        RateLimit(limit: 60, remaining: 0, resetAfter: .seconds(90))
    ),
    (
        ["RateLimit-Limit": "100, 100;w=60", "RateLimit-Remaining": "5", "RateLimit-Reset": "7"],
        RateLimit(limit: 100, remaining: 5, resetAfter: .seconds(7))
    ),
    (
        ["RateLimit": "limit=100, remaining=50, reset=5"],
        RateLimit(limit: 100, remaining: 50, resetAfter: .seconds(5))
    ),
    (
        ["RateLimit": #""hour";r=900;t=1800, "minute";r=0;t=9"#],
        RateLimit(remaining: 0, resetAfter: .seconds(9), resource: "minute")
    ),
]

private let refusals: [(Int, Headers, Bool)] = [
    (429, [:], true), (403, [:], false), (403, ["X-RateLimit-Remaining": "0"], true),
    (403, ["X-RateLimit-Remaining": "1"], false), (403, ["Retry-After": "60"], true),
    (503, ["Retry-After": "60"], false), (200, ["X-RateLimit-Remaining": "0"], false),
]

private let noQuotas: [Headers] = [
    [:], ["X-RateLimit-Remaining": "many"], ["RateLimit": ";;==,"], ["RateLimit-Reset": "-1"],
]

@Suite("A response") struct ResponseTests {
    @Test(
        "A response has the wait of its Retry-After",
        arguments: [
            ("0", 0), ("120", 120), ("1.5", 2), ("2.0", 2), ("86401", 86_400), ("999999999999999999999999", 86_400),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 0), ("Wed, 18 Nov 2026 11:07:40 GMT", 60),
            ("Wednesday, 18-Nov-26 11:07:40 GMT", 60), ("Wed Nov 18 11:07:40 2026", 60),
            ("Fri, 31 Dec 2199 23:59:59 GMT", 86_400),
        ])
    func retryAfter(value: String, seconds: Int) throws {
        #expect(try response(503, ["Retry-After": value]).retryAfter(now: now) == .seconds(seconds))
    }

    @Test(
        "A Retry-After without a meaning is ignored", arguments: ["", "-5", "soon", "5 minutes", "1e3", "0x10", "1.x"])
    func noRetryAfter(value: String) throws {
        #expect(try response(503, ["Retry-After": value]).retryAfter(now: now) == nil)
    }

    @Test("A response has the quota in any of the hosts' notations", arguments: quotas)
    func rateLimit(headers: Headers, expected: RateLimit) throws {
        #expect(try response(200, headers).rateLimit(now: now) == expected)
    }

    @Test(
        "A response without a usable quota has none",
        arguments: noQuotas)
    func noRateLimit(headers: Headers) throws {
        #expect(try response(200, headers).rateLimit(now: now) == nil)
    }

    @Test(
        "A 429, or a 403 with a quota, is rate-limited", arguments: refusals)
    func isRateLimited(status: Int, headers: Headers, expected: Bool) throws {
        #expect(try response(status, headers).isRateLimited == expected)
    }

    @Test("A response gives its validators byte for byte")
    func validators() throws {
        let date = "Wed, 18 Nov 2026 11:07:40 GMT"
        let plain = try response(200, ["ETag": #"W/"a \"b"#, "last-modified": date])
        #expect(plain.etag == #"W/"a \"b"#)
        #expect(plain.lastModified == date)
        let unusable = try response(200, ["ETag": "\"\u{FFFD}\"", "Last-Modified": ""])
        #expect(unusable.etag == nil)
        #expect(unusable.lastModified == nil)
    }

    @Test(
        "A response has the time for which it stays fresh",
        arguments: [
            ("max-age=60", 60), ("public, MAX-AGE=5, must-revalidate", 5), (#"max-age="7""#, 7), ("no-store", nil),
            ("max-age=-1", nil), ("s-maxage=9", nil), ("max-age=99999999999999999999", 31_536_000),
        ] as [(String, Int?)])
    func cacheMaxAge(value: String, seconds: Int?) throws {
        #expect(try response(200, ["Cache-Control": value]).cacheMaxAge == seconds.map { .seconds($0) })
    }

    @Test("A response answers the other small questions")
    func smallQuestions() throws {
        let plain = try response(
            304,
            [
                "Content-Type": "Application/JSON; charset=utf-8", "X-Poll-Interval": "60",
                "Date": "Wed, 18 Nov 2026 11:06:40 GMT",
            ])
        #expect(plain.contentType == "application/json")
        #expect(plain.pollInterval == .seconds(60))
        #expect(plain.date == now)
        #expect(!plain.isModified)
        #expect(!plain.isSuccess)
        #expect(try response(204, [:]).isSuccess)
        #expect(try response(200, ["Date": "20261118"]).date == nil)
    }
}

@Suite("Header fields") struct HeadersTests {
    @Test("Header fields are found in any case, and several of one name are kept in order")
    func lookup() {
        var headers: Headers = ["Link": "<a>", "X-Other": "1", "link": "<b>"]
        #expect(headers["LINK"] == "<a>")
        #expect(headers.values(of: "Link") == ["<a>", "<b>"])
        #expect(headers.joined("link") == "<a>, <b>")
        headers["lInK"] = "<c>"
        #expect(headers.fields.map(\.value) == ["<c>", "1"])
        headers["Link"] = nil
        headers.append(name: "X-Other", value: "2")
        #expect(headers.fields.map(\.value) == ["1", "2"])
        #expect(headers["X_Other"] == nil)
        #expect(headers["Other"] == nil)
    }
}
