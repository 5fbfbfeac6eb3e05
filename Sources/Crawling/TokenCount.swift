/// Finds tokens that count: a page cursor that hides an offset moves as the list does.
package enum TokenCount {
    /// Whether each of several tokens has the number of items before its page in it, plainly or in base64.
    package static func isOfItems(_ tokens: [(text: String, before: Int)]) -> Bool {
        tokens.count > 1
            && tokens.allSatisfy { token in
                numbers(in: token.text).contains(token.before)
                    || Base64.decoded(token.text).map { numbers(in: $0).contains(token.before) } ?? false
            }
    }

    /// The whole numbers in a text.
    static func numbers(in text: String) -> Set<Int> {
        Set(text.split { !$0.isASCII || !$0.isNumber }.compactMap { Int($0) })
    }
}

/// Base64 as tokens have it: RFC 4648, either alphabet, with or without padding.
private enum Base64 {
    /// The text that is encoded; nil for what is not base64 of UTF-8.
    static func decoded(_ text: String) -> String? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in text.utf8 where byte != UInt8(ascii: "=") {
            let value: UInt32
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = UInt32(byte - 65)
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = UInt32(byte - 71)
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = UInt32(byte + 4)
            case UInt8(ascii: "+"), UInt8(ascii: "-"): value = 62
            case UInt8(ascii: "/"), UInt8(ascii: "_"): value = 63
            default: return nil
            }
            bits = bits << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
