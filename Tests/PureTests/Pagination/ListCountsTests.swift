import Feeds
import Testing

@Suite("Counts of a list on pages that lead on")
struct ListCountsTests {
    private func envelope(_ members: String) throws -> PageEnvelope {
        let value = try JSONValue(parsing: #"{"data":[]\#(members.isEmpty ? "" : ",\(members)")}"#)
        return PageEnvelope(of: value, besides: Path([.member("data")]))
    }

    private func page(_ number: Int, count: Int = 10, _ headers: [String: String] = [:]) -> PaginationInput {
        PaginationInput(
            cursor: number == 1 ? nil : PageCursor("\(number)"), elementCount: count,
            crawlElementCount: number * 10 - 10 + count,
            headers: headers.map { NamedValue(name: $0.key, value: $0.value) },
            url: "https://a.b/things?page=\(number)")
    }

    /// Two pages that lead on, and a third that does not.
    private struct Case: Sendable, CustomTestStringConvertible {
        var first = ""
        var second: String?
        var headers: [String: String] = [:]
        var last = ""
        var lastHeaders: [String: String] = [:]
        var count = 10
        var isStated = false
        /// The pages and elements of other crawls that the crawl may have joined.
        var others = (pages: 0, elements: 0)
        var sign: String?

        var testDescription: String { "\(first) \(second ?? "") \(headers), \(last) \(lastHeaders) \(count)" }
    }

    private static let link = #"</things?page=6>; rel="last""#

    @Test(
        "A count on earlier pages is a sign of more at an end before it, unless the last page says otherwise",
        arguments: [
            Case(first: #""count":60"#, sign: "`count` was 60 on an earlier page"),
            Case(first: #""meta":{"total":60}"#, sign: "`meta.total` was 60 on an earlier page"),
            Case(first: #""total_pages":6"#, sign: "`total_pages` was 6 on an earlier page"),
            Case(first: #""pages":{"total":6}"#, sign: "`pages.total` was 6 on an earlier page"),
            Case(headers: ["X-Total-Pages": "6"], sign: "the header `X-Total-Pages` was 6 on an earlier page"),
            Case(headers: ["Link": link], sign: "the header `Link` had page 6 as the last one on an earlier page"),
            // All have come.
            Case(first: #""count":30"#), Case(first: #""total_pages":3"#), Case(first: #""total_pages":2"#, count: 0),
            Case(first: #""total_pages":3"#, count: 0, sign: "`total_pages` was 3 on an earlier page"),
            Case(headers: ["Link": #"</things?page=3>; rel="last""#]),
            // The later count is the true one.
            Case(first: #""count":60"#, second: #""count":30"#),
            Case(first: #""count":30"#, second: #""count":31"#, sign: "`count` was 31 on an earlier page"),
            // The last page has its own.
            Case(first: #""count":60"#, last: #""count":30"#),
            Case(first: #""total_pages":6"#, last: #""total_pages":3"#),
            Case(headers: ["Link": link], lastHeaders: ["Link": #"</things?page=3>; rel="last""#]),
            Case(headers: ["X-Total-Pages": "6"], lastHeaders: ["X-Total-Pages": "3"]),
            Case(first: #""count":60"#, last: #""has_more":false"#), Case(first: #""count":60"#, isStated: true),
            // A count that is none of the list's, or no exact one.
            Case(first: #""count":10"#), Case(first: #""estimatedTotalHits":60"#),
            Case(first: #""total":{"value":60,"relation":"gte"}"#), Case(first: #""user":{"total":60}"#),
            Case(headers: ["Content-Length": "600"]),
            // The crawl went on behind another one, which read the rest.
            Case(first: #""total_pages":6"#, others: (3, 30)), Case(first: #""count":60"#, others: (3, 30)),
            Case(first: #""count":60"#, others: (1, 10), sign: "`count` was 60 on an earlier page"),
        ])
    private func earlier(_ row: Case) throws {
        var counts = ListCounts(in: try envelope(row.first), of: page(1, row.headers))
        counts = counts.updated(by: ListCounts(in: try envelope(row.second ?? row.first), of: page(2, row.headers)))
        let last = page(3, count: row.count, row.lastHeaders)
        let sign = counts.sign(
            atEnd: try envelope(row.last), of: last, seen: last.seenCount + row.others.elements,
            read: 3 + row.others.pages, isStated: row.isStated)
        #expect(sign?.description == row.sign)
        #expect(sign?.isOfEarlierPage != false)
    }

    @Test(
        "Counts are read as they were written, and say the same",
        arguments: [
            (#""count":60"#, [:]), (#""meta":{"a.b":{"total":60}}"#, [:]), (#""total_pages":"6""#, [:]),
            ("", ["X-Total-Pages": "6"]), ("", ["Link": link]), (#""count":60,"total_pages":6"#, ["Link": link]),
            ("", [:]),
        ] as [(String, [String: String])])
    func written(members: String, headers: [String: String]) throws {
        let counts = ListCounts(in: try envelope(members), of: page(1, headers))
        let read = ListCounts(try JSONValue(parsing: counts.json))
        #expect(read.json == counts.json && read.isEmpty == counts.isEmpty && read.isEmpty == (counts.json == "{}"))
        let signs = [counts, read].map { counts in
            let last = page(3)
            return (try? envelope("")).flatMap { counts.sign(atEnd: $0, of: last, seen: 30, read: 3) }?.kind
        }
        #expect(signs[0] == signs[1])
        for text in ["null", "[]", "{\"pages\":6}", "{\"pages\":{\"count\":-1}}"] {
            #expect(ListCounts(try JSONValue(parsing: text)).isEmpty)
        }
    }

    @Test(
        "Counts say whether a page is the last one",
        arguments: [
            // The members and headers, the pages read, and true if they are all.
            (#""total_pages":3"#, [:], 3, true), (#""total_pages":3"#, [:], 2, false), (#""pages":1"#, [:], 1, true),
            ("", ["X-WP-TotalPages": "3"], 3, true), (#""total":30"#, [:], 3, true), (#""total":30"#, [:], 2, false),
            // It may count the page, or be more than what was read.
            (#""count":10"#, [:], 1, false), (#""total":30,"total_pages":6"#, [:], 3, false),
            (#""estimatedTotalHits":30"#, [:], 3, false), ("", [:], 3, false),
        ] as [(String, [String: String], Int, Bool)])
    func reached(members: String, headers: [String: String], read: Int, areReached: Bool) throws {
        let counts = ListCounts(in: try envelope(members), of: page(read, headers))
        #expect(counts.areReached(read: read, seen: read * 10) == areReached)
    }

    @Test("A page without counts leaves those of the pages before it")
    func absent() throws {
        let counts = ListCounts(in: try envelope(#""count":60"#), of: page(1))
        #expect(counts.updated(by: ListCounts(in: try envelope(""), of: page(2))) == counts)
        #expect(counts.elements == 60)
    }
}
