package import JSON
package import Text

/// The part of a page's content that pagination needs.
package struct PaginationInput: Sendable {
    /// The cursor of the page's request; nil for the first.
    package let cursor: PageCursor?
    /// The elements of the page's array, also those that are no items.
    package let elementCount: Int
    /// The elements of all the crawl's pages, this one included.
    package let crawlElementCount: Int
    /// The pages without elements that came right before this one, one after the other.
    package let emptyPagesBefore: Int
    /// The values at the style's `bodyPaths`, in their order; nil where there was none.
    package let values: [JSONScalar?]
    /// The values of the page's last object at the style's `itemPaths`, in their order; nil where there was none.
    package let lastItemValues: [JSONScalar?]
    /// The response's header fields.
    package let headers: [NamedValue]
    /// The URL that answered, after redirects.
    package let url: String
    /// The secrets to hide in messages about the page.
    package let secrets: Secrets
    /// The same of the page's first object, and of the one before its last; empty where that is not known.
    package var edgeItemValues: [[JSONScalar?]] = []
    /// The elements of a full page; 0 where that is not known.
    package var fullPageCount = 0
    /// The number of elements of the previous page with which it begins.
    package var overlap = 0
    /// The number of elements of the list before the first page.
    package var passedOver = 0
    /// True if the page is of a partition.
    package var isOfPartition = false
    /// The number of elements that the request asks for; nil if it has no size.
    package var askedCount: Int?

    /// The facts of one page.
    package init(
        cursor: PageCursor?, elementCount: Int, crawlElementCount: Int, emptyPagesBefore: Int = 0,
        values: [JSONScalar?] = [], lastItemValues: [JSONScalar?] = [], headers: [NamedValue] = [], url: String = "",
        secrets: Secrets = Secrets()
    ) {
        self.cursor = cursor
        self.elementCount = elementCount
        self.crawlElementCount = crawlElementCount
        self.emptyPagesBefore = emptyPagesBefore
        self.values = values
        self.lastItemValues = lastItemValues
        self.headers = headers
        self.url = url
        self.secrets = secrets
    }
}

/// The continuation after a page.
package struct NextPage: Sendable, Hashable {
    /// The next request; nil at the end.
    package var next: PageCursor?
    /// The number of elements that the upstream states, if it is plausible. An end before it is doubtful.
    package var total: Int?
    /// Something odd that the user should hear of; it did not keep the page from being read.
    package var notice: String?
    /// The outcome for the page's partition; nil while the partition continues, and for a feed without partitions.
    package var partitionOutcome: PartitionOutcome?
    /// The sign that more follows, or that the page leaves items out.
    package var sign: SignOfMore?
    /// True if the upstream stated the end explicitly: links and tokens beside it have no meaning then.
    package var isStated = false
    /// The cursor of the page behind a full one, if only a count of items or pages says that the list ends there; nil
    /// otherwise. Such a count may lag, or go no further than the upstream serves.
    package var behindCount: PageCursor?
    /// True if the end proves little: the list may go on.
    package var isDoubtful = false
    /// True if the next page is to begin with the last item of this one, which may be out of order.
    package var comesAgain = false
    /// The counts of the whole list on a page that leads on; nil if its body was not read.
    package var counts: ListCounts?

    /// The continuation after a page.
    package init(next: PageCursor?, total: Int?, notice: String?, partitionOutcome: PartitionOutcome? = nil) {
        self.next = next
        self.total = total
        self.notice = notice
        self.partitionOutcome = partitionOutcome
    }

    /// The same continuation with another notice.
    package func adding(notice: String?) -> NextPage {
        var all = self
        all.notice = NextPage.notice(self.notice, notice)
        return all
    }

    /// Several notices as one; nil where there is none.
    package static func notice(_ notices: String?...) -> String? {
        let notices = notices.compactMap(\.self)
        return notices.isEmpty ? nil : notices.joined(separator: "; ")
    }

    /// There is another page.
    package static func more(_ next: PageCursor, total: Int? = nil, notice: String? = nil) -> NextPage {
        NextPage(next: next, total: total, notice: notice)
    }

    /// There is no further page.
    package static func end(
        total: Int? = nil, notice: String? = nil, sign: SignOfMore? = nil, isStated: Bool = false,
        behindCount: PageCursor? = nil
    ) -> NextPage {
        var end = NextPage(next: nil, total: total, notice: notice)
        (end.sign, end.isStated, end.behindCount) = (sign, isStated, behindCount)
        return end
    }
}

extension PaginationInput {
    /// True if the page is as long as the longest one of several.
    package var isFull: Bool {
        fullPageCount > 0 && elementCount >= fullPageCount
            && crawlElementCount > elementCount - min(overlap, elementCount)
    }

    /// True if there are several pages so far, and their elements would fill pages as long as the longest one.
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

    /// The parameters of the page's URL, decoded.
    var parameters: [(name: String, value: String)] { FormEncoding.parameters(inQueryOf: url) }

    /// The value at one of the paginator's `bodyPaths`; nil if there was none.
    func value(at path: Path?, of paginator: some Paginator) -> JSONScalar? {
        guard let path, let index = paginator.bodyPaths.firstIndex(of: path), index < values.count else { return nil }
        return values[index]
    }

    /// Goes on to the next page, even if this one is empty. The list ends at a page cursor that leads nowhere.
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
