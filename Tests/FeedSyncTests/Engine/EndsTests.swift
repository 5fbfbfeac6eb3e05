import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync

/// A way of paging with an end and a total.
private struct Shape: Sendable, CustomTestStringConvertible {
    let style: PagedFeed.Style
    let end: PagedFeed.End
    let total: PagedFeed.Total

    var testDescription: String { "\(style), end \(end), total \(total)" }

    /// Every style with every end; with every kind of total where the style reads one.
    static var all: [Shape] {
        PagedFeed.Style.allCases.flatMap { style in
            let totals: [PagedFeed.Total] = style.readsTotal ? totals : [.actual, .claimed(999), .absent]
            return style.ends.flatMap { end in totals.map { Shape(style: style, end: end, total: $0) } }
        }
    }

    private static let totals: [PagedFeed.Total] = [
        .actual, .claimed(7), .claimed(999), .written(#""many""#), .written(#""35""#), .written("-5"),
        .written("1e300"), .written("null"), .absent,
    ]

    var pagination: String {
        style.pagination(
            (style.readsTotal ? ["total: total_count"] : []) + (end == .flag ? ["more: has_more"] : []))
    }

    var isTotalTrue: Bool { total == .actual || total == .written(#""35""#) }

    /// Whether the total says that there is more than there is.
    var promisesMore: Bool { style.readsTotal && total == .claimed(999) }

    /// The requests that 35 items in pages of 10 need.
    var requests: Int {
        if style.readsTotal { return isTotalTrue || end == .flag ? 4 : 5 }
        return end == .emptyPage ? 5 : 4
    }
}

extension PagedFeed.Style {
    fileprivate var readsTotal: Bool { self == .page || self == .offset }

    fileprivate func pagination(_ members: [String]) -> String { pagination(size: nil, members) }
}

@Suite("Every style against every end")
struct EndsTests {
    @Test("brings every row once, and tells a true end from one that comes too early", arguments: Shape.all)
    private func matrix(shape: Shape) async throws {
        let upstream = PagedFeed(PagedFeed.items(1...35), style: shape.style, end: shape.end)
        upstream.total = shape.total
        let bench = try await EngineBench(paging: "pagination: \(shape.pagination)", upstream: upstream)
        // The upstream says of a page that it is there, and that it is not: that is no end.
        guard !shape.promisesMore || shape.end != .status(404) else {
            #expect(try await bench.failure(.allPages).httpStatus == 404)
            #expect(try bench.feed("no_more_data, item_count") == "0|35")
            return
        }
        let walk = try await bench.more(.allPages)
        #expect(walk.outcome == .ok)
        #expect(walk.reason == (shape.promisesMore ? .cap : nil))
        #expect(try bench.names == bench.upstreamNames(35))
        #expect(
            try bench.feed("status, no_more_data, next_page, item_count, complete")
                == "noMoreData|1||35|\(shape.promisesMore ? 0 : 1)")
        #expect(bench.server.requests.count == shape.requests)

        try await bench.reload()
        let again = try await bench.more(.allPages)
        #expect(again.outcome == .unchanged)
        #expect(try bench.names == bench.upstreamNames(35))
        #expect(bench.server.requests.count == 2 * shape.requests)
        #expect(grammarFault(try bench.log) == nil)
    }

    @Test("loses no row to a server that gives fewer items than it is asked for", arguments: PagedFeed.Style.allCases)
    func cut(style: PagedFeed.Style) async throws {
        let upstream = PagedFeed(PagedFeed.items(1...35), style: style, mostPerPage: 10)
        let members = style.readsTotal ? ["total: total_count"] : []
        let bench = try await EngineBench(
            paging: "pagination: \(style.pagination(size: 100, members))", upstream: upstream)
        #expect(try await bench.more(.allPages).reason == nil)
        #expect(try bench.names == bench.upstreamNames(35))
        #expect(bench.server.requests.first?.query.contains { $0.value == "100" } == true)
    }

    @Test("ends at an empty first page", arguments: PagedFeed.Style.allCases)
    func nothing(style: PagedFeed.Style) async throws {
        let bench = try await EngineBench(
            paging: "pagination: \(style.pagination())", upstream: PagedFeed(style: style))
        #expect(try await bench.more(.allPages).isAtEnd)
        #expect(try bench.feed("status, item_count, complete") == "noMoreData|0|1")
        #expect(bench.server.requests.count == 1)
    }

    @Test("follows full pages to the one behind them", arguments: PagedFeed.Style.allCases)
    func fullPages(style: PagedFeed.Style) async throws {
        let upstream = PagedFeed(PagedFeed.items(1...20), style: style)
        let bench = try await EngineBench(paging: "pagination: \(style.pagination())", upstream: upstream)
        #expect(try await bench.more(.allPages).reason == nil)
        #expect(try bench.names == bench.upstreamNames(20))
        #expect(bench.server.requests.count == (style.isComputed ? 3 : 2))
    }
}
