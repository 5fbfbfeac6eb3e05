internal import CSQLite

/// SQL text that is compiled statement by statement.
struct Script {
    // "there is a small performance advantage to passing an nByte parameter that is the number of bytes in the input
    // string including the nul-terminator", and the limit on SQL length then counts for a statement, not for the
    // script. https://sqlite.org/c3ref/prepare.html
    private let bytes: [UInt8]
    private var position = 0

    init(_ sql: String) throws(SQLiteError) {
        let bytes = Array(sql.utf8)
        guard !bytes.contains(0) else { throw .misuse("the SQL contains a NUL character", sql: sql) }
        guard bytes.count < Int(Int32.max) else { throw .misuse("the SQL is longer than 2 GiB") }
        self.bytes = bytes + [0]
    }

    /// The text that is not compiled yet.
    var rest: String { String(decoding: bytes[position..<(bytes.count - 1)], as: UTF8.self) }

    /// True if nothing but white space, comments and semicolons is left.
    mutating func isAtEnd(in handle: Handle) throws(SQLiteError) -> Bool {
        guard let extra = try next(in: handle) else { return true }
        sqlite3_finalize(extra)
        return false
    }

    /// Compiles the next statement, passing over white space, comments and lone semicolons; nil at the end.
    ///
    /// The caller finalizes the statement.
    mutating func next(in handle: Handle, flags: UInt32 = 0) throws(SQLiteError) -> OpaquePointer? {
        while position < bytes.count - 1 {
            var statement: OpaquePointer?
            var consumed = 0
            let start = position
            let code = bytes.withUnsafeBytes { bytes in
                let text = bytes.baseAddress?.advanced(by: start).assumingMemoryBound(to: CChar.self)
                var tail: UnsafePointer<CChar>?
                let count = Int32(truncatingIfNeeded: bytes.count - start)
                let code = sqlite3_prepare_v3(handle.database, text, count, flags, &statement, &tail)
                if let text, let tail { consumed = tail - text }
                return code
            }
            guard code == SQLITE_OK else { throw handle.error(code, sql: rest) }
            // A statement of nothing but a comment may leave the tail where it was.
            position = consumed > 0 ? min(start + consumed, bytes.count - 1) : bytes.count - 1
            if let statement { return statement }
        }
        return nil
    }
}
