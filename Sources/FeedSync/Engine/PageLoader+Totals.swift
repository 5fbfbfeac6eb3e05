internal import HTTP

extension PageLoader {
    /// The end with a total that the pagination does not ask for: it tells of what was not served, and of nothing else.
    ///
    /// - Parameter items: Where the items are.
    package func believing(
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
        guard page.cursor == nil, end.next == nil, fetched.response.body.count <= Self.mostBytesOfOnlyPage else {
            return nil
        }
        return PageSigns.listTotal(
            of: fetched.response.body, items: definition.items?.path ?? Path([]), itemCount: count,
            headers: fetched.response.headers, request: page.request)
    }

    private static var mostBytesOfOnlyPage: Int { 4 << 20 }
}
