/// `offset`: a query parameter says how many elements to pass over.
///
/// It steps by what came, not by what was asked for: a server that cuts the size in silence loses no row. The end is
/// an empty page, or the total, where the body tells one that can be true and that counts more than one full page. A
/// has-more flag outranks the total.
public struct OffsetPaginator: Paginator {
    /// `offset`
    public static let name = "offset"

    private let parameter: String
    private let limit: PageSize?
    private let total: Path?
    private let more: MoreFlag?
    /// How many requests may be under way.
    public let prefetch: Int

    /// Reads `param` (default `offset`), `limit` with `limit_param` (default `limit`), `prefetch` (default 1), and the
    /// paths `total` and `more`.
    public init(_ members: MappingDecoder) {
        parameter = members.string("param") ?? "offset"
        let limitParameter = members.string("limit_param") ?? "limit"
        limit = members.integer("limit", in: PageSize.range).map { PageSize(parameter: limitParameter, count: $0) }
        if members.has("limit_param"), !members.has("limit") {
            members.mistake("`limit_param` needs a `limit`: the number to send", at: "limit_param")
        }
        if limitParameter == parameter {
            members.mistake("`limit_param` is the same parameter as `param`", at: "limit_param")
        }
        total = members.path("total")
        more = MoreFlag(members)
        prefetch = PrefetchLimit.read(members)
    }

    /// The style with its members.
    public var canonicalText: String {
        var text = "offset param \(parameter)"
        if let limit { text += " limit_param \(limit.parameter) limit \(limit.count)" }
        if let total { text += " total \(total)" }
        if let more { text += " \(more.canonicalText)" }
        return text
    }

    /// The paths of `total` and `more`, where given.
    public var bodyPaths: [Path] { [total, more?.path].compactMap(\.self) }

    /// True: pages are places in the list.
    public var isShifting: Bool { true }

    /// The parameter with the offset.
    public var cursorParameters: [String] { [parameter] }

    /// True.
    public var mayAskBeyondEnd: Bool { true }

    /// To leave it out.
    public var firstPageAdvice: String { "leave it out, for the first offset is 0" }

    /// The feed's request with the offset, and with the limit unless the feed's query has one already.
    ///
    /// - Throws: `PagingError` if the page cursor is no number.
    public func request(for cursor: PageCursor?, base: PageRequest) throws(PagingError) -> PageRequest {
        var request = base
        limit?.apply(to: &request)
        request.set(parameter, to: try offset(cursor))
        return request
    }

    /// Nothing: how many elements a page has is known once it is there.
    public func predicted(after cursor: PageCursor?) -> PageCursor? { nil }

    /// The offsets behind the next one if pages bring as many elements as this one, up to the total: one more where
    /// there is one. Where a page brings fewer, others come: what was asked for by then is of no use.
    public func predicted(behind next: PageCursor, after page: PaginationInput, total: Int?) -> [PageCursor] {
        guard page.elementCount > 0, var offset = try? offset(next) else { return [] }
        var cursors: [PageCursor] = []
        let most = more == nil && total != nil ? prefetch : prefetch - 1
        while cursors.count < most {
            let (following, isBeyond) = offset.addingReportingOverflow(page.elementCount)
            guard !isBeyond, total.map({ following < $0 }) ?? true else { break }
            cursors.append(PageCursor("\(following)"))
            offset = following
        }
        return cursors
    }

    /// The offset behind the page's elements, or the end at an empty page, the last element or a flag that says so.
    ///
    /// - Throws: `PagingError` if the page cursor is no offset, or there is no number for the next one.
    public func next(after page: PaginationInput) throws(PagingError) -> NextPage {
        let (next, isBeyond) = try offset(page.cursor).addingReportingOverflow(page.elementCount)
        guard !isBeyond else { throw PagingError("there is no offset behind the one of this page") }
        let total = ReportedCount(
            total, page.value(at: total, of: self), atLeast: page.crawlElementCount, secrets: page.secrets)
        let hasMore = more.flatMap { $0.says(page.value(at: $0.path, of: self)) }
        let notice = NextPage.notice(total.notice, more?.notice(of: page, in: self))
        // One full page may be what the total counts, and not the list.
        let countsPageAlone = page.cursor == nil && limit.map { page.elementCount >= $0.count } ?? false
        let isLast = total.value == page.crawlElementCount && !countsPageAlone
        guard page.elementCount > 0, !(hasMore.map(!) ?? isLast) else {
            return .end(total: total.value, notice: notice)
        }
        return .more(PageCursor("\(next)"), total: total.value, notice: notice)
    }

    private func offset(_ cursor: PageCursor?) throws(PagingError) -> Int {
        guard let cursor else { return 0 }
        guard let offset = Int(cursor.text), offset > 0 else {
            throw PagingError("the page cursor `\(cursor)` is not an offset from 1")
        }
        return offset
    }
}
