internal import SQLite

extension Store {
    /// The columns of the feed's table, in the order in which `read` passes them; empty while nothing is stored.
    package func columns(of feed: String) throws(FeedSyncError) -> [RowColumn] {
        try storing { try FeedRows(feed, on: connection)?.allColumns ?? [] }
    }

    /// Passes the items of a feed to a receiver, one by one.
    ///
    /// - Parameter parts: The sections to read one after the other, each with a title; none to read all in one.
    /// - Throws: `QueryError`, which is `invalid` for a condition that SQLite rejects.
    package func read<Receiver: RowReceiver>(
        _ query: ItemQuery, parts: [(section: String?, title: String)] = [], into receiver: sending Receiver
    ) throws(QueryError) -> Receiver.Outcome {
        try reading {
            // One snapshot for the columns and the rows: another process may be adding a column.
            try connection.transaction(.deferred) {
                guard let rows = try FeedRows(query.feed, at: query.time, on: connection) else {
                    return receiver.end()
                }
                let all = rows.allColumns
                let columns = query.columns?.compactMap { name in all.first { $0.name == name } } ?? all
                let selection = try rows.selection(of: columns)
                try rows.check(selection, query, path: path, on: connection)
                var query = query
                if parts.isEmpty {
                    receiver.begin(columns)
                    _ = try stream(query, rows, selection, into: receiver)
                }
                for part in parts where query.limit != 0 {
                    query.section = .some(part.section)
                    receiver.beginPart(part.title)
                    receiver.begin(columns)
                    let (count, isWanted) = try stream(query, rows, selection, into: receiver)
                    guard isWanted else { break }
                    query.limit = query.limit.map { $0 - count }
                }
                return receiver.end()
            }
        }
    }

    /// Passes the result of any query to a receiver, row by row. From then on the connection accepts only queries.
    ///
    /// - Throws: `QueryError`, which is `invalid` for a query that SQLite rejects.
    package func read<Receiver: RowReceiver>(
        sql: String, into receiver: sending Receiver
    ) throws(QueryError) -> Receiver.Outcome {
        try reading {
            let types = try columnTypes()
            try connection.allowOnlyQueries()
            let statement = try connection.prepare(sql)
            guard statement.isReadOnly, statement.columnCount > 0 else { throw QueryError.invalid("it is not a query") }
            let columns = (0..<statement.columnCount).map { index in
                let origin = statement.origin(at: index)
                return RowColumn(
                    name: statement.columnName(at: index) ?? "",
                    type: origin.flatMap { types[ColumnPlace(table: $0.table, column: $0.column)] })
            }
            receiver.begin(columns)
            while try statement.step() {
                guard receiver.take(columns.indices.map { StoredValue(statement.value(at: $0)) }) else { break }
            }
            return receiver.end()
        }
    }

    private func reading<Result>(_ body: () throws -> Result) throws(QueryError) -> Result {
        var refusal: String?
        var result: Result?
        do throws(FeedSyncError) {
            try storing {
                do {
                    result = try body()
                } catch QueryError.invalid(let message) {
                    refusal = message
                } catch let error as SQLiteError where error.isOfTheQuery {
                    refusal = error.isNotAuthorized ? "only queries are run" : error.message
                }
            }
        } catch {
            throw .store(error)
        }
        guard let result else { throw .invalid(refusal ?? "it has no result") }
        return result
    }

    private func stream(
        _ query: ItemQuery, _ rows: FeedRows, _ selection: RowSelection, into receiver: some RowReceiver
    ) throws -> (count: Int, isWanted: Bool) {
        var (count, isWanted) = (0, true)
        try rows.read(selection, query, on: connection) { row in
            count += 1
            isWanted = receiver.take(selection.values(of: row))
            return isWanted
        }
        return (count, isWanted)
    }

    /// The types of the columns of all feeds' tables, if known.
    private func columnTypes() throws -> [ColumnPlace: ColumnType] {
        var types: [ColumnPlace: ColumnType] = [:]
        try connection.rows(
            """
            SELECT "table", json_extract(value, '$.name'), json_extract(value, '$.type') FROM _feed, json_each(columns)
            WHERE json_extract(value, '$.type') IN ('boolean', 'json')
            """
        ) { row in
            let place = ColumnPlace(table: row.text(at: 0) ?? "", column: row.text(at: 1) ?? "")
            types[place] = row.text(at: 2).flatMap(ColumnType.init)
        }
        for place in Self.ownFlags { types[place] = .boolean }
        return types
    }

    /// The Boolean columns of the public tables.
    private static let ownFlags = [
        ("feed", ["no_more_data", "complete", "verified"]), ("run", ["complete", "verified"]),
    ]
    .flatMap { table, columns in columns.map { ColumnPlace(table: table, column: $0) } }
}

/// A column of a table.
private struct ColumnPlace: Hashable {
    let table: String
    let column: String
}

extension SQLiteError {
    /// True if the SQL is wrong, not the file: https://sqlite.org/rescode.html
    fileprivate var isOfTheQuery: Bool {
        // ERROR, READONLY, TOOBIG, MISMATCH, MISUSE, AUTH, RANGE
        [1, 8, 18, 20, 21, 23, 25].contains(primaryCode)
    }

    fileprivate var isNotAuthorized: Bool { primaryCode == 23 || isReadOnly }
}
