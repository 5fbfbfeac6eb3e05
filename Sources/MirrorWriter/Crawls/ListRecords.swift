internal import SQLite

/// The records of what crawls met of one list.
///
/// - Isolation: the store's.
package struct ListRecords {
    package let state: StoredState
    let crawls: StoredCrawls
    package let pages: CrawlPages
    package let storedPages: StoredPages
    let rows: ListRows

    init(of feed: String, in table: ListTable, on connection: Connection) throws {
        state = StoredState(of: feed, on: connection)
        crawls = StoredCrawls(feed: feed, connection: connection)
        pages = CrawlPages(feed: feed, connection: connection)
        storedPages = StoredPages(of: feed, on: connection)
        rows = try ListRows(inTable: table.name, scope: table.scope, on: connection)
    }

    /// Marks rows as removed. The counts of the list and of its feed are left to the caller.
    ///
    /// - Parameters:
    ///   - log: The log of changes; nil if the feed keeps none.
    ///   - longest: The largest number of positions of any page.
    func remove(
        _ removed: [MissingRows.Row], of definition: FeedDefinition, log: ChangeLog?, longest: Int64, now: String
    ) throws {
        guard !removed.isEmpty else { return }
        let (sections, places) = try rows.remove(removed, key: definition.key, log: log, now: now)
        try sections.apply(to: definition.owner, on: state.connection, firstPlace: rows.firstPlace)
        try storedPages.lapse(places, longest: longest)
    }
}
