/// Quoting of names and literals that cannot be bound as parameters.
public enum SQL {
    /// `name` as a quoted identifier, such as a table or column name.
    ///
    /// - Throws: `SQLiteError` if `name` contains NUL, where SQLite would stop reading the statement.
    ///
    /// Source: <https://sqlite.org/lang_keywords.html>
    public static func identifier(_ name: String) throws(SQLiteError) -> String {
        try quoted(name, with: UInt8(ascii: "\""))
    }

    /// `text` as a string literal; bind a parameter instead wherever the grammar allows one.
    ///
    /// - Throws: `SQLiteError` if `text` contains NUL, which a literal cannot hold.
    ///
    /// Source: <https://sqlite.org/lang_expr.html#literal_values_constants_>
    public static func string(_ text: String) throws(SQLiteError) -> String {
        try quoted(text, with: UInt8(ascii: "'"))
    }

    // Bytes, not Characters: a quote followed by a combining accent is one Character that equals no quote, yet SQLite
    // sees the quote.
    private static func quoted(_ text: String, with quote: UInt8) throws(SQLiteError) -> String {
        var result = [quote]
        result.reserveCapacity(text.utf8.count + 2)
        for byte in text.utf8 {
            if byte == 0 { throw .misuse("a name or literal in SQL contains a NUL character") }
            if byte == quote { result.append(quote) }
            result.append(byte)
        }
        result.append(quote)
        return String(decoding: result, as: UTF8.self)
    }
}
