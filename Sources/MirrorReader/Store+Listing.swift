internal import SQLite

extension Store {
    /// The items of a query, in feed order; without columns while no page of the feed is stored.
    ///
    /// - Parameter order: An earlier order of the feed, so that it is not sorted for every page.
    /// - Returns: The items, and an order for the next query on the same connection: another one if the store has
    ///   changed.
    package func listing(
        _ query: ItemQuery, knowing order: FeedOrder?
    ) throws(FeedSyncError) -> (Listing, FeedOrder?) { try read(query, knowing: order) }

    /// The same listing as JSON.
    package func listingText(
        _ query: ItemQuery, knowing order: FeedOrder?
    ) throws(FeedSyncError) -> (ListingText, FeedOrder?) { try read(query, knowing: order) }

    /// The items of a query, without a known order.
    package func listing(_ query: ItemQuery) throws(FeedSyncError) -> Listing { try read(query) }

    /// The same listing as JSON.
    package func listingText(_ query: ItemQuery) throws(FeedSyncError) -> ListingText { try read(query) }

    private func read<Result: ListingResult>(
        _ query: ItemQuery, knowing order: FeedOrder?
    ) throws(FeedSyncError) -> (Result, FeedOrder?) {
        guard query.isInFeedOrder, FeedPart.feed(ofPart: query.feed) == nil else { return (try read(query), order) }
        return try snapshot {
            let version = try connection.int64("PRAGMA data_version") ?? 0
            var known = order
            if known?.version != version || known?.feed != query.feed {
                known = try FeedOrder(query.feed, version: version, on: connection)
            }
            guard let known else { return (Result(), nil) }
            let (rows, hasMore) = known.rows(after: query.after, section: query.section, limit: query.mostListed)
            let lookup = try RowLookup(query, of: known.source, on: connection)
            var result = Result()
            lookup.begin(&result)
            _ = try lookup.take(rows, into: &result)
            if hasMore { result.hasMore = true }
            return (result, known)
        }
    }

    private func read<Result: ListingResult>(_ query: ItemQuery) throws(FeedSyncError) -> Result {
        try snapshot {
            // One snapshot for the columns and the rows: another process may be adding a column.
            guard let source = try FeedRows(query.feed, at: query.time, on: connection) else { return Result() }
            let selection = try source.listed(query, on: connection)
            var result = Result()
            result.begin(selection)
            var further = query
            // One more row than requested shows if there are more.
            further.limit = query.mostListed + 1
            var count = 0
            try source.read(selection, further, on: connection) { row in
                guard count < query.mostListed, !result.isFull else {
                    result.hasMore = true
                    return false
                }
                result.take(row)
                count += 1
                return true
            }
            return result
        }
    }

    /// The rows of a feed or of one of its lists, in feed order; without columns while no page of it is stored.
    ///
    /// - Parameters:
    ///   - feed: The feed's name.
    ///   - section: The section's name, where `.some(nil)` are the items without one; nil for all sections.
    ///   - offset: The number of rows to skip, from 0.
    ///   - limit: The maximum number of rows; nil for all.
    ///   - includesRemoved: True to include rows that were removed upstream.
    package func rows(
        of feed: String, section: String?? = nil, offset: Int = 0, limit: Int? = nil, includesRemoved: Bool = false
    ) throws(FeedSyncError) -> RowPage {
        var query = ItemQuery(feed: feed, limit: limit)
        (query.section, query.offset, query.includesRemoved) = (section, offset, includesRemoved)
        return try read(query)
    }

    /// The rows of a query, in its order; without columns while no page of its feed is stored.
    package func rows(_ query: ItemQuery) throws(FeedSyncError) -> RowPage { try read(query) }

    /// The rows of the first page that the feed's newest crawl has read, in the page's order; none while no page of the
    /// feed is stored. Rows that only earlier crawls met are not among them.
    ///
    /// - Parameter limit: The maximum number of rows; nil for all.
    package func rowsOfFirstPage(of feed: String, limit: Int? = nil) throws(FeedSyncError) -> RowPage {
        try snapshot {
            let keys = try connection.scalar(
                """
                SELECT p.keys FROM _crawl_page w JOIN _page p ON p.id = w.page
                WHERE w.crawl = (SELECT max(id) FROM _crawl WHERE feed = ?) AND w.number = 1
                """, .text(feed))
            let places = Dictionary(
                PageKeys.texts(keys?.text ?? "[]").enumerated().map { ($1, $0) },
                uniquingKeysWith: { first, _ in first })
            guard !places.isEmpty, let source = try FeedRows(feed, on: connection) else { return RowPage() }
            let query = ItemQuery(feed: feed)
            let selection = try source.listed(query, on: connection)
            var page = RowPage()
            page.begin(selection)
            var found: [(place: Int, row: StoredRow)] = []
            try source.read(selection, query, on: connection) { row in
                if let place = places[selection.key(of: row)] {
                    found.append((place, StoredRow(row, columnCount: selection.columns.count)))
                }
                return true
            }
            found.sort { $0.place < $1.place }
            page.rows = found.prefix(max(0, limit ?? .max)).map(\.row)
            page.hasMore = page.rows.count < found.count
            return page
        }
    }

    /// The number of items that a query matches, whatever its limit.
    package func count(_ query: ItemQuery) throws(FeedSyncError) -> Int {
        try storing {
            guard let source = try FeedRows(query.feed, at: query.time, on: connection),
                let conditions = try source.conditions(query)
            else { return 0 }
            let sql = "SELECT count(*) FROM \(source.table)\(conditions.sql)"
            return try connection.first(sql, conditions.values) { $0.count(at: 0) } ?? 0
        }
    }

    /// The keys of the items before and after a place, in feed order, each as JSON; nil at an end.
    package func neighbours(
        of place: Place, in feed: String
    ) throws(FeedSyncError) -> (previous: String?, next: String?) {
        try snapshot {
            guard let source = try FeedRows(feed, on: connection),
                let all = try source.conditions(ItemQuery(feed: feed, limit: 1))
            else { return (nil, nil) }
            let keys = try source.selection(of: [], hasKey: true)
            func key(_ isThere: String, _ order: String) throws -> String? {
                var conditions = all
                conditions.add(
                    isThere, .integer(place.generation), .integer(place.generation), .integer(place.position))
                return try connection.first(
                    "\(keys.sql)\(conditions.sql) ORDER BY \(order) LIMIT 1", conditions.values
                ) { keys.key(of: $0) }
            }
            let previous = try key(
                "(_generation > ? OR _generation = ? AND _position < ?)", "_generation, _position DESC")
            let next = try key(
                "(_generation < ? OR _generation = ? AND _position > ?)", "_generation DESC, _position")
            return (previous, next)
        }
    }
}
