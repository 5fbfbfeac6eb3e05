/// A secret found in a text.
struct SecretMatch {
    /// How the text writes the secret.
    enum Coding: CaseIterable {
        /// Byte for byte.
        case plain
        /// Some or all of it as `%XX`, a space perhaps as `+`.
        case percent
        /// With escapes of a JSON string.
        case json
    }

    /// Which secret, counted from 0.
    let index: Int
    let coding: Coding
    /// The bytes of the text that it takes.
    let length: Int

    /// The bytes from which on a secret is one wherever it occurs.
    static let certainLength = 4

    /// The most bytes that one byte of a secret is written in: `\u00XX`.
    static let longestEscape = 6

    /// The longest of the secrets that begins at a place.
    static func longest(
        of secrets: [[UInt8]], in text: [UInt8], at position: Int, shortestSecret: Int
    ) -> SecretMatch? {
        var longest: SecretMatch?
        for (index, secret) in secrets.enumerated() where secret.count >= shortestSecret {
            for coding in Coding.allCases {
                guard let length = coding.length(of: secret, in: text, at: position) else { continue }
                guard secret.count >= certainLength || isWord(in: text, at: position, length: length) else { continue }
                if length > longest?.length ?? 0 { longest = SecretMatch(index: index, coding: coding, length: length) }
            }
        }
        return longest
    }

    private static func isWord(in text: [UInt8], at position: Int, length: Int) -> Bool {
        let end = position + length
        let follows = position > 0 && isWordByte(text[position - 1])
        return !follows && !(end < text.count && isWordByte(text[end]))
    }

    private static func isWordByte(_ byte: UInt8) -> Bool { byte >= 0x80 || byte.isASCIILetterOrDigit }
}

extension SecretMatch.Coding {
    /// How many bytes of the text write the secret from `position` on; nil if something else stands there.
    func length(of secret: [UInt8], in text: [UInt8], at position: Int) -> Int? {
        var place = position
        for byte in secret {
            guard place < text.count, let (value, length) = unit(text[place...]) else { return nil }
            // A plus may be one that nobody encoded, or a space as forms write it.
            let isSpace = self == .percent && length == 1 && value == UInt8(ascii: "+") && byte == UInt8(ascii: " ")
            guard value == byte || isSpace else { return nil }
            place += length
        }
        return place - position
    }

    /// The byte that the text's next unit stands for, and the unit's length.
    private func unit(_ text: ArraySlice<UInt8>) -> (value: UInt8, length: Int)? {
        guard let first = text.first else { return nil }
        switch (self, first) {
        case (.percent, UInt8(ascii: "%")): return PercentCoding.byte(text.dropFirst().prefix(2)).map { ($0, 3) }
        case (.json, UInt8(ascii: "\\")): return Self.escape(text.dropFirst())
        default: return (first, 1)
        }
    }

    private static func escape(_ text: ArraySlice<UInt8>) -> (value: UInt8, length: Int)? {
        switch text.first {
        case UInt8(ascii: "n"): return (0x0A, 2)
        case UInt8(ascii: "r"): return (0x0D, 2)
        case UInt8(ascii: "t"): return (0x09, 2)
        case UInt8(ascii: "u"):
            let digits = text.dropFirst().prefix(4)
            // Beyond ASCII an escape stands for several bytes; no credential that can be sent has them.
            guard digits.prefix(2).elementsEqual("00".utf8) else { return nil }
            return PercentCoding.byte(digits.dropFirst(2)).map { ($0, 6) }
        case let byte?: return (byte, 2)
        case nil: return nil
        }
    }
}
