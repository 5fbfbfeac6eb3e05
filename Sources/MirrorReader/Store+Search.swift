internal import SQLite
package import Text

/// The text to search for, and the feeds.
package struct SearchQuery: Sendable {
    /// The words.
    package let text: SearchText
    /// The feeds' names.
    package let feeds: [String]
    /// The maximum number of items; nil for all.
    package var limit: Int?
    /// The columns to show of a feed's items, if its definition has them.
    package var show: [String: ShowRule] = [:]

    package init(_ text: SearchText, in feeds: [String], limit: Int? = nil) {
        self.text = text
        self.feeds = feeds
        self.limit = limit
    }

    /// The maximum number of items, in a range that SQLite takes. No store has so many items.
    var mostHits: Int { limit.map { max(0, min($0, Int(Int32.max))) } ?? Int(Int32.max) }
}

extension Store {
    /// The feeds with a full-text index, in the order of their names, with the indexed columns.
    package func searchableFeeds() throws(FeedSyncError) -> [(feed: String, columns: [String])] {
        try storing {
            let tables = try connection.all("SELECT feed, \"table\" FROM _feed ORDER BY feed") { row in
                (feed: row.text(at: 0) ?? "", table: row.text(at: 1) ?? "")
            }
            return try tables.compactMap { feed, table in
                let columns = try SearchIndex.storedColumns(of: table, on: connection)
                return columns.isEmpty ? nil : (feed, columns)
            }
        }
    }

    /// True if a feed has a full-text index.
    package func isSearchable(_ feed: String) throws(FeedSyncError) -> Bool {
        try storing {
            guard let table = try StoredTable(of: feed, on: connection) else { return false }
            return try !SearchIndex.storedColumns(of: table.name, on: connection).isEmpty
        }
    }

    /// Passes on the items that have all words, ranked. Items with a word only inside another word come last, in feed
    /// order. Without words, all items come in feed order. Feeds without an index are left out.
    ///
    /// With a limit, the time stays short enough for typing, even for words that very many items have: if the words are
    /// in the titles of hundreds of items, the newest of these are passed on, those with the shortest titles first;
    /// otherwise the newest items are ranked.
    ///
    /// - Parameter take: Takes an item. Returns true if further ones are wanted.
    package func search(_ query: SearchQuery, take: (SearchHit) -> Bool) throws(FeedSyncError) {
        // One snapshot for the index and the rows.
        try snapshot {
            let began = ContinuousClock.now
            let sources = try query.feeds.compactMap {
                try SearchSource($0, query, indexedFeeds, since: began, on: connection)
            }
            var count = 0
            let most = query.mostHits
            func give(_ places: [(source: SearchSource, row: Int64)]) throws -> Bool {
                for place in places {
                    guard count < most else { return false }
                    guard let hit = try place.source.hit(place.row) else { continue }
                    count += 1
                    guard take(hit) else { return false }
                }
                return true
            }
            var ranked: [(source: SearchSource, row: Int64, rank: Double)] = []
            for source in sources {
                for place in try source.ranked() { ranked.append((source, place.row, place.rank)) }
            }
            // Swift's sort keeps the order of equal ranks.
            ranked.sort { $0.rank < $1.rank }
            guard try give(ranked.map { ($0.source, $0.row) }) else { return }
            for source in sources where count < most {
                guard try give(source.others(most: most - count).map { (source, $0) }) else { return }
            }
        }
    }

    /// The results of a search in one feed, the best first, as many as an answer has; nil if it has no index.
    package func found(_ query: SearchQuery, in feed: String) throws(FeedSyncError) -> Listing? {
        try best(query, in: feed)
    }

    /// The same results as JSON.
    package func foundText(_ query: SearchQuery, in feed: String) throws(FeedSyncError) -> ListingText? {
        try best(query, in: feed)
    }

    private func best<Result: ListingResult>(
        _ query: SearchQuery, in feed: String
    ) throws(FeedSyncError) -> Result? {
        try snapshot { () -> Result? in
            let began = ContinuousClock.now
            guard let source = try SearchSource(feed, query, indexedFeeds, since: began, on: connection) else {
                return nil
            }
            let rows = try source.rowLookup()
            var result = Result()
            rows.begin(&result)
            let best = try source.ranked().prefix(query.mostHits).map(\.row)
            let count = try rows.take(best, into: &result)
            if count < query.mostHits {
                _ = try rows.take(try source.others(most: query.mostHits - count), into: &result)
            }
            return result
        }
    }
}
