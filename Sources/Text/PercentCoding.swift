/// Percent-encoding as RFC 3986 has it.
///
/// Source: https://www.rfc-editor.org/rfc/rfc3986#section-2
package enum PercentCoding {
    /// The text with everything encoded but the unreserved characters and those in `kept`.
    package static func encoded(_ text: String, keeping kept: String = "") -> String {
        String(decoding: encoded(Array(text.utf8), keeping: Array(kept.utf8)), as: UTF8.self)
    }

    /// The bytes with everything encoded but the unreserved characters and those in `kept`.
    package static func encoded(_ bytes: [UInt8], keeping kept: [UInt8] = []) -> [UInt8] {
        if bytes.allSatisfy(isUnreserved) { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 16)
        for byte in bytes {
            if isUnreserved(byte) || kept.contains(byte) {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
            }
        }
        return result
    }

    /// The decoded text; a `%` that starts no escape is kept.
    ///
    /// - Parameter plus: The meaning of `+`: a space in queries and forms, itself elsewhere.
    package static func decoded(_ encoded: Substring.UTF8View, plus: Unicode.Scalar) -> String {
        String(decoding: bytes(of: encoded, plus: plus), as: UTF8.self)
    }

    /// The text with everything encoded but the unreserved characters, where parts of it may be encoded already.
    package static func recoded(_ text: Substring.UTF8View, plus: Unicode.Scalar) -> String {
        String(decoding: encoded(bytes(of: text, plus: plus)), as: UTF8.self)
    }

    private static func bytes(of encoded: Substring.UTF8View, plus: Unicode.Scalar) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encoded.count)
        var rest = encoded
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = self.byte(rest.prefix(2)) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: plus) : byte)
            }
        }
        return bytes
    }

    /// The byte that two hexadecimal digits denote; nil for anything else.
    static func byte(_ digits: some Collection<UInt8>) -> UInt8? {
        let values = digits.compactMap(value)
        return values.count == 2 && digits.count == 2 ? values[0] << 4 | values[1] : nil
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || "-._~".utf8.contains(byte)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
