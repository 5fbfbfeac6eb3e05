/// A page of one of the crawls that make up a list, by its number from 1.
package struct PageOfCrawl: Sendable, Hashable {
    package let crawl: Int64
    package let number: Int

    package init(crawl: Int64, number: Int) {
        self.crawl = crawl
        self.number = number
    }
}
