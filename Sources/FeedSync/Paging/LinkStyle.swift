internal import HTTP

/// `link`: a `Link` header with `rel="next"` leads to the next page, which is requested as given.
///
/// The end is a page without one. Source: https://www.rfc-editor.org/rfc/rfc8288
public struct LinkStyle: PaginationStyle {
    /// `link`
    public static let name = "link"

    /// Pages that name the next one in a `Link` header.
    public init() {}

    /// Reads nothing: the style has no members.
    public init(_ members: MappingReader) {}

    /// `link`
    public var canonicalText: String { Self.name }

    /// Nothing.
    public var bodyPaths: [Path] { [] }

    /// True.
    public var endsByAbsence: Bool { true }

    /// None.
    public var continuationParameters: [String] { [] }

    /// The URL as the page before gave it, or the feed's own request.
    public func request(for continuation: Continuation?, base: PageRequest) throws(PagingError) -> PageRequest {
        continuation.map { PageRequest(url: $0.text) } ?? base
    }

    /// Nothing: only the page tells.
    public func predicted(after continuation: Continuation?) -> Continuation? { nil }

    /// The URL that the header gives, or the end.
    ///
    /// - Throws: `PagingError` if it is none, or the page's own, or one empty page too many was followed.
    public func next(after page: PageFacts) throws(PagingError) -> PageEnd {
        guard let target = LinkHeader(page.values(ofHeader: "Link")).target(of: "next") else { return .end() }
        return try page.following(target: target)
    }
}
