import Concurrency
import HTTP
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

            /// Adds new items at the head.
            mutating func add(_ count: Int) {
                let first = (ids.first ?? 0) + 1
                ids.insert(contentsOf: (first..<first + count).reversed(), at: 0)
            }
        }

        let state: Lock<State>
        /// The number of items that come at the head before a request of this number.
        let added = Lock((0, before: 0))
        /// True if a cursor is the id of the last item, false if it is a page number.
        let countsItems: Bool

        init(_ count: Int, countsItems: Bool = false) {
            state = Lock(State(ids: (1...count).reversed()))
            self.countsItems = countsItems
        }

        func edit(_ change: @Sendable (inout State) -> Void) { state.withLock { change(&$0) } }

        func answer(_ request: ServerRequest) -> ServerResponse {
            let new = added.withLock { added in
                added.before -= 1
                return added.before == 0 ? added.0 : 0
            }
            if new > 0 { edit { $0.add(new) } }
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
        arguments: [(15, 1), (25, 1), (25, 2), (35, 1), (35, 2), (35, 3)], [0, 1])
    func lostSign(list: (count: Int, end: Int), new: Int) async throws {
        for countsItems in [false, true] {
            let upstream = Upstream(list.count, countsItems: countsItems)
            let bench = try await bench(upstream)
            try await bench.sync()
            for round in 1...5 {
                upstream.edit {
                    $0.end = list.end
                    $0.add(new)
                }
                let run = try await bench.sync()
                #expect(run.reason == .cutOff, "sync \(round): \(bench.server.requests.map(\.target))")
                #expect(try bench.feed("item_count, complete, verified") == "\(list.count + new * round)|0|0")
                guard round > 1 else { continue }
                let words = "seems to end on page \(list.end), but the page that came next before still has items"
                #expect(run.notices.contains { $0.contains(words) }, "\(run.notices)")
            }
            upstream.edit { $0.end = nil }
            #expect(try await bench.sync().reason == nil)
            #expect(try bench.feed("item_count, complete") == "\(list.count + new * 5)|1")
        }
    }

    @Test("Rows behind an end are kept if pages have different lengths, as those have from which items are left out")
    func unevenPages() async throws {
        for lengths in [[10, 9, 5], [9, 10, 5], [10, 8, 9, 7]] {
            let isLost = Lock(false)
            let bench = try await bench(Upstream(1))
            bench.server.route("/things") { request in
                let page = request.parameter("next").flatMap { Int($0) } ?? 0
                let isLast = page + 1 == lengths.count || page == 1 && isLost.withLock { $0 }
                let first = lengths.prefix(page).reduce(1, +)
                let items = PagedFeed.items(first..<first + lengths[page]).joined(separator: ",")
                return .json("{\"next\":\(isLast ? "null" : "\"\(page + 1)\""),\"items\":[\(items)]}")
            }
            try await bench.sync()
            isLost.withLock { $0 = true }
            for _ in 1...3 {
                #expect(try await bench.sync().reason == .cutOff, "\(lengths): \(bench.server.requests.map(\.target))")
                #expect(try bench.feed("item_count, complete") == "\(lengths.reduce(0, +))|0")
            }
        }
    }

    @Test("Rows behind an end are kept when items come while the list is read, and its last page is read twice")
    func twice() async throws {
        for new in [10, 12, 22] {
            let upstream = Upstream(25)
            let bench = try await bench(upstream)
            try await bench.sync()
            upstream.edit { $0.end = 2 }
            upstream.added.withLock { $0 = (new, before: 3) }
            #expect(try await bench.sync().reason != nil)
            let rows = try bench.query("SELECT count(*) FROM things WHERE id <= 15 AND _removed_at IS NULL")
            #expect(rows == ["15"], "\(new) new: \(bench.server.requests.map(\.target))")
        }
    }

    @Test(
        "A cursor of the list as it was keeps no rows, but where a full page ends the list before them",
        arguments: [
            (35, Array(1...9), true), (35, Array(1...10), false), (35, Array(1...20), true), (35, Array(16...35), true),
            (35, Array(11...30), true), (23, Array(1...18) + [21, 22], true),
            (30, Array(51...58) + Array(1...22), true),
        ])
    func snapshot(count: Int, left: [Int], isComplete: Bool) async throws {
        let versions = Lock([Array(1...count)])
        let bench = try await EngineBench(
            members: "sync: {mode: all}", paging: "pagination: {style: cursor, param: next, next: next}")
        bench.server.route("/things") { request in
            let versions = versions.withLock { $0 }
            let asked = request.parameter("next")?.split(separator: ".").compactMap { Int($0) } ?? []
            let (version, start) = asked.count == 2 ? (asked[0], asked[1]) : (versions.count - 1, 0)
            let ids = versions[version].dropFirst(start).prefix(10)
            let next = start + 10 < versions[version].count ? "\"\(version).\(start + 10)\"" : "null"
            return .json("{\"next\":\(next),\"items\":[\(PagedFeed.items(ids).joined(separator: ","))]}")
        }
        try await bench.sync()
        versions.withLock { $0.append(left) }
        for _ in 1...3 { try await bench.sync() }
        #expect(try bench.feed("item_count, complete") == (isComplete ? "\(left.count)|1" : "\(count)|0"))
        versions.withLock { $0.append(left + [99]) }
        for _ in 1...3 { try await bench.sync() }
        #expect(try bench.feed("item_count, complete") == "\(left.count + 1)|1")
    }

    @Test("A reload and a run without requests do not make a sync forget to which page the list led on before")
    func rememberedNext() async throws {
        for isReload in [true, false] {
            let upstream = Upstream(15)
            let bench = try await bench(upstream)
            try await bench.sync()
            upstream.edit { $0.end = 1 }
            if isReload {
                try await bench.reload()
            } else {
                var options = EngineBench.options
                options.client = Client(userAgent: "feedsync-tests", budget: RequestBudget(requests: 1))
                #expect(try await bench.another(options: options).perform(.sync).notices.count == 1)
            }
            #expect(try await bench.sync().reason == .cutOff)
            #expect(try bench.feed("item_count, complete") == "15|0")
        }
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

    static let silent: [ServerResponse] = [
        .status(401), .status(403), .status(503), .json(#"{"error":"backend unavailable"}"#),
        ServerResponse(headers: [(name: "Content-Type", value: "text/html")], body: Array("<p>One moment".utf8)),
    ]

    @Test(
        "Rows behind an end go when the page that came next before cannot be read for the second time",
        arguments: silent.indices)
    func unreadable(number: Int) async throws {
        for count in [25, 35] {
            let upstream = Upstream(count)
            let bench = try await bench(upstream)
            try await bench.sync()
            upstream.edit {
                $0.end = 2
                $0.answer = Self.silent[number]
            }
            for round in 1...(count == 25 ? 1 : 2) {
                let run = try await bench.sync()
                #expect(run.reason == .cutOff, "sync \(round)")
                #expect(try bench.feed("item_count, complete") == "\(count)|0")
                guard count == 25 || round > 1 else { continue }
                #expect(run.notices.contains { $0.contains("cannot be read") }, "\(run.notices)")
            }
            // Some servers fail behind their last page, and always do.
            #expect(try await bench.sync().reason == nil)
            #expect(try bench.feed("item_count, complete, verified") == "20|1|0")
        }
    }

    @Test("A page behind the end that comes again after it could not be read still keeps the rows there")
    func readableAgain() async throws {
        let upstream = Upstream(15)
        let bench = try await bench(upstream)
        try await bench.sync()
        for answer in [ServerResponse.status(503), nil, .status(503), nil, nil] {
            upstream.edit {
                $0.end = 1
                $0.answer = answer
            }
            #expect(try await bench.sync().reason == .cutOff)
            #expect(try bench.feed("item_count, complete") == "15|0")
        }
    }

    @Test("A window that moves on by more than a page at each sync is complete at each sync")
    func movingWindow() async throws {
        let upstream = Upstream(35)
        let bench = try await bench(upstream)
        try await bench.sync()
        for round in 1...4 {
            upstream.edit { state in
                state.add(14)
                state.ids.removeLast(14)
            }
            #expect(try await bench.sync().reason == nil, "sync \(round)")
            #expect(try bench.feed("item_count, complete") == "35|1", "sync \(round)")
        }
    }
}
