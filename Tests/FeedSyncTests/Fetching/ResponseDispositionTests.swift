import HTTP
import Testing

@testable import Upstream

private func meaning(
    _ status: Int, _ headers: Headers = [:], body: String = "", isConditional: Bool = false,
    mayBeBeyondEnd: Bool = false, rules: String = "[]"
) throws -> ResponseDisposition {
    let url = try WebURL("https://example.com/")
    let response = Response(status: status, headers: headers, url: url, body: Body(Array(body.utf8)))
    let definition = try FetchBench.definition(url: url.text, "responses: \(rules)")
    return ResponseDisposition(
        of: response, isConditional: isConditional, mayBeBeyondEnd: mayBeBeyondEnd, rules: definition.responses)
}

@Suite("The meaning of a response") struct ResponseMeaningTests {
    @Test(
        "The status decides if no rule applies",
        arguments: [
            (200, .page(.content)), (201, .page(.content)), (202, .retry), (206, .page(.content)), (204, .page(.empty)),
            (205, .page(.empty)), (304, .unaskedNotModified), (300, .failure(.unfollowable)),
            (302, .failure(.unfollowable)), (400, .failure(.rejected)), (401, .failure(.refused)),
            (403, .failure(.refused)), (404, .failure(.rejected)), (410, .failure(.rejected)),
            (422, .failure(.rejected)), (408, .retry), (425, .retry), (429, .retry), (500, .retry), (503, .retry),
            (599, .retry), (600, .retry), (999, .retry), (101, .failure(.unreachable)),
        ] as [(Int, ResponseDisposition)])
    func table(status: Int, expected: ResponseDisposition) throws {
        #expect(try meaning(status) == expected)
    }

    @Test(
        "A computed page may be the end, unless a rule applies",
        arguments: [
            (400, "[]", .page(.beyondEnd(status: 400))), (404, "[]", .page(.beyondEnd(status: 404))),
            (416, "[]", .page(.beyondEnd(status: 416))), (422, "[]", .page(.beyondEnd(status: 422))),
            (401, "[]", .failure(.refused)), (403, "[]", .failure(.refused)), (409, "[]", .failure(.rejected)),
            (410, "[]", .failure(.rejected)), (429, "[]", .retry), (500, "[]", .retry), (204, "[]", .page(.empty)),
            (404, "[{status: 404, do: fail}]", .failure(.rejected)),
            (404, "[{status: 404, do: end}]", .page(.end(status: 404))),
        ] as [(Int, String, ResponseDisposition)])
    func beyondEnd(status: Int, rules: String, expected: ResponseDisposition) throws {
        #expect(try meaning(status, mayBeBeyondEnd: true, rules: rules) == expected)
    }

    @Test(
        "An error that may mean the end is a limit if it says that it was asked too often, unless a rule applies",
        arguments: [
            (400, #"{"error":"rate limit exceeded"}"#, "[]", .retry),
            (422, #"{"error":{"message":"Too many requests"}}"#, "[]", .retry),
            (404, "Request was throttled", "[]", .retry),
            (400, #"{"message":"no such page"}"#, "[]", .page(.beyondEnd(status: 400))),
            (400, "<html><title>Oops</title><p>quota</p>", "[]", .page(.beyondEnd(status: 400))),
            (410, "rate limit exceeded", "[]", .failure(.rejected)),
            (400, "rate limit exceeded", "[{status: 400, do: end}]", .page(.end(status: 400))),
        ] as [(Int, String, String, ResponseDisposition)])
    func tooOften(status: Int, body: String, rules: String, expected: ResponseDisposition) throws {
        #expect(try meaning(status, body: body, mayBeBeyondEnd: true, rules: rules) == expected)
        if expected == .retry { #expect(try meaning(status, body: body) == .retry) }
    }

    @Test("A 304 to a conditional request means an unchanged page")
    func notModified() throws {
        #expect(try meaning(304, isConditional: true) == .page(.notModified))
    }

    @Test("A 403 is temporary if it has a wait or a spent quota")
    func limited403() throws {
        #expect(try meaning(403, ["Retry-After": "9"]) == .retry)
        #expect(try meaning(403, ["X-RateLimit-Remaining": "0"]) == .retry)
        #expect(try meaning(403, ["X-RateLimit-Remaining": "7"]) == .failure(.refused))
    }

    @Test(
        "The first rule that applies decides",
        arguments: [
            ("[{status: 400, do: end}]", 400, "", .page(.end(status: 400))),
            ("[{status: 400, do: empty}]", 400, "", .page(.empty)),
            ("[{status: 404, do: retry}]", 404, "", .retry),
            ("[{status: 500, do: fail}]", 500, "", .failure(.unreachable)),
            ("[{status: 401, do: end}, {status: 401, do: fail}]", 401, "", .page(.end(status: 401))),
            ("[{status: 400, do: end}]", 404, "", .failure(.rejected)),
            ("[{body: {code: 7}, do: fail}]", 200, #"{"code":7}"#, .failure(.rejected)),
            ("[{body: {code: 7}, do: fail}]", 200, #"{"code":"7"}"#, .failure(.rejected)),
            ("[{body: {code: 7}, do: fail}]", 200, #"{"code":8}"#, .page(.content)),
            ("[{body: {code: 7}, do: fail}]", 200, "not JSON", .page(.content)),
            ("[{body: {error.id: gone}, do: end}]", 200, #"{"error":{"id":"gone"}}"#, .page(.end(status: 200))),
            ("[{body: {data: null}, do: empty}]", 200, #"{"data":null}"#, .page(.empty)),
            ("[{body: {data: null}, do: empty}]", 200, "{}", .page(.content)),
            ("[{body: {a: 1, b: 2}, do: end}]", 200, #"{"a":1,"b":3}"#, .page(.content)),
            ("[{status: 500, body: {a: 1}, do: end}]", 200, #"{"a":1}"#, .page(.content)),
        ] as [(String, Int, String, ResponseDisposition)])
    func rules(rules: String, status: Int, body: String, expected: ResponseDisposition) throws {
        #expect(try meaning(status, body: body, rules: rules) == expected)
    }
}
