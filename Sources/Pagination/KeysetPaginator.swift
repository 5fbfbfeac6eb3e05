package import JSON

/// `keyset`: the last item's own value, sent as a query parameter, selects the next page.
///
/// The value must identify items, or several must do so together, such as a time and an id. The end is an empty page.
package struct KeysetPaginator: Paginator {
    /// `keyset`
    package static let name = "keyset"

    private let parameters: [String]
    private let paths: [Path]
    private let flags: MoreFlag
    private let total: StatedTotal?
    private let size: PageSize?

    /// Pages by the last item's values.
    ///
    /// - Parameters:
    ///   - parameters: The query parameters that take the values.
    ///   - paths: The places of the values in an item, one for each parameter.
    ///   - flags: The place of the sign of a further page in the body.
    ///   - total: The place of the number of elements in the body.
    ///   - size: The number of elements to ask for.
    package init(
        parameters: [String], paths: [Path], flags: MoreFlag = MoreFlag(), total: StatedTotal? = nil,
        size: PageSize? = nil
    ) {
        self.flags = flags
        self.total = total
        self.parameters = parameters
        self.paths = paths
        self.size = size
    }

    /// The style with its members.
    package var canonicalText: String {
        "keyset" + zip(parameters, paths).map { " param \($0) from \($1)" }.joined() + flags.canonicalText
            + (total.map { " \($0.canonicalText)" } ?? "") + (size.map { " \($0.canonicalText)" } ?? "")
    }

    /// The paths of `more`, `last` and `total`, where given.
    package var bodyPaths: [Path] { flags.bodyPaths + (total?.bodyPaths ?? []) }

    /// True if `total` is given.
    package var hasTotal: Bool { total != nil }

    /// The paths of `from`.
    package var itemPaths: [Path] { paths }

    /// The parameters that take the values.
    package var cursorParameters: [String] { parameters }

    /// The feed's request with the values of the last item, and with the size unless the feed's query has one already.
    ///
    /// - Throws: `PagingError` if the number of values in the page cursor differs from the number of parameters.
    package func request(for cursor: PageCursor?, base: PageRequest) throws(PagingError) -> PageRequest {
        var request = base
        size?.apply(to: &request)
        guard let cursor else { return request }
        for (parameter, value) in zip(parameters, try values(of: cursor)) { request.set(parameter, toToken: value) }
        return request
    }

    /// Nil: the next page is known only from the page.
    package func predicted(after cursor: PageCursor?) -> PageCursor? { nil }

    /// The values of the page's last item, or the end at an empty page or a flag for the end.
    ///
    /// - Throws: `PagingError` if the item lacks one, or is the one after which the page should begin.
    package func next(after page: PaginationInput) throws(PagingError) -> NextPage {
        let end = try end(after: page)
        return total?.added(to: end, after: page, of: self) ?? end
    }

    private func end(after page: PaginationInput) throws(PagingError) -> NextPage {
        guard flags.says(page, of: self) != false else { return .end(isStated: true) }
        guard page.elementCount > 0 else { return .end(sign: flags.sign(page, of: self)) }
        var values: [String] = []
        for (index, path) in paths.enumerated() {
            let value = index < page.lastItemValues.count ? page.lastItemValues[index] : nil
            guard let text = value?.tokenText, !text.isEmpty else {
                let found = value?.shown(page.secrets) ?? "missing"
                throw PagingError(
                    "`\(path)` of the page's last item is \(found), which is not a value to continue from")
            }
            values.append(text)
        }
        let next = cursor(values)
        guard next != page.cursor else {
            let names = parameters.map { "`\($0)`" }.joined(separator: " and ")
            throw PagingError(
                "the page ends with the item that it should start after, at \(next): "
                    + "the upstream ignores the query parameter \(names), or includes that item")
        }
        return .more(next)
    }

    /// The value itself if there is one, a JSON array of several.
    private func cursor(_ values: [String]) -> PageCursor {
        guard values.count != 1 else { return PageCursor(values[0]) }
        return PageCursor("[\(values.map(JSONText.string).joined(separator: ","))]")
    }

    private func values(of cursor: PageCursor) throws(PagingError) -> [String] {
        guard parameters.count != 1 else { return [cursor.text] }
        guard let value = try? JSONValue(parsing: cursor.text), case .array(let elements) = value,
            elements.count == parameters.count
        else {
            throw PagingError("the page cursor `\(cursor)` does not have \(parameters.count) values")
        }
        return elements.map { element in if case .string(let text) = element { text } else { "" } }
    }
}
