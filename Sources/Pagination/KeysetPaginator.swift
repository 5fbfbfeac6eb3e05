package import JSON
internal import Text

/// `keyset`: the last item's own value, sent as a query parameter, selects the next page.
///
/// The value must identify items, or several must do so together, such as a time and an id. The end is an empty page,
/// and a page that is not full and has only what it should start after.
package struct KeysetPaginator: LedPaginator {
    /// `keyset`
    package static let name = "keyset"

    private let parameters: [String]
    private let paths: [Path]
    package let flags: MoreFlag
    package let total: StatedTotal?
    package let size: PageSize?

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
        "keyset" + zip(parameters, paths).map { " param \($0) from \($1)" }.joined() + memberText
    }

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

    /// The values of the page's last item, or the end at an empty page or a flag for the end.
    ///
    /// - Throws: `PagingError` if the item lacks one, or is the one after which the page should begin.
    package func lead(after page: PaginationInput) throws(PagingError) -> NextPage {
        guard page.elementCount > 0 else { return .end(sign: flags.sign(page, of: self)) }
        let next = cursor(try texts(of: page.lastItemValues, page.secrets))
        guard next != page.cursor else {
            if var end = endAtBoundary(of: page) {
                end.sign = flags.sign(page, of: self)
                return end
            }
            let names = parameters.inBackticks()
            throw PagingError(
                "the page ends with the item that it should start after, at \(next): "
                    + "the upstream ignores the query parameter \(names), or includes that item")
        }
        if let before = try cursorBeforeLeap(page), before != page.cursor {
            var end = NextPage.more(before)
            end.comesAgain = true
            return end
        }
        return .more(next)
    }

    /// The end at a page that has only what it should start after, as the last page has where the value is taken along.
    /// Nil for a full page: an upstream that ignores the parameter gives such pages, too, and more may share the value.
    /// A list of one item ends there, doubtfully.
    private func endAtBoundary(of page: PaginationInput) -> NextPage? {
        guard page.elementCount > 1 || page.fullPageCount > 1 else {
            // A list of one item. A server's pages have one item only if that was requested.
            guard page.fullPageCount == 1, page.askedCount != 1 else { return nil }
            var end = NextPage.end()
            end.isDoubtful = true
            return end
        }
        guard page.elementCount < page.fullPageCount else { return nil }
        let first = page.edgeItemValues.first.flatMap { try? texts(of: $0, page.secrets) }
        return page.elementCount == 1 || first.map(cursor) == page.cursor ? .end() : nil
    }

    /// The texts of an item's values, to continue from.
    ///
    /// - Throws: `PagingError` if the item lacks one.
    private func texts(of item: [JSONScalar?], _ secrets: Secrets) throws(PagingError) -> [String] {
        var texts: [String] = []
        for (index, path) in paths.enumerated() {
            let value = index < item.count ? item[index] : nil
            guard let text = value?.tokenText, !text.isEmpty else {
                let found = value?.shown(secrets) ?? "missing"
                throw PagingError(
                    "`\(path)` of the page's last item is \(found), which is not a value to continue from")
            }
            texts.append(text)
        }
        return texts
    }

    /// The page cursor of the item before the last one, if the last one is so far from all others that it may be out of
    /// order: the crawl would pass over what lies between. If it is in order, the next page begins with it.
    private func cursorBeforeLeap(_ page: PaginationInput) throws(PagingError) -> PageCursor? {
        // The counts of a partition would include the item twice.
        guard !page.isOfPartition, page.elementCount >= Self.fewestOfLeap, page.edgeItemValues.count == 2,
            let first = Self.number(page.edgeItemValues[0]), let before = Self.number(page.edgeItemValues[1]),
            let last = Self.number(page.lastItemValues), (before - first) * (last - before) > 0,
            abs(last - before) > Self.leap * abs(before - first),
            page.edgeItemValues[1].prefix(paths.count).allSatisfy({ $0?.tokenText?.isEmpty == false })
        else { return nil }
        return cursor(try texts(of: page.edgeItemValues[1], page.secrets))
    }

    /// The fewest elements of a page that show how far its items are from one another.
    private static let fewestOfLeap = 10
    /// The distance of a last item that may be out of order, by that from the first item to the one before the last.
    private static let leap = 10.0

    /// The first of an item's values, where it is a number.
    private static func number(_ values: [JSONScalar?]) -> Double? {
        switch values.first ?? nil {
        case .integer(let number)?: Double(number)
        case .real(let number)?: number
        case .text(let text)?: Int64(text).map(Double.init)
        default: nil
        }
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
