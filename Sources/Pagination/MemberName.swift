/// A member's name taken apart, so that `next_page_token`, `nextPageToken` and `Next-Page-Token` are one.
package struct MemberName: Sendable, Hashable {
    /// The most bytes of a name that is the name of something. A longer one means nothing, and there is no column for
    /// it.
    package static let longest = 1_000

    /// The name's words in lower case; none where it is too long.
    package let words: [String]

    /// The words written together.
    package var folded: String { words.joined() }

    /// A name; a prefix such as `hydra:` or `@odata.` does not count.
    package init(_ name: String) {
        guard !Self.isTooLong(name) else {
            words = []
            return
        }
        let isPrefixEnd = { (scalar: Unicode.Scalar) in scalar == ":" || scalar == "." }
        let scalars = name.unicodeScalars
        let end = scalars.lastIndex { !isPrefixEnd($0) }.map(scalars.index(after:)) ?? scalars.startIndex
        let start = scalars[..<end].lastIndex(where: isPrefixEnd).map(scalars.index(after:)) ?? scalars.startIndex
        var words: [String] = []
        var word = ""
        var wasLower = false
        for scalar in scalars[start..<end] {
            let isUpper = ("A"..."Z").contains(scalar)
            let isLetter = isUpper || ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar) || !scalar.isASCII
            if !isLetter || isUpper && wasLower {
                if !word.isEmpty { words.append(word) }
                word = ""
            }
            if isUpper, let lower = Unicode.Scalar(scalar.value + 32) {
                word.unicodeScalars.append(lower)
            } else if scalar.isASCII, isLetter {
                word.unicodeScalars.append(scalar)
            } else if isLetter {
                word += scalar.properties.lowercaseMapping
            }
            wasLower = isLetter && !isUpper
        }
        if !word.isEmpty { words.append(word) }
        self.words = words
    }

    /// True if the name is longer than any member name of a page.
    package static func isTooLong(_ name: String) -> Bool { name.utf8.count > longest }

    /// True if the name is a value rather than the name of something: a number, a UUID, a date.
    package static func isDatum(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        let digits = bytes.count { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard digits > 0 else { return false }
        if bytes.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) { return true }
        if bytes.first == UInt8(ascii: "-"), digits == bytes.count - 1 { return true }
        let isHex = bytes.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit || $0 == UInt8(ascii: "-") }
        if isHex, bytes.count == 36 || bytes.count == 32 || bytes.count == 40 || bytes.count == 64 { return true }
        // Dates and times: digits first, then little else.
        return digits >= 6 && bytes.count <= 32
            && bytes.allSatisfy { "0123456789-:.TZ+/ ".utf8.contains($0) }
    }
}
