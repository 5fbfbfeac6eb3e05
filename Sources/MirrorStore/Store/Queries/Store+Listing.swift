internal import SQLite

extension Store {
    /// The items that a query asks for, in feed order; none, and no columns, as long as no page of the feed is stored.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    package func listing(_ query: ListingQuery) throws(FeedSyncError) -> Listing {
        try storing {
            // One snapshot for the columns and the rows: another process may be adding a column.
            try connection.transaction(.deferred) {
                var listing = Listing()
                guard let source = try ListingSource(query.feed, on: connection) else { return listing }
                listing.columns = source.columns.filter { query.columns?.contains($0.name) ?? true }
                let count = listing.columns.count
                guard let (conditions, values) = try source.conditions(query) else { return listing }
                let limit = max(0, min(query.limit, Int(Int32.max)))
                let own = PlaceColumn.allCases.map(\.rawValue)
                var names = listing.columns.map(\.name) + own + source.key
                let raw = query.wantsRaw && source.keepsRaw ? names.count : nil
                if raw != nil { names.append("_raw") }
                try connection.rows(
                    """
                    SELECT \(try names.map { try SQL.identifier($0) }.joined(separator: ", ")) FROM \(source.table)
                    \(conditions) ORDER BY _generation DESC, _position LIMIT ?
                    """, values + [Value(limit + 1)]
                ) { row in
                    guard listing.items.count < limit else {
                        listing.hasMore = true
                        return
                    }
                    listing.items.append(
                        Listing.Item(
                            key: RowKey.text(row, from: count + own.count, count: source.key.count),
                            row: StoredRow(row, columnCount: count),
                            raw: raw.flatMap { row.text(at: $0) }))
                }
                return listing
            }
        }
    }

    /// How many items a query asks for, whatever its limit.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    package func count(_ query: ListingQuery) throws(FeedSyncError) -> Int {
        try storing {
            guard let source = try ListingSource(query.feed, on: connection),
                let (conditions, values) = try source.conditions(query)
            else { return 0 }
            var count = 0
            try connection.rows("SELECT count(*) FROM \(source.table) \(conditions)", values) { row in
                count = row.count(at: 0)
            }
            return count
        }
    }
}

/// A feed's table, and what is known of its columns.
private struct ListingSource {
    let table: String
    let columns: [RowColumn]
    let key: [String]
    let keepsRaw: Bool

    /// - Returns: Nil as long as nothing is stored.
    init?(_ feed: String, on connection: Connection) throws {
        var found: (table: String, columns: [RowColumn], key: [String])?
        try connection.rows("SELECT \"table\", columns, key_columns FROM _feed WHERE feed = ?", [.text(feed)]) { row in
            found = (row.text(at: 0) ?? "", RowColumn.list(row.text(at: 1)), RowColumn.names(row.text(at: 2)))
        }
        guard let found, !found.key.isEmpty, !found.columns.isEmpty else { return nil }
        let names = "SELECT sum(name = '_raw') FROM pragma_table_info(?)"
        guard let raws = try connection.int64(names, .text(found.table)) else { return nil }
        keepsRaw = raws > 0
        table = try SQL.identifier(found.table)
        (columns, key) = (found.columns, found.key)
    }

    /// The query's conditions as SQL; nil where none can be fulfilled.
    func conditions(_ query: ListingQuery) throws -> (sql: String, values: [Value])? {
        var conditions: [String] = []
        var values: [Value] = []
        if !query.includesRemoved { conditions.append("_removed_at IS NULL") }
        if let section = query.section {
            conditions.append("_section IS ?")
            values.append(Value(section))
        }
        if let place = query.after {
            conditions.append("(_generation < ? OR _generation = ? AND _position > ?)")
            values += [.integer(place.generation), .integer(place.generation), .integer(place.position)]
        }
        if let (place, since) = query.newBefore {
            conditions.append("(_generation > ? OR _generation = ? AND _position < ?) AND _first_seen_at > ?")
            values += [
                .integer(place.generation), .integer(place.generation), .integer(place.position), .text(since),
            ]
        }
        if let (text, wanted) = query.words {
            let names = try columns.map(\.name).filter(wanted.contains).map { try SQL.identifier($0) }
            for word in text.words {
                conditions.append("(\(names.map { "\($0) LIKE ? ESCAPE '\\'" }.joined(separator: " OR ")))")
                values += Array(repeating: .text(SearchText.pattern(word)), count: names.count)
            }
            guard !names.isEmpty else { return nil }
        }
        if let json = query.key {
            guard let parts = Self.values(json), parts.count == key.count else { return nil }
            conditions += try key.map { "\(try SQL.identifier($0)) = ?" }
            values += parts
        }
        return (conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))", values)
    }

    /// The values of a key as JSON; nil where it is none.
    private static func values(_ json: String) -> [Value]? {
        guard let value = try? JSONValue(parsing: json) else { return nil }
        let parts = if case .array(let parts) = value { parts } else { [value] }
        var values: [Value] = []
        for part in parts {
            switch part {
            case .string(let text): values.append(.text(text))
            case .number(let digits):
                if let integer = Int64(digits) {
                    values.append(.integer(integer))
                } else if let real = Double(digits) {
                    values.append(.real(real))
                } else {
                    return nil
                }
            case .null, .bool, .array, .object: return nil
            }
        }
        return values
    }
}
