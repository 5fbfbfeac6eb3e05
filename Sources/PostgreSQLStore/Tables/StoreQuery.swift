internal import FeedTables
internal import Feeds
package import MirrorReader
internal import PostgreSQL

/// A user's query on a store in PostgreSQL.
package enum StoreQuery {
    /// Passes the result to a receiver, row by row. Nothing can be changed: only queries are run.
    ///
    /// - Throws: `QueryError`, which is `invalid` for a query that PostgreSQL rejects.
    package static func read<Receiver: RowReceiver>(
        sql: String, uri: String, into receiver: sending Receiver
    ) throws(QueryError) -> Receiver.Outcome {
        do {
            let connection = try PostgreSQL.Connection(uri: uri)
            var types: [ResultType] = []
            try connection.read(query: sql) { columns in
                types = columns.map { ResultType(rawValue: $0.type) ?? .other }
                receiver.begin(zip(columns, types).map { RowColumn(name: $0.name, type: $1.column) })
            } _: { row in
                receiver.take(zip(row, types).map { $0.map($1.value) ?? .null })
            }
            return receiver.end()
        } catch let error as PostgreSQLError where error.isOfTheQuery {
            throw .invalid(isOtherStatement(sql, error) ? "only queries are run" : error.message)
        } catch {
            throw .store(FeedSyncError(copying: error, path: StoreAddress(uri).shown))
        }
    }

    /// True if the query's first word is the error: a cursor takes `SELECT`, `WITH`, `VALUES` and `TABLE`.
    private static func isOtherStatement(_ sql: String, _ error: PostgreSQLError) -> Bool {
        let word = sql.drop { $0.isWhitespace }.prefix { $0.isLetter }
        return !word.isEmpty && error.message.hasSuffix("at or near \"\(word)\"")
    }
}

/// The types whose values are more than text, by their `oid` in `pg_type`.
private enum ResultType: UInt32 {
    case boolean = 16
    case bytes = 17
    case bigint = 20
    case smallint = 21
    case integer = 23
    case text = 25
    case json = 114
    case real = 700
    case double = 701
    case timestamp = 1184
    case numeric = 1700
    case jsonb = 3802
    case other = 0

    /// The type of a column as a feed's definition has it.
    var column: ColumnType? {
        switch self {
        case .boolean: .boolean
        case .json, .jsonb: .json
        default: nil
        }
    }

    /// A field as a value of the store.
    func value(_ field: String) -> StoredValue {
        let type: FieldType? =
            switch self {
            case .boolean: .boolean
            case .bigint, .smallint, .integer: .bigint
            case .text: .text
            case .json: .json
            case .jsonb: .jsonb
            case .real, .double: .double
            case .timestamp: .timestamp
            case .numeric: .numeric
            case .bytes, .other: nil
            }
        return switch type?.value(field) {
        case .integer(let integer): .integer(integer)
        case .real(let real): .real(real)
        case .text(let text): .text(text)
        case .blob, .otherText, .null, nil: .text(field)
        }
    }
}

extension PostgreSQLError {
    /// True if the SQL is wrong, not the store: syntax and names, values, division by zero, what a cursor or a
    /// transaction that only reads refuses, what the user may not read.
    ///
    /// Source: https://www.postgresql.org/docs/15/errcodes-appendix.html
    fileprivate var isOfTheQuery: Bool {
        guard let code else { return false }
        return ["42", "22", "0A", "21", "25", "34", "54", "P0"].contains { code.hasPrefix($0) } && code != "25P03"
    }
}
