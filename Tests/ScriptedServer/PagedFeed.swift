internal import Concurrency
package import HTTPServer

/// A feed in pages whose items, totals and faults a test can change between requests.
///
/// Answers `{"total_count":N,"items":[…]}` with an `ETag`, and 304 to an `If-None-Match` that still holds. Its pages
/// are numbered unless it has another style.
///
/// - Isolation: any thread.
package final class PagedFeed: Sendable {
    private let state: Lock<State>

    /// A feed of those items, each the text of a JSON value.
    ///
    /// - Parameters:
    ///   - perPage: the size of a page without a requested one.
    ///   - style: the pagination.
    ///   - end: the sign of the last page; an empty page or an absent page cursor if nil.
    ///   - mostPerPage: the most items of a page, whatever the request.
    package init(
        _ items: [String] = [], perPage: Int = 10, style: Style = .page, end: End? = nil, mostPerPage: Int = .max
    ) {
        state = Lock(
            State(
                style: style, end: end ?? (style.isComputed ? .emptyPage : .absent), items: items,
                perPage: max(perPage, 1), mostPerPage: max(mostPerPage, 1)))
    }

    /// Items such as `{"id":7,"name":"item 7"}`, one for each id.
    package static func items(_ ids: some Sequence<Int>) -> [String] {
        ids.map { #"{"id":\#($0),"name":"item \#($0)"}"# }
    }

    /// The items in feed order, each the text of a JSON value.
    package var items: [String] {
        get { state.withLock { $0.items } }
        set { state.withLock { $0.items = newValue } }
    }

    /// Changes the items in one step, so that no page shows half of it.
    package func edit(_ change: @Sendable (inout [String]) -> Void) {
        state.withLock { change(&$0.items) }
    }

    /// The value of `total_count`: the number of items by default.
    package var total: Total {
        get { state.withLock { $0.total } }
        set { state.withLock { $0.total = newValue } }
    }

    /// True if pages carry an `ETag`; they do at first.
    package var sendsETag: Bool {
        get { state.withLock { $0.sendsETag } }
        set { state.withLock { $0.sendsETag = newValue } }
    }

    /// The feed's statement of its size.
    package enum Total: Sendable, Hashable {
        /// The number of items.
        case actual
        /// That number, true or not.
        case claimed(Int)
        /// That JSON text, of any kind.
        case written(String)
        /// Nothing: there is no `total_count`.
        case absent
    }

    /// Answers the next `times` requests for a page with `response`.
    package func fail(page: Int, with response: ServerResponse, times: Int = 1) {
        state.withLock { $0.faults[page, default: []].append(Fault(response: response, times: times)) }
    }

    /// Has every request for a page wait at `gate` before it is answered.
    package func hold(page: Int, at gate: Gate) {
        state.withLock { $0.gates[page] = gate }
    }

    /// Answers later requests for a page at once; waiting ones continue to wait.
    package func release(page: Int) {
        state.withLock { $0.gates[page] = nil }
    }

    /// The numbers from 1 of the pages requested so far, in order of arrival.
    package var requestedPages: [Int] { state.withLock { $0.requestedPages } }

    /// Answers one request.
    package func answer(_ request: ServerRequest) -> ServerResponse {
        let asked = state.withLock { state -> (page: Int, gate: Gate?)? in
            guard let page = state.page(of: request) else { return nil }
            state.requestedPages.append(page)
            return (page, state.gates[page])
        }
        guard let asked else { return .json(#"{"message":"there is no such page"}"#, status: 422) }
        asked.gate?.wait()
        return state.withLock { $0.answer(page: asked.page, request) }
    }
}

private struct Fault {
    let response: ServerResponse
    var times: Int
}

private struct State {
    let style: PagedFeed.Style
    let end: PagedFeed.End
    var items: [String]
    let perPage: Int
    let mostPerPage: Int
    var total = PagedFeed.Total.actual
    var sendsETag = true
    var faults: [Int: [Fault]] = [:]
    var gates: [Int: Gate] = [:]
    var requestedPages: [Int] = []

    /// The number of the page that a request asks for; nil if it asks for none.
    func page(of request: ServerRequest) -> Int? {
        // A number too large for an offset is a number all the same.
        if style == .page { return Int(request.parameter("page") ?? "1").flatMap { $0 > 0 ? $0 : nil } }
        let size = size(of: request)
        return style.start(of: request, size: size, items: items).map { $0 / size + ($0 % size == 0 ? 1 : 2) }
    }

    mutating func answer(page: Int, _ request: ServerRequest) -> ServerResponse {
        if let response = takeFault(page: page) { return response }
        let size = size(of: request)
        let start = style.start(of: request, size: size, items: items) ?? 0
        let slice = items.dropFirst(start).prefix(size)
        if case .status(let status) = end, slice.isEmpty, start > 0 {
            return status == 204 ? .status(204) : .json(#"{"message":"there is no page here"}"#, status: status)
        }
        let isLast = start + slice.count >= items.count
        let leadsOn = !slice.isEmpty && (!isLast || end == .emptyPage || end == .flag)
        let (member, header) =
            leadsOn ? style.continuing(to: start + slice.count, from: request) : style.ending(end)
        var members = totalMember
        if let member { members += "\"\(member.name)\":\(member.json)," }
        if end == .flag { members += "\"has_more\":\(!isLast)," }
        let body = "{\(members)\"items\":[\(slice.joined(separator: ","))]}"
        let headers = header.map { [$0] } ?? []
        guard sendsETag else { return .json(body, headers: headers) }
        let etag = entityTag(of: body + headers.map { "\($0.name): \($0.value)" }.joined())
        let tagged = headers + [(name: "ETag", value: etag)]
        return request.header("If-None-Match") == etag ? .status(304, headers: tagged) : .json(body, headers: tagged)
    }

    private func size(of request: ServerRequest) -> Int {
        min(request.parameter(style.sizeParameter).flatMap { Int($0) }.map { max($0, 1) } ?? perPage, mostPerPage)
    }

    private var totalMember: String {
        switch total {
        case .actual: "\"total_count\":\(items.count),"
        case .claimed(let count): "\"total_count\":\(count),"
        case .written(let text): "\"total_count\":\(text),"
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
