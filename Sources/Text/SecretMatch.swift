/// A secret found in a text.
struct SecretMatch {
    /// The encoding of a secret in the text.
    enum Coding {
        /// Byte for byte.
        case plain
        /// Some or all of it as `%XX`, a space perhaps as `+`.
        case percent
        /// With escapes of a JSON string.
        case json
        /// Some or all of it as `%25XX`.
        case percentTwice
    }

    /// The index of the secret, from 0.
    let index: Int
    let coding: Coding
    /// The bytes of the text that it takes.
    let length: Int

    /// The bytes from which on a secret is one wherever it occurs.
    static let certainLength = 4

    /// The most bytes that one byte of a secret is written in: `\u00XX`.
    static let longestEscape = 6

    /// The first bytes of encoded characters, and the encoding of a space.
    static let escapes = Array("%\\+".utf8)

    /// The longest of the secrets that begins at a place.
    static func longest(
        of secrets: [[UInt8]], in text: [UInt8], at position: Int, shortestSecret: Int
    ) -> SecretMatch? {
        var longest: SecretMatch?
        // Percent coding applied twice is a form of its own.
        for codings in [[.plain, .percent, .json], [Coding.percentTwice]] {
            for (index, secret) in secrets.enumerated() where secret.count >= shortestSecret {
                for coding in codings {
                    guard let length = coding.length(of: secret, in: text, at: position) else { continue }
                    guard secret.count >= certainLength || isWord(in: text, at: position, length: length) else {
                        continue
                    }
                    if length > longest?.length ?? 0 {
                        longest = SecretMatch(index: index, coding: coding, length: length)
                    }
                }
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
    /// The number of bytes that encode the secret at `position`; nil if the text there is something else.
    func length(of secret: [UInt8], in text: [UInt8], at position: Int) -> Int? {
        var place = position
        var rest = secret[...]
        while let byte = rest.first {
            // A JSON escape beyond ASCII denotes several bytes.
            if self == .json, let (scalar, length) = Self.scalar(text[place...]) {
                let bytes = Array(String(scalar).utf8)
                guard rest.starts(with: bytes) else { return nil }
                rest = rest.dropFirst(bytes.count)
                place += length
                continue
            }
            guard place < text.count, let (value, length) = unit(text[place...]) else { return nil }
            // A plus may be a literal one, or a space in a form.
            let isSpace = self == .percent && length == 1 && value == UInt8(ascii: "+") && byte == UInt8(ascii: " ")
            guard value == byte || isSpace else { return nil }
            place += length
            rest = rest.dropFirst()
        }
        return place - position
    }

    /// The byte that the text's next unit denotes, and the unit's length.
    private func unit(_ text: ArraySlice<UInt8>) -> (value: UInt8, length: Int)? {
        guard let first = text.first else { return nil }
        switch (self, first) {
        case (.percent, UInt8(ascii: "%")), (.percentTwice, UInt8(ascii: "%")):
            let isTwice = self == .percentTwice && text.starts(with: [0x25, 0x32, 0x35])
            return PercentCoding.byte(text.dropFirst(isTwice ? 3 : 1).prefix(2)).map { ($0, isTwice ? 5 : 3) }
        case (.json, UInt8(ascii: "\\")): return Self.escape(text.dropFirst())
        default: return (first, 1)
        }
    }

    private static func escape(_ text: ArraySlice<UInt8>) -> (value: UInt8, length: Int)? {
        switch text.first {
        case UInt8(ascii: "n"): return (0x0A, 2)
        case UInt8(ascii: "r"): return (0x0D, 2)
        case UInt8(ascii: "t"): return (0x09, 2)
        case let byte?: return (byte, 2)
        case nil: return nil
        }
    }

    /// The scalar that `\uXXXX`, or a pair of them, denotes, and the length in bytes; nil for anything else.
    private static func scalar(_ text: ArraySlice<UInt8>) -> (Unicode.Scalar, length: Int)? {
        guard let first = codeUnit(text) else { return nil }
        if let scalar = Unicode.Scalar(first) { return (scalar, 6) }
        guard (0xD800...0xDBFF).contains(first), let second = codeUnit(text.dropFirst(6)),
            (0xDC00...0xDFFF).contains(second)
        else { return nil }
        let value = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
        return Unicode.Scalar(value).map { ($0, 12) }
    }

    private static func codeUnit(_ text: ArraySlice<UInt8>) -> UInt16? {
        guard text.starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) else { return nil }
        let digits = text.dropFirst(2).prefix(4)
        guard let high = PercentCoding.byte(digits.prefix(2)), let low = PercentCoding.byte(digits.dropFirst(2)) else {
            return nil
        }
        return UInt16(high) << 8 | UInt16(low)
    }
}

/// The ways in which upstreams write a secret that they echo, besides those that `SecretMatch` reads as they come.
enum SecretForms {
    /// The length in bytes from which a secret is recognised by its letters alone, regardless of case.
    private static let certainWord = 8

    /// The forms of a secret, each with a name that stays the same; none that is the secret itself, or one before it.
    static func of(_ secret: [UInt8]) -> [(name: String, bytes: [UInt8])] {
        guard secret.count >= SecretMatch.certainLength else { return [] }
        let percent = PercentCoding.encoded(secret)
        var forms: [(name: String, bytes: [UInt8])] = [
            ("hex", Hexadecimal.encodedBytes(secret)), ("HEX", Hexadecimal.encodedBytes(secret).map(upper)),
            ("twice", percent),
            ("twice-lower", percent.map(lower)),
        ]
        for offset in 0..<3 {
            let core = base64(secret, offset: offset)
            forms.append(("base64-\(offset)", core))
            forms.append(("base64url-\(offset)", core.map(urlSafe)))
        }
        if secret.count >= certainWord {
            forms.append(("lower", secret.map(lower)))
            forms.append(("upper", secret.map(upper)))
            // Programs that know only ASCII leave other letters as they are.
            let text = String(decoding: secret, as: UTF8.self)
            forms.append(("lower-letters", Array(text.lowercased().utf8)))
            forms.append(("upper-letters", Array(text.uppercased().utf8)))
        }
        var seen: Set<[UInt8]> = [secret]
        return forms.filter { $0.bytes.count >= SecretMatch.certainLength && seen.insert($0.bytes).inserted }
    }

    /// The digits of base64 that depend on the secret alone, if `offset` bytes precede it in a group of three.
    ///
    /// The digits at both ends also depend on the surrounding text, such as `user:`. Source: RFC 4648, section 4.
    private static func base64(_ secret: [UInt8], offset: Int) -> [UInt8] {
        let digits = Array(Base64.encoded([UInt8](repeating: 0, count: offset) + secret).utf8)
        let whole = (offset + secret.count) * 8 / 6
        return Array(digits[..<whole].dropFirst(offset == 0 ? 0 : offset + 1))
    }

    private static func urlSafe(_ digit: UInt8) -> UInt8 {
        switch digit {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        default: digit
        }
    }

    private static func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

    private static func upper(_ byte: UInt8) -> UInt8 { (0x61...0x7A).contains(byte) ? byte & 0xDF : byte }
}
