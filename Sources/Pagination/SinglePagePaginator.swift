/// `none`: one request gets everything.
package struct SinglePagePaginator: Paginator {
    /// `none`
    package static let name = "none"

    package var cursorKind: PageCursorKind { .none }

    package let flags: MoreFlag
    package let total: StatedTotal?

    /// A feed of one page, which perhaps says how many elements there should be on it.
    package init(flags: MoreFlag = MoreFlag(), total: StatedTotal? = nil) {
        self.flags = flags
        self.total = total
    }

    /// `none`, with its members.
    package var canonicalText: String { Self.name + flags.canonicalText + (total.map { " \($0.canonicalText)" } ?? "") }

    /// The feed's own request.
    ///
    /// - Throws: `PagingError` for any page cursor: there is no second page.
    package func request(for cursor: PageCursor?, base: PageRequest) throws(PagingError) -> PageRequest {
        if let cursor { throw PagingError("a feed of one page has no page \(cursor)") }
        return base
    }

    /// The end.
    package func next(after page: PaginationInput) throws(PagingError) -> NextPage {
        let end = NextPage.end(sign: flags.sign(page, of: self), isStated: flags.says(page, of: self) == false)
        return withTotal(end, after: page)
    }
}
