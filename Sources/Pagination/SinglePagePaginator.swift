package import JSON

/// `none`: one request gets everything.
package struct SinglePagePaginator: Paginator {
    /// `none`
    package static let name = "none"

    package var cursorKind: PageCursorKind { .none }

    private let flags: MoreFlag
    private let total: StatedTotal?

    /// A feed of one page.
    package init() { self.init(total: nil) }

    /// A feed of one page that says how many elements there should be on it.
    package init(flags: MoreFlag = MoreFlag(), total: StatedTotal?) {
        self.flags = flags
        self.total = total
    }

    /// `none`, with its members.
    package var canonicalText: String { Self.name + flags.canonicalText + (total.map { " \($0.canonicalText)" } ?? "") }

    /// The paths of `more`, `last` and `total`, where given.
    package var bodyPaths: [Path] { flags.bodyPaths + (total?.bodyPaths ?? []) }

    /// True if `total` is given.
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
        let end = NextPage.end(sign: flags.sign(page, of: self), isStated: flags.says(page, of: self) == false)
        return total?.added(to: end, after: page, of: self) ?? end
    }
}
