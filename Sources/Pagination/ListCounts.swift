internal import JSON

/// The counts of a whole list that pages gave which lead on. The last page may have none, and then it does not show
/// that the list ends too soon.
package struct ListCounts: Sendable, Hashable {
    /// A count, with its place and value as part of a sentence; secrets masked.
    private struct Count: Sendable, Hashable {
        let value: Int
        let words: String
    }

    /// The number of elements; a lower bound or an estimate is none.
    private var total: Count?
    /// The number of pages.
    private var pages: Count?
    /// The number of the last page, as in URLs.
    private var lastPage: Count?

    /// No counts.
    package init() {}

    /// The counts on a page.
    package init(in envelope: PageEnvelope, of page: PaginationInput) {
        let totals = envelope.totals.filter { !envelope.isBound($0) }
        let total = totals.first { ($0.value.count ?? 0) > page.seenCount } ?? totals.first
        self.total = Self.count(total, page)
        pages = Self.count(
            envelope.members.first { member in
                envelope.isOfList(member) && member.value.count != nil
                    && (PagingNames.pages.contains(member.name.folded) || envelope.isPageCount(member, after: page))
            }, page)
        pages = pages ?? page.header(PagingNames.pages).map { Self.count($0, page) } ?? nil
        if let number = page.linkToLast.flatMap(PageNumber.inQuery) {
            lastPage = Count(value: number, words: "the header `Link` had page \(number) as the last one")
        }
    }

    /// The counts after a later page, which outrank those of earlier ones.
    package func updated(by later: ListCounts) -> ListCounts {
        var counts = self
        counts.total = later.total ?? total
        counts.pages = later.pages ?? pages
        counts.lastPage = later.lastPage ?? lastPage
        return counts
    }

    /// The sign of more on earlier pages, at the end of a list whose last page does not have that count.
    ///
    /// - Parameters:
    ///   - envelope: The last page, outside its items.
    ///   - seen: The number of elements up to the end of the page, at most.
    ///   - read: The number of pages with it, at most.
    ///   - isStated: True if the paginator found an explicit end.
    package func sign(
        atEnd envelope: PageEnvelope, of page: PaginationInput, seen: Int, read: Int, isStated: Bool = false
    ) -> SignOfMore? {
        guard !isStated, !SignOfMore.isDenied(by: envelope, after: page) else { return nil }
        let own = ListCounts(in: envelope, of: page)
        if own.pages == nil, let pages, pages.value > (page.elementCount == 0 ? read - 1 : read) {
            return .ofEarlierPage(.pages, pages.words)
        }
        if own.lastPage == nil, let lastPage, let number = PageNumber.inQuery(of: page.url), lastPage.value > number {
            return .ofEarlierPage(.pages, lastPage.words)
        }
        if own.total == nil, let total, total.value > seen { return .ofEarlierPage(.total, total.words) }
        return nil
    }

    /// The number of elements that a sign of them promises.
    package var elements: Int? { total?.value }

    private static func count(_ member: PageEnvelope.Member?, _ page: PaginationInput) -> Count? {
        guard let member, let value = member.value.count else { return nil }
        return Count(value: value, words: "`\(member.path)` was \(member.value.scalar.shown(page.secrets))")
    }

    private static func count(_ field: PaginationInput.Header, _ page: PaginationInput) -> Count? {
        JSONScalar.text(field.value).count.map { Count(value: $0, words: "the header `\(field.name)` was \($0)") }
    }
}

extension PaginationInput {
    /// The target of the header `Link` with the relation `last`.
    fileprivate var linkToLast: String? { LinkHeader(values(ofHeader: "Link")).target(of: "last") }

    /// The first header with a count and one of these folded names, with or without `X-` and a vendor's prefix.
    fileprivate func header(_ names: Set<String>) -> Header? {
        headers.first { field in
            guard JSONScalar.text(field.value).count != nil else { return false }
            let words = MemberName(field.name).words
            return (0...2).contains { drop in drop < words.count && names.contains(words.dropFirst(drop).joined()) }
        }
    }
}

extension SignOfMore {
    fileprivate static func ofEarlierPage(_ kind: Kind, _ words: String) -> SignOfMore {
        var sign = SignOfMore(kind, "\(words) on an earlier page")
        sign.isOfEarlierPage = true
        return sign
    }
}
