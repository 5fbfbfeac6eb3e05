/// `none`: one request gets everything.
public struct NoPagination: PaginationStyle {
    /// `none`
    public static let name = "none"

    /// A feed of one page.
    public init() {}

    /// Reads nothing: the style has no members.
    public init(_ members: MappingReader) {}

    /// `none`
    public var canonicalText: String { Self.name }

    /// Nothing.
    public var bodyPaths: [Path] { [] }

    /// None.
    public var continuationParameters: [String] { [] }

    /// The feed's own request.
    ///
    /// - Throws: `PagingError` for any continuation: there is no second page.
    public func request(for continuation: Continuation?, base: PageRequest) throws(PagingError) -> PageRequest {
        if let continuation { throw PagingError("a feed of one page has no page \(continuation)") }
        return base
    }

    /// Nothing comes after the page.
    public func predicted(after continuation: Continuation?) -> Continuation? { nil }

    /// The end.
    public func next(after page: PageFacts) throws(PagingError) -> PageEnd { .end() }
}
