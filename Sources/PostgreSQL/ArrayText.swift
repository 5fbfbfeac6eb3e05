/// An array's text, to be put in a script as a literal, element by element.
///
/// Source: https://www.postgresql.org/docs/15/arrays.html#ARRAYS-IO
public struct ArrayText: Sendable {
    /// As in a literal: quotes are doubled.
    var bytes: [UInt8] = []

    /// An array without elements.
    public init() {}

    /// Makes it empty; it keeps its memory.
    public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Adds NULL.
    public mutating func appendNull() {
        begin()
        bytes += "NULL".utf8
    }

    /// Adds a number.
    public mutating func append(_ integer: Int64) {
        begin()
        var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
        withUnsafeMutableBytes(of: &digits) { digits in
            var start = digits.count
            var rest = integer.magnitude
            repeat {
                start -= 1
                digits[start] = 48 + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            if integer < 0 {
                start -= 1
                digits[start] = UInt8(ascii: "-")
            }
            bytes.append(contentsOf: digits[start...])
        }
    }

    /// Adds a text in UTF-8 without NUL.
    public mutating func append(_ text: UnsafeRawBufferPointer) {
        begin()
        bytes.append(UInt8(ascii: "\""))
        if Self.isPlain(text) {
            bytes.append(contentsOf: text)
        } else {
            for byte in text {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(UInt8(ascii: "\\"))
                case UInt8(ascii: "'"): bytes.append(UInt8(ascii: "'"))
                default: break
                }
                bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Adds a text without NUL.
    public mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// No branch in the loop, so that many bytes are looked at at a time.
    private static func isPlain(_ text: UnsafeRawBufferPointer) -> Bool {
        var count = 0
        for byte in text {
            count &+= byte == UInt8(ascii: "\"") ? 1 : 0
            count &+= byte == UInt8(ascii: "\\") ? 1 : 0
            count &+= byte == UInt8(ascii: "'") ? 1 : 0
        }
        return count == 0
    }

    private mutating func begin() {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: ",")) }
    }
}
