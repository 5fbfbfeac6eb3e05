/// `offset`: a query parameter says how many elements to pass over.
///
/// It steps by what came, not by what was asked for: a server that cuts the size in silence loses no row. The end is
/// an empty page, or the total, where the body tells one that can be true.
public struct OffsetStyle: PaginationStyle {
    /// `offset`
    public static let name = "offset"

    private let parameter: String
    private let limit: (parameter: String, count: Int)?
    private let total: Path?

    /// Reads `param` (default `offset`), `limit` with `limit_param` (default `limit`), and the path `total`.
    public init(_ members: MappingReader) {
        parameter = members.string("param") ?? "offset"
        let limitParameter = members.string("limit_param") ?? "limit"
        limit = members.integer("limit", in: 1...1_000_000).map { (limitParameter, $0) }
        if members.has("limit_param"), !members.has("limit") {
            members.mistake("`limit_param` needs a `limit`: the number to send", at: "limit_param")
        }
        if limitParameter == parameter {
            members.mistake("`limit_param` is the same parameter as `param`", at: "limit_param")
        }
        total = members.path("total")
    }

    /// The style with its members.
    public var canonicalText: String {
        var text = "offset param \(parameter)"
        if let limit { text += " limit_param \(limit.parameter) limit \(limit.count)" }
        if let total { text += " total \(total)" }
        return text
    }

    /// The path of `total`, where given.
    public var bodyPaths: [Path] { total.map { [$0] } ?? [] }

    /// The parameter with the offset.
    public var continuationParameters: [String] { [parameter] }

    /// The feed's request with the offset, and with the limit unless the feed's query has one already.
    ///
    /// - Throws: `PagingError` if the continuation is no number.
    public func request(for continuation: Continuation?, base: PageRequest) throws(PagingError) -> PageRequest {
        var request = base
        if let limit, !request.query.contains(where: { $0.name == limit.parameter }) {
            request.set(limit.parameter, to: "\(limit.count)")
        }
        request.set(parameter, to: "\(try offset(continuation))")
        return request
    }

    /// Nothing: how many elements a page has is known once it is there.
    public func predicted(after continuation: Continuation?) -> Continuation? { nil }

    /// The offset behind the page's elements, or the end at an empty page or the last element.
    ///
    /// - Throws: `PagingError` if the continuation is no offset, or there is no number for the next one.
    public func next(after page: PageFacts) throws(PagingError) -> PageEnd {
        let (next, isBeyond) = try offset(page.continuation).addingReportingOverflow(page.elementCount)
        guard !isBeyond else { throw PagingError("there is no offset behind the one of this page") }
        let total = Figure(total, page.values.first ?? nil, atLeast: page.walkElementCount, secrets: page.secrets)
        guard page.elementCount > 0, total.value != page.walkElementCount else {
            return .end(total: total.value, notice: total.notice)
        }
        return .more(Continuation("\(next)"), total: total.value, notice: total.notice)
    }

    private func offset(_ continuation: Continuation?) throws(PagingError) -> Int {
        guard let continuation else { return 0 }
        guard let offset = Int(continuation.text), offset > 0 else {
            throw PagingError("the continuation `\(continuation)` is not an offset from 1")
        }
        return offset
    }
}
