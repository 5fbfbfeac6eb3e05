public import HTTPServer
internal import Threading

/// A feed in numbered pages whose items, totals and faults a test can change between requests.
///
/// Answers `{"total_count":N,"items":[…]}` with an `ETag`, and 304 to an `If-None-Match` that still holds.
///
/// - Isolation: any thread.
public final class PagedFeed: Sendable {
    private let state: Lock<State>

    /// A feed of those items, each the text of a JSON value.
    ///
    /// - Parameter perPage: the size of a page where the request has no `per_page`.
    public init(_ items: [String] = [], perPage: Int = 10) {
        state = Lock(State(items: items, perPage: max(perPage, 1)))
    }

    /// Items such as `{"id":7,"name":"item 7"}`, one for each id.
    public static func items(_ ids: some Sequence<Int>) -> [String] {
        ids.map { #"{"id":\#($0),"name":"item \#($0)"}"# }
    }

    /// The items in feed order, each the text of a JSON value.
    public var items: [String] {
        get { state.withLock { $0.items } }
        set { state.withLock { $0.items = newValue } }
    }

    /// Changes the items in one step, so that no page shows half of it.
    public func edit(_ change: @Sendable (inout [String]) -> Void) {
        state.withLock { change(&$0.items) }
    }

    /// What `total_count` says: the number of items unless told otherwise.
    public var total: Total {
        get { state.withLock { $0.total } }
        set { state.withLock { $0.total = newValue } }
    }

    /// Whether pages carry an `ETag`; they do at first.
    public var sendsETag: Bool {
        get { state.withLock { $0.sendsETag } }
        set { state.withLock { $0.sendsETag = newValue } }
    }

    /// What a feed says of its size.
    public enum Total: Sendable {
        /// The number of items.
        case actual
        /// That number, whatever is there.
        case claimed(Int)
        /// Nothing: there is no `total_count`.
        case absent
    }

    /// Answers the next `times` requests for a page with `response`.
    public func fail(page: Int, with response: ServerResponse, times: Int = 1) {
        state.withLock { $0.faults[page, default: []].append(Fault(response: response, times: times)) }
    }

    /// Has every request for a page wait at `gate` before it is answered.
    public func hold(page: Int, at gate: Gate) {
        state.withLock { $0.gates[page] = gate }
    }

    /// The numbers of the pages requested so far, in order of arrival.
    public var requestedPages: [Int] { state.withLock { $0.requestedPages } }

    /// Answers one request by its `page` (from 1) and `per_page`.
    public func answer(_ request: ServerRequest) -> ServerResponse {
        guard let page = Int(request.parameter("page") ?? "1"), page > 0 else {
            return .json(#"{"message":"page is not a number from 1"}"#, status: 422)
        }
        let gate = state.withLock { state in
            state.requestedPages.append(page)
            return state.gates[page]
        }
        gate?.wait()
        return state.withLock { $0.answer(page: page, request) }
    }
}

private struct Fault {
    let response: ServerResponse
    var times: Int
}

private struct State {
    var items: [String]
    let perPage: Int
    var total = PagedFeed.Total.actual
    var sendsETag = true
    var faults: [Int: [Fault]] = [:]
    var gates: [Int: Gate] = [:]
    var requestedPages: [Int] = []

    mutating func answer(page: Int, _ request: ServerRequest) -> ServerResponse {
        if let response = takeFault(page: page) { return response }
        let size = request.parameter("per_page").flatMap { Int($0) }.map { max($0, 1) } ?? perPage
        let (start, isBeyond) = (page - 1).multipliedReportingOverflow(by: size)
        let slice = isBeyond ? [] : items.dropFirst(start).prefix(size)
        let body = "{\(totalMember)\"items\":[\(slice.joined(separator: ","))]}"
        guard sendsETag else { return .json(body) }
        let etag = entityTag(of: body)
        let headers = [(name: "ETag", value: etag)]
        return request.header("If-None-Match") == etag ? .status(304, headers: headers) : .json(body, headers: headers)
    }

    private var totalMember: String {
        switch total {
        case .actual: "\"total_count\":\(items.count),"
        case .claimed(let count): "\"total_count\":\(count),"
        case .absent: ""
        }
    }

    private mutating func takeFault(page: Int) -> ServerResponse? {
        faults[page]?.removeAll { $0.times < 1 }
        guard let fault = faults[page]?.first else { return nil }
        faults[page]?[0].times -= 1
        return fault.response
    }
}

/// The FNV-1a hash of the body, quoted. Source: http://www.isthe.com/chongo/tech/comp/fnv/
private func entityTag(of body: String) -> String {
    let hash = body.utf8.reduce(14_695_981_039_346_656_037 as UInt64) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    return "\"\(String(hash, radix: 16))\""
}
