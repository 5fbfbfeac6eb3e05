package import JSON
internal import Text

/// The counts of a whole list that pages gave which lead on. The last page may have none, and then it does not show
/// that the list ends too soon.
package struct ListCounts: Sendable, Hashable {
    /// A count with its place, of which only a sign makes words.
    fileprivate struct Count: Sendable, Hashable {
        enum Place: Sendable, Hashable {
            case member(Path, JSONScalar)
            case header(NamedValue)
            case lastLink
        }

        let value: Int
        let place: Place

        /// Its part of a sentence, with `secrets` masked.
        func words(_ secrets: Secrets) -> String {
            switch place {
            case .member(let path, let scalar): "`\(path)` was \(scalar.shown(secrets))"
            case .header(let field): "the header `\(field.name)` was \(value)"
            case .lastLink: "the header `Link` had page \(value) as the last one"
            }
        }

        func sign(_ kind: SignOfMore.Kind, _ secrets: Secrets) -> SignOfMore {
            var sign = SignOfMore(kind, "\(words(secrets)) on an earlier page")
            sign.isOfEarlierPage = true
            return sign
        }
    }

    /// The number of elements; a lower bound or an estimate is none.
    private var total: Count?
    /// The number of pages.
    private var pages: Count?
    /// The number of the last page, as in URLs.
    private var lastPage: Count?

    /// No counts.
    package init() {}

    /// True if it has none.
    package var isEmpty: Bool { self == ListCounts() }

    /// The counts on a page.
    package init(in envelope: PageEnvelope, of page: PaginationInput) {
        let totals = envelope.totals(after: page).filter { !envelope.isBound($0) }
        let total = totals.first { ($0.value.count ?? 0) > page.seenCount } ?? totals.first
        self.total = Self.count(total)
        pages = Self.count(
            envelope.members.first { member in
                member.value.count != nil
                    && (PagingNames.pages.contains(member.name.folded) || envelope.isPageCount(member, after: page))
                    && envelope.isOfList(member)
            })
        pages =
            pages ?? page.header(PagingNames.pages).map { Count(value: $0.count, place: .header($0.field)) }
        lastPage = page.linkToLast.flatMap(PageNumber.inQuery).map { Count(value: $0, place: .lastLink) }
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
        if own.pages == nil, let pages, pages.value > page.pagesRead(read) {
            return pages.sign(.pages, page.secrets)
        }
        if own.lastPage == nil, let lastPage, let number = PageNumber.inQuery(of: page.url), lastPage.value > number {
            return lastPage.sign(.pages, page.secrets)
        }
        if own.total == nil, let total, total.value > seen { return total.sign(.total, page.secrets) }
        return nil
    }

    /// True if a count says that a page is the last one. A total that equals the only page's elements may count just
    /// them.
    ///
    /// - Parameters:
    ///   - read: The number of pages with it.
    ///   - seen: The number of elements up to its end.
    package func areReached(read: Int, seen: Int) -> Bool {
        if let pages { return pages.value == read }
        return read > 1 && total?.value == seen
    }

    /// The number of elements that a sign of them promises.
    package var elements: Int? { total?.value }

    private static func count(_ member: PageEnvelope.Member?) -> Count? {
        guard let member, let value = member.value.count else { return nil }
        return Count(value: value, place: .member(member.path, member.value.scalar))
    }
}

/// The counts as JSON, for the pages that answer 304: such an answer may leave them out, and they hold.
extension ListCounts {
    /// The counts with their places: `{"pages":{"count":6,"header":"X-Total-Pages"}}`.
    package var json: String {
        var object = JSONObjectText()
        for (name, count) in [("total", total), ("pages", pages), ("last_page", lastPage)] {
            if let count { object.add(name, json: count.json) }
        }
        return object.text
    }

    /// Reads the output of `json`. Unreadable members are left out.
    package init(_ value: JSONValue?) {
        guard case .object(let members)? = value else { return }
        total = Count(members["total"])
        pages = Count(members["pages"])
        lastPage = Count(members["last_page"])
    }
}

extension ListCounts.Count {
    fileprivate var json: String {
        var object = JSONObjectText()
        object.add("count", value)
        switch place {
        case .member(let path, _): object.add("path", path.description)
        case .header(let field): object.add("header", field.name)
        case .lastLink: break
        }
        return object.text
    }

    fileprivate init?(_ value: JSONValue?) {
        guard case .object(let members)? = value, let count = members["count"]?.count else { return nil }
        if let text = members["path"]?.text {
            guard let path = try? Path(text) else { return nil }
            self.init(value: count, place: .member(path, .integer(Int64(count))))
        } else if let name = members["header"]?.text {
            self.init(value: count, place: .header(NamedValue(name: name, value: "\(count)")))
        } else {
            self.init(value: count, place: .lastLink)
        }
    }
}

extension PaginationInput {
    /// The target of the header `Link` with the relation `last`.
    fileprivate var linkToLast: String? { LinkHeader(values(ofHeader: "Link")).target(of: "last") }

    /// The first header with a count and one of these folded names, with or without `X-` and a vendor's prefix.
    fileprivate func header(_ names: Set<String>) -> (field: NamedValue, count: Int)? {
        for field in headers {
            guard let count = JSONScalar.text(field.value).count else { continue }
            let words = MemberName(field.name).words
            let isNamed = (0...2).contains { $0 < words.count && names.contains(words.dropFirst($0).joined()) }
            if isNamed { return (field, count) }
        }
        return nil
    }
}
