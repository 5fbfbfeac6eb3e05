public import JSON

/// `none`: one request gets everything.
public struct SinglePagePaginator: Paginator {
    /// `none`
    public static let name = "none"

    private let total: StatedTotal?

    /// A feed of one page.
    public init() {
        total = nil
    }

    /// A feed of one page that says how many elements there should be on it.
    package init(total: StatedTotal?) {
        self.total = total
    }

    /// `none`, with its member.
    public var canonicalText: String { Self.name + (total.map { " \($0.canonicalText)" } ?? "") }

    /// The path of `total`, where given.
    public var bodyPaths: [Path] { [total?.path].compactMap(\.self) }

    /// Whether `total` is given.
    public var hasTotal: Bool { total != nil }

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
    public func next(after page: PaginationInput) throws(PagingError) -> NextPage {
        total?.added(to: .end(), after: page, of: self) ?? .end()
    }
}
