/// What `more` may have missed of a list that it read to its end: it looks neither back nor at the head again.
///
/// | the pages | doubt |
/// | --- | --- |
/// | go on behind an item, or overlap by one | none |
/// | say a total, which never moved | none |
/// | say a total that moved, or showed an item again further down | moved: the next sync reads them again |
/// | shift, and have validators | unproved: the next sync asks for each again, conditionally |
/// | shift, and have none | none that could be cleared up: the next full crawl finds it |
package enum ReadingDoubt: Sendable, Hashable {
    case none, unproved, moved

    /// - Parameters:
    ///   - isShifting: Whether items move from page to page as others come and go.
    ///   - haveValidators: Whether the upstream sends validators.
    package init(_ crawl: CrawlState, isShifting: Bool, haveValidators: Bool) {
        self =
            if !isShifting || crawl.overlaps {
                .none
            } else if crawl.hasTotals, crawl.total != nil {
                crawl.hasTotalMoved || !crawl.isOrdered ? .moved : .none
            } else {
                haveValidators ? .unproved : .none
            }
    }
}
