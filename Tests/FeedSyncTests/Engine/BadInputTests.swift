import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync

@Suite("Bad input says what is wrong and where, and leaves the store as the last good page left it")
struct BadInputTests {
    @Test(
        "A pagination parameter that the upstream ignores is named",
        arguments: [
            ("{style: page, param: p}", "`p`"), ("{style: offset}", "`offset`"),
            ("{style: cursor, param: after, next: next}", "`after`"),
            ("{style: keyset, param: since, from: id}", "`since`"),
            ("{style: keyset, param: [a, b], from: [id, name]}", "`a` and `b`"),
        ])
    func ignoredParameter(pagination: String, name: String) async throws {
        let bench = try await EngineBench(paging: "pagination: \(pagination)")
        let body = "{\"next\":\"t\",\"items\":[\(PagedFeed.items(1...10).joined(separator: ","))]}"
        bench.server.route("/things") { _ in .json(body) }
        let error = try await bench.failure(.allPages)
        #expect(error.kind == .unfollowable)
        #expect(error.message.contains("ignore"))
        #expect(error.message.contains(name))
        #expect(error.advice?.contains("`pagination`") == true)
        #expect(error.url?.hasPrefix("\(bench.server.url)/things?") == true)
        #expect(try bench.feed("item_count, status, no_more_data") == "10|endFooter|0")
        #expect(bench.server.requests.count < 4)
    }

    @Test(
        "An error that comes with status 200 is reported in the upstream's words, and is not a page without items",
        arguments: [
            #"{"error":{"code":190,"message":"Invalid token"}}"#,
            #"{"errors":[{"message":"Invalid token"}],"data":null}"#,
            #"{"errors":[{"message":"Invalid token"}],"items":[]}"#, #"{"success":false,"message":"Invalid token"}"#,
        ], ["", "{style: page}"])
    func errorWithSuccess(body: String, pagination: String) async throws {
        let bench = try await EngineBench(paging: pagination.isEmpty ? "" : "pagination: \(pagination)")
        bench.server.route("/things") { _ in .json(body) }
        let error = try await bench.failure(.reload)
        #expect(error.kind == .rejected && error.httpStatus == 200)
        #expect(error.message.hasPrefix(#"the upstream answered 200 OK, with an error in the body: "Invalid token""#))
        #expect(error.url == "\(bench.server.url)/things" || error.url?.hasSuffix("?page=1") == true)
    }

    @Test(
        "An error that comes with status 200 in place of a later page is not the end of the list",
        arguments: [
            #"{"code":429,"msg":"too many requests","items":[]}"#, #"{"retCode":10006,"retMsg":"no","items":[]}"#,
            #"{"Success":false,"items":null}"#, #"{"status":"failed","items":[]}"#,
            #"{"meta":{"code":429},"items":[]}"#,
            #"{"statusCode":503,"headers":{},"body":"upstream"}"#, #"{"Note":"Please ask 5 times a minute"}"#,
        ])
    func laterErrorWithSuccess(body: String) async throws {
        let bench = try await EngineBench(paging: "pagination: page")
        bench.upstream.fail(page: 3, with: .json(body))
        #expect(try await bench.failure(.allPages).kind == .rejected)
        #expect(try bench.feed("item_count, no_more_data") == "20|0")
    }

    @Test("A page of items that also has an error is stored")
    func partialError() async throws {
        let bench = try await EngineBench(paging: "pagination: none")
        bench.server.route("/things") { _ in
            .json(#"{"errors":[{"message":"one field failed"}],"items":[{"id":1,"name":"a"}]}"#)
        }
        try await bench.reload()
        #expect(try bench.names == ["a"])
    }

    @Test(
        "The same page again under another token is noticed at the second one",
        arguments: [
            "{style: cursor, param: c, next: next}", "{style: next_url, next: url}", "{style: cursor, next: object}",
        ])
    func samePage(pagination: String) async throws {
        let bench = try await EngineBench(paging: "pagination: \(pagination)")
        bench.server.route("/things") { request in
            let number = (Int(request.parameter("c") ?? "") ?? 0) + 1
            let items = PagedFeed.items(1...10).joined(separator: ",")
            let next = "\"next\":\(number),\"url\":\"?c=\(number)\",\"object\":{\"c\":\(number)}"
            return .json("{\(next),\"items\":[\(items)]}")
        }
        let error = try await bench.failure(.allPages)
        #expect(error.kind == .unfollowable)
        #expect(error.message.hasPrefix("the same page came twice in a row"))
        #expect(try bench.feed("item_count, status") == "10|endFooter")
    }

    @Test(
        "A wrong total loses nothing and is reported",
        arguments: ["page", "offset"], ["7", "10", "-5", "1e300", "\"many\"", "true", "{}", "[35]", "34.5"])
    func lyingTotal(style: String, total: String) async throws {
        let size = style == "page" ? "size_param: limit, size: 10" : "limit: 10"
        let paging = "pagination: {style: \(style), \(size), total: meta.total}"
        let bench = try await EngineBench(paging: paging)
        let items = bench.upstream.items
        bench.server.route("/things") { request in
            let page = request.parameter("page").flatMap { Int($0) }.map { ($0 - 1) * 10 }
            let start = page ?? request.parameter("offset").flatMap { Int($0) } ?? 0
            let slice = items.dropFirst(start).prefix(10).joined(separator: ",")
            return .json("{\"meta\":{\"total\":\(total)},\"items\":[\(slice)]}")
        }
        let crawl = try await bench.more(.allPages)
        #expect(try bench.names == bench.upstreamNames(35))
        #expect(crawl.reason == nil)
        #expect(crawl.notices.contains { $0.contains("`meta.total`") })
    }

    @Test(
        "A token that is a number goes back with the digits it came with",
        arguments: ["1.10", "1e3", "9223372036854775808", "0.10000000000000000555", "007x"])
    func numberToken(token: String) async throws {
        let written = token.hasSuffix("x") ? "\"\(token)\"" : token
        let bench = try await EngineBench(paging: "pagination: {style: cursor, param: c, next: meta.next}")
        bench.server.route("/things") { request in
            request.parameter("c") == nil
                ? .json("{\"meta\":{\"next\":\(written)},\"items\":[{\"id\":1,\"name\":\"a\"}]}")
                : .json(#"{"items":[{"id":2,"name":"b"}]}"#)
        }
        try await bench.reload()
        #expect(try bench.feed("next_page") == token)
        try await bench.more()
        #expect(bench.server.requests.last?.parameter("c") == token)
    }

    @Test("A token that cannot be sent is an error")
    func noToken() async throws {
        let bench = try await EngineBench(paging: "pagination: {style: cursor, param: c, next: meta.next}")
        bench.server.route("/things") { _ in .json("{\"meta\":{\"next\":true},\"items\":[{\"id\":1}]}") }
        let error = try await bench.failure(.reload)
        #expect(error.kind == .unfollowable)
        #expect(error.message == "`meta.next` is true, not a token that could be sent")
        #expect(error.url == "\(bench.server.url)/things")
        #expect(try bench.feed("item_count, status") == "0|endHeader")
    }

    @Test(
        "A Link header of 64 KB leads on, whatever is around the link",
        arguments: [
            (String(repeating: "<https://a.example/x>; rel=\"item\", ", count: 1900), ""),
            ("", ", " + String(repeating: "<https://a.example/x>; rel=\"item\", ", count: 1900)),
            ("", String(repeating: "; title=\"\(String(repeating: "x", count: 1000))\"", count: 60)),
            ("", ", <https://a.example/\(String(repeating: "x", count: 64_000))"),
            ("", ", \(String(repeating: ";,<\"", count: 16_000))"),
        ])
    func longLink(before: String, after: String) async throws {
        let bench = try await EngineBench(paging: "pagination: {style: link}")
        bench.server.route("/things") { request in
            let isFirst = request.parameter("n") == nil
            let body = "{\"items\":[{\"id\":\(isFirst ? 1 : 2)}]}"
            let link = isFirst ? "Link: \(before)<?n=2>; rel=next\(after)\r\n" : ""
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
            return ServerResponse(body: Array("\(head)\(link)\r\n\(body)".utf8), delivery: .verbatim)
        }
        try await bench.more(.allPages)
        #expect(try bench.feed("item_count, no_more_data") == "2|1")
    }

    @Test(
        "The error of an items path that leads elsewhere says what is there",
        arguments: [
            (#""text""#, "a string"), ("12", "a number"), ("true", "a boolean"), ("{}", "an object"),
            (#"{"a":1}"#, "an object"),
        ])
    func itemsPath(value: String, words: String) async throws {
        let columns = "items: data.list\nkey: id\ncolumns: {id: id, name: name}"
        let bench = try await EngineBench(paging: "pagination: page", columns: columns)
        let item = #"{"id":1,"name":"item 1"}"#
        bench.server.enqueue(
            "/things", [.json("{\"data\":{\"list\":[\(item)]}}"), .json("{\"data\":{\"list\":\(value)}}")])
        try await bench.reload()
        let error = try await bench.failure(.nextPage)
        #expect(error.kind == .undecodable)
        #expect(error.message.contains("`items: data.list` is \(words), not an array"))
        #expect(error.advice == "correct `items` in the feed's definition")
        #expect(error.url?.hasPrefix("\(bench.server.url)/things") == true)
        #expect(try bench.feed("item_count, next_page, no_more_data") == "1|2|0")
    }

    @Test("The error of an object of objects in place of an array says how to read it")
    func objectOfObjects() async throws {
        let columns = { (items: String) in "items: \(items)\nkey: id\ncolumns: {id: id, name: name}" }
        let bench = try await EngineBench(paging: "pagination: page", columns: columns("query.pages"))
        bench.server.enqueue("/things", [.json(#"{"query":{"pages":{"7":{"id":7},"8":{"id":8,"name":"b"}}}}"#)])
        let error = try await bench.failure(.reload)
        #expect(error.message.contains("`items: query.pages` is an object"))
        #expect(error.advice?.contains("`items: {path: query.pages, keyed_by: COLUMN}`") == true)
        let mended = try EngineBench.definition(
            "url: \(bench.server.url)/things\n\(columns("{path: query.pages, keyed_by: page_id}"))\npagination: none\nretries: 0"
        )
        _ = try await bench.another(mended).perform(.reload)
        #expect(try bench.query("SELECT id, page_id FROM things ORDER BY _position") == ["7|7", "8|8"])
    }

    @Test("Two columns that wish for one name get two, and two items of one key are one row with the later content")
    func collisions() async throws {
        let items = [#"{"id":1,"ID":"x","name":"a"}"#, #"{"id":2,"name":"b"}"#, #"{"id":1,"ID":"y","name":"c"}"#]
        let bench = try await EngineBench(
            items, paging: "pagination: none", columns: "items: items\nkey: id\ncolumns: {id: id, ID: ID, name: name}")
        let crawl = try await bench.reload()
        #expect(try bench.query("SELECT id, ID_2, name FROM things ORDER BY _position") == ["1|y|c", "2||b"])
        #expect(crawl.figures.items.inserted == 2)
        #expect(crawl.reason == .sameKey)
        #expect(try bench.feed("item_count, complete") == "2|0")
    }

    @Test(
        "A pagination that contradicts itself is refused at its place",
        arguments: [
            ("pagination: {style: none, pages: total}", "4:27: unknown member `pages`"),
            ("pagination: {style: link, next: n}", "4:27: unknown member `next`"),
            ("pagination: {style: page, param: p, param: q}", "`param`"),
            ("pagination: {style: page, size: 10}", "`size_param` and `size` go together"),
            ("pagination: {style: keyset, from: id}", "has no `param`"),
            ("pagination: {style: keyset, param: after}", "has no `from`"),
            ("pagination: {style: cursor, param: c}", "say what leads to the next page"),
            ("pagination: {style: cursor, header: X}", "`header` needs a `param`"),
            ("pagination: {style: next_url, next: a, header: b}", "cannot be used together"),
            ("pagination: {style: page, pages: a, header: b}", "cannot be used together"),
            ("pagination: {style: offset, limit_param: n}", "`limit_param` needs a `limit`"),
            ("pagination: {style: page, first: -1}", "4:34: `first`"),
            (
                "pagination: page\nquery: {page: 2}",
                "5:8: `query` of feed `x` has `page`, which its pagination sets; a first page is given as"
            ),
            (
                "pagination: {style: page, param: key}\nauth: {query: {key: s}}",
                "5:7: `auth` of feed `x` has `key`, which its pagination sets"
            ),
            (
                "pagination: offset\nquery: {offset: 9}",
                "which its pagination sets; leave it out: the first offset is 0; set another one with `pagination: {first: …}`"
            ),
            (
                "pagination: {style: cursor, param: c, next: n}\nquery: {c: 9}",
                "which its pagination sets; leave it out: the first page is requested without it"
            ),
            (
                "pagination: {style: keyset, param: [a, b], from: [t, id]}\nquery: {b: 9}",
                "has `b`, which its pagination sets; leave it out: the first page is requested without it"
            ),
        ])
    func contradiction(members: String, problem: String) {
        let yaml = "url: https://a.example\nkey: id\ncolumns: {id: id}\n\(members)\n"
        let error = #expect(throws: ConfigurationError.self) { try FeedDefinition.parse(name: "x", yaml: yaml) }
        #expect(error?.description.contains(problem) == true, "\(error.map(String.init(describing:)) ?? "no error")")
    }
}
