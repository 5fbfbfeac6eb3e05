/// The number of pages that were read, and of their elements.
struct ReadCounts: Sendable {
    var pages = 0
    var elements = 0
}

/// The counts of a crawl before a page, and the facts about earlier pages of the run on which the end of the list may
/// depend.
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
    /// The size of the run's crawls, by their numbers.
    var crawls: [Int64: ReadCounts] = [:]
    /// The size of the other crawls of the run, from which the crawl may go on.
    var others = ReadCounts()
    /// The previous page itself, if this run read it and the next one was worked out from it: that may not exist.
    var before: LoadedPage?

    /// These facts with the counts before the next page of a crawl; in partitions, with those of the page's partition.
    ///
    /// - Parameter crawl: nil before the first page.
    func with(_ crawl: CrawlState?, before page: PageCursor?, isPartitioned: Bool) -> CrawlSoFar {
        var soFar = self
        (soFar.pages, soFar.fullPageCount) = (crawl?.pages ?? 0, crawl?.mostElements ?? 0)
        soFar.cap = crawl?.cap ?? cap
        if !isPartitioned {
            (soFar.elements, soFar.total) = (crawl?.elements ?? 0, crawl?.total)
        } else if let partition = crawl?.partition, partition.name == PartitionScheme.partitionName(in: page) {
            (soFar.elements, soFar.total) = (partition.elements, partition.total)
        } else {
            soFar.emptyPages = 0
        }
        for (id, size) in crawls where id != crawl?.id {
            soFar.others.pages += size.pages
            soFar.others.elements += size.elements
        }
        return soFar
    }
}
