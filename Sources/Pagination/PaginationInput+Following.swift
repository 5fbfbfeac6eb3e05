internal import JSON
internal import Text

extension PaginationInput {
    /// Whether the pages so far are several, and none of them is shorter than the others.
    package var hasFullPagesOnly: Bool {
        fullPageCount > 0 && crawlElementCount / 2 >= fullPageCount && crawlElementCount.isMultiple(of: fullPageCount)
    }

    /// How many pages without elements are followed running: more would be a crawl that never ends.
    static let mostEmptyPages = 100

    /// The longest page cursor, in bytes of UTF-8. It is stored with each page, and sent with the next request: no server
    /// takes a URL of that length.
    static let longestCursor = 1 << 20

    /// The values of a header, field by field.
    func values(ofHeader name: String) -> [String] {
        headers.filter { $0.name.isSameASCII(as: name) }.map(\.value)
    }

    /// What stood at one of the style's `bodyPaths`; nil where there was nothing.
    func value(at path: Path?, of style: some Paginator) -> JSONScalar? {
        guard let path, let index = style.bodyPaths.firstIndex(of: path), index < values.count else { return nil }
        return values[index]
    }

    /// Goes on to another page, also where this one is empty.
    ///
    /// - Throws: `PagingError` if too many were, or the cursor is too long.
    func following(_ next: PageCursor) throws(PagingError) -> NextPage {
        guard next.text.utf8.count <= Self.longestCursor else {
            throw PagingError("the cursor of the next page has \(next.text.utf8.count) bytes; 1 MiB is the most")
        }
        guard elementCount > 0 || emptyPagesBefore < Self.mostEmptyPages else {
            throw PagingError("\(emptyPagesBefore) pages in a row had no items, and this one has none either")
        }
        return .more(next)
    }

    /// Goes on to a URL, absolute or relative to the one that answered.
    ///
    /// - Throws: `PagingError` if it is none, or this page's own.
    func following(target: String) throws(PagingError) -> NextPage {
        let next: PageURL
        let own: PageURL
        do throws(PagingError) {
            guard target.utf8.count <= Self.longestCursor else {
                throw PagingError("it has \(target.utf8.count) bytes; 1 MiB is the most")
            }
            own = try PageURL(url)
            next = try own.resolving(target)
        } catch {
            throw PagingError("the next page's URL cannot be requested: \(error.problem)")
        }
        guard next != own, next.text != cursor?.text else {
            throw PagingError("the page names itself as the next one: following it would never end")
        }
        return try following(PageCursor(next.text))
    }
}
