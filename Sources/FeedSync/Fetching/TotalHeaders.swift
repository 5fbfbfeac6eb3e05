internal import HTTP

/// What a response's headers say of how many elements there are in all.
enum TotalHeaders {
    /// The headers that count a list, folded.
    private static let names: Set<String> = [
        "xtotalcount", "xwptotal", "xtotal", "totalcount", "xpaginationtotalcount", "xtotalresults",
    ]

    /// The header and its figure; nil where none says.
    static func total(in headers: Headers) -> (name: String, count: Int)? {
        for field in headers.fields {
            let name = MemberName(field.name).folded
            if names.contains(name), let count = JSONScalar.text(field.value).count { return (field.name, count) }
            // `items 0-9/95`: https://www.rfc-editor.org/rfc/rfc9110#name-content-range
            guard name == "contentrange", !field.value.lowercased().hasPrefix("bytes"),
                let slash = field.value.lastIndex(of: "/"), slash != field.value.indices.last,
                let count = JSONScalar.text(String(field.value[field.value.index(after: slash)...])).count
            else { continue }
            return (field.name, count)
        }
        return nil
    }
}

extension PageLoader {
    /// The end with a total that the pagination does not ask for: it tells of what was not served, and of nothing else.
    ///
    /// - Parameter items: Where the items are.
    func believing(
        _ end: NextPage, _ page: PreparedPage, _ fetched: FetchedPage, after crawl: CrawlSoFar, count: Int
    ) -> NextPage {
        guard end.total == nil, count > 0 else { return end }
        let seen = crawl.elements + count - min(page.overlap, count)
        let passedOver = (definition.pagination as? OffsetPaginator)?.first ?? 0
        let stated =
            TotalHeaders.total(in: fetched.response.headers)?.count ?? onlyPagesTotal(end, page, fetched, count)
        guard let total = stated.map({ $0 - passedOver }), total >= seen else { return end }
        return NextPage(next: end.next, total: total, notice: end.notice, part: end.part)
    }

    /// A figure in the body of a page that is the first and the last: nobody asked for it, for nobody knew of it.
    private func onlyPagesTotal(_ end: NextPage, _ page: PreparedPage, _ fetched: FetchedPage, _ count: Int) -> Int? {
        guard page.cursor == nil, end.next == nil, fetched.response.body.count <= Self.mostBytesOfOnlyPage,
            let body = try? JSONTree(fetched.response.body)
        else { return nil }
        let signs = PageSigns(
            body: body, items: definition.items?.path ?? Path([]), itemCount: count, key: nil,
            headers: fetched.response.headers, request: page.request)
        return signs.listTotal?.value.count
    }

    private static var mostBytesOfOnlyPage: Int { 4 << 20 }
}
