import HTTP
import HTTPServer
import ScriptedServer
import Testing

@testable import Upstream

private func quotation(_ body: String, type: String = "application/json", secrets: [String] = []) throws -> String? {
    let url = try WebURL("https://example.com/")
    let response = Response(
        status: 500, headers: ["Content-Type": type], url: url, body: Body(Array(body.utf8)))
    return UpstreamText.quotation(of: response, secrets: Secrets(secrets))
}

@Suite("The message of a failed fetch") struct FetchMessageTests {
    @Test(
        "The message quotes the upstream's text",
        arguments: [
            (#"{"message":"Bad credentials","error":"x"}"#, "Bad credentials"),
            (#"{"error":"InvalidDepth","description":"Use a cursor instead"}"#, "Use a cursor instead"),
            (#"{"error":{"message":"No such thing"}}"#, "No such thing"), (#"{"error":"nope"}"#, "nope"),
            (#"{"detail":"a\n  b"}"#, "a b"), ("plain\u{1B}[31m words", #"plain\u{1b}[31m words"#),
            ("turn\u{202E}ed", #"turn\u{202e}ed"#), (#"{"message":""}"#, #"{"message":""}"#), (" \n", nil), ("", nil),
        ])
    func quotation(body: String, expected: String?) throws {
        #expect(try FeedSyncTests.quotation(body) == expected.map { "\"\($0)\"" })
    }

    @Test("The message quotes only the title of a page of HTML, or its heading without one")
    func html() throws {
        let page = "<html><title>\n Down for\n maintenance</title><h1>Oops</h1>"
        #expect(try FeedSyncTests.quotation(page, type: "text/html") == #""Down for maintenance""#)
        #expect(try FeedSyncTests.quotation("<h1>Oops</h1>", type: "text/HTML; charset=utf-8") == #""Oops""#)
        #expect(try FeedSyncTests.quotation("<p>Oops</p>", type: "text/html") == nil)
    }

    @Test(
        "The message quotes at most 200 characters, however they are escaped",
        arguments: ["a", "\u{1}", "ö", "e\u{301}"])
    func long(piece: String) throws {
        let text = try #require(try FeedSyncTests.quotation(String(repeating: piece, count: 5000), type: "text/plain"))
        #expect(text.unicodeScalars.count <= 202 && text.unicodeScalars.count > 190)
        #expect(text.hasSuffix("…\""))
    }

    @Test("The message shows no part of a secret that the quotation would have cut", arguments: 180...200)
    func cutSecret(start: Int) throws {
        let body = String(repeating: "x", count: start) + "hunter2hunter3"
        let text = try #require(try FeedSyncTests.quotation(body, type: "text/plain", secrets: ["hunter2hunter3"]))
        #expect(!text.contains("h"))
    }

    static let token = #"s3cr3t/tök en+1"#
    static let forms = [
        token, "s3cr3t%2Ft%C3%B6k%20en%2B1", "s3cr3t%2ft%c3%b6k+en%2b1", #"s3cr3t\/tök en+1"#,
        #"s3cr3t\u002ftök en\u002b1"#,
    ]

    @Test(
        "The message never holds a secret, nor does the stored data of the fetch",
        arguments: [
            "auth: {bearer: '${TOKEN}'}", "auth: {header: {X-Key: '${TOKEN}'}}", "auth: {query: {k: '${TOKEN}'}}",
            "auth: {basic: {user: '${TOKEN}', password: other}}", "headers: {X-Any: 'a ${TOKEN}'}",
            "query: {any: 'a ${TOKEN}'}",
        ], [200, 401, 404, 429, 500])
    func noSecret(members: String, status: Int) async throws {
        for form in Self.forms {
            let bench = try FetchBench(
                members + "\nresponses: [{status: 200, do: fail}]", retries: 1, path: "/${TOKEN}")
            bench.server.route("/" + Self.token) { _ in
                .json(
                    #"{"message":"no \#(form) here"}"#, status: status,
                    headers: [
                        ("X-RateLimit-Remaining", "0"), ("X-RateLimit-Resource", "r-s3cr3t%2Ft%C3%B6k%20en%2B1"),
                        ("Retry-After", "3600"),
                    ])
            }
            let page = try bench.plan(["TOKEN": Self.token]).page(for: nil)
            let failure = try await bench.failure(environment: ["TOKEN": Self.token])
            #expect(failure.httpStatus == status)
            let shown =
                "\(failure) \(failure.json) \(page.identity) \(page) \(page.quotaOrigin) "
                + "\(bench.events) \(page.request.credentials)"
            #expect(!shown.contains("s3cr3t"))
            #expect(shown.contains("***"))
        }
    }
}
