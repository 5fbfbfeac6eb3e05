/// Rows in the text form of COPY: fields with a tab between, rows with a line feed behind.
///
/// Source: https://www.postgresql.org/docs/15/sql-copy.html#id-1.9.3.55.9.2
package enum CopyText {
    /// Adds a field of this text, which must not contain NUL; nil for NULL.
    package static func append(_ field: UnsafeBufferPointer<UInt8>, to row: inout [UInt8]) {
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
    package static let null = Array("\\N".utf8)

    private static let backslash = UInt8(ascii: "\\")
}

/// A row of COPY: its fields, in memory that is lent.
package struct CopyRow {
    private var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The place of each field; nil for NULL.
    private var places: [Range<Int>?] = []

    /// A row without fields.
    package init() {}

    /// Reads the fields of a row without its line feed, and unescapes them in place.
    ///
    /// - Parameter row: must stay alive and unchanged while fields are read.
    /// - Throws: `PostgreSQLError` for a backslash at the end.
    package mutating func read(_ row: UnsafeMutableRawBufferPointer) throws(PostgreSQLError) {
        places.removeAll(keepingCapacity: true)
        bytes = UnsafeRawBufferPointer(row)
        var (source, target, start, isNull) = (0, 0, 0, false)
        while source < row.count {
            let byte = row[source]
            source += 1
            switch byte {
            case UInt8(ascii: "\t"):
                places.append(isNull ? nil : start..<target)
                (start, isNull) = (target, false)
            case UInt8(ascii: "\\"):
                guard source < row.count else { throw PostgreSQLError("a row of COPY ends with a backslash") }
                let escaped = row[source]
                source += 1
                if escaped == UInt8(ascii: "N") {
                    isNull = true
                } else {
                    row[target] = Self.unescaped(escaped)
                    target += 1
                }
            default:
                row[target] = byte
                target += 1
            }
        }
        places.append(isNull ? nil : start..<target)
    }

    private static func unescaped(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "b"): 8
        case UInt8(ascii: "t"): 9
        case UInt8(ascii: "n"): 10
        case UInt8(ascii: "v"): 11
        case UInt8(ascii: "f"): 12
        case UInt8(ascii: "r"): 13
        default: byte
        }
    }

    /// The number of fields.
    package var count: Int { places.count }

    /// The bytes of a field; nil for NULL.
    package subscript(index: Int) -> UnsafeRawBufferPointer? {
        places[index].map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
    }

    /// The text of a field; nil for NULL.
    package func text(at index: Int) -> String? { self[index].map { String(decoding: $0, as: UTF8.self) } }
}
