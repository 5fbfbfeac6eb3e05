internal import CSQLite
internal import Platform

/// A row that may have been written, by its key.
public struct ChangedRow: Sendable, Hashable {
    /// The identity of a row in its table.
    public enum Key: Sendable, Hashable {
        /// Its number, where that is the key: https://sqlite.org/lang_createtable.html#rowid
        case number(Int64)
        /// The values of its primary key, in the order of the table's columns.
        case values([Value])

        /// The values of its primary key.
        public var values: [Value] {
            switch self {
            case .number(let number): [.integer(number)]
            case .values(let values): values
            }
        }
    }

    /// The row's identity.
    public let key: Key
    /// True if the row did not exist before.
    public let isNew: Bool

    /// A row of a table.
    public init(key: Key, isNew: Bool) {
        self.key = key
        self.isNew = isNew
    }
}

/// The rows of some tables that a connection has written since the last `take`.
///
/// SQLite's own recorder (https://sqlite.org/sessionintro.html) reads each row again and keeps all its values; here the
/// key is enough. Tables without a primary key are left out, but for those that `groups` names.
///
/// Source: https://sqlite.org/c3ref/preupdate_blobwrite.html
///
/// - Isolation: belongs to the connection's owner. A connection has one at a time.
public final class ChangeRecorder {
    private let connection: Connection
    private let recording: RecordedRows

    /// Records all writes from now on.
    ///
    /// - Parameters:
    ///   - groups: Tables without a primary key, and the number of the column, from 0, whose value stands for all rows
    ///     that have it.
    ///   - isWanted: True for the name of a table to record.
    public init(
        on connection: Connection, groups: [String: Int32] = [:], of isWanted: @escaping (String) -> Bool
    ) {
        self.connection = connection
        recording = RecordedRows(isWanted, groups)
        sqlite3_preupdate_hook(
            connection.handle.database,
            { context, database, operation, schema, table, old, new in
                guard let context, let database, let schema, let table, strcmp(schema, "main") == 0 else { return }
                let recording = Unmanaged<RecordedRows>.fromOpaque(context).takeUnretainedValue()
                recording.add(operation, to: table, of: database, old, new)
            }, Unmanaged.passUnretained(recording).toOpaque())
    }

    deinit { sqlite3_preupdate_hook(connection.handle.database, nil, nil) }

    /// Tables that were created again with another key before the last `take`, which returns none of their rows.
    public private(set) var remade: Set<String> = []

    /// The rows written since the start or the last call, by table, each once.
    ///
    /// After a rollback, a row may be unchanged, or be absent although it is marked as new.
    ///
    /// - Throws: `SQLiteError` if there was too little memory for all of them.
    public func take() throws(SQLiteError) -> [String: [ChangedRow]] {
        recording.lookAgain(in: connection.handle.database)
        let code = recording.failure
        recording.failure = SQLITE_OK
        try connection.handle.check(code)
        remade = []
        var rows: [String: [ChangedRow]] = [:]
        defer { recording.written = [] }
        for table in recording.written {
            let taken = table.takeRows()
            if table.isRemade {
                remade.insert(table.name)
                table.isRemade = false
            } else if !taken.isEmpty {
                rows[table.name] = taken
            }
        }
        return rows
    }
}

@available(*, unavailable)
extension ChangeRecorder: Sendable {}

/// The rows that the hook has received.
private final class RecordedRows {
    private let isWanted: (String) -> Bool
    private let groups: [String: Int32]
    /// The tables that were written since the last `take`. There may be thousands of others.
    var written: [RecordedTable] = []
    private var tables: [String: RecordedTable] = [:]
    private var addresses: [UnsafePointer<CChar>: RecordedTable] = [:]
    /// The error because of which rows are missing.
    var failure = SQLITE_OK

    init(_ isWanted: @escaping (String) -> Bool, _ groups: [String: Int32]) {
        self.isWanted = isWanted
        self.groups = groups
    }

    func add(
        _ operation: Int32, to name: UnsafePointer<CChar>, of database: OpaquePointer, _ old: Int64, _ new: Int64
    ) {
        let table = table(name, of: database)
        if !table.isWritten { written.append(table) }
        table.isWritten = true
        switch table.key {
        case .none:
            break
        case .rowID:
            if operation != SQLITE_INSERT { table.add(old, isNew: false) }
            if operation == SQLITE_INSERT || operation == SQLITE_UPDATE && new != old { table.add(new, isNew: true) }
        case .columns(let columns):
            let before = operation == SQLITE_INSERT ? nil : key(columns, of: database, sqlite3_preupdate_old)
            let after = operation == SQLITE_DELETE ? nil : key(columns, of: database, sqlite3_preupdate_new)
            if let before { table.add(before, isNew: false) }
            if let after, after != before { table.add(after, isNew: true) }
        }
    }

    private func table(_ name: UnsafePointer<CChar>, of database: OpaquePointer) -> RecordedTable {
        // The name's address changes only where the schema was read again. It may be the same by chance: `lookAgain`
        // finds out.
        if let known = addresses[name], known.address == name, known.isNamed(name) { return known }
        let text = String(cString: name)
        let table = tables[text] ?? RecordedTable(name: text, isWanted: isWanted(text))
        tables[text] = table
        look(at: table, name, in: database, schemaVersion(of: database))
        if let address = table.address { addresses[address] = nil }
        table.address = name
        addresses[name] = table
        return table
    }

    /// Reads the keys again for tables whose schema has changed.
    func lookAgain(in database: OpaquePointer?) {
        guard let database else { return }
        let version = schemaVersion(of: database)
        for table in written where table.version != version {
            table.name.withCString { look(at: table, $0, in: database, version) }
            if let address = table.address { addresses[address] = nil }
            table.address = nil
        }
    }

    private func look(
        at table: RecordedTable, _ name: UnsafePointer<CChar>, in database: OpaquePointer, _ version: Int64
    ) {
        var key = table.isWanted ? KeyShape(of: name, in: database, &failure) : .none
        if key == .none, let column = groups[table.name] { key = .columns([column]) }
        if let before = table.version, before != version, key != table.key { table.isRemade = true }
        table.key = key
        table.version = version
    }

    /// Source: https://sqlite.org/pragma.html#pragma_schema_version
    private func schemaVersion(of database: OpaquePointer) -> Int64 {
        var statement: OpaquePointer?
        sqlite3_prepare_v2(database, "PRAGMA main.schema_version", -1, &statement, nil)
        let version = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : -1
        let code = statement == nil ? sqlite3_errcode(database) : sqlite3_finalize(statement)
        if code != SQLITE_OK { failure = code }
        return version
    }

    private func key(
        _ columns: [Int32], of database: OpaquePointer,
        _ read: (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Int32
    ) -> [Value]? {
        var key: [Value] = []
        key.reserveCapacity(columns.count)
        for column in columns {
            var value: OpaquePointer?
            let code = read(database, column, &value)
            guard code == SQLITE_OK else {
                // The table was made again without this column.
                if code & 0xff != SQLITE_RANGE { failure = code }
                return nil
            }
            key.append(Value(value))
        }
        return key
    }
}

/// The place of a table's key.
private enum KeyShape: Equatable {
    case none
    /// In one column of type INTEGER, which is the row's number: https://sqlite.org/lang_createtable.html#rowid
    case rowID
    case columns([Int32])

    /// - Parameter failure: Becomes SQLite's code where the table cannot be looked at.
    init(of table: UnsafePointer<CChar>, in database: OpaquePointer, _ failure: inout Int32) {
        var columns: [Int32] = []
        var isRowID = false
        var statement: OpaquePointer?
        let sql = "SELECT cid, type = 'INTEGER' COLLATE NOCASE FROM pragma_table_info(?) WHERE pk > 0 ORDER BY cid"
        sqlite3_prepare_v2(database, sql, -1, &statement, nil)
        csqlite_bind_text_copy(statement, 1, table, UInt64(strlen(table)))
        while sqlite3_step(statement) == SQLITE_ROW {
            columns.append(sqlite3_column_int(statement, 0))
            isRowID = sqlite3_column_int(statement, 1) != 0
        }
        let code = statement == nil ? sqlite3_errcode(database) : sqlite3_finalize(statement)
        if code != SQLITE_OK { failure = code }
        self = columns.isEmpty ? .none : isRowID && columns.count == 1 ? .rowID : .columns(columns)
    }
}

private final class RecordedTable {
    let name: String
    let isWanted: Bool
    var address: UnsafePointer<CChar>?
    var key = KeyShape.none
    /// The schema's version when the key was read.
    var version: Int64?
    /// True if it is among the tables that were written since the last `take`.
    var isWritten = false
    /// True if the key has changed since some of the rows were recorded.
    var isRemade = false
    private(set) var rows: [ChangedRow] = []
    private var numbers: Set<Int64> = []
    private var keys: Set<KeyBytes> = []

    init(name: String, isWanted: Bool) {
        self.name = name
        self.isWanted = isWanted
    }

    func isNamed(_ other: UnsafePointer<CChar>) -> Bool { strcmp(name, other) == 0 }

    func add(_ number: Int64, isNew: Bool) {
        if numbers.insert(number).inserted { rows.append(ChangedRow(key: .number(number), isNew: isNew)) }
    }

    func add(_ key: [Value], isNew: Bool) {
        if keys.insert(KeyBytes(key)).inserted { rows.append(ChangedRow(key: .values(key), isNew: isNew)) }
    }

    func takeRows() -> [ChangedRow] {
        defer { rows = [] }
        isWritten = false
        numbers.removeAll(keepingCapacity: true)
        keys.removeAll(keepingCapacity: true)
        return rows
    }
}

/// A key as SQLite compares it. A `String` equals others that have other bytes.
private struct KeyBytes: Hashable {
    private var bytes: [UInt8] = []

    init(_ key: [Value]) {
        for value in key {
            switch value {
            case .null: add(0, [])
            case .integer(let integer): withUnsafeBytes(of: integer) { add(1, $0) }
            case .real(let real): withUnsafeBytes(of: real.bitPattern) { add(2, $0) }
            case .text(let text): add(3, text.utf8)
            case .blob(let blob): add(4, blob)
            }
        }
    }

    private mutating func add(_ kind: UInt8, _ value: some Collection<UInt8>) {
        bytes.append(kind)
        withUnsafeBytes(of: value.count) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: value)
    }
}

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
