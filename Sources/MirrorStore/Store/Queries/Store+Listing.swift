internal import SQLite

extension Store {
    /// The items that a query asks for, in feed order; none, and no columns, as long as no page of the feed is stored.
    ///
    /// - Parameter order: The feed's order as it was, perhaps, so that it is not sorted for every page. It is made anew if
    ///   the store has changed.
    /// - Throws: `FeedSyncError` of kind `store`.
    package func listing(_ query: ListingQuery, order: inout FeedOrder?) throws(FeedSyncError) -> Listing {
        guard query.words == nil, query.indexedWords == nil, query.newBefore == nil, query.keys == nil,
            !query.includesRemoved, FeedPart.feed(ofPart: query.feed) == nil
        else { return try listing(query) }
        let (listing, made) = try storing {
            try connection.transaction(.deferred) { () -> (Listing, FeedOrder?) in
                guard let source = try ListingSource(query.feed, on: connection) else { return (Listing(), nil) }
                let version = try connection.int64("PRAGMA data_version") ?? 0
                var known = order
                if known?.version != version || known?.feed != query.feed {
                    known = try FeedOrder(query.feed, source.table, version: version, on: connection)
                }
                let limit = max(0, min(query.limit, Int(Int32.max)))
                let (rows, hasMore) =
                    known?.rows(after: query.after, section: query.section, limit: limit) ?? ([], false)
                var listing = try source.listing(
                    query, "WHERE _rowid_ IN (\(rows.map(String.init).joined(separator: ",")))", [], limit: limit,
                    on: connection)
                listing.hasMore = hasMore
                return (listing, known)
            }
        }
        order = made
        return listing
    }

    /// The same, without an order that is known.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    package func listing(_ query: ListingQuery) throws(FeedSyncError) -> Listing {
        try storing {
            // One snapshot for the columns and the rows: another process may be adding a column.
            try connection.transaction(.deferred) {
                guard let source = try ListingSource(query.feed, on: connection) else { return Listing() }
                guard let (conditions, values) = try source.conditions(query) else {
                    var listing = Listing()
                    listing.columns = source.columns
                    return listing
                }
                let limit = max(0, min(query.limit, Int(Int32.max)))
                return try source.listing(query, conditions, values, limit: limit, on: connection)
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
    /// The table's name, and as SQL has it.
    let name: String
    let table: String
    let columns: [RowColumn]
    let key: [String]
    let keepsRaw: Bool
    /// Which rows of the table; nil for all.
    private let scope: String?

    /// - Returns: Nil as long as nothing is stored.
    init?(_ feed: String, on connection: Connection) throws {
        let rows = try StoredRows(of: feed, on: connection)
        guard let found = try StoredTable(of: rows.feed, on: connection), !found.key.isEmpty, !found.columns.isEmpty
        else {
            return nil
        }
        let names = "SELECT sum(name = '_raw') FROM pragma_table_info(?)"
        guard let raws = try connection.int64(names, .text(found.name)) else { return nil }
        keepsRaw = raws > 0
        scope = rows.condition
        name = found.name
        table = try SQL.identifier(name)
        (columns, key) = (found.columns, found.key)
    }

    /// The rows that fulfil some conditions, in feed order.
    func listing(
        _ query: ListingQuery, _ conditions: String, _ values: [Value], limit: Int, on connection: Connection
    ) throws -> Listing {
        var listing = Listing()
        listing.columns = columns.filter { query.columns?.contains($0.name) ?? true }
        let count = listing.columns.count
        let own = PlaceColumn.allCases.map(\.rawValue)
        var names = listing.columns.map(\.name) + own + key
        let raw = query.wantsRaw && keepsRaw ? names.count : nil
        if raw != nil { names.append("_raw") }
        try connection.rows(
            """
            SELECT \(try names.map { try SQL.identifier($0) }.joined(separator: ", ")) FROM \(table)
            \(conditions) ORDER BY _generation DESC, _position LIMIT ?
            """, values + [Value(limit + 1)]
        ) { row in
            guard listing.items.count < limit else {
                listing.hasMore = true
                return
            }
            listing.items.append(
                Listing.Item(
                    key: RowKey.text(row, from: count + own.count, count: key.count),
                    row: StoredRow(row, columnCount: count), raw: raw.flatMap { row.text(at: $0) }))
        }
        return listing
    }

    /// The query's conditions as SQL; nil where none can be fulfilled.
    func conditions(_ query: ListingQuery) throws -> (sql: String, values: [Value])? {
        var conditions = [scope].compactMap(\.self)
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
        if let text = query.indexedWords {
            guard let words = text.fullTextQuery else { return nil }
            let index = try SQL.identifier(SearchIndex.name(of: name))
            conditions.append("_rowid_ IN (SELECT rowid FROM \(index) WHERE \(index) MATCH ?)")
            values.append(.text(words))
        }
        if let keys = query.keys {
            let parts = keys.compactMap(Self.values).filter { $0.count == key.count }
            guard !parts.isEmpty else { return nil }
            let names = try key.map { try SQL.identifier($0) }
            let one = "(\(names.map { "\($0) = ?" }.joined(separator: " AND ")))"
            // A key of one column is looked up once for all: SQLite takes a list of values as it takes one.
            conditions.append(
                names.count == 1
                    ? "\(names[0]) IN (\(parts.map { _ in "?" }.joined(separator: ", ")))"
                    : "(\(parts.map { _ in one }.joined(separator: " OR ")))")
            values += parts.flatMap(\.self)
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
