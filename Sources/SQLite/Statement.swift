internal import CSQLite
internal import Platform

/// One compiled SQL statement: bind its parameters, step through its rows, reset it, and use it again.
///
/// - Isolation: belongs to the connection's owner; never shared between threads.
public final class Statement {
    let pointer: OpaquePointer
    private let handle: Handle
    /// True if the last step threw, so that resetting does not report the same error again.
    private var hasFailed = false
    /// True while a query of the connection steps through the statement, so that the cache must not return it.
    var isLent = false

    init(adopting pointer: OpaquePointer, of handle: Handle) {
        self.pointer = pointer
        self.handle = handle
    }

    // "If the most recent evaluation of statement S failed, then sqlite3_finalize(S) returns the appropriate error
    // code": step has thrown it. https://sqlite.org/c3ref/finalize.html
    deinit { sqlite3_finalize(pointer) }

    /// The statement's text, with its parameters as placeholders.
    public var sql: String { String(cString: sqlite3_sql(pointer)) }

    /// True if stepping makes no direct change to the database file.
    ///
    /// Source: <https://sqlite.org/c3ref/stmt_readonly.html>
    public var isReadOnly: Bool { sqlite3_stmt_readonly(pointer) != 0 }

    /// Runs the statement up to its next row.
    ///
    /// - Returns: true with a row to read, false at the end.
    /// - Throws: `SQLiteError`; the statement then needs a `reset()`.
    public func step() throws(SQLiteError) -> Bool {
        let code = sqlite3_step(pointer)
        switch code & 0xff {
        case SQLITE_ROW:
            return true
        case SQLITE_DONE:
            return false
        default:
            hasFailed = true
            throw handle.error(code, sql: sql)
        }
    }

    /// Makes the statement ready to be bound and stepped again; bindings stay.
    ///
    /// - Throws: `SQLiteError` for a failure that `step()` has not thrown yet.
    public func reset() throws(SQLiteError) {
        let code = sqlite3_reset(pointer)
        defer { hasFailed = false }
        // Resetting repeats the error of the last step, but may also meet the first one: an INSERT … RETURNING that
        // was stepped once commits only here. https://sqlite.org/c3ref/reset.html
        guard code == SQLITE_OK || hasFailed else { throw handle.error(code, sql: sql) }
    }

    /// Sets every parameter to NULL.
    public func clearBindings() {
        // Always SQLITE_OK. https://sqlite.org/c3ref/clear_bindings.html
        sqlite3_clear_bindings(pointer)
    }

    func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw handle.error(code, sql: sql) }
    }
}

@available(*, unavailable)
extension Statement: Sendable {}

// Indexes are 1-based, as in `?1`. SQLite answers one that is out of range with SQLITE_RANGE, and binding to a
// statement that was stepped and not reset with SQLITE_MISUSE; both are thrown.
extension Statement {
    /// The largest parameter index.
    public var parameterCount: Int { Int(sqlite3_bind_parameter_count(pointer)) }

    /// Binds a copy of `value` to the parameter at a 1-based index.
    public func bind(_ value: Value, at index: Int) throws(SQLiteError) {
        switch value {
        case .null:
            try bindNull(at: index)
        case .integer(let integer):
            try bindInt64(integer, at: index)
        case .real(let real):
            try bindDouble(real, at: index)
        case .text(var text): try check(text.withUTF8 { bindCopy(of: UnsafeRawBufferPointer($0), at: index) })
        case .blob(let blob):
            let code = blob.withUnsafeBytes { bytes in
                csqlite_bind_blob_copy(
                    pointer, Int32(clamping: index), bytes.baseAddress ?? Self.noBytes, UInt64(bytes.count))
            }
            try check(code)
        }
    }

    /// Binds values to the parameters from 1 on.
    ///
    /// - Throws: `SQLiteError`, also when there are more or fewer values than parameters.
    public func bind(_ values: [Value]) throws(SQLiteError) {
        guard values.count == parameterCount else {
            throw .misuse("the statement has \(parameterCount) parameters, but \(values.count) values came", sql: sql)
        }
        for (offset, value) in values.enumerated() { try bind(value, at: offset + 1) }
    }

    /// Binds NULL to the parameter at a 1-based index.
    public func bindNull(at index: Int) throws(SQLiteError) {
        try check(sqlite3_bind_null(pointer, Int32(clamping: index)))
    }

    /// Binds an integer to the parameter at a 1-based index.
    public func bindInt64(_ integer: Int64, at index: Int) throws(SQLiteError) {
        try check(sqlite3_bind_int64(pointer, Int32(clamping: index), integer))
    }

    /// Binds a real to the parameter at a 1-based index; a NaN becomes NULL.
    public func bindDouble(_ real: Double, at index: Int) throws(SQLiteError) {
        try check(sqlite3_bind_double(pointer, Int32(clamping: index), real))
    }

    /// Binds a copy of bytes as text, which they should be, to the parameter at a 1-based index.
    public func bindText(copying bytes: UnsafeRawBufferPointer, at index: Int) throws(SQLiteError) {
        try check(bindCopy(of: bytes, at: index))
    }

    private func bindCopy(of bytes: UnsafeRawBufferPointer, at index: Int) -> Int32 {
        let start = (bytes.baseAddress ?? Self.noBytes).assumingMemoryBound(to: CChar.self)
        return csqlite_bind_text_copy(pointer, Int32(clamping: index), start, UInt64(bytes.count))
    }

    /// Binds UTF-8 text to the parameter at a 1-based index without copying it.
    ///
    /// - Parameter bytes: must stay alive and unchanged until the parameter is bound again or the bindings are cleared,
    ///   or until the statement is no longer stepped.
    public func bindText(_ bytes: UnsafeRawBufferPointer, at index: Int) throws(SQLiteError) {
        // A nil pointer would bind NULL, and an empty buffer may have one; a nil destructor is SQLITE_STATIC.
        let start = (bytes.baseAddress ?? Self.noBytes).assumingMemoryBound(to: CChar.self)
        let count = UInt64(bytes.count)
        try check(
            sqlite3_bind_text64(
                pointer, Int32(clamping: index), start, count, nil, UInt8(truncatingIfNeeded: SQLITE_UTF8)))
    }

    /// An address for an empty buffer.
    private static var noBytes: UnsafeRawPointer {
        let empty: StaticString = ""
        return UnsafeRawPointer(empty.utf8Start)
    }
}

/// SQLite's storage class of a value.
public enum StorageClass: Sendable {
    case null, integer, real, text, blob
}

// Indexes are 0-based. "If the SQL statement does not currently point to a valid row, or if the column index is out
// of range, the result is undefined" (https://sqlite.org/c3ref/column_blob.html): such reads answer NULL here.
extension Statement {
    /// The number of columns in a row; 0 for a statement that returns none.
    public var columnCount: Int { Int(sqlite3_column_count(pointer)) }

    /// The name of a column, as `AS` gave it or as SQLite made it up; nil beyond the last.
    public func columnName(at index: Int) -> String? {
        guard index >= 0, index < columnCount else { return nil }
        return sqlite3_column_name(pointer, Int32(truncatingIfNeeded: index)).map { String(cString: $0) }
    }

    /// True if the column is NULL.
    public func isNull(at index: Int) -> Bool { type(at: index) == SQLITE_NULL }

    /// The column as an integer, converted as by `CAST`; 0 for NULL.
    public func int64(at index: Int) -> Int64 {
        guard let column = column(index) else { return 0 }
        return sqlite3_column_int64(pointer, column)
    }

    /// The column as a real, converted as by `CAST`; 0 for NULL.
    public func double(at index: Int) -> Double {
        guard let column = column(index) else { return 0 }
        return sqlite3_column_double(pointer, column)
    }

    /// The column as text, bytes that are not UTF-8 replaced by U+FFFD; nil for NULL.
    public func text(at index: Int) -> String? {
        guard !isNull(at: index) else { return nil }
        return withBytes(at: index) { String(decoding: $0, as: UTF8.self) }
    }

    /// The column's bytes, those of the text where it is none; nil for NULL.
    public func blob(at index: Int) -> [UInt8]? {
        guard !isNull(at: index) else { return nil }
        return withBytes(at: index) { Array($0) }
    }

    /// The column in its own storage class.
    public func value(at index: Int) -> Value {
        switch storageClass(at: index) {
        case .integer: .integer(int64(at: index))
        case .real: .real(double(at: index))
        case .text: .text(text(at: index) ?? "")
        case .blob: .blob(blob(at: index) ?? [])
        case .null: .null
        }
    }

    /// The storage class of the column's value.
    ///
    /// Source: <https://sqlite.org/datatype3.html#storage_classes_and_datatypes>
    public func storageClass(at index: Int) -> StorageClass {
        switch type(at: index) {
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .real
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .blob
        default: .null
        }
    }

    /// Lends the column's bytes without copying them: those of a blob, else of the text in UTF-8; none for NULL.
    ///
    /// - Parameter body: gets bytes that last no longer than its call.
    /// - Throws: the error of `body`.
    public func withBytes<Result, Failure: Error>(
        at index: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let column = column(index) else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        // "The safest policy is to invoke these routines in one of the following ways: sqlite3_column_text() followed
        // by sqlite3_column_bytes(), sqlite3_column_blob() followed by sqlite3_column_bytes()".
        // https://sqlite.org/c3ref/column_blob.html
        let isBlob = sqlite3_column_type(pointer, column) == SQLITE_BLOB
        let start =
            isBlob
            ? sqlite3_column_blob(pointer, column)
            : sqlite3_column_text(pointer, column).map { UnsafeRawPointer($0) }
        let count = Int(sqlite3_column_bytes(pointer, column))
        return try body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    fileprivate func type(at index: Int) -> Int32 {
        guard let column = column(index) else { return SQLITE_NULL }
        return sqlite3_column_type(pointer, column)
    }

    private func column(_ index: Int) -> Int32? {
        guard index >= 0, index < Int(sqlite3_data_count(pointer)) else { return nil }
        return Int32(truncatingIfNeeded: index)
    }
}

// Comparisons in the column's own storage class, without a conversion and without a copy.
extension Statement {
    /// True if the column is this integer.
    public func holds(_ integer: Int64, at index: Int) -> Bool {
        type(at: index) == SQLITE_INTEGER && int64(at: index) == integer
    }

    /// True if the column is this real: a column of reals holds -0.0 as 0.0.
    public func holds(_ real: Double, at index: Int) -> Bool {
        type(at: index) == SQLITE_FLOAT && double(at: index) == real
    }

    /// True if the column is text of these bytes.
    public func holdsText(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Bool {
        guard type(at: index) == SQLITE_TEXT else { return false }
        return withBytes(at: index) { stored in
            guard stored.count == bytes.count else { return false }
            guard let left = stored.baseAddress, let right = bytes.baseAddress else { return true }
            return memcmp(left, right, stored.count) == 0
        }
    }
}
