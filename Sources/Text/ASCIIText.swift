extension StringProtocol {
    /// The text with A to Z in lower case and the rest unchanged, in every locale; for comparing names of protocols.
    @inlinable package var lowercasedASCII: String {
        // Most names are in lower case.
        guard utf8.contains(where: { (0x41...0x5A).contains($0) }) else { return String(self) }
        return String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// True if both texts are the same apart from the case of A to Z.
    @inlinable package func isSameASCII(as other: some StringProtocol) -> Bool {
        utf8.count == other.utf8.count
            && zip(utf8, other.utf8).allSatisfy { left, right in
                left == right || ((left ^ right) == 0x20 && (0x61...0x7A).contains(left | 0x20))
            }
    }

    /// The text without the white space around it.
    @inlinable package var trimmed: String {
        let start = drop { $0.isWhitespace }
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...last])
    }

    /// The text without the spaces and tabs around it.
    package var trimmingSpaces: SubSequence {
        // By scalars: characters cost ten times as much, and nearly all texts have none to trim.
        func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }
        guard let start = unicodeScalars.firstIndex(where: { !isSpace($0) }),
            let last = unicodeScalars.lastIndex(where: { !isSpace($0) })
        else { return prefix(0) }
        return self[start..<unicodeScalars.index(after: last)]
    }

    /// The text with one space in place of each stretch of white space, and none around it.
    package var onOneLine: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }

    /// The media type that a `Content-Type` begins with, in lower case: `application/json`.
    package var mediaType: String { prefix { $0 != ";" }.trimmingSpaces.lowercasedASCII }

    /// The number that a text of decimal digits denotes, at most `Int64.max`; nil for any other text.
    package var clampedDecimal: Int64? {
        guard !isEmpty, utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        return Int64(String(self)) ?? Int64.max
    }

    /// True for a word of HTTP's grammar, as methods and the names of fields are.
    ///
    /// Source: https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2
    @inlinable package var isHTTPToken: Bool {
        !isEmpty && utf8.allSatisfy { $0.isASCIILetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains($0) }
    }
}

extension [UInt8] {
    /// The bytes behind a byte order mark of UTF-8; all of them where there is none.
    package var withoutByteOrderMark: [UInt8] { starts(with: [0xEF, 0xBB, 0xBF]) ? Array(dropFirst(3)) : self }
}

extension UInt8 {
    /// True for 0 to 9.
    @inlinable package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }

    /// True for A to Z, a to z and 0 to 9.
    @inlinable package var isASCIILetterOrDigit: Bool {
        isASCIIDigit || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
    }
}
