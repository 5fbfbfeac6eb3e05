internal import HTTP

/// The parameter for the number of a page's items.
enum PageSizeParameter {
    /// Parameters of a size beside `PagingNames.size`: a request that has one is not given another.
    private static let otherSizes: Set<String> = ["count", "first", "num", "n", "results", "resultrecordcount"]

    /// The parameters that usually go with one that asks for a page.
    ///
    /// Sources: the documentations of GitHub, JSON:API, Strapi, OData, Jira, Elasticsearch, ArcGIS, Socrata, SCIM,
    /// Stripe, Google and Notion.
    private static let sizes: [String: String] = [
        "page": "per_page", "page[number]": "page[size]", "page[after]": "page[size]", "page[cursor]": "page[size]",
        "pagination[page]": "pagination[pageSize]",
        "pageNumber": "pageSize", "pageNo": "pageSize", "pageNum": "pageSize", "pageIndex": "pageSize",
        "currentPage": "pageSize", "page_number": "page_size", "page_no": "page_size", "_page": "_limit",
        "offset": "limit", "skip": "limit", "start": "limit", "$skip": "$top", "$offset": "$limit", "_start": "_limit",
        "startAt": "maxResults", "from": "size", "resultOffset": "resultRecordCount", "startIndex": "count",
        "cursor": "limit", "after": "limit", "before": "limit", "starting_after": "limit", "pageToken": "pageSize",
        "page_token": "page_size", "start_cursor": "page_size",
    ]

    /// The likeliest parameter for the number of a page's items, if the request has none.
    ///
    /// - Parameters:
    ///   - page: The first page's signs.
    ///   - style: The paginator.
    ///   - next: The cursor of the second page.
    static func likeliest(for page: PageSigns, of style: any Paginator, next: String?) -> String? {
        guard page.parameter(PagingNames.size.union(otherSizes)) == nil else { return nil }
        if let next, let target = try? page.url.resolving(next), style.cursorParameters.isEmpty {
            let given = target.queryItems.first { item in
                PagingNames.size.contains(MemberName(item.name).folded) && JSONScalar.text(item.value).count != nil
            }
            if let given { return given.name }
        }
        let usual = style.cursorParameters.lazy.compactMap { sizes[$0] }.first
        if let usual, usual == "count" || usual.hasPrefix("pagination[") { return usual }
        let stated = page.first(PagingNames.size) {
            page.isOfList($0) && $0.value.count == page.itemCount && $0.path != page.total?.path
        }
        if let stated { return stated.written }
        if style.cursorParameters.isEmpty, page.headers["Link"] != nil { return "per_page" }
        return usual
    }
}
