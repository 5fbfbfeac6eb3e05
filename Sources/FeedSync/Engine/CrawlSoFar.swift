/// The number of pages that were read, and of their elements.
struct ReadCounts: Sendable {
    var pages = 0
    var elements = 0
}

/// The counts of a crawl before a page.
struct CrawlSoFar: Sendable {
    /// The number of pages.
    var pages = 0
    /// The number of elements in their items arrays.
    var elements = 0
    /// The number of the last pages in a row that were empty.
    var emptyPages = 0
    /// The number of elements that the upstream reported.
    var total: Int?
    /// The number of elements in a full page.
    var fullPageCount = 0
    /// The number of items of one partition that the upstream serves, as seen so far.
    var cap: Int?
    /// The counts of the list on earlier pages that the run read.
    var counts = ListCounts()
    /// The size of the other crawls of the run, from which the crawl may go on.
    var others = ReadCounts()
    /// The previous page itself, if this run read it.
    var before: LoadedPage?
}

extension CrawlSoFar {
    /// The counts before the crawl's next page; in partitions, those of the page's partition.
    ///
    /// - Parameters:
    ///   - crawl: nil before the first page.
    ///   - cap: The number of items of one partition that the upstream served to the previous crawl.
    ///   - pageBefore: The previous page itself, if this run read it.
    init(
        _ crawl: CrawlState?, before page: PreparedPage, isPartitioned: Bool, emptyPages: Int, cap: Int?,
        pageBefore: LoadedPage?
    ) {
        self.init(
            pages: crawl?.pages ?? 0, fullPageCount: crawl?.mostElements ?? 0, cap: crawl?.cap ?? cap,
            before: pageBefore)
        if !isPartitioned {
            (elements, total, self.emptyPages) = (crawl?.elements ?? 0, crawl?.total, emptyPages)
        } else if let part = crawl?.part, part.name == PartitionScheme.partitionName(in: page.cursor) {
            (elements, total, self.emptyPages) = (part.elements, part.total, emptyPages)
        }
    }
}
