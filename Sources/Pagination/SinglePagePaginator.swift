public import JSON

/// `none`: one request gets everything.
public struct SinglePagePaginator: Paginator {
    /// `none`
    public static let name = "none"

    /// A feed of one page.
    public init() {}

    /// `none`
    public var canonicalText: String { Self.name }

    /// Nothing.
    public var bodyPaths: [Path] { [] }

    /// None.
    public var cursorParameters: [String] { [] }

    /// The feed's own request.
    ///
    /// - Throws: `PagingError` for any page cursor: there is no second page.
    public func request(for cursor: PageCursor?, base: PageRequest) throws(PagingError) -> PageRequest {
        if let cursor { throw PagingError("a feed of one page has no page \(cursor)") }
        return base
    }

    /// Nothing comes after the page.
    public func predicted(after cursor: PageCursor?) -> PageCursor? { nil }

    /// The end.
    public func next(after page: PaginationInput) throws(PagingError) -> NextPage { .end() }
}
