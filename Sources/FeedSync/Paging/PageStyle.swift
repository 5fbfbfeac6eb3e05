/// `page`: pages have numbers, sent as a query parameter.
///
/// The end is an empty page; where the body tells how many elements or pages there are, or that there is no further
/// one, it comes without asking for one more. A figure that cannot be true is passed over with a notice, and the pages
/// go on to the empty one. A has-more flag outranks the figures.
public struct PageStyle: PaginationStyle {
    /// `page`
    public static let name = "page"

    private let parameter: String
    private let first: Int
    private let size: PageSize?
    private let total: Path?
    private let pages: Path?
    private let more: MoreFlag?

    /// Reads `param` (default `page`), `first` (default 1), `size_param` and `size`, which go together, and the paths
    /// `total`, `pages` and `more`.
    public init(_ members: MappingReader) {
        parameter = members.string("param") ?? "page"
        first = members.integer("first", in: 0...Int.max) ?? 1
        size = PageSize(members, besides: [parameter])
        total = members.path("total")
        pages = members.path("pages")
        more = MoreFlag(members)
    }

    /// The style with its members.
    public var canonicalText: String {
        var text = "page param \(parameter) first \(first)"
        if let size { text += " \(size.canonicalText)" }
        if let total { text += " total \(total)" }
        if let pages { text += " pages \(pages)" }
        if let more { text += " \(more.canonicalText)" }
        return text
    }

    /// The paths of `total`, `pages` and `more`, where given.
    public var bodyPaths: [Path] { [total, pages, more?.path].compactMap(\.self) }

    /// The parameter with the number.
    public var continuationParameters: [String] { [parameter] }

    /// The feed's request with the page's number, and with the size unless the feed's query has one already.
    ///
    /// - Throws: `PagingError` if the continuation is no number.
    public func request(for continuation: Continuation?, base: PageRequest) throws(PagingError) -> PageRequest {
        var request = base
        size?.apply(to: &request)
        request.set(parameter, to: "\(try number(continuation))")
        return request
    }

    /// The next number.
    public func predicted(after continuation: Continuation?) -> Continuation? {
        guard let number = try? number(continuation), number < Int.max else { return nil }
        return Continuation("\(number + 1)")
    }

    /// The next number, or the end at an empty page, the last element, the last page or a flag that says so.
    ///
    /// - Throws: `PagingError` if the continuation is no number, or the last one there is.
    public func next(after page: PageFacts) throws(PagingError) -> PageEnd {
        let number = try number(page.continuation)
        let isEmpty = page.elementCount == 0
        let (last, _) = first.subtractingReportingOverflow(1)
        let (seen, _) = number.subtractingReportingOverflow(last)
        let total = Figure(
            total, page.value(at: total, of: self), atLeast: page.walkElementCount, secrets: page.secrets)
        let pages = Figure(
            pages, page.value(at: pages, of: self), atLeast: isEmpty ? 0 : seen, secrets: page.secrets)
        let hasMore = more.flatMap { $0.says(page.value(at: $0.path, of: self)) }
        var notices = [total.notice, pages.notice].compactMap(\.self)
        if isEmpty, hasMore == true, let more {
            notices.append("\(more) says that there is more, but the page is empty")
        }
        let notice = notices.isEmpty ? nil : notices.joined(separator: "; ")
        let isLast = total.value == page.walkElementCount || pages.value == seen
        guard !isEmpty, !(hasMore.map(!) ?? isLast) else { return .end(total: total.value, notice: notice) }
        guard let next = predicted(after: page.continuation) else {
            throw PagingError("the page number \(number) has no successor")
        }
        return .more(next, total: total.value, notice: notice)
    }

    private func number(_ continuation: Continuation?) throws(PagingError) -> Int {
        guard let continuation else { return first }
        guard let number = Int(continuation.text), number >= first else {
            throw PagingError("the continuation `\(continuation)` is not a page number from \(first)")
        }
        return number
    }
}
