internal import CSQLite

/// A row that was written, by its key.
public struct ChangedRow: Sendable, Hashable {
    /// Its table.
    public let table: String
    /// The values of its primary key, in the order of the table's columns.
    public let key: [Value]
    /// Whether it is gone.
    public let isDeleted: Bool

    /// A row of a table.
    public init(table: String, key: [Value], isDeleted: Bool) {
        self.table = table
        self.key = key
        self.isDeleted = isDeleted
    }
}

/// Which rows of some tables a connection has written since it was asked last.
///
/// Tables without a primary key are left out.
///
/// Source: https://sqlite.org/sessionintro.html
///
/// - Isolation: belongs to the connection's owner.
public final class ChangeRecorder {
    private let connection: Connection
    private let filter: Filter
    private var session: OpaquePointer?

    private final class Filter {
        let isWanted: (String) -> Bool

        init(_ isWanted: @escaping (String) -> Bool) { self.isWanted = isWanted }
    }

    /// Records what is written from now on.
    ///
    /// - Parameter isWanted: Whether a table is recorded, by its name.
    /// - Throws: `SQLiteError`.
    public init(on connection: Connection, of isWanted: @escaping (String) -> Bool) throws(SQLiteError) {
        self.connection = connection
        filter = Filter(isWanted)
        try begin()
    }

    deinit { sqlite3session_delete(session) }

    /// The rows that were written since it began or was asked last, each once; nil where a table got other columns, and any
    /// row may have changed.
    ///
    /// - Throws: `SQLiteError`.
    public func take() throws(SQLiteError) -> [ChangedRow]? {
        guard sqlite3session_isempty(session) == 0 else { return [] }
        var count: Int32 = 0
        var bytes: UnsafeMutableRawPointer?
        let code = sqlite3session_changeset(session, &count, &bytes)
        defer { sqlite3_free(bytes) }
        if code & 0xff != SQLITE_SCHEMA { try connection.handle.check(code) }
        let rows = code == SQLITE_OK ? try Self.rows(count, bytes, connection) : nil
        sqlite3session_delete(session)
        session = nil
        try begin()
        return rows
    }

    private func begin() throws(SQLiteError) {
        try connection.handle.check(sqlite3session_create(connection.handle.database, "main", &session))
        sqlite3session_table_filter(
            session,
            { context, table in
                guard let context, let table else { return 0 }
                let filter = Unmanaged<Filter>.fromOpaque(context).takeUnretainedValue()
                return filter.isWanted(String(cString: table)) ? 1 : 0
            }, Unmanaged.passUnretained(filter).toOpaque())
        try connection.handle.check(sqlite3session_attach(session, nil))
    }

    private static func rows(
        _ count: Int32, _ bytes: UnsafeMutableRawPointer?, _ connection: Connection
    ) throws(SQLiteError) -> [ChangedRow] {
        var iterator: OpaquePointer?
        try connection.handle.check(sqlite3changeset_start(&iterator, count, bytes))
        defer { sqlite3changeset_finalize(iterator) }
        var rows: [ChangedRow] = []
        while sqlite3changeset_next(iterator) == SQLITE_ROW {
            var table: UnsafePointer<CChar>?
            var columnCount: Int32 = 0
            var operation: Int32 = 0
            try connection.handle.check(sqlite3changeset_op(iterator, &table, &columnCount, &operation, nil))
            var isKey: UnsafeMutablePointer<UInt8>?
            try connection.handle.check(sqlite3changeset_pk(iterator, &isKey, nil))
            guard let table, let isKey else { continue }
            var key: [Value] = []
            for column in 0..<columnCount where isKey[Int(column)] != 0 {
                var value: OpaquePointer?
                // An INSERT has no old values, others have the key's.
                let code =
                    operation == SQLITE_INSERT
                    ? sqlite3changeset_new(iterator, column, &value) : sqlite3changeset_old(iterator, column, &value)
                try connection.handle.check(code)
                key.append(Value(value))
            }
            rows.append(
                ChangedRow(table: String(cString: table), key: key, isDeleted: operation == SQLITE_DELETE))
        }
        return rows
    }
}

@available(*, unavailable)
extension ChangeRecorder: Sendable {}

extension Value {
    fileprivate init(_ value: OpaquePointer?) {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: self = .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT: self = .real(sqlite3_value_double(value))
        case SQLITE_TEXT:
            let text = sqlite3_value_text(value)
            let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
            self = .text(String(decoding: bytes, as: UTF8.self))
        case SQLITE_BLOB:
            let blob = sqlite3_value_blob(value)
            self = .blob(Array(UnsafeRawBufferPointer(start: blob, count: Int(sqlite3_value_bytes(value)))))
        default: self = .null
        }
    }
}
