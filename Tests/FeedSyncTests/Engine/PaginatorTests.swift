import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync

@Suite("Each paginator, from the wire to the store")
struct StyleTests {
    /// Mirrors an upstream of 35 items on pages of 10, with one style: twice, without a change in between.
    private func mirror(
        _ paging: String, cursors: [String], requests: [String],
        _ answer: @escaping @Sendable (ServerRequest, _ items: [String], _ url: String) -> ServerResponse
    ) async throws {
        let bench = try await EngineBench(paging: "pagination: \(paging)", columns: StyleTests.columns)
        let url = bench.server.url
        let items = bench.upstream.items
        for path in ["/things", "/more/1"] { bench.server.route(path) { answer($0, items, url) } }
        let seen = Requests(bench.server)

        #expect(try await bench.reload().figures.items.inserted == 10)
        #expect(try bench.feed("item_count, no_more_data") == "10|0")
        var shown = [try bench.feed("next_page")]
        while try bench.feed("no_more_data") == "0", shown.count < 10 {
            try await bench.more()
            shown.append(try bench.feed("next_page"))
        }
        #expect(shown.map { $0.replacing(url, with: "") } == cursors + [""])
        #expect(try bench.names == bench.upstreamNames(35))
        #expect(try bench.feed("status, item_count, generation, complete") == "noMoreData|35|1|1")
        #expect(seen.taken() == requests)
        #expect(try await bench.more().outcome == .noMoreData)

        // `reload` and `more` stored all items: a full crawl finds them unchanged.
        let before = try bench.query("SELECT rowid, * FROM things")
        #expect(try await bench.reload().outcome == .unchanged)
        #expect(seen.taken() == Array(requests.prefix(1)))
        let again = try await bench.sync()
        #expect(again.outcome == .unchanged)
        #expect(try bench.query("SELECT rowid, * FROM things") == before)
        #expect(try bench.feed("status, item_count, generation, complete") == "noMoreData|35|1|1")
        #expect(Array(seen.taken().prefix(requests.count)) == requests)
        #expect(grammarFault(try bench.log) == nil)
    }

    static let columns = "items: items\nkey: id\nquery: {q: x}\ncolumns: {id: id, name: name}"

    @Test("offset goes on by what came, though the server cuts the limit in silence")
    func offset() async throws {
        try await mirror(
            "{style: offset, limit: 100, total: total}", cursors: ["10", "20", "30"],
            requests: [
                "q=x&limit=100&offset=0", "q=x&limit=100&offset=10", "q=x&limit=100&offset=20",
                "q=x&limit=100&offset=30",
            ]
        ) { request, items, _ in
            page(items, from: Int(request.parameter("offset") ?? "") ?? 0, members: #""total":35,"#)
        }
    }

    @Test("offset without a total ends at the empty page")
    func offsetWithoutTotal() async throws {
        try await mirror(
            "{style: offset, param: skip}", cursors: ["10", "20", "30", "35"],
            requests: ["q=x&skip=0", "q=x&skip=10", "q=x&skip=20", "q=x&skip=30", "q=x&skip=35"]
        ) { request, items, _ in
            page(items, from: Int(request.parameter("skip") ?? "") ?? 0)
        }
    }

    @Test("cursor sends the token back, a long number with all its digits")
    func cursor() async throws {
        let token = { (start: Int) in "9223372036854775807\(start)" }
        try await mirror(
            "{style: cursor, param: after, next: meta.next, more: meta.more}",
            cursors: [token(10), token(20), token(30)],
            requests: ["q=x"] + [10, 20, 30].map { "q=x&after=\(token($0))" }
        ) { request, items, _ in
            let start = Int(request.parameter("after")?.dropFirst(19) ?? "") ?? 0
            let next = #"{"next":9223372036854775807\#(start + 10),"more":\#(start < 30)}"#
            return page(items, from: start, members: #""meta":\#(next),"#)
        }
    }

    @Test("cursor in a header is read there")
    func cursorInHeader() async throws {
        try await mirror(
            "{style: cursor, param: c, header: X-Cursor}", cursors: ["10=", "20=", "30="],
            requests: ["q=x", "q=x&c=10=", "q=x&c=20=", "q=x&c=30="]
        ) { request, items, _ in
            let start = Int(request.parameter("c")?.dropLast() ?? "") ?? 0
            return page(items, from: start, headers: start < 30 ? [(name: "x-cursor", value: "\(start + 10)=")] : [])
        }
    }

    @Test("cursor without a parameter sends every member of the object back")
    func cursorObject() async throws {
        let next = { (start: Int) in #"{"from":\#(start),"continue":"-||"}"# }
        try await mirror(
            "{style: cursor, next: continue}", cursors: [next(10), next(20), next(30)],
            requests: ["q=x"] + [10, 20, 30].map { "q=x&continue=-||&from=\($0)" }
        ) { request, items, _ in
            let start = Int(request.parameter("from") ?? "") ?? 0
            let following = #"{"from":\#(start + 10),"continue":"-||"}"#
            return page(items, from: start, members: start < 30 ? #""continue":\#(following),"# : "")
        }
    }

    @Test("next_url is followed as given, from an array of link objects too")
    func nextURL() async throws {
        try await mirror(
            "{style: next_url, next: 'links[rel=next].href'}",
            cursors: ["/more/1?token=10", "/more/1?token=20", "/more/1?token=30"],
            requests: ["q=x", "token=10", "token=20", "token=30"]
        ) { request, items, url in
            let start = Int(request.parameter("token") ?? "") ?? 0
            let next = (start == 0 ? "\(url)/more/1" : "") + "?token=\(start + 10)"
            let link = start < 30 ? #",{"rel":"next","href":"\#(next)"}"# : ""
            return page(items, from: start, members: #""links":[{"rel":"self","href":"x"}\#(link)],"#)
        }
    }

    @Test("next_url in a header is read there")
    func nextURLInHeader() async throws {
        try await mirror(
            "{style: next_url, header: X-Next}", cursors: ["/more/1?token=10"],
            requests: ["q=x", "token=10"]
        ) { request, items, _ in
            let start = Int(request.parameter("token") ?? "") ?? 0
            let rest = items.dropFirst(start).prefix(start == 0 ? 10 : 25).joined(separator: ",")
            let headers = start == 0 ? [(name: "X-Next", value: "/more/1?token=10")] : []
            return .json("{\"items\":[\(rest)]}", headers: headers)
        }
    }

    @Test("link is followed as given, relative or absolute, without the feed's own query")
    func link() async throws {
        try await mirror(
            "{style: link}", cursors: ["/things?from=10", "/things?from=20", "/things?from=30"],
            requests: ["q=x", "from=10", "from=20", "from=30"]
        ) { request, items, url in
            let start = Int(request.parameter("from") ?? "") ?? 0
            let next = (start == 10 ? "\(url)/things" : "") + "?from=\(start + 10)"
            let link = start < 30 ? "<?from=0>; rel=\"first\", <\(next)>; rel=\"next\"" : "<?from=0>; rel=first"
            return page(items, from: start, headers: [(name: "Link", value: link)])
        }
    }

    @Test("keyset goes on behind the last item, up to the empty page")
    func keyset() async throws {
        try await mirror(
            "{style: keyset, param: after, from: id}", cursors: ["10", "20", "30", "35"],
            requests: ["q=x"] + [10, 20, 30, 35].map { "q=x&after=\($0)" }
        ) { request, items, _ in
            page(items, from: Int(request.parameter("after") ?? "") ?? 0)
        }
    }

    @Test("keyset of two values sends both, in the order of their parameters")
    func keysetOfTwo() async throws {
        try await mirror(
            "{style: keyset, param: [name, id], from: [name, id]}",
            cursors: [10, 20, 30, 35].map { #"["item \#($0)","\#($0)"]"# },
            requests: ["q=x"] + [10, 20, 30, 35].map { "q=x&name=item \($0)&id=\($0)" }
        ) { request, items, _ in
            page(items, from: Int(request.parameter("id") ?? "") ?? 0)
        }
    }
}

/// Ten of the items, after members that the style reads.
private func page(
    _ items: [String], from start: Int, members: String = "", headers: [(name: String, value: String)] = []
) -> ServerResponse {
    let slice = items.dropFirst(start).prefix(10)
    return .json("{\(members)\"items\":[\(slice.joined(separator: ","))]}", headers: headers)
}

/// The queries received since the last call.
private final class Requests {
    private let server: ScriptedServer
    private var count = 0

    init(_ server: ScriptedServer) {
        self.server = server
    }

    func taken() -> [String] {
        let all = server.requests
        defer { count = all.count }
        return all.dropFirst(count).map { $0.query.map { "\($0.name)=\($0.value)" }.joined(separator: "&") }
    }
}
