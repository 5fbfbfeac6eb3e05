/// Rows in the text form of COPY: fields with a tab between, rows with a line feed behind.
///
/// Source: https://www.postgresql.org/docs/15/sql-copy.html#id-1.9.3.55.9.2
public enum CopyText {
    /// Adds a field of this text, which must not contain NUL; nil for NULL.
    public static func append(_ field: UnsafeBufferPointer<UInt8>, to row: inout [UInt8]) {
        // Most have nothing to escape.
        guard field.contains(where: { $0 == backslash || $0 < 14 }) else { return row.append(contentsOf: field) }
        for byte in field {
            switch byte {
            case UInt8(ascii: "\\"): row += [backslash, backslash]
            case UInt8(ascii: "\n"): row += [backslash, UInt8(ascii: "n")]
            case UInt8(ascii: "\r"): row += [backslash, UInt8(ascii: "r")]
            case UInt8(ascii: "\t"): row += [backslash, UInt8(ascii: "t")]
            default: row.append(byte)
            }
        }
    }

    /// NULL, as a field.
    public static let null = Array("\\N".utf8)

    private static let backslash = UInt8(ascii: "\\")

    /// The fields of a row, without its line feed; nil for NULL.
    ///
    /// - Throws: `PostgreSQLError` for a backslash at the end.
    public static func fields(of row: some Collection<UInt8>) throws(PostgreSQLError) -> [[UInt8]?] {
        var fields: [[UInt8]?] = []
        var field: [UInt8] = []
        var isNull = false
        var rest = row.makeIterator()
        func end() {
            fields.append(isNull ? nil : field)
            field.removeAll(keepingCapacity: true)
            isNull = false
        }
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "\t"): end()
            case backslash:
                guard let escaped = rest.next() else { throw PostgreSQLError("a row of COPY ends with a backslash") }
                switch escaped {
                case UInt8(ascii: "N"): isNull = true
                case UInt8(ascii: "b"): field.append(8)
                case UInt8(ascii: "t"): field.append(9)
                case UInt8(ascii: "n"): field.append(10)
                case UInt8(ascii: "v"): field.append(11)
                case UInt8(ascii: "f"): field.append(12)
                case UInt8(ascii: "r"): field.append(13)
                default: field.append(escaped)
                }
            default: field.append(byte)
            }
        }
        end()
        return fields
    }
}
