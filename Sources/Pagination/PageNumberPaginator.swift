package import JSON

/// `page`: pages have numbers, sent as a query parameter.
///
/// The end is an empty page; where the body tells how many elements or pages there are, or that there is no further
/// one, it comes without asking for one more. A figure that cannot be true is passed over with a notice, and the pages
/// go on to the empty one. So they do where a total counts no more than one full page, which may be that page's count
/// alone, and where the server gives fewer elements than `size` and says a number of pages without a total: it may have
/// worked that out from the size. A has-more flag outranks the figures, and a total the number of pages.
package struct PageNumberPaginator: Paginator {
    /// `page`
    package static let name = "page"

    private let parameter: String
    private let first: Int
    private let size: PageSize?
    private let total: Path?
    private let pages: Path?
    private let more: MoreFlag?
    /// How many requests may be under way.
    package let prefetch: Int

    /// Pages by number.
    ///
    /// - Parameters:
    ///   - parameter: The query parameter with the number.
    ///   - first: The first page's number.
    ///   - size: How many elements to ask for.
    ///   - total: Where the body says how many elements there are.
    ///   - pages: Where the body says how many pages there are.
    ///   - more: Where the body says whether there is a further page.
    ///   - prefetch: How many requests may be under way.
    package init(
        parameter: String = "page", first: Int = 1, size: PageSize? = nil, total: Path? = nil, pages: Path? = nil,
        more: MoreFlag? = nil, prefetch: Int = 1
    ) {
        self.parameter = parameter
        self.first = first
        self.size = size
        self.total = total
        self.pages = pages
        self.more = more
        self.prefetch = prefetch
    }

    /// The style with its members.
    package var canonicalText: String {
        var text = "page param \(parameter) first \(first)"
        if let size { text += " \(size.canonicalText)" }
        if let total { text += " total \(total)" }
        if let pages { text += " pages \(pages)" }
        if let more { text += " \(more.canonicalText)" }
        return text
    }

    /// The paths of `total`, `pages` and `more`, where given.
    package var bodyPaths: [Path] { [total, pages, more?.path].compactMap(\.self) }

    /// True: pages are places in the list.
    package var isShifting: Bool { true }

    /// Whether `total` is given.
    package var hasTotal: Bool { total != nil }

    /// The parameter with the number.
    package var cursorParameters: [String] { [parameter] }

    /// True.
    package var mayAskBeyondEnd: Bool { true }

    /// To say `first`.
    package var firstPageAdvice: String { "a first page is given as `pagination: {first: …}`" }

    /// The feed's request with the page's number, and with the size unless the feed's query has one already.
    ///
    /// - Throws: `PagingError` if the page cursor is not a number.
    package func request(for cursor: PageCursor?, base: PageRequest) throws(PagingError) -> PageRequest {
        var request = base
        size?.apply(to: &request)
        request.set(parameter, to: try number(cursor))
        return request
    }

    /// The next number.
    package func predicted(after cursor: PageCursor?) -> PageCursor? {
        guard let number = try? number(cursor), number < Int.max else { return nil }
        return PageCursor("\(number + 1)")
    }

    /// The numbers behind the next one, up to the last page that the total or the number of pages tells of: one more with
    /// these, for none is asked for in vain.
    package func predicted(behind next: PageCursor, after page: PaginationInput, total: Int?) -> [PageCursor] {
        let pages = ReportedCount(pages, page.value(at: pages, of: self), atLeast: 0, secrets: page.secrets)
        let isEndKnown = more == nil && (total != nil || pages.value != nil)
        var left = isEndKnown ? prefetch : prefetch - 1
        if let total {
            // Elements beyond this page, in pages as full as the fullest: the next one is the first of them.
            let (rest, _) = total.subtractingReportingOverflow(page.crawlElementCount)
            left = min(left, (max(rest, 1) - 1) / max(page.fullPageCount, page.elementCount, 1))
        }
        if let pages = pages.value, let number = try? number(next) {
            let (before, _) = number.subtractingReportingOverflow(first)
            left = min(left, max(pages - 1 - before, 0))
        }
        var cursors: [PageCursor] = []
        var last = next
        while cursors.count < left, let following = predicted(after: last) {
            cursors.append(following)
            last = following
        }
        return cursors
    }

    /// The next number, or the end at an empty page, the last element, the last page or a flag that says so.
    ///
    /// - Throws: `PagingError` if the page cursor is not a number, or the last one there is.
    package func next(after page: PaginationInput) throws(PagingError) -> NextPage {
        let number = try number(page.cursor)
        let isEmpty = page.elementCount == 0
        let (last, _) = first.subtractingReportingOverflow(1)
        let (seen, _) = number.subtractingReportingOverflow(last)
        let total = ReportedCount(
            total, page.value(at: total, of: self), atLeast: page.crawlElementCount, secrets: page.secrets)
        let pages = ReportedCount(
            pages, page.value(at: pages, of: self), atLeast: isEmpty ? 0 : seen, secrets: page.secrets)
        let hasMore = more.flatMap { $0.says(page.value(at: $0.path, of: self)) }
        let notice = NextPage.notice(total.notice, pages.notice, more?.notice(of: page, in: self))
        let isLast =
            total.value.map { $0 == page.crawlElementCount && !countsPageAlone(page, seen: seen) }
            ?? (pages.value == seen && !isCut(page, seen: seen))
        guard !isEmpty, !(hasMore.map(!) ?? isLast) else { return .end(total: total.value, notice: notice) }
        guard let next = predicted(after: page.cursor) else {
            throw PagingError("the page number \(number) has no successor")
        }
        return .more(next, total: total.value, notice: notice)
    }

    /// Whether a total may count this page and not the list: the first page is as full as it was asked to be.
    private func countsPageAlone(_ page: PaginationInput, seen: Int) -> Bool {
        guard let size, seen == 1 else { return false }
        return page.elementCount >= size.count
    }

    /// Whether the server may give fewer elements a page than it was asked for: a number of pages that it works out from
    /// what was asked is too small then.
    private func isCut(_ page: PaginationInput, seen: Int) -> Bool {
        guard let size else { return false }
        let (elements, pages) =
            seen > 1 ? (page.crawlElementCount - page.elementCount, seen - 1) : (page.elementCount, 1)
        let (asked, isBeyond) = pages.multipliedReportingOverflow(by: size.count)
        return isBeyond || elements < asked
    }

    private func number(_ cursor: PageCursor?) throws(PagingError) -> Int {
        guard let cursor else { return first }
        guard let number = Int(cursor.text), number >= first else {
            throw PagingError("the page cursor `\(cursor)` is not a page number from \(first)")
        }
        return number
    }
}
