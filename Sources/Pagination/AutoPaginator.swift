package import JSON

/// `auto`: the style is found from the first page, and recorded.
///
/// It stands for a style that is not found yet. As long as it stands, there is one page, and each first page is looked
/// at anew.
package struct AutoPaginator: Paginator {
    /// `auto`
    package static let name = "auto"

    /// A style yet to be found.
    package init() {}

    /// `auto`
    package var canonicalText: String { Self.name }

    /// Nothing.
    package var bodyPaths: [Path] { [] }

    /// True: the sign that leads on may be a header, or come with another page than the one that is stored.
    package var endsByAbsence: Bool { true }

    /// None.
    package var cursorParameters: [String] { [] }

    /// The feed's own request.
    ///
    /// - Throws: `PagingError` for any page cursor: nothing is known of a second page.
    package func request(for cursor: PageCursor?, base: PageRequest) throws(PagingError) -> PageRequest {
        if let cursor { throw PagingError("it is not known yet how to get page \(cursor)") }
        return base
    }

    /// Nothing: only the page tells.
    package func predicted(after cursor: PageCursor?) -> PageCursor? { nil }

    /// The end, as far as can be seen.
    package func next(after page: PaginationInput) throws(PagingError) -> NextPage { .end() }
}
