import Feeds

/// The paginator of a feed with these members of `pagination`.
func paginator(_ members: String) throws -> any Paginator {
    try FeedDefinition.parse(
        name: "x", yaml: "url: https://a.b\nkey: id\ncolumns: {id: id}\npagination: {\(members)}\n"
    ).pagination
}

/// The page for a page cursor: its elements, those of the crawl with it, and the values in its body.
func input(_ cursor: String?, _ count: Int, crawl: Int, _ values: JSONScalar?...) -> PaginationInput {
    PaginationInput(
        cursor: cursor.map { PageCursor($0) }, elementCount: count, crawlElementCount: crawl, values: values)
}

extension Paginator {
    /// The query that goes out for a page cursor.
    func query(_ cursor: String?, own: [NamedValue]) throws -> [String] {
        try request(for: cursor.map { PageCursor($0) }, base: PageRequest(url: "https://a.b", query: own)).query
            .map { "\($0.name)=\($0.value)" }
    }
}
