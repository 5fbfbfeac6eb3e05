import HTTP
import Testing

@Suite struct FreshnessTests {
    @Test(
        "A response says how long it stays fresh",
        arguments: [
            ([], nil),
            ([("Cache-Control", "public, max-age=600")], 600),
            ([("Cache-Control", "max-age=600"), ("Age", "100")], 500),
            ([("Cache-Control", "max-age=600"), ("Age", "600")], nil),
            ([("Cache-Control", "max-age=600"), ("Age", "99999999999999999999")], nil),
            ([("Cache-Control", "no-cache, max-age=600")], nil),
            ([("Cache-Control", "max-age=600"), ("Cache-Control", "no-store")], nil),
            ([("Cache-Control", #"no-cache="Set-Cookie", max-age=600"#)], 600),
            ([("Expires", "0"), ("Date", "Sat, 21 Nov 2026 02:00:00 GMT")], nil),
            ([("Expires", "Sat, 21 Nov 2026 03:00:00 GMT"), ("Date", "Sat, 21 Nov 2026 02:00:00 GMT")], 3600),
            ([("Expires", "Sat, 21 Nov 2026 01:00:00 GMT"), ("Date", "Sat, 21 Nov 2026 02:00:00 GMT")], nil),
            ([("Expires", "Sat, 21 Nov 2026 03:00:00 GMT")], nil),
            (
                [
                    ("Cache-Control", "max-age=60"), ("Expires", "Sat, 21 Nov 2026 03:00:00 GMT"),
                    ("Date", "Sat, 21 Nov 2026 02:00:00 GMT"),
                ], 60
            ),
        ] as [([(String, String)], Int64?)])
    func freshness(_ fields: [(String, String)], _ seconds: Int64?) throws {
        var headers = Headers()
        for (name, value) in fields { headers.append(name: name, value: value) }
        let response = Response(status: 200, headers: headers, url: try WebURL("https://example.com/"))
        #expect(response.freshness == seconds.map { .seconds($0) })
    }

    @Test("A budget of requests is spent by as many requests, one of time by its end, and stays spent")
    func allowance() {
        let requests = RequestBudget(requests: 2)
        #expect([requests.take(), requests.take(), requests.take()] == [true, true, false])
        #expect(requests.spent == .requests)
        requests.giveBack()
        #expect(requests.spent == nil, "what was not made is there again")
        #expect(requests.take())
        #expect(!requests.take())
        let time = RequestBudget(requests: 2, time: .zero)
        #expect(!time.take())
        #expect(time.spent == .time)
        #expect(RequestBudget().take())
    }
}
