package import JSON

/// `next_url`: the body or a header gives the next page's URL, which is requested as given.
///
/// The end is a page without one: nothing, `null`, `false`, an empty text, or a flag for the end; and a page that leads
/// to itself, or without items if the total is reached or its URL merely counts.
package struct NextURLPaginator: LedPaginator {
    /// `next_url`
    package static let name = "next_url"

    package var cursorKind: PageCursorKind { .address }

    private let source: NextSource
    package let flags: MoreFlag
    package let total: StatedTotal?
    package let size: PageSize?

    /// Pages that name the next one's URL.
    package init(
        source: NextSource, flags: MoreFlag = MoreFlag(), total: StatedTotal? = nil, size: PageSize? = nil
    ) {
        self.source = source
        self.flags = flags
        self.total = total
        self.size = size
    }

    /// The style with its member.
    package var canonicalText: String {
        "next_url \(source.canonicalText)\(memberText)"
    }

    /// The paths of `next`, `more`, `last` and `total`, where given.
    package var bodyPaths: [Path] { source.bodyPaths + flags.bodyPaths + (total?.bodyPaths ?? []) }

    /// True: the URLs of most upstreams count pages.
    package var isShifting: Bool { true }

    /// True if the URL comes in a header.
    package var endsByAbsence: Bool { source.isHeader }

    /// The URL as the page before gave it, or the feed's own request with the size.
    package func request(for cursor: PageCursor?, base: PageRequest) throws(PagingError) -> PageRequest {
        .following(cursor, size: size, base: base)
    }

    /// The URL that the page gives, or the end.
    ///
    /// - Throws: `PagingError` if it is none, or one empty page too many was followed.
    package func lead(after page: PaginationInput) throws(PagingError) -> NextPage {
        guard let value = source.value(in: page) else { return .end(sign: flags.sign(page, of: self)) }
        guard case .text(let target) = value else {
            throw PagingError("\(source) is \(value.shown(page.secrets)), not the next page's URL")
        }
        return try page.following(target: target, isTotalReached: total?.isReached(page, of: self) ?? false)
    }
}
