internal import Text

/// A member's name taken apart, so that `next_page_token`, `nextPageToken` and `Next-Page-Token` are one.
package struct MemberName: Sendable, Hashable {
    /// The most bytes of a name that is the name of something. A longer one means nothing, and there is no column for
    /// it.
    package static let longest = 1_000

    /// The name's words in lower case; none where it is too long.
    package let words: [String]

    /// The words written together.
    package let folded: String

    /// A name; a prefix such as `hydra:` or `@odata.` does not count.
    package init(_ name: String) {
        var name = Self.isTooLong(name) ? "" : name
        words = name.withUTF8(Self.words)
        folded = words.count == 1 ? words[0] : words.joined()
    }

    /// The words of a name. By bytes: the members of each page have names.
    private static func words(_ name: UnsafeBufferPointer<UInt8>) -> [String] {
        let isPrefixEnd = { (byte: UInt8) in byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".") }
        let end = name.lastIndex { !isPrefixEnd($0) }.map { $0 + 1 } ?? 0
        let start = name[..<end].lastIndex(where: isPrefixEnd).map { $0 + 1 } ?? 0
        var words: [String] = []
        var word: [UInt8] = []
        func endWord() {
            guard !word.isEmpty else { return }
            let text = String(decoding: word, as: UTF8.self)
            words.append(word.contains { $0 >= 0x80 } ? text.lowercased() : text)
            word.removeAll(keepingCapacity: true)
        }
        var wasLower = false
        for byte in name[start..<end] {
            let isUpper = (0x41...0x5A).contains(byte)
            let isLetter = isUpper || (0x61...0x7A).contains(byte) || byte.isASCIIDigit || byte >= 0x80
            if !isLetter || isUpper && wasLower { endWord() }
            if isLetter { word.append(isUpper ? byte | 0x20 : byte) }
            wasLower = isLetter && !isUpper
        }
        endWord()
        return words
    }

    /// True if the name is longer than any member name of a page.
    package static func isTooLong(_ name: String) -> Bool { name.utf8.count > longest }

    /// True if the name is a value rather than the name of something: a number, a UUID, a date.
    package static func isDatum(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        let digits = bytes.count(where: \.isASCIIDigit)
        guard digits > 0 else { return false }
        if bytes.allSatisfy(\.isASCIIDigit) { return true }
        if bytes.first == UInt8(ascii: "-"), digits == bytes.count - 1 { return true }
        let isHex = bytes.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit || $0 == UInt8(ascii: "-") }
        if isHex, bytes.count == 36 || bytes.count == 32 || bytes.count == 40 || bytes.count == 64 { return true }
        // Dates and times: digits first, then little else.
        return digits >= 6 && bytes.count <= 32
            && bytes.allSatisfy { "0123456789-:.TZ+/ ".utf8.contains($0) }
    }
}
