package import JSON

/// `next_url`: the body or a header gives the next page's URL, which is requested as given.
///
/// The end is a page without one: nothing, `null`, `false` or an empty text.
package struct NextURLPaginator: Paginator {
    /// `next_url`
    package static let name = "next_url"

    private let source: NextSource
    private let total: StatedTotal?
    private let size: PageSize?

    /// Pages that name the next one's URL.
    package init(source: NextSource, total: StatedTotal? = nil, size: PageSize? = nil) {
        self.source = source
        self.total = total
        self.size = size
    }

    /// The style with its member.
    package var canonicalText: String {
        "next_url \(source.canonicalText)" + (total.map { " \($0.canonicalText)" } ?? "")
            + (size.map { " \($0.canonicalText)" } ?? "")
    }

    /// The paths of `next` and `total`, where given.
    package var bodyPaths: [Path] { source.bodyPaths + [total?.path].compactMap(\.self) }

    /// True: the URLs of most upstreams count pages.
    package var isShifting: Bool { true }

    /// Whether the URL comes in a header.
    package var endsByAbsence: Bool { source.isHeader }

    /// Whether `total` is given.
    package var hasTotal: Bool { total != nil }

    /// None.
    package var cursorParameters: [String] { [] }

    /// The URL as the page before gave it, or the feed's own request with the size.
    package func request(for cursor: PageCursor?, base: PageRequest) throws(PagingError) -> PageRequest {
        .following(cursor, size: size, base: base)
    }

    /// Nothing: only the page tells.
    package func predicted(after cursor: PageCursor?) -> PageCursor? { nil }

    /// The URL that the page gives, or the end.
    ///
    /// - Throws: `PagingError` if it is none, or the page's own, or one empty page too many was followed.
    package func next(after page: PaginationInput) throws(PagingError) -> NextPage {
        let end = try end(after: page)
        return total?.added(to: end, after: page, of: self) ?? end
    }

    private func end(after page: PaginationInput) throws(PagingError) -> NextPage {
        guard let value = source.value(in: page) else { return .end() }
        guard case .text(let target) = value else {
            throw PagingError("\(source) is \(value.shown(page.secrets)), not the next page's URL")
        }
        return try page.following(target: target)
    }
}
