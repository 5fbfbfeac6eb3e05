/// `link`: a `Link` header with `rel="next"` leads to the next page, which is requested as given.
///
/// The end is a page without one, or with `results="false"` beside it, or a flag for the end in the body; and a page
/// that leads to itself, or without items if the total is reached or its URL merely counts. Source:
/// https://www.rfc-editor.org/rfc/rfc8288
package struct LinkPaginator: LedPaginator {
    /// `link`
    package static let name = "link"

    package var cursorKind: PageCursorKind { .address }

    package let flags: MoreFlag
    package let total: StatedTotal?
    package let size: PageSize?

    /// Pages that name the next one in a `Link` header, perhaps with a size for the first.
    package init(flags: MoreFlag = MoreFlag(), total: StatedTotal? = nil, size: PageSize? = nil) {
        self.flags = flags
        self.total = total
        self.size = size
    }

    /// The style with its members.
    package var canonicalText: String {
        Self.name + memberText
    }

    /// True: the URLs of most upstreams count pages.
    package var isShifting: Bool { true }

    /// True.
    package var endsByAbsence: Bool { true }

    /// The URL as the page before gave it, or the feed's own request with the size.
    package func request(for cursor: PageCursor?, base: PageRequest) throws(PagingError) -> PageRequest {
        .following(cursor, size: size, base: base)
    }

    /// The URL that the header gives, or the end.
    ///
    /// - Throws: `PagingError` if it is none, or one empty page too many was followed.
    package func lead(after page: PaginationInput) throws(PagingError) -> NextPage {
        guard let target = LinkHeader(page.values(ofHeader: "Link")).target(of: "next") else {
            return .end(sign: flags.sign(page, of: self))
        }
        return try page.following(target: target, isTotalReached: total?.isReached(page, of: self) ?? false)
    }
}
