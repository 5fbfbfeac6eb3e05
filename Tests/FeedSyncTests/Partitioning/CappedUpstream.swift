import Concurrency
import HTTPServer
import ScriptedServer

/// An upstream that searches as GitHub does: it serves the first `cap` results of `q`, states their number and the
/// existence of a next page, and refuses deeper pages with 422.
final class CappedUpstream: Sendable {
    struct Item: Sendable {
        var id: Int
        /// Its value, as `when` in the item.
        var value: Int
    }

    struct State: Sendable {
        var items: [Item]
        var requests: [(part: String, page: Int)] = []
        var failing: (part: Int, times: Int)?
        var passesOverRange = false
        var saysTotal = true
        /// By how much its totals are too large.
        var surplus = 0
        var beforePage: (@Sendable (inout State, Int) -> Void)?
    }

    let state: Lock<State>
    let cap: Int

    init(_ items: [Item], cap: Int = 40) {
        state = Lock(State(items: items))
        self.cap = cap
    }

    /// The requests so far: the value of `q`, and the page.
    var requests: [String] { state.withLock { $0.requests.map { "\($0.part) #\($0.page)" } } }

    var ids: Set<Int> { state.withLock { Set($0.items.map(\.id)) } }

    func edit(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    func answer(_ request: ServerRequest) -> ServerResponse {
        state.withLock { state in
            let query = request.parameter("q") ?? ""
            let page = request.parameter("page").flatMap { Int($0) } ?? 1
            state.requests.append((query, page))
            state.beforePage?(&state, state.requests.count)
            if let failing = state.failing, failing.times > 0, state.requests.count >= failing.part {
                state.failing?.times -= 1
                return .status(500)
            }
            guard (page - 1) * 10 < cap else {
                return .json(#"{"message":"Only the first results are available"}"#, status: 422)
            }
            let met = state.passesOverRange ? state.items : state.items.filter { Self.range(query).contains($0.value) }
            let sorted = met.sorted { ($0.value, $0.id) > ($1.value, $1.id) }
            let shown = sorted.prefix(cap).dropFirst((page - 1) * 10).prefix(10)
            let items = shown.map { #"{"id":\#($0.id),"name":"item \#($0.id)","when":\#($0.value)}"# }
            let total = state.saysTotal ? #""total_count":\#(met.count + state.surplus),"# : ""
            let hasMore = page * 10 < min(met.count, cap)
            let body = "{\(total)\"more\":\(hasMore),\"items\":[\(items.joined(separator: ","))]}"
            let etag = "\"\(body.utf8.reduce(5381 as UInt64) { $0 &* 33 ^ UInt64($1) })\""
            let headers = [(name: "ETag", value: etag)]
            return request.header("If-None-Match") == etag
                ? .status(304, headers: headers) : .json(body, headers: headers)
        }
    }

    /// The range in `… n:from..to`; everything where there is none.
    private static func range(_ query: String) -> ClosedRange<Int> {
        guard let text = query.split(separator: " ").last(where: { $0.hasPrefix("n:") })?.dropFirst(2) else {
            return Int.min...Int.max
        }
        let ends = text.split(separator: ".", omittingEmptySubsequences: true).compactMap { Int($0) }
        return ends.count == 2 && ends[0] <= ends[1] ? ends[0]...ends[1] : 0...0
    }
}
