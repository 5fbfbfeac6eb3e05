package import JSON
internal import Text

/// `cursor`: a token of one page is sent as a query parameter to get the next one.
///
/// Without `param`, `next` is an object whose members all become parameters. The end is a page without a token:
/// nothing, `null`, `false`, the text `null`, an empty text, array or object, 0, -1 or `*`, or a flag for the end; and
/// a page that leads to itself, or without items if the total is reached or the token merely counts. A full page that
/// leads to itself may be one of many: the token of a scroll stays the same.
package struct CursorPaginator: LedPaginator {
    /// `cursor`
    package static let name = "cursor"

    private let parameter: String?
    private let source: NextSource
    package let flags: MoreFlag
    package let total: StatedTotal?
    package let size: PageSize?
    private let isAlone: Bool
    private let address: String?

    /// Pages by token.
    ///
    /// - Parameters:
    ///   - parameter: The query parameter that takes the token; nil where the token is an object of parameters.
    ///   - source: The place of the token.
    ///   - flags: The place of the sign of a further page in the body.
    ///   - total: The place of the number of elements in the body.
    ///   - size: The number of elements to ask for.
    ///   - isAlone: True if the token takes the place of the feed's other parameters.
    ///   - address: The URL that takes the token, and nothing else; nil for the feed's own.
    package init(
        parameter: String?, source: NextSource, flags: MoreFlag = MoreFlag(), total: StatedTotal? = nil,
        size: PageSize? = nil, isAlone: Bool = false, address: String? = nil
    ) {
        self.parameter = parameter
        self.source = source
        self.flags = flags
        self.total = total
        self.size = size
        self.isAlone = isAlone
        self.address = address
    }

    /// The style with its members.
    package var canonicalText: String {
        var text = "cursor"
        if let parameter { text += " param \(parameter)" }
        text += " \(source.canonicalText)\(memberText)"
        if isAlone { text += " alone" }
        if let address { text += " at \(address)" }
        return text
    }

    /// The paths of `next`, `more`, `last` and `total`, where given.
    package var bodyPaths: [Path] { source.bodyPaths + flags.bodyPaths + (total?.bodyPaths ?? []) }

    /// True if the token comes in a header.
    package var endsByAbsence: Bool { source.isHeader }

    /// The parameter with the token; none where the upstream names them.
    package var cursorParameters: [String] { parameter.map { [$0] } ?? [] }

    /// The feed's request with the token, or with the members of the object, and with the size unless the feed's query
    /// has one already; with a token that is to be alone, without the query; at another address, with the token alone.
    ///
    /// - Throws: `PagingError` if the page cursor is no object where it should be one.
    package func request(for cursor: PageCursor?, base: PageRequest) throws(PagingError) -> PageRequest {
        var request = base
        size?.apply(to: &request)
        guard let cursor else { return request }
        if isAlone { request.query = [] }
        if let address { request = base.moved(to: address) }
        if let parameter {
            request.set(parameter, toToken: cursor.text)
        } else {
            for member in try members(cursor.text, of: "the page cursor") {
                request.set(member.name, to: member.value)
            }
        }
        return request
    }

    /// The page's token, or the end.
    ///
    /// - Throws: `PagingError` if it cannot be sent, or one empty page too many was followed.
    package func lead(after page: PaginationInput) throws(PagingError) -> NextPage {
        guard let value = source.value(in: page), let token = try token(value, page.secrets) else {
            return .end(sign: flags.sign(page, of: self))
        }
        if let border = border(token, of: page) { return border }
        let next = PageCursor(token)
        let isTotalReached = total?.isReached(page, of: self) ?? false
        guard next == page.cursor ?? start(of: page) else {
            return try page.following(next, isTotalReached: isTotalReached)
        }
        if page.elementCount == 0 || isTotalReached { return .end(isStated: true) }
        return end(atSameTokenOf: page)
    }

    /// The end at a page with items and with the token that it was asked with. Some lists end so, but the token of a
    /// scroll (`scroll_param`, `_scroll_id`) is the same on every page, and its next page has the same request.
    private func end(atSameTokenOf page: PaginationInput) -> NextPage {
        guard page.elementCount < page.fullPageCount else {
            return .end(sign: SignOfMore(.sameToken, "\(source) is the token that the page was asked with"))
        }
        var end = NextPage.end()
        end.isDoubtful = true
        return end
    }

    /// The end at a token with which lists end or begin; nil for another token, and where a flag says that there is
    /// more.
    ///
    /// A list may also count down to 0, and comes to it by one page. Where its steps are not as long as its pages, and
    /// on a full first page, the end is doubtful.
    private func border(_ token: String, of page: PaginationInput) -> NextPage? {
        guard parameter != nil, PagingNames.isBorder(token), flags.says(page, of: self) != true else { return nil }
        var end = NextPage.end(sign: flags.sign(page, of: self))
        guard token == "0" else { return end }
        if let own = (page.cursor ?? start(of: page)).flatMap({ Int($0.text) }) {
            if [1, page.fullPageCount, page.elementCount, page.askedCount].contains(own) { return nil }
            end.isDoubtful = (2...max(2, page.fullPageCount * 2)).contains(own)
        } else {
            end.isDoubtful = page.cursor == nil && PaginationInput.usualSizes.contains(page.elementCount)
        }
        return end
    }

    /// The token in the URL of the first page, as in `?cursor=*`; nil if it has none.
    private func start(of page: PaginationInput) -> PageCursor? {
        guard page.cursor == nil, address == nil, let parameter else { return nil }
        return page.parameters.first { $0.name == parameter }.map { PageCursor($0.value) }
    }

    /// The page cursor's text; nil for an object that says nothing.
    private func token(_ value: JSONScalar, _ secrets: Secrets) throws(PagingError) -> String? {
        guard parameter == nil else {
            if case .json = value { return value.tokenText }
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
    private func members(_ text: String, of place: String) throws(PagingError) -> [NamedValue] {
        guard let value = try? JSONValue(parsing: text), case .object(let members) = value else {
            throw PagingError("\(place) is not an object")
        }
        var parameters: [NamedValue] = []
        for (name, member) in members.sorted(by: { $0.name < $1.name }) {
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
