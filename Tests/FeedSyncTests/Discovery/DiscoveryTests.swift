import HTTPServer
import ScriptedServer
import Testing

@testable import Upstream

/// An upstream's answer by the request's parameters.
private typealias Upstream = @Sendable (ServerRequest) -> ServerResponse

private func number(_ request: ServerRequest, _ name: String) -> Int? {
    request.parameter(name).flatMap { Int($0) }
}

private func page(_ start: Int, _ members: String = "", headers: [(name: String, value: String)] = [])
    -> ServerResponse
{
    .json(#"{\#(members)"items":[\#(DiscoveryBench.items(start))]}"#, headers: headers)
}

private func pages(from first: Int, by name: String = "page", _ members: String = "") -> Upstream {
    { request in page(((number(request, name) ?? first) - first) * 10, members) }
}

private let upstreams: [(String, String, [String], Upstream)] = [
    (
        "{style: page, param: page, first: 1}", "/things", ["", "page=2", "page=1", "per_page=100&page=1"],
        pages(from: 1)
    ),
    (
        "{style: page, param: page, first: 0}", "/things",
        ["", "page=2", "page=1", "page=0", "per_page=100&page=0"],
        pages(from: 0)
    ),
    (
        "{style: page, param: page, total: total, first: 0}", "/things", ["", "page=1", "per_page=100&page=0"],
        pages(from: 0, #""page":0,"total":35,"#)
    ),
    ("{style: page, param: p, first: 1}", "/things?p=1", ["p=1", "p=2"], pages(from: 1, by: "p")),
    (
        "{style: page, param: page, pages: pageCount, first: 0}", "/things",
        ["", "page=2", "page=1", "page=0", "per_page=100&page=0"], pages(from: 0, #""pageCount":4,"#)
    ),
    (
        "{style: offset, param: offset, total: total}", "/things", ["", "offset=9", "limit=100&offset=0"],
        { page(number($0, "offset") ?? 0, #""offset":0,"total":35,"#) }
    ),
    (
        "{style: offset, param: offset, first: 10, total: count}", "/things?limit=10&offset=10",
        ["limit=10&offset=10", "limit=10&offset=19"],
        { page(number($0, "offset") ?? 0, #""count":35,"#) }
    ),
    (
        "{style: page, param: p, total: total, first: 1}", "/things", ["", "page=2", "offset=9", "p=2", "p=1"],
        pages(from: 1, by: "p", #""total":35,"#)
    ),
    (
        #"{style: page, param: "pagination[page]", total: pagination.total, pages: pagination.pageCount, first: 1}"#,
        "/things",
        [
            "", "page=2", "pagination[page]=2", "pagination[page]=1",
            "pagination[pageSize]=100&pagination[page]=1",
        ],
        pages(
            from: 1, by: "pagination[page]",
            #""pagination":{"page":1,"pageSize":10,"pageCount":4,"total":35},"#)
    ),
    (
        "{style: page, param: page, header: X-WP-TotalPages, first: 1}", "/things",
        ["", "page=2", "page=1", "per_page=100&page=1"],
        { page(((number($0, "page") ?? 1) - 1) * 10, headers: [("X-WP-TotalPages", "4")]) }
    ),
    (
        "{style: offset, param: start, total: total}", "/things",
        ["", "page=2", "offset=9", "p=2", "from=9", "start=9", "limit=100&start=0"],
        { request in
            let unknown = request.query.map(\.name).filter { !["start", "rows"].contains($0) }
            guard unknown.isEmpty else {
                return .json(
                    #"{"error":{"message":"Invalid search parameters: [\#(unknown[0])]"}}"#, status: 400)
            }
            return page(number(request, "start") ?? 0, #""total":35,"#)
        }
    ),
    (
        "{style: cursor, param: from, next: next_token, total: total}", "/things",
        ["", "next_token=c10", "from=c10", "size=100"],
        { request in
            let start = Int(request.parameter("from")?.dropFirst() ?? "") ?? 0
            return page(start, #""next_token":"c\#(start + 10)","total":35,"#)
        }
    ),
    (
        "{style: offset, param: offset}", "/things", ["", "page=2", "offset=9", "limit=100&offset=0"],
        { page(number($0, "offset") ?? 0) }
    ),
    (
        "{style: keyset, param: since_id, from: id}", "/things",
        [
            "", "page=2", "offset=9", "after=10", "before=10", "starting_after=10", "max_id=10", "since_id=10", "",
        ],
        { page(number($0, "since_id") ?? 0) }
    ),
    (
        "{style: cursor, param: cursor, next: next_cursor}", "/things", ["", "cursor=c10", "limit=100"],
        { request in
            let start = Int(request.parameter("cursor")?.dropFirst() ?? "") ?? 0
            return page(start, #""next_cursor":"c\#(start + 10)","#)
        }
    ),
    (
        "{style: next_url, next: next}", "/things", ["", "start=10"],
        { request in
            let start = number(request, "start") ?? 0
            return page(start, #""next":"?start=\#(start + 10)","#)
        }
    ),
    (
        "{style: link}", "/things", ["", "start=10", "per_page=100"],
        { request in
            let start = number(request, "start") ?? 0
            return page(start, headers: [("Link", "</things?start=\(start + 10)>; rel=\"next\"")])
        }
    ),
    (
        "{style: cursor, next: continue}", "/things", ["", "from=10"],
        { request in
            let start = number(request, "from") ?? 0
            return page(start, #""continue":{"from":\#(start + 10)},"#)
        }
    ),
]

@Suite("Discovery")
struct DiscoveryTests {
    @Test("Discovery finds every style and sees a second page", arguments: upstreams.indices)
    func styles(index: Int) async throws {
        let (style, path, requests, upstream) = upstreams[index]
        let bench = try DiscoveryBench()
        bench.server.route("/things", upstream)
        let found = try await bench.discover(path: path)
        #expect(found.findings.pagination == style, "\(String(describing: found.paginationEvidence))")
        #expect(bench.queries == requests)
        #expect(found.cost.requestCount == requests.count && found.cost.byteCount > 0 && found.pages == 2)
        #expect(found.definition.isResolved && !found.definition.hasOpenPagination)
        #expect(found.findings.items?.description == "items" && found.findings.key == ["id"])
        #expect(found.findings.columns.map(\.name) == ["id", "name"] && found.itemCount == 10)
        #expect(found.paginationEvidence?.certainty == .certain && found.paginationEvidence?.found == style)
    }

    @Test("Discovery finds the pagination of Elasticsearch")
    func elasticsearch() async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/index/_search") { request in
            let items = DiscoveryBench.items(number(request, "from") ?? 0)
            return .json(#"{"took":1,"hits":{"total":{"value":35,"relation":"eq"},"hits":[\#(items)]}}"#)
        }
        let found = try await bench.discover(path: "/index/_search")
        #expect(found.findings.pagination == "{style: offset, param: from, total: hits.total.value}")
        #expect(bench.queries == ["", "from=9", "size=100&from=0"])
    }

    /// Items in pages as large as requested, up to `most`.
    private static func sized(by name: String, upTo most: Int, usual: Int = 10, of total: Int = 2_500) -> Upstream {
        { request in
            let start = number(request, "offset") ?? 0
            let size = min(number(request, name) ?? usual, most)
            return .json("[\(DiscoveryBench.items(start, size, of: total))]")
        }
    }

    @Test(
        "Discovery writes the largest page that the upstream honours",
        arguments: [
            ("limit", 10, 10, 2_500, ""), ("limit", 50, 10, 2_500, ", limit: 50"),
            ("limit", 100, 10, 2_500, ", limit: 100"), ("limit", 250, 10, 2_500, ", limit: 250"),
            ("limit", 5_000, 10, 2_500, ", limit: 1000"), ("limit", 5_000, 10, 57, ", limit: 100"),
            ("limit", 5_000, 10, 133, ", limit: 1000"), ("other", 100, 10, 2_500, ""),
        ] as [(String, Int, Int, Int, String)])
    func largestPage(parameter: String, most: Int, usual: Int, total: Int, written: String) async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things", Self.sized(by: parameter, upTo: most, usual: usual, of: total))
        let found = try await bench.discover()
        #expect(found.findings.pagination == "{style: offset, param: offset\(written)}")
        #expect(found.cost.requestCount <= 6)
    }

    @Test("Discovery does not change a page size that the request has", arguments: ["limit=10", "count=10"])
    func givenSize(query: String) async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things", Self.sized(by: "limit", upTo: 100))
        let found = try await bench.discover(path: "/things?\(query)")
        #expect(found.findings.pagination == "{style: offset, param: offset}")
    }

    @Test("Discovery gives up on a server that ignores all parameters, after few requests")
    func ignored() async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { _ in page(0) }
        let found = try await bench.discover()
        #expect(found.findings.pagination == nil && found.findings.triedElementCount != nil && found.pages == 1)
        #expect(found.cost.requestCount == 1 + Discovery.mostTrials)
        #expect(found.paginationEvidence?.certainty == .nothing)
        #expect(found.paginationEvidence?.text.contains("the first page came again") == true)
        #expect(found.definition.isResolved && found.definition.hasOpenPagination)
    }

    @Test("Discovery sends no request twice, though signs and guesses suggest the same parameter")
    func once() async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { _ in page(0, #""page":1,"total":35,"offset":0,"#) }
        _ = try await bench.discover()
        #expect(Set(bench.queries).count == bench.queries.count, "\(bench.queries)")
    }

    @Test("Discovery does not take a page that overlaps the first for the second one")
    func overlap() async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { page((number($0, "page") ?? 1) - 1) }
        let found = try await bench.discover()
        #expect(found.findings.pagination == nil && found.findings.triedElementCount != nil)
    }

    @Test("Discovery does not take an offset that counts pages, or skips items, for one that counts items")
    func gap() async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { page((number($0, "offset") ?? 0) * 2) }
        #expect(try await bench.discover().findings.pagination == nil)
    }

    @Test("Discovery finds the offset of a list whose pages are each turned round")
    func turnedPages() async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { request in
            let start = Int(request.parameter("offset") ?? "0") ?? 0
            let page = PagedFeed.items(1...35).dropFirst(start).prefix(Int(request.parameter("limit") ?? "") ?? 10)
            return .json(#"{"things":[\#(page.reversed().joined(separator: ","))],"meta":{"total":\#(page.count)}}"#)
        }
        let found = try await bench.discover(path: "/things?limit=10")
        #expect(found.findings.pagination == "{style: offset, param: offset}")
    }

    @Test("Discovery requests whole pages if an offset inside one is refused")
    func wholePages() async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { request in
            let start = number(request, "offset") ?? 0
            return start % 10 == 0 ? page(start, #""offset":0,"total":35,"#) : .status(400)
        }
        let found = try await bench.discover()
        #expect(found.findings.pagination == "{style: offset, param: offset, total: total}")
        #expect(bench.queries == ["", "offset=9", "offset=10", "limit=100&offset=0"])
    }

    @Test("Discovery takes a refusal of a parameter for an answer", arguments: [400, 404, 422])
    func rejected(status: Int) async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { request in
            if request.query.isEmpty || request.parameter("offset") != nil {
                return page(number(request, "offset") ?? 0)
            }
            return .json(#"{"message":"unknown parameter"}"#, status: status)
        }
        #expect(try await bench.discover().findings.pagination == "{style: offset, param: offset}")
    }

    @Test(
        "A refusal calls a parameter unknown by words about it, and not about its value",
        arguments: [
            ("Received unknown parameter: page", true), ("Invalid search parameters: [page]", true),
            ("Unrecognized arguments [page]", true), ("The input field page was not expected.", true),
            ("`page` is not allowed", true), ("No such column: page", true), ("unknown parameter", false),
            ("The page number requested is larger than the number of pages available.", false),
            ("Unknown value of page", false), ("Invalid parameter: page", false), ("unknown parameter per_page", false),
        ])
    func unknown(message: String, isUnknown: Bool) {
        #expect(UnknownParameter.isNamed("page", in: message) == isUnknown)
    }

    @Test("Discovery learns nothing from a host that permits no request", arguments: [429])
    func limited(status: Int) async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { $0.query.isEmpty ? page(0) : .status(status) }
        let found = try await bench.discover()
        #expect(found.findings.pagination == nil && found.findings.triedElementCount == nil && found.itemCount == 10)
        #expect(bench.queries == ["", "page=2"])
    }

    @Test("Discovery makes no request at run time if the page describes itself")
    func signs() async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { _ in page(0, #""next":"/more","#) }
        let found = try await bench.found(.signs)
        #expect(found.findings.pagination == "{style: next_url, next: next}" && found.cost.requestCount == 0)
        #expect(found.findings.triedElementCount == nil)
    }

    @Test("Discovery guesses at run time only in a search, and not on a page that is stated to be whole")
    func effort() async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things", pages(from: 1))
        #expect(try await bench.found(.signs).cost.requestCount == 0)
        #expect(try await bench.found(.search).findings.pagination == "{style: page, param: page, first: 1}")
        bench.server.route("/things") { _ in page(0, #""has_more":false,"#) }
        let whole = try await bench.found(.search)
        #expect(
            whole.cost.requestCount == 0 && whole.findings.triedElementCount == nil && whole.findings.pagination == nil)
        // Many servers give no more than ten, and seven are the rest.
        bench.server.route("/things") { _ in
            .json("[\((1...7).map { "{\"id\":\($0)}" }.joined(separator: ","))]")
        }
        let short = try await bench.found(.search, path: "/things?limit=50")
        #expect(short.cost.requestCount == 0 && short.findings.triedElementCount != nil)
    }

    @Test(
        "A next page that is null is found to be a URL, and is written down as one only by the name of a URL",
        arguments: [
            (#""next":null,"#, "next", nil), (#""next_page":null,"#, "next_page", nil),
            (#""paging":{"next":null},"#, "paging.next", nil),
            (#""next_page_url":null,"#, "next_page_url", "{style: next_url, next: next_page_url}"),
            (#""links":{"next":null},"#, "links.next", "{style: next_url, next: links.next}"),
            // The framework Django REST has a URL beside these two.
            (#""count":35,"next":null,"previous":null,"#, "next", "{style: next_url, next: next, total: count}"),
        ] as [(String, String, String?)])
    func lastPage(members: String, path: String, written: String?) async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { _ in page(0, members) }
        let added = try await bench.discover()
        #expect(added.findings.pagination == written && added.cost.requestCount == 1)
        #expect(added.paginationEvidence?.text.hasSuffix("is null: this is the last page") == true)
        let found = try await bench.found(.search)
        #expect(found.findings.pagination?.hasPrefix("{style: next_url, next: \(path)") == true)
    }

    @Test("Discovery makes no request of a host with a spent quota, and believes self-describing signs")
    func spent() async throws {
        let bench = try DiscoveryBench()
        let spent = [(name: "RateLimit", value: "limit=5, remaining=0, reset=900")]
        bench.server.route("/things") { _ in page(0, #""next":"/more","#, headers: spent) }
        let certain = try await bench.discover()
        #expect(certain.findings.pagination == "{style: next_url, next: next}" && certain.cost.requestCount == 1)
        bench.server.route("/things") { _ in page(0, headers: spent) }
        let open = try await bench.discover()
        #expect(
            open.findings.pagination == nil && open.cost.requestCount == 1 && open.findings.triedElementCount == nil)
        #expect(open.paginationEvidence?.text.hasSuffix("the server asked us to wait") == true)
        #expect(open.cost.quota.map(\.remaining) == [0])
    }

    @Test("Discovery takes the definition's settings as given")
    func given() async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { _ in
            .json(#"{"results":[{"a":1}],"mine":[{"n":"x","id":1},{"n":"y","id":2}]}"#)
        }
        let found = try await bench.discover("items: mine\nkey: n\ncolumns: {n: n}\npagination: none")
        #expect(found.findings == Findings() && found.evidence.isEmpty && found.cost.requestCount == 1)
        let open = try await bench.discover("items: mine\ncolumns: {label: n}\npagination: none")
        #expect(open.findings.key == ["id"] && open.findings.columns.map(\.name) == ["id"])
        #expect(open.definition.columns.map(\.name) == ["label", "id"])
    }

    @Test("Discovery gives items that are members of an object a column for their names")
    func keyed() async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { _ in
            .json(#"{"query":{"pages":{"12":{"key":"a","n":1},"15":{"key":"b","n":2}}},"total":2}"#)
        }
        let found = try await bench.discover()
        #expect(found.findings.items == ItemsRule(path: try Path("query.pages"), keyedBy: "member_name"))
        #expect(found.findings.key == ["member_name"])
        #expect(found.findings.columns.map(\.name) == ["member_name", "key", "n"])
    }

    @Test("Discovery identifies the elements of a list of values by their values, on a second page, too")
    func values() async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { request in
            let first = (number(request, "page") ?? 1) * 3
            return .json("{\"page\":\(first / 3),\"pages\":4,\"ids\":[\(first),\(first + 1),\(first + 2)]}")
        }
        let found = try await bench.discover("items: ids")
        #expect(found.findings.key == ["value"] && found.evidence.first { $0.subject == .key }?.certainty == .certain)
        #expect(found.findings.pagination == "{style: page, param: page, pages: pages, first: 1}")
    }

    @Test("Discovery finds the items of an empty page and nothing else")
    func empty() async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { _ in .json(#"{"results":[]}"#) }
        let found = try await bench.discover()
        #expect(found.findings.items?.description == "results" && !found.definition.isResolved)
        #expect(found.findings.pagination == nil && found.cost.requestCount == 1)
    }

    @Test(
        "Discovery without items or a key reports its findings and the setting to write",
        arguments: [
            (
                #"{"status":"ok","names":["a","b"],"n":{"x":1},"mood":"no"}"#, FeedSyncError.Kind.configuration,
                "no items found in the response: it has `status` (a string), `names` (a list of 2 strings), `n` (an object of 1), `mood` (a string)",
                "items: data.list"
            ),
            (
                "[[1],[2]]", .configuration, "no items found in the response: it is a list of 2 lists, not of objects",
                "a list of objects"
            ),
            (
                #"{"ok":true,"rows":[[1,"a"],[2,"b"]],"columns":["id","name"],"next":null}"#, .configuration,
                "no items found in the response: it has `ok` (a boolean), `rows` (a list of 2 lists), `columns` (a list of 2 strings), `next` (null)",
                "?_shape=objects"
            ),
            (
                #"[["a"]]"#, .configuration,
                "no items found in the response: it is a list of 1 list, not of objects",
                "a list of objects"
            ),
            (
                #"{"mood":true}"#, .configuration,
                "no key found: one item is not enough to tell, and none of its members has a name such as `id` or `url`",
                "key: id"
            ),
            ("<html>", .undecodable, "expected JSON, but got HTML", "browser"),
            (
                "<html><head><TITLE>Log in\n – Acme</TITLE>", .undecodable,
                "expected JSON, but got HTML with the title \"Log in – Acme\"", "browser"
            ),
            (
                "<html><title></title><body><center><h1 class=\"x\">502 <b>Bad</b>\n Gateway</h1></center>",
                .undecodable,
                "expected JSON, but got HTML with the title \"502 Bad Gateway\"", "browser"
            ),
            (
                #"<?xml version="1.0"?><rss version="2.0">"#, .undecodable, "expected JSON, but got an RSS feed",
                "format: rss"
            ),
            (
                #"<feed xmlns="http://www.w3.org/2005/Atom">"#, .undecodable, "expected JSON, but got an Atom feed",
                "format: atom"
            ),
            ("id,name\n1,a\n", .undecodable, "expected JSON, but got CSV with a header line", "format: csv"),
            (
                "{\"id\":1}\n{\"id\":2}\n", .undecodable, "expected JSON, but got one JSON value per line",
                "format: ndjson"
            ),
            (
                #"{"error":{"code":190,"message":"Invalid OAuth access token"}}"#, .rejected,
                "the upstream answered 200 OK, with an error in the body: \"Invalid OAuth access token\" (code 190)",
                "auth"
            ),
            (
                #"{"data":null,"errors":[{"message":"Field 'x' does not exist"}]}"#, .rejected,
                "the upstream answered 200 OK, with an error in the body: \"Field 'x' does not exist\"", "query"
            ),
        ] as [(String, FeedSyncError.Kind, String, String)])
    func faults(body: String, kind: FeedSyncError.Kind, message: String, advice: String) async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { _ in .json(body) }
        let error = await #expect(throws: FeedSyncError.self) { try await bench.discover() }
        #expect(error?.kind == kind && error?.message == message)
        #expect(error?.advice?.contains(advice) == true && error?.url == "\(bench.server.url)/things")
    }

    @Test("Discovery shows no credential that the upstream echoes, and sends none elsewhere")
    func secrets() async throws {
        let bench = try DiscoveryBench()
        let other = try ScriptedServer()
        bench.server.route("/things") { request in
            let token = request.header("Authorization")?.dropFirst(7) ?? ""
            return .json(
                #"{"\#(token)":[1],"next":"\#(other.url)/x?t=\#(token)","items":[{"\#(token)":1,"id":1},{"id":2}]}"#)
        }
        let found = try await bench.discover("auth: {bearer: '${TOKEN}'}")
        #expect(found.evidence.allSatisfy { !$0.text.contains("s3cr3t-token") })
        #expect(found.findings.pagination == "{style: next_url, next: next}")
        #expect(found.paginationEvidence?.text.contains("allow_origins") == true)
        #expect(other.requests.isEmpty)
    }
}
