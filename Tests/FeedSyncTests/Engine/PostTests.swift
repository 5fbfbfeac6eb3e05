import HTTP
import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync
@testable import Upstream

@Suite("A feed of POSTs")
struct PostTests {
    private func bench(_ members: String, paging: String) async throws -> EngineBench {
        try await EngineBench(members: members, paging: "pagination: \(paging)")
    }

    private func bodies(_ bench: EngineBench) -> [String] {
        bench.server.requests.map { String(decoding: $0.body, as: UTF8.self) }
    }

    private func route(
        _ bench: EngineBench, _ answer: @escaping @Sendable (_ body: JSONValue, _ items: [String]) -> ServerResponse
    ) {
        let items = bench.upstream.items
        bench.server.route("/things") { request in
            guard request.method == "POST",
                let body = try? JSONValue(parsing: String(decoding: request.body, as: UTF8.self))
            else { return .status(405) }
            return answer(body, items)
        }
    }

    @Test("A body goes out as a form where the header says so, with the page's number in it")
    func form() async throws {
        let bench = try await bench(
            """
            method: POST
            headers: {Content-Type: "application/x-www-form-urlencoded; charset=UTF-8"}
            body: {q: "a b&ü", tags: [x, y], all: true, none: null}
            """, paging: "{style: page, param: page, size_param: size, size: 10, total: total_count}")
        let items = bench.upstream.items
        bench.server.route("/things") { request in
            let form = FormEncoding.parameters(in: String(decoding: request.body, as: UTF8.self)[...].utf8)
            let page = form.first { $0.name == "page" }.flatMap { Int($0.value) } ?? 1
            return .json(
                #"{"total_count":35,"items":[\#(items.dropFirst((page - 1) * 10).prefix(10).joined(separator: ","))]}"#)
        }
        #expect(try await bench.more(.allPages).isAtEnd)
        #expect(try bench.names == bench.upstreamNames(35))
        #expect(
            bodies(bench) == (1...4).map { "q=a+b%26%C3%BC&tags=x&tags=y&all=true&none=&size=10&page=\($0)" })
    }

    @Test("A feed of POSTs gets every page, the number in the body, and stores no validators")
    func pages() async throws {
        let bench = try await bench(
            "method: POST\nbody: {filter: {kind: [a, 1.10]}, first: true, none: null}",
            paging: "{style: page, param: paging.page, size_param: paging.size, size: 10, total: total}")
        route(bench) { body, items in
            let page = body["paging"]?["page"]?.int ?? 0
            return .json(
                #"{"total":35,"items":[\#(items.dropFirst((page - 1) * 10).prefix(10).joined(separator: ","))]}"#,
                headers: [(name: "ETag", value: "\"\(page)\"")])
        }
        #expect(try await bench.more(.allPages).isAtEnd)
        #expect(try bench.names == bench.upstreamNames(35))
        let expected = (1...4).map {
            #"{"filter":{"kind":["a",1.10]},"first":true,"none":null,"paging":{"size":10,"page":\#($0)}}"#
        }
        #expect(bodies(bench) == expected)
        #expect(
            bench.server.requests.allSatisfy { $0.query.isEmpty && $0.header("Content-Type") == "application/json" })
        #expect(
            try bench.query("SELECT request FROM _page ORDER BY id")
                == expected.map { "POST \(bench.server.url)/things \($0)" })
        #expect(try bench.query("SELECT DISTINCT etag FROM _page") == [""])

        #expect(try await bench.reload().outcome == .unchanged)
        #expect(bench.server.requests.last?.header("If-None-Match") == nil)
        #expect(grammarFault(try bench.log) == nil)
    }

    @Test(
        "A token is sent as the type of the body's value in its place, else as a string",
        arguments: [
            (
                "{q: x, variables: {after: null}}", #"{"q":"x","variables":{"after":null}}"#,
                #"{"q":"x","variables":{"after":"10"}}"#
            ),
            ("{variables: {after: 0}}", #"{"variables":{"after":0}}"#, #"{"variables":{"after":10}}"#),
            ("{variables: {after: '0'}}", #"{"variables":{"after":"0"}}"#, #"{"variables":{"after":"10"}}"#),
            ("{}", "{}", #"{"variables":{"after":"10"}}"#),
        ])
    func token(body: String, first: String, second: String) async throws {
        let bench = try await bench(
            "method: POST\nbody: \(body)", paging: "{style: cursor, param: variables.after, next: next}")
        bench.server.enqueue(
            "/things", [.json(#"{"next":10,"items":[{"id":1}]}"#), .json(#"{"items":[{"id":2}]}"#)])
        try await bench.more(.allPages)
        #expect(bodies(bench) == [first, second])
    }

    @Test(
        "A next URL is requested with the same method and body",
        arguments: ["{style: next_url, next: next}", "{style: link}"])
    func nextURL(paging: String) async throws {
        let bench = try await bench("method: POST\nbody: {q: x}\nquery: {v: 1}", paging: paging)
        bench.server.enqueue(
            "/things",
            [.json(#"{"next":"/more?p=2","items":[{"id":1}]}"#, headers: [("Link", "</more?p=2>; rel=next")])])
        bench.server.enqueue("/more", [.json(#"{"items":[{"id":2}]}"#)])
        try await bench.more(.allPages)
        #expect(bodies(bench) == [#"{"q":"x"}"#, #"{"q":"x"}"#])
        #expect(bench.server.requests.map(\.method) == ["POST", "POST"])
        #expect(try bench.feed("item_count, no_more_data") == "2|1")
    }

    @Test("A feed of POSTs whose tokens lead back is in a circle, reported with the URL alone")
    func loop() async throws {
        let bench = try await bench("method: POST\nbody: {q: x y}", paging: "{style: cursor, param: after, next: next}")
        bench.server.route("/things") { request in
            let body = String(decoding: request.body, as: UTF8.self)
            return .json(
                #"{"next":"\#(body.contains("one") ? "two" : "one")","items":[{"id":\#(body.contains("one"))}]}"#)
        }
        let error = try await bench.failure(.allPages)
        #expect(error.kind == .unfollowable)
        #expect(error.url == "\(bench.server.url)/things")
    }

    @Test("A POST is tried again, and accepts no 304")
    func retried() async throws {
        let bench = try await EngineBench(members: "method: POST", paging: "pagination: none", retries: 1)
        bench.server.enqueue("/things", [.status(304), .json(#"{"items":[{"id":1}]}"#)])
        #expect(try await bench.reload().figures.requests == 2)
        bench.server.enqueue("/things", [.status(304)])
        #expect(try await bench.failure(.reload).kind == .unreachable)
        #expect(Set(bodies(bench)) == ["{}"])
    }

    @Test("A POST is not redirected into a GET, which would request something else", arguments: [301, 302, 303])
    func redirected(status: Int) async throws {
        let bench = try await bench("method: POST\nbody: {q: x}", paging: "none")
        bench.server.enqueue("/things", [.status(status, headers: [("Location", "/other")])])
        let error = try await bench.failure(.reload)
        #expect(error.kind == .unfollowable)
        #expect(
            error.message
                == "a redirect (\(status)) leads to \(bench.server.url)/other, which would turn the POST into a GET of something else"
        )
        #expect(bench.server.requests(for: "/other").isEmpty)
        #expect(try bench.log == ["beginHeader", "endHeader!unfollowable"])
    }

    @Test("A POST is redirected unchanged by 307 and 308", arguments: [307, 308])
    func redirectedAsItIs(status: Int) async throws {
        let bench = try await bench("method: POST\nbody: {q: x}", paging: "none")
        bench.server.enqueue("/things", [.status(status, headers: [("Location", "/other")])])
        bench.server.enqueue("/other", [.json(#"{"items":[{"id":1}]}"#)])
        try await bench.reload()
        #expect(bodies(bench) == [#"{"q":"x"}"#, #"{"q":"x"}"#])
    }

    @Test(
        "A POST with a credential in its body goes to its own origin alone",
        arguments: ["body: {any: '${TOKEN}'}", "body: {password: 's3cr3t x'}", "body: {list: [{deep: 'a${TOKEN}b'}]}"])
    func secretBody(body: String) async throws {
        let other = try ScriptedServer()
        let bench = try await bench(
            "method: POST\n\(body)\nallow_origins: ['\(other.url)']", paging: "{style: next_url, next: next}")
        var options = EngineBench.options
        options.environment = ["TOKEN": "s3cr3t x"]
        let engine = try await bench.another(options: options)
        bench.server.enqueue("/things", [.status(307, headers: [("Location", "\(other.url)/taken")])])
        let redirected = try await bench.failure(.reload, engine)
        #expect(redirected.kind == .unfollowable)
        bench.server.enqueue(
            "/things", [.json(#"{"next":"\#(other.url)/more?s=1","items":[{"id":1}]}"#)])
        _ = try await engine.perform(.reload)
        let followed = try await bench.failure(.nextPage, engine)
        #expect(followed.kind == .unfollowable)
        #expect(followed.message.contains("the request's body holds a credential"))
        #expect(other.requests.isEmpty)
        #expect(bodies(bench).allSatisfy { $0.contains("s3cr3t x") })
        for table in ["_page", "feed", "event", "run", "_feed", "_crawl"] {
            let hasTable = try bench.query("SELECT 1 FROM sqlite_schema WHERE name = '\(table)'").isEmpty == false
            guard hasTable else { continue }
            #expect(try !bench.query("SELECT * FROM \(table)").joined().contains("s3cr3t"))
        }
        #expect(try bench.query("SELECT request FROM _page").allSatisfy { $0.contains("${secret:1}") })
    }

    @Test("A POST shows no credential of its body that the upstream echoes")
    func echoed() async throws {
        let bench = try await bench("method: POST\nbody: {api_key: 'h\"unter2'}", paging: "none")
        bench.server.route("/things") { request in
            let echo = JSONText.string("bad request: \(String(decoding: request.body, as: UTF8.self))")
            return .json(#"{"message":\#(echo)}"#, status: 400)
        }
        let error = try await bench.failure(.reload)
        #expect(error.kind == .rejected)
        #expect(!"\(error) \(error.json)".contains("unter2"))
    }
}

extension JSONValue {
    fileprivate subscript(_ name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// The whole number; nil for a string of digits.
    fileprivate var int: Int? { if case .number(let digits) = self { Int(digits) } else { nil } }
}
