package import JSON

/// `link`: a `Link` header with `rel="next"` leads to the next page, which is requested as given.
///
/// The end is a page without one. Source: https://www.rfc-editor.org/rfc/rfc8288
package struct LinkPaginator: Paginator {
    /// `link`
    package static let name = "link"

    private let total: StatedTotal?
    private let size: PageSize?

    /// Pages that name the next one in a `Link` header.
    package init() { self.init(size: nil) }

    /// Pages that name the next one in a `Link` header, the first one asked for in a size.
    package init(total: StatedTotal? = nil, size: PageSize?) {
        self.total = total
        self.size = size
    }

    /// The style with its members.
    package var canonicalText: String {
        Self.name + (total.map { " \($0.canonicalText)" } ?? "") + (size.map { " \($0.canonicalText)" } ?? "")
    }

    /// The path of `total`, where given.
    package var bodyPaths: [Path] { [total?.path].compactMap(\.self) }

    /// True: the URLs of most upstreams count pages.
    package var isShifting: Bool { true }

    /// True.
    package var endsByAbsence: Bool { true }

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

    /// The URL that the header gives, or the end.
    ///
    /// - Throws: `PagingError` if it is none, or the page's own, or one empty page too many was followed.
    package func next(after page: PaginationInput) throws(PagingError) -> NextPage {
        let target = LinkHeader(page.values(ofHeader: "Link")).target(of: "next")
        let end = try target.map { target throws(PagingError) in try page.following(target: target) } ?? .end()
        return total?.added(to: end, after: page, of: self) ?? end
    }
}
