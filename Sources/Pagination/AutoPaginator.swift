/// `auto`: the style is discovered from the first page, and recorded.
///
/// It is the style of a feed until the discovery. Until then there is one page, and each first page is examined again.
package struct AutoPaginator: Paginator {
    /// `auto`
    package static let name = "auto"

    package var cursorKind: PageCursorKind { .open }

    /// A style yet to be found.
    package init() {}

    /// `auto`
    package var canonicalText: String { Self.name }

    /// True: the sign that leads on may be a header, or come with another page than the one that is stored.
    package var endsByAbsence: Bool { true }

    /// The feed's own request.
    ///
    /// - Throws: `PagingError` for any page cursor: nothing is known of a second page.
    package func request(for cursor: PageCursor?, base: PageRequest) throws(PagingError) -> PageRequest {
        if let cursor { throw PagingError("it is not known yet how to get page \(cursor)") }
        return base
    }

    /// The end, as far as can be seen.
    package func next(after page: PaginationInput) throws(PagingError) -> NextPage { .end() }
}
