internal import SQLite

extension Store {
    /// A value that changes with each commit, of this connection or another one.
    package struct Mark: Sendable, Hashable {
        private let others: Int64
        private let own: Int64
        private let schema: Int64

        /// `data_version` counts other connections, also in other processes; `total_changes` counts this one, except
        /// for tables that it creates or drops: https://sqlite.org/pragma.html#pragma_data_version
        init(of connection: Connection) throws(SQLiteError) {
            others = try connection.int64("PRAGMA data_version") ?? 0
            own = try connection.int64("SELECT total_changes()") ?? 0
            schema = try connection.int64("PRAGMA schema_version") ?? 0
        }
    }

    /// The store's mark now.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    package func mark() throws(FeedSyncError) -> Mark {
        try transactions.inGroup { try Mark(of: connection) }
    }

    /// The number of the feed's last event about a page that arrived or failed; 0 before the first.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    package func lastPageEvent(of feed: String) throws(FeedSyncError) -> Int64 {
        let isOfFeed = try isOf(feed)
        return try storing {
            try connection.int64(
                "SELECT id FROM event WHERE \(isOfFeed) AND status NOT LIKE 'begin%' ORDER BY id DESC LIMIT 1",
                .text(feed)) ?? 0
        }
    }
}

extension RowPage {
    /// The rows of `feed`, decoded into the caller's type; see `Section.items`.
    ///
    /// - Throws: `FeedSyncError` of kind `undecodable`, which names the feed, the column and the row's key.
    /// - Isolation: decodes on a thread of the pool.
    @concurrent
    package func items<Item: Decodable & Sendable>(
        of feed: String, as type: Item.Type
    ) async throws(FeedSyncError) -> [Item] {
        let decoder = RowDecoder(feed: feed, page: self)
        var items: [Item] = []
        items.reserveCapacity(rows.count)
        for row in rows { items.append(try decoder.decode(type, from: row)) }
        return items
    }
}
