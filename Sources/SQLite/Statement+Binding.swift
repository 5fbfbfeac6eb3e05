internal import CSQLite

// Indexes are 1-based, as in `?1`. SQLite answers one that is out of range with SQLITE_RANGE, and binding to a
// statement that was stepped and not reset with SQLITE_MISUSE; both are thrown.
extension Statement {
    /// The largest parameter index.
    public var parameterCount: Int { Int(sqlite3_bind_parameter_count(pointer)) }

    /// The index of a named parameter; nil if the statement has none of that name.
    ///
    /// - Parameter name: with its prefix, as in `:id`.
    public func parameterIndex(of name: String) -> Int? {
        let index = sqlite3_bind_parameter_index(pointer, name)
        return index > 0 ? Int(index) : nil
    }

    /// Binds a copy of `value` to the parameter at a 1-based index.
    public func bind(_ value: Value, at index: Int) throws(SQLiteError) {
        switch value {
        case .null:
            try bindNull(at: index)
        case .integer(let integer):
            try bindInt64(integer, at: index)
        case .real(let real):
            try bindDouble(real, at: index)
        case .text(var text):
            let code = text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { characters in
                    let start = characters.baseAddress ?? Self.noBytes.assumingMemoryBound(to: CChar.self)
                    return csqlite_bind_text_copy(pointer, Int32(clamping: index), start, UInt64(characters.count))
                }
            }
            try check(code)
        case .blob(let blob):
            let code = blob.withUnsafeBytes { bytes in
                csqlite_bind_blob_copy(
                    pointer, Int32(clamping: index), bytes.baseAddress ?? Self.noBytes, UInt64(bytes.count))
            }
            try check(code)
        }
    }

    /// Binds a copy of `value` to a named parameter.
    ///
    /// - Parameter name: with its prefix, as in `:id`.
    /// - Throws: `SQLiteError`, also when the statement has no parameter of that name.
    public func bind(_ value: Value, named name: String) throws(SQLiteError) {
        guard let index = parameterIndex(of: name) else {
            throw .misuse("the statement has no parameter named \(name)", sql: sql)
        }
        try bind(value, at: index)
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
        try check(
            csqlite_bind_text_copy(
                pointer, Int32(clamping: index),
                (bytes.baseAddress ?? Self.noBytes).assumingMemoryBound(to: CChar.self), UInt64(bytes.count)))
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

    /// Binds bytes to the parameter at a 1-based index without copying them.
    ///
    /// - Parameter bytes: must stay alive and unchanged until the parameter is bound again or the bindings are cleared,
    ///   or until the statement is no longer stepped.
    public func bindBlob(_ bytes: UnsafeRawBufferPointer, at index: Int) throws(SQLiteError) {
        let start = bytes.baseAddress ?? Self.noBytes
        try check(sqlite3_bind_blob64(pointer, Int32(clamping: index), start, UInt64(bytes.count), nil))
    }

    /// An address for an empty buffer.
    private static var noBytes: UnsafeRawPointer {
        let empty: StaticString = ""
        return UnsafeRawPointer(empty.utf8Start)
    }
}
