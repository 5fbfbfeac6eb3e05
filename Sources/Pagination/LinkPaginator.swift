package import JSON

/// `link`: a `Link` header with `rel="next"` leads to the next page, which is requested as given.
///
/// The end is a page without one, or with `results="false"` beside it, or a flag for the end in the body; and a page
/// that leads to itself, or without items if the total is reached or its URL merely counts. Source:
/// https://www.rfc-editor.org/rfc/rfc8288
package struct LinkPaginator: Paginator {
    /// `link`
    package static let name = "link"

    package var cursorKind: PageCursorKind { .address }

    private let flags: MoreFlag
    private let total: StatedTotal?
    private let size: PageSize?

    /// Pages that name the next one in a `Link` header.
    package init() { self.init(size: nil) }

    /// Pages that name the next one in a `Link` header, with a size for the first.
    package init(flags: MoreFlag = MoreFlag(), total: StatedTotal? = nil, size: PageSize?) {
        self.flags = flags
        self.total = total
        self.size = size
    }

    /// The style with its members.
    package var canonicalText: String {
        Self.name + flags.canonicalText + (total.map { " \($0.canonicalText)" } ?? "")
            + (size.map { " \($0.canonicalText)" } ?? "")
    }

    /// The paths of `more`, `last` and `total`, where given.
    package var bodyPaths: [Path] { flags.bodyPaths + (total?.bodyPaths ?? []) }

    /// True: the URLs of most upstreams count pages.
    package var isShifting: Bool { true }

    /// True.
    package var endsByAbsence: Bool { true }

    /// True if `total` is given.
    package var hasTotal: Bool { total != nil }

    /// None.
    package var cursorParameters: [String] { [] }

    /// The URL as the page before gave it, or the feed's own request with the size.
    package func request(for cursor: PageCursor?, base: PageRequest) throws(PagingError) -> PageRequest {
        .following(cursor, size: size, base: base)
    }

    /// Nil: the next page is known only from the page.
    package func predicted(after cursor: PageCursor?) -> PageCursor? { nil }

    /// The URL that the header gives, or the end.
    ///
    /// - Throws: `PagingError` if it is none, or one empty page too many was followed.
    package func next(after page: PaginationInput) throws(PagingError) -> NextPage {
        let end = try end(after: page)
        return total?.added(to: end, after: page, of: self) ?? end
    }

    private func end(after page: PaginationInput) throws(PagingError) -> NextPage {
        guard flags.says(page, of: self) != false else { return .end(isStated: true) }
        guard let target = LinkHeader(page.values(ofHeader: "Link")).target(of: "next") else {
            return .end(sign: flags.sign(page, of: self))
        }
        return try page.following(target: target, isTotalReached: total?.isReached(page, of: self) ?? false)
    }
}
