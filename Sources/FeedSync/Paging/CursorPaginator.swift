/// `cursor`: a token of one page is sent back, as a query parameter, to get the next one.
///
/// Without `param`, `next` is an object whose members all become parameters. The end is a page without a token:
/// nothing, `null`, `false`, an empty text or object, or a has-more flag that says so.
public struct CursorPaginator: Paginator {
    /// `cursor`
    public static let name = "cursor"

    private let parameter: String?
    private let source: NextSource
    private let more: MoreFlag?
    private let size: PageSize?

    /// Reads `param`, `next` (the token's path) or `header` (the name of one that holds it), the path `more`, and
    /// `size_param` and `size`, which go together.
    public init(_ members: MappingDecoder) {
        parameter = members.string("param")
        source = NextSource(members) ?? .body(Path([]))
        more = MoreFlag(members)
        size = PageSize(members, besides: parameter.map { [$0] } ?? [])
        if members.has("header"), !members.has("param") {
            members.mistake("`header` needs a `param`: the query parameter that the token is sent in", at: "header")
        }
    }

    /// The style with its members.
    public var canonicalText: String {
        var text = "cursor"
        if let parameter { text += " param \(parameter)" }
        text += " \(source.canonicalText)"
        if let more { text += " \(more.canonicalText)" }
        if let size { text += " \(size.canonicalText)" }
        return text
    }

    /// The paths of `next` and `more`, where given.
    public var bodyPaths: [Path] { source.bodyPaths + (more.map { [$0.path] } ?? []) }

    /// Whether the token comes in a header.
    public var endsByAbsence: Bool { source.isHeader }

    /// The parameter with the token; none where the upstream names them.
    public var cursorParameters: [String] { parameter.map { [$0] } ?? [] }

    /// The feed's request with the token, or with the members of the object, and with the size unless the feed's query
    /// has one already.
    ///
    /// - Throws: `PagingError` if the page cursor is no object where it should be one.
    public func request(for cursor: PageCursor?, base: PageRequest) throws(PagingError) -> PageRequest {
        var request = base
        size?.apply(to: &request)
        guard let cursor else { return request }
        if let parameter {
            request.set(parameter, to: cursor.text)
        } else {
            for member in try members(cursor.text, of: "the page cursor") {
                request.set(member.name, to: member.value)
            }
        }
        return request
    }

    /// Nothing: only the page tells.
    public func predicted(after cursor: PageCursor?) -> PageCursor? { nil }

    /// The page's token, or the end.
    ///
    /// - Throws: `PagingError` if it cannot be sent, or one empty page too many was followed.
    public func next(after page: PaginationInput) throws(PagingError) -> NextPage {
        let hasMore = more.flatMap { $0.says(page.value(at: $0.path, of: self)) }
        guard hasMore != false else { return .end() }
        guard let value = source.value(in: page), let token = try token(value, page.secrets) else {
            guard let more, hasMore == true else { return .end() }
            return .end(notice: "\(more) says there is more, but \(source) does not lead there")
        }
        return try page.following(PageCursor(token))
    }

    /// The page cursor's text; nil for an object that says nothing.
    private func token(_ value: JSONScalar, _ secrets: Secrets) throws(PagingError) -> String? {
        guard parameter == nil else {
            guard let token = value.parameterText else {
                throw PagingError("\(source) is \(value.shown(secrets)), not a token that could be sent")
            }
            return token
        }
        guard case .json(let text) = value else {
            throw PagingError(
                "\(source) is \(value.shown(secrets)), not an object; a token needs a `param` to be sent in")
        }
        return try members(text, of: "\(source), \(value.shown(secrets)),").isEmpty ? nil : text
    }

    /// The members of an object as parameters. In order of their names: equal requests must be spelled the same.
    private func members(_ text: String, of place: String) throws(PagingError) -> [PageRequest.Parameter] {
        guard let value = try? JSONValue(parsing: text), case .object(let members) = value else {
            throw PagingError("\(place) is not an object")
        }
        var parameters: [PageRequest.Parameter] = []
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
            switch member {
            case .null: continue
            case .bool(let value): parameters.append(.init(name: name, value: "\(value)"))
            case .number(let value), .string(let value): parameters.append(.init(name: name, value: value))
            case .array, .object:
                throw PagingError("`\(name)` of \(source) is not a scalar, and cannot be sent as a parameter")
            }
        }
        return parameters
    }
}
