package import JSON

/// `page`: pages have numbers, sent as a query parameter, in the body, or in the path.
///
/// The end is an empty page. If the body states the number of elements or pages, or that there is no further page, the
/// end comes without another request. An impossible number is ignored with a notice, and the pages continue to the
/// empty one. They also do so in two other cases: if a total is no more than one full page, because it may count that
/// page alone; and if the server returns fewer elements than `size` and states a number of pages without a total,
/// because it may have divided by the size. A has-more flag outranks the numbers, and a total the number of pages.
package struct PageNumberPaginator: Paginator {
    /// `page`
    package static let name = "page"

    package var cursorKind: PageCursorKind { .number }

    private let parameter: String
    private let first: Int
    private let size: PageSize?
    package let total: StatedTotal?
    private let pages: Path?
    private let pagesHeader: String?
    package let flags: MoreFlag
    /// The number of simultaneous requests.
    package let prefetch: Int

    /// Pages by number.
    ///
    /// - Parameters:
    ///   - parameter: The parameter with the number; with a slash in front, the segment of the path before it.
    ///   - first: The first page's number.
    ///   - size: The number of elements to ask for.
    ///   - total: The place of the number of elements in the body.
    ///   - pages: The place of the number of pages in the body.
    ///   - pagesHeader: The name of a header with that number.
    ///   - flags: The place of the sign of a further page in the body.
    ///   - prefetch: The number of simultaneous requests.
    package init(
        parameter: String = "page", first: Int = 1, size: PageSize? = nil, total: StatedTotal? = nil,
        pages: Path? = nil, pagesHeader: String? = nil, flags: MoreFlag = MoreFlag(), prefetch: Int = 1
    ) {
        self.parameter = parameter
        self.first = first
        self.size = size
        self.total = total
        self.pages = pages
        self.pagesHeader = pagesHeader
        self.flags = flags
        self.prefetch = prefetch
    }

    /// The style with its members.
    package var canonicalText: String {
        var text = "page param \(parameter) first \(first)"
        if let size { text += " \(size.canonicalText)" }
        if let total { text += " \(total.canonicalText)" }
        if let pages { text += " pages \(pages)" }
        if let pagesHeader { text += " header \(pagesHeader)" }
        return text + flags.canonicalText
    }

    /// The paths of `total`, `pages`, `more` and `last`, where given.
    package var bodyPaths: [Path] { (total?.bodyPaths ?? []) + [pages].compactMap(\.self) + flags.bodyPaths }

    /// True: pages are places in the list.
    package var isShifting: Bool { true }

    /// The parameter with the number.
    package var cursorParameters: [String] { [parameter] }

    /// True if the number of pages comes in a header.
    package var endsByAbsence: Bool { pagesHeader != nil }

    /// True.
    package var mayAskBeyondEnd: Bool { true }

    /// To say `first`.
    package var firstPageAdvice: String { "a first page is given as `pagination: {first: …}`" }

    /// The feed's request with the page's number, and with the size unless the feed's query has one already.
    ///
    /// A number in the path is that of the feed's URL for the first page.
    ///
    /// - Throws: `PagingError` if the page cursor is not a number.
    package func request(for cursor: PageCursor?, base: PageRequest) throws(PagingError) -> PageRequest {
        var request = base
        size?.apply(to: &request)
        let number = try number(cursor)
        if let counter = PathCounter(parameter: parameter) {
            if cursor != nil { request.url = counter.url(request.url, number: number) }
        } else {
            request.set(parameter, to: number)
        }
        return request
    }

    /// The number, counted from 1.
    package func number(of cursor: PageCursor?) -> Int? {
        guard let number = try? number(cursor) else { return nil }
        let (counted, isBeyond) = number.subtractingReportingOverflow(first)
        return isBeyond || counted == .max ? nil : counted + 1
    }

    /// The next number.
    package func predicted(after cursor: PageCursor?) -> PageCursor? {
        guard let number = try? number(cursor), number < Int.max else { return nil }
        return PageCursor("\(number + 1)")
    }

    /// The numbers after the next one, up to the last page by the total or the number of pages: one more if these are
    /// known, since none is requested in vain.
    package func predicted(behind next: PageCursor, after page: PaginationInput, total: Int?) -> [PageCursor] {
        let pages = pageCount(page, atLeast: 0)
        let isEndKnown = !flags.isRead && (total != nil || pages.value != nil)
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

    /// The next number, or the end at an empty page, the last element, the last page or a flag for the end.
    ///
    /// - Throws: `PagingError` if the page cursor is not a number, or the largest one.
    package func next(after page: PaginationInput) throws(PagingError) -> NextPage {
        let number = try number(page.cursor)
        let isEmpty = page.elementCount == 0
        let (last, _) = first.subtractingReportingOverflow(1)
        let (seen, _) = number.subtractingReportingOverflow(last)
        let total = self.total?.reported(page, of: self, atLeast: page.crawlElementCount)
        let pages = pageCount(page, atLeast: isEmpty ? 0 : seen)
        let hasMore = flags.says(page, of: self)
        let notice = NextPage.notice(total?.notice, pages.notice)
        let isLast =
            total?.exact.map { $0 == page.crawlElementCount && !(seen == 1 && page.mayBeCountedAlone(size)) }
            ?? (pages.value == seen && !isCut(page, seen: seen))
        guard !isEmpty, !(hasMore.map(!) ?? isLast) else {
            return .end(
                total: total?.total(at: nil, page), notice: notice,
                sign: flags.sign(page, of: self) ?? sign(pages.value, page.pagesRead(seen), page),
                isStated: hasMore == false || isLast,
                behindCount: !isEmpty && hasMore == nil && page.isFull ? predicted(after: page.cursor) : nil)
        }
        guard let next = predicted(after: page.cursor) else {
            throw PagingError("the page number \(number) has no successor")
        }
        return .more(next, total: total?.total(at: next, page), notice: notice)
    }

    /// The place of the number of pages, for messages.
    private var pagesPlace: Path? { pages ?? pagesHeader.map { Path([.member($0)]) } }

    private func pageCount(_ page: PaginationInput, atLeast least: Int) -> ReportedCount {
        let value =
            pages == nil
            ? pagesHeader.flatMap { page.values(ofHeader: $0).first.map(JSONScalar.text) }
            : page.value(at: pages, of: self)
        return ReportedCount(pagesPlace, value, atLeast: least, secrets: page.secrets)
    }

    /// The number of pages, where the list ends before the last of them and not all items have come.
    private func sign(_ count: Int?, _ read: Int, _ page: PaginationInput) -> SignOfMore? {
        let total = total?.reported(page, of: self, atLeast: page.crawlElementCount).exact
        guard let place = pagesPlace, let count, count > read, total != page.crawlElementCount,
            flags.says(page, of: self) != false
        else { return nil }
        return .at(place, .integer(Int64(count)), .pages, page.secrets)
    }

    /// True if the server may lower the size of pages: a number of pages that it computes from the requested size is
    /// too small then.
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
