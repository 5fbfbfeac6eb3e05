internal import Text

/// Writes values as JSON text (RFC 8259).
package enum JSONText {
    /// A string with its quotes.
    package static func string(_ text: String) -> String {
        var result: [UInt8] = []
        append(text, to: &result)
        return String(decoding: result, as: UTF8.self)
    }

    /// Adds a string with its quotes, as UTF-8.
    package static func append(_ text: String, to result: inout [UInt8]) {
        var text = text
        text.withUTF8 { bytes in
            result.append(quote)
            // As most text is.
            if isPlainASCII(bytes) || bytes.allSatisfy(isPlain) {
                result.append(contentsOf: bytes)
            } else {
                for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars { append(scalar, to: &result) }
            }
            result.append(quote)
        }
    }

    /// Adds a string with its quotes, of bytes that should be UTF-8; those that are not are replaced by U+FFFD.
    package static func append(utf8 bytes: UnsafeRawBufferPointer, to result: inout [UInt8]) {
        let bytes = bytes.assumingMemoryBound(to: UInt8.self)
        guard isPlainASCII(bytes) else {
            return append(String(decoding: bytes, as: UTF8.self), to: &result)
        }
        result.append(quote)
        result.append(contentsOf: bytes)
        result.append(quote)
    }

    private static func append(_ scalar: Unicode.Scalar, to result: inout [UInt8]) {
        switch scalar {
        case "\"": result.append(contentsOf: "\\\"".utf8)
        case "\\": result.append(contentsOf: "\\\\".utf8)
        case "\n": result.append(contentsOf: "\\n".utf8)
        case "\r": result.append(contentsOf: "\\r".utf8)
        case "\t": result.append(contentsOf: "\\t".utf8)
        // Controls for the terminal, and characters that change the direction of text.
        case "\0"..<" ", "\u{7F}"..."\u{9F}", "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}":
            result.append(contentsOf: "\\u\(Hexadecimal.digits(scalar.value, count: 4))".utf8)
        default: result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
    }

    /// An array of numbers.
    package static func array(_ numbers: some Sequence<Int64>) -> String {
        var result = "["
        for number in numbers {
            if result.utf8.count > 1 { result += "," }
            result += String(number)
        }
        return result + "]"
    }

    private static let quote = UInt8(ascii: "\"")

    /// True if all bytes are ASCII characters that need no escape, as in most text. Eight bytes are tested at a time.
    private static func isPlainASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count >= 8 else { return bytes.allSatisfy { isPlain($0) && $0 < 0x80 } }
        let raw = UnsafeRawBufferPointer(bytes)
        var special: UInt64 = 0
        var offset = 0
        while offset < bytes.count {
            // The last eight may have been looked at in part.
            let start = min(offset, bytes.count - 8)
            special |= specials(in: raw.loadUnaligned(fromByteOffset: start, as: UInt64.self))
            offset += 8
        }
        return special == 0
    }

    /// Zero if all eight bytes are ASCII characters that need no escape.
    ///
    /// Source: https://graphics.stanford.edu/~seander/bithacks.html#HasLessInWord
    private static func specials(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        func zeros(_ word: UInt64) -> UInt64 { (word &- ones) & ~word }
        let control = (word &- (ones &* 0x20)) & ~word
        let quotes = zeros(word ^ (ones &* UInt64(quote))) | zeros(word ^ (ones &* UInt64(UInt8(ascii: "\\"))))
        return (control | quotes | zeros(word ^ (ones &* 0x7F)) | word) & 0x8080_8080_8080_8080
    }

    /// True if a byte belongs to a character that needs no escape. Characters that begin with 0xC2 or 0xE2 may need
    /// one.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != quote && byte != UInt8(ascii: "\\") && byte != 0x7F && byte != 0xC2 && byte != 0xE2
    }

    /// A finite number; JSON has no other, so the rest is `null`.
    package static func number(_ value: Double) -> String { value.isFinite ? "\(value)" : "null" }
}

/// An object written member by member, in the order in which they are added.
package struct JSONObjectText: Sendable {
    /// UTF-8, because bytes are added several times faster than characters.
    private var members = [UInt8(ascii: "{")]

    /// An object without members.
    package init() { members.reserveCapacity(128) }

    /// The whole object.
    package var text: String { String(decoding: members, as: UTF8.self) + "}" }

    /// Adds a member whose value is already JSON.
    package mutating func add(_ name: String, json: String) {
        if members.count > 1 { members.append(UInt8(ascii: ",")) }
        JSONText.append(name, to: &members)
        members.append(UInt8(ascii: ":"))
        members.append(contentsOf: json.utf8)
    }

    /// Adds a member.
    package mutating func add(_ name: String, _ value: some JSONWritable) { add(name, json: value.json) }
}
