import Concurrency
import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync

/// Lists whose pages lose the sign that leads on, as they do behind a proxy that drops it or after a change of the API.
@Suite("A list that ends where it led on before")
struct EarlyEndTests {
    /// A list of items, newest first, in pages of ten. Each page but the last one has a cursor, `next`.
    private final class Upstream: Sendable {
        struct State {
            var ids: [Int]
            /// The number of the page after which the list does not go on; nil if there is none.
            var end: Int?
            /// The answer to a page behind that end instead of its items; nil for its items.
            var answer: ServerResponse?
        }

        let state: Lock<State>
        /// True if a cursor is the id of the last item, false if it is a page number.
        let countsItems: Bool

        init(_ count: Int, countsItems: Bool = false) {
            state = Lock(State(ids: (1...count).reversed()))
            self.countsItems = countsItems
        }

        func edit(_ change: @Sendable (inout State) -> Void) { state.withLock { change(&$0) } }

        func answer(_ request: ServerRequest) -> ServerResponse {
            let state = state.withLock { $0 }
            let asked = request.parameter("next").flatMap { Int($0) }
            let start =
                countsItems
                ? asked.map { id in state.ids.firstIndex { $0 < id } ?? state.ids.count } ?? 0 : ((asked ?? 1) - 1) * 10
            let end = state.end.map { $0 * 10 } ?? .max
            if let answer = state.answer, start >= end { return answer }
            let ids = state.ids.dropFirst(start).prefix(10)
            let isLast = start + ids.count >= state.ids.count || (start..<start + ids.count).contains(end - 1)
            let next = (countsItems ? ids.last : start / 10 + 2).flatMap { isLast ? nil : "\"\($0)\"" } ?? "null"
            return .json("{\"next\":\(next),\"items\":[\(PagedFeed.items(ids).joined(separator: ","))]}")
        }
    }

    private func bench(_ upstream: Upstream) async throws -> EngineBench {
        let bench = try await EngineBench(
            members: "sync: {mode: all}", paging: "pagination: {style: cursor, param: next, next: next}")
        bench.server.route("/things") { upstream.answer($0) }
        return bench
    }

    @Test(
        "Rows behind an end are kept as long as the page that came next before has them",
        arguments: [(35, 2, false), (35, 2, true), (35, 1, false), (35, 3, false), (15, 1, false), (15, 1, true)])
    func lostSign(count: Int, end: Int, countsItems: Bool) async throws {
        let upstream = Upstream(count, countsItems: countsItems)
        let bench = try await bench(upstream)
        try await bench.sync()
        upstream.edit { $0.end = end }
        for round in 1...4 {
            let run = try await bench.sync()
            #expect(run.reason == .cutOff)
            #expect(try bench.feed("item_count, complete, verified") == "\(count)|0|0", "sync \(round)")
            guard round > 1 else { continue }
            let words = "seems to end on page \(end), but the page that came next before still has items"
            #expect(run.notices.contains { $0.contains(words) }, "\(run.notices)")
        }
        upstream.edit { $0.end = nil }
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.feed("item_count, complete") == "\(count)|1")
    }

    @Test("Rows behind an end are kept when new items come and each page has another cursor")
    func movingCursors() async throws {
        let upstream = Upstream(35, countsItems: true)
        let bench = try await bench(upstream)
        try await bench.sync()
        for new in 36...39 {
            upstream.edit {
                $0.end = 2
                $0.ids.insert(new, at: 0)
            }
            #expect(try await bench.sync().reason == .cutOff)
            #expect(try bench.feed("item_count") == "\(new)", "\(bench.server.requests.map(\.target))")
        }
        upstream.edit { $0.end = nil }
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.feed("item_count, complete") == "39|1")
    }

    @Test(
        "Rows behind an end go at the second one if the page that came next before is empty, or gone",
        arguments: [200, 404, 410])
    func shrunk(status: Int) async throws {
        let upstream = Upstream(35)
        let bench = try await bench(upstream)
        try await bench.sync()
        upstream.edit {
            $0.ids.removeLast(15)
            $0.end = 2
            if status != 200 { $0.answer = .status(status) }
        }
        #expect(try await bench.sync().reason == .cutOff)
        let before = bench.server.requests.count
        let run = try await bench.sync()
        #expect(run.reason == nil && run.figures.items.removed == 15)
        let pages = bench.server.requests.dropFirst(before).map { $0.parameter("next") ?? "1" }
        #expect(pages == ["1", "2", "1", "2", "3", "1", "2"], "Page 3 once.")
        #expect(try bench.feed("item_count, complete, verified") == "20|1|0")
    }

    @Test("A run that cannot request the page that came next before fails, and removes nothing")
    func unreachable() async throws {
        let upstream = Upstream(35)
        let bench = try await bench(upstream)
        try await bench.sync()
        upstream.edit {
            $0.end = 2
            $0.answer = .status(503)
        }
        #expect(try await bench.sync().reason == .cutOff)
        #expect(try await bench.failure(.sync).kind == .unreachable)
        #expect(try bench.feed("item_count, complete") == "35|0")
        upstream.edit { $0.answer = nil }
        #expect(try await bench.sync().reason == .cutOff)
        #expect(try bench.feed("item_count") == "35")
    }

    @Test("A window that moves on by more than a page at each sync is complete at each sync")
    func movingWindow() async throws {
        let upstream = Upstream(35)
        let bench = try await bench(upstream)
        try await bench.sync()
        for round in 1...4 {
            upstream.edit { state in
                let first = state.ids.first ?? 0
                state.ids.insert(contentsOf: (first + 1...first + 14).reversed(), at: 0)
                state.ids.removeLast(14)
            }
            #expect(try await bench.sync().reason == nil, "sync \(round)")
            #expect(try bench.feed("item_count, complete") == "35|1", "sync \(round)")
        }
    }
}
