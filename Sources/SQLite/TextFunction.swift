internal import CSQLite
internal import Concurrency

extension Connection {
    /// Adds the SQL function `_has_text(text, word)`: 1 if a text has a word anywhere, whatever the case of ASCII
    /// letters.
    ///
    /// LIKE says the same, but takes as much time as the product of both lengths, and nothing ends it within a text.
    /// This takes as much as their sum, and is ended by limits of work as statements are.
    func addTextFunction() throws(SQLiteError) {
        // https://sqlite.org/c3ref/c_deterministic.html
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
        try handle.check(
            sqlite3_create_function_v2(
                handle.database, "_has_text", 2, flags, nil, { answer($0, $2) }, nil, nil, nil))
    }
}

/// The number of bytes between two questions about the limit of work.
private let stretch = 65_536

private func answer(_ context: OpaquePointer?, _ arguments: UnsafeMutablePointer<OpaquePointer?>?) {
    guard let arguments, let text = sqlite3_value_text(arguments[0]), let word = sqlite3_value_text(arguments[1])
    else { return sqlite3_result_null(context) }
    let size = Int(sqlite3_value_bytes(arguments[0]))
    let wordSize = Int(sqlite3_value_bytes(arguments[1]))
    guard wordSize > 0 else { return sqlite3_result_int(context, 1) }
    guard wordSize <= size else { return sqlite3_result_int(context, 0) }
    // A longer word is looked for in longer parts, so that its length counts once, too.
    let step = max(stretch, wordSize)
    let room = min(size, step + wordSize - 1)
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: room + wordSize) { buffer in
        guard let part = buffer.baseAddress else { return }
        let lowercaseWord = part + room
        lowercase(word, wordSize, into: lowercaseWord)
        for start in stride(from: 0, to: size - wordSize + 1, by: step) {
            if start > 0, WorkLimit.hasToEnd { return sqlite3_result_error_code(context, SQLITE_INTERRUPT) }
            let count = min(room, size - start)
            lowercase(text + start, count, into: part)
            // Linear in both lengths: https://sourceware.org/git/?p=glibc.git;a=blob;f=string/memmem.c
            if csqlite_contains(part, count, lowercaseWord, wordSize) != 0 { return sqlite3_result_int(context, 1) }
        }
        sqlite3_result_int(context, 0)
    }
}

private func lowercase(_ bytes: UnsafePointer<UInt8>, _ count: Int, into result: UnsafeMutablePointer<UInt8>) {
    for place in 0..<count {
        let byte = bytes[place]
        result[place] = byte &- 65 < 26 ? byte | 32 : byte
    }
}
