public import JSON

/// `auto`: the style is found from the first page, and recorded.
///
/// It stands for a style that is not found yet. As long as it stands, there is one page, and each first page is looked
/// at anew.
public struct AutoPaginator: Paginator {
    /// `auto`
    public static let name = "auto"

    /// A style yet to be found.
    public init() {}

    /// `auto`
    public var canonicalText: String { Self.name }

    /// Nothing.
    public var bodyPaths: [Path] { [] }

    /// True: the sign that leads on may be a header, or come with another page than the one that is stored.
    public var endsByAbsence: Bool { true }

    /// None.
    public var cursorParameters: [String] { [] }

    /// The feed's own request.
    ///
    /// - Throws: `PagingError` for any page cursor: nothing is known of a second page.
    public func request(for cursor: PageCursor?, base: PageRequest) throws(PagingError) -> PageRequest {
        if let cursor { throw PagingError("it is not known yet how to get page \(cursor)") }
        return base
    }

    /// Nothing: only the page tells.
    public func predicted(after cursor: PageCursor?) -> PageCursor? { nil }

    /// The end, as far as can be seen.
    public func next(after page: PaginationInput) throws(PagingError) -> NextPage { .end() }
}
