package import JSON

/// `none`: one request gets everything.
package struct SinglePagePaginator: Paginator {
    /// `none`
    package static let name = "none"

    private let total: StatedTotal?

    /// A feed of one page.
    package init() {
        total = nil
    }

    /// A feed of one page that says how many elements there should be on it.
    package init(total: StatedTotal?) {
        self.total = total
    }

    /// `none`, with its member.
    package var canonicalText: String { Self.name + (total.map { " \($0.canonicalText)" } ?? "") }

    /// The path of `total`, where given.
    package var bodyPaths: [Path] { [total?.path].compactMap(\.self) }

    /// Whether `total` is given.
    package var hasTotal: Bool { total != nil }

    /// None.
    package var cursorParameters: [String] { [] }

    /// The feed's own request.
    ///
    /// - Throws: `PagingError` for any page cursor: there is no second page.
    package func request(for cursor: PageCursor?, base: PageRequest) throws(PagingError) -> PageRequest {
        if let cursor { throw PagingError("a feed of one page has no page \(cursor)") }
        return base
    }

    /// Nothing comes after the page.
    package func predicted(after cursor: PageCursor?) -> PageCursor? { nil }

    /// The end.
    package func next(after page: PaginationInput) throws(PagingError) -> NextPage {
        total?.added(to: .end(), after: page, of: self) ?? .end()
    }
}
