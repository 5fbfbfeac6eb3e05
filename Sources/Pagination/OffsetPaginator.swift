package import JSON

/// `offset`: a query parameter gives the number of elements to skip.
///
/// The offset grows by the number of received elements, not by the requested number, so that a server that silently
/// lowers the size loses no row. The end is an empty page, or the total, if the body has one that is plausible and
/// greater than one full page. A has-more flag outranks the total.
package struct OffsetPaginator: Paginator {
    /// `offset`
    package static let name = "offset"

    package var cursorKind: PageCursorKind { .number }

    private let parameter: String
    /// The first page's offset.
    package let first: Int
    /// The number of the list's first item.
    private let base: Int
    private let limit: PageSize?
    package let total: StatedTotal?
    package let flags: MoreFlag
    /// The number of simultaneous requests.
    package let prefetch: Int

    /// Pages by offset.
    ///
    /// - Parameters:
    ///   - parameter: The query parameter with the offset.
    ///   - first: The first page's offset; nil for the whole list.
    ///   - base: The number of the list's first item.
    ///   - limit: The number of elements to ask for.
    ///   - total: The place of the number of elements in the body.
    ///   - flags: The place of the sign of a further page in the body.
    ///   - prefetch: The number of simultaneous requests.
    package init(
        parameter: String = "offset", first: Int? = nil, base: Int = 0, limit: PageSize? = nil,
        total: StatedTotal? = nil,
        flags: MoreFlag = MoreFlag(), prefetch: Int = 1
    ) {
        self.parameter = parameter
        self.first = first ?? base
        self.base = base
        self.limit = limit
        self.total = total
        self.flags = flags
        self.prefetch = prefetch
    }

    /// The style with its members.
    package var canonicalText: String {
        var text = "offset param \(parameter)"
        if base > 0 { text += " base \(base)" }
        if first > base { text += " first \(first)" }
        if let limit { text += " limit_param \(limit.parameter) limit \(limit.count)" }
        if let total { text += " \(total.canonicalText)" }
        return text + flags.canonicalText
    }

    /// The paths of `total`, `more` and `last`, where given.
    package var bodyPaths: [Path] { (total?.bodyPaths ?? []) + flags.bodyPaths }

    /// True: pages are places in the list.
    package var isShifting: Bool { true }

    /// The limit, where one is given and more than 1: of a page of one item, the overlap would be as much as the page.
    package var overlappingSize: Int? { limit.flatMap { $0.count > 1 ? $0.count : nil } }

    /// The number of items lie before the first page.
    package var passedOver: Int { first - base }

    /// The difference of the offsets, 0 at least.
    package func elementCount(from start: PageCursor?, to end: PageCursor) -> Int? {
        guard let start = try? offset(start), let end = try? offset(end) else { return nil }
        return max(end - start, 0)
    }

    /// The parameter with the offset.
    package var cursorParameters: [String] { [parameter] }

    /// True.
    package var mayAskBeyondEnd: Bool { true }

    /// To say `first`.
    package var firstPageAdvice: String {
        "leave it out: the first offset is \(first); set another one with `pagination: {first: …}`"
    }

    /// The feed's request with the offset, and with the limit unless the feed's query has one already. Where pages
    /// overlap, it begins with the last element of the page before, and asks for one more.
    ///
    /// - Throws: `PagingError` if the page cursor is not a number.
    package func request(for cursor: PageCursor?, base: PageRequest) throws(PagingError) -> PageRequest {
        var request = base
        let offset = try offset(cursor)
        if let limit, request.overlap > 0, cursor != nil, !request.has(limit.parameter) {
            request.set(limit.parameter, to: limit.count + 1)
            request.set(parameter, to: offset - 1)
            return request
        }
        request.overlap = 0
        limit?.apply(to: &request)
        request.set(parameter, to: offset)
        return request
    }

    /// Nothing: how many elements a page has is known once it is there.
    package func predicted(after cursor: PageCursor?) -> PageCursor? { nil }

    /// The offsets after the next one, if pages have as many elements as this one, up to the total: one more if there
    /// is a total. If a page has fewer, the offsets change, and the early requests are of no use.
    package func predicted(behind next: PageCursor, after page: PaginationInput, total: Int?) -> [PageCursor] {
        let count = page.elementCount - min(page.overlap, page.elementCount)
        guard count > 0, var offset = try? offset(next) else { return [] }
        var cursors: [PageCursor] = []
        let most = !flags.isRead && total != nil ? prefetch : prefetch - 1
        while cursors.count < most {
            let (following, isBeyond) = offset.addingReportingOverflow(count)
            guard !isBeyond, total.map({ following - first < $0 }) ?? true else { break }
            cursors.append(PageCursor("\(following)"))
            offset = following
        }
        return cursors
    }

    /// The offset after the page's elements, or the end at an empty page, the last element or a flag for the end.
    ///
    /// - Throws: `PagingError` if the page cursor is not an offset, or if there is no number for the next one.
    package func next(after page: PaginationInput) throws(PagingError) -> NextPage {
        let count = page.elementCount - min(page.overlap, page.elementCount)
        let (next, isBeyond) = try offset(page.cursor).addingReportingOverflow(count)
        guard !isBeyond else { throw PagingError("there is no offset behind the one of this page") }
        // The offset alone says how many elements lie before it: one that moved while it was read came twice.
        let reported = total?.reported(page, of: self, atLeast: next - base)
        // The elements before the first page do not belong to the feed.
        let total = { (next: PageCursor?) in reported?.total(at: next, page).map { $0 - passedOver } }
        let hasMore = flags.says(page, of: self)
        let isLast = reported?.exact == next - base && !(page.cursor == nil && page.mayBeCountedAlone(limit))
        guard count > 0, !(hasMore.map(!) ?? isLast) else {
            return .end(
                total: total(nil), notice: reported?.notice, sign: flags.sign(page, of: self),
                isStated: hasMore == false || isLast,
                behindCount: count > 0 && hasMore == nil && page.isFull ? PageCursor("\(next)") : nil)
        }
        let cursor = PageCursor("\(next)")
        return .more(cursor, total: total(cursor), notice: reported?.notice)
    }

    private func offset(_ cursor: PageCursor?) throws(PagingError) -> Int {
        guard let cursor else { return first }
        guard let offset = Int(cursor.text), offset > first else {
            throw PagingError("the page cursor `\(cursor)` is not an offset from \(first + 1)")
        }
        return offset
    }
}
