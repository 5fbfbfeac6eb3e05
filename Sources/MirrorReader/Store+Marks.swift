internal import SQLite

extension Store {
    /// A value that changes with each commit, of this connection or another one.
    package struct Mark: Sendable, Hashable {
        fileprivate let others: Int64
        private let own: Int64
        fileprivate let schema: Int64

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
    /// - Throws: `FeedSyncError` of kind `store`, also if the file was replaced and the store heeds that.
    package func mark() throws(FeedSyncError) -> Mark {
        try transactions.inGroup {
            if reading?.heedsReplacement == true { try transactions.checkFile() }
            return try Mark(of: connection)
        }
    }

    /// A value that changes with each page of a feed that this connection commits, and with any commit of others.
    package struct FeedMark: Sendable, Hashable {
        fileprivate let event: Int64
        fileprivate let removed: Int64
        fileprivate let others: Int64
        fileprivate let schema: Int64
    }

    /// The feed's mark now: one look at an index, however many rows the feed has.
    package func mark(of feed: String) throws(FeedSyncError) -> FeedMark {
        let isOfFeed = try isOf(feed)
        return try storing {
            let mark = try Mark(of: connection)
            var (event, removed) = (Int64(0), Int64(0))
            // A run that removes rows at its end counts them in its last event.
            try connection.rows(
                """
                SELECT id, removed FROM event WHERE \(isOfFeed) AND status NOT LIKE 'begin%' ORDER BY id DESC LIMIT 1
                """, [.text(feed)]
            ) { row in (event, removed) = (row.int64(at: 0), row.int64(at: 1)) }
            return FeedMark(event: event, removed: removed, others: mark.others, schema: mark.schema)
        }
    }

    /// The number of the feed's last event about a page that arrived or failed; 0 before the first.
    package func lastPageEvent(of feed: String) throws(FeedSyncError) -> Int64 {
        let isOfFeed = try isOf(feed)
        return try storing {
            try connection.int64(
                "SELECT id FROM event WHERE \(isOfFeed) AND status NOT LIKE 'begin%' ORDER BY id DESC LIMIT 1",
                .text(feed)) ?? 0
        }
    }
}
