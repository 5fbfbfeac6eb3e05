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
