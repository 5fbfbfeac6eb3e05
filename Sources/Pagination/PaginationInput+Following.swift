internal import JSON
internal import Text

extension PaginationInput {
    /// True if there are several pages so far, all of the same length.
    package var hasFullPagesOnly: Bool {
        fullPageCount > 0 && crawlElementCount / 2 >= fullPageCount && crawlElementCount.isMultiple(of: fullPageCount)
    }

    /// The most pages without elements in a row that are followed; more would be an endless crawl.
    static let mostEmptyPages = 100

    /// The longest page cursor, in bytes of UTF-8. It is stored with each page, and sent with the next request: no
    /// server takes a URL of that length.
    static let longestCursor = 1 << 20

    /// The values of a header, field by field.
    func values(ofHeader name: String) -> [String] {
        headers.filter { $0.name.isSameASCII(as: name) }.map(\.value)
    }

    /// The value at one of the paginator's `bodyPaths`; nil if there was none.
    func value(at path: Path?, of paginator: some Paginator) -> JSONScalar? {
        guard let path, let index = paginator.bodyPaths.firstIndex(of: path), index < values.count else { return nil }
        return values[index]
    }

    /// Goes on to another page, also where this one is empty; a page cursor that leads nowhere is the end.
    ///
    /// - Parameter isTotalReached: True if as many elements have come as there are.
    /// - Throws: `PagingError` if too many were empty, or the cursor is too long.
    func following(_ next: PageCursor, isTotalReached: Bool) throws(PagingError) -> NextPage {
        guard next.text.utf8.count <= Self.longestCursor else {
            throw PagingError("the cursor of the next page has \(next.text.utf8.count) bytes; 1 MiB is the most")
        }
        guard next != cursor else { return .end(isStated: true) }
        guard elementCount == 0 else { return .more(next) }
        guard !isTotalReached, !isCounted(next) else { return .end(isStated: true) }
        guard emptyPagesBefore < Self.mostEmptyPages else {
            throw PagingError("\(emptyPagesBefore) pages in a row had no items, and this one has none either")
        }
        return .more(next)
    }

    /// Goes on to a URL, absolute or relative to the one that answered; the page's own is the end.
    ///
    /// - Throws: `PagingError` if it is none, or too many pages were empty.
    func following(target: String, isTotalReached: Bool) throws(PagingError) -> NextPage {
        if target.utf8.count <= Self.longestCursor, NormalURL.holds(target, ofOriginOf: url) {
            guard target != url else { return .end(isStated: true) }
            return try following(PageCursor(target), isTotalReached: isTotalReached)
        }
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
        guard next != own else { return .end(isStated: true) }
        return try following(PageCursor(next.text), isTotalReached: isTotalReached)
    }

    /// True if a page cursor only counts on from this page's: by pages, or by the elements of a full one. The cursors
    /// of a filtered scan, which has empty pages on the way, differ in other ways.
    private func isCounted(_ next: PageCursor) -> Bool {
        guard let cursor else { return false }
        let (before, after) = (Numerals(cursor.text), Numerals(next.text))
        guard before.texts == after.texts, before.numbers.count == after.numbers.count else { return false }
        let steps = zip(before.numbers, after.numbers).filter { $0 != $1 }.map { before, after in
            after.subtractingReportingOverflow(before)
        }
        return steps.count == 1
            && steps.allSatisfy { (step, isBeyond) in
                !isBeyond && (step == 1 || step == fullPageCount || step == askedCount)
            }
    }
}

/// A text split into its numbers and the text between them.
private struct Numerals {
    private(set) var texts: [String] = []
    private(set) var numbers: [Int] = []

    init(_ text: String) {
        var rest = Substring(text)
        while !rest.isEmpty {
            let isWord = { (character: Character) in character.isLetter || character.isNumber }
            let other = rest.prefix { !isWord($0) }
            rest = rest.dropFirst(other.count)
            let word = rest.prefix(while: isWord)
            rest = rest.dropFirst(word.count)
            texts.append(String(other))
            // Digits beside letters are part of a name, or of a token that counts nothing.
            if let number = Int(word) { numbers.append(number) } else { texts.append(String(word)) }
        }
    }
}
