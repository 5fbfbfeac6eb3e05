internal import CSQLite
internal import Platform

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
