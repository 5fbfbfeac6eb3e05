/// Finds tokens that contain positions: a page cursor that hides a place in the list moves as the list does.
package enum TokenCount {
    /// A token that led to a page.
    package struct Token: Sendable, Hashable {
        package let text: String
        /// The number of elements before its page.
        package let before: Int
        /// The number of its page, from 1.
        package let page: Int

        package init(text: String, before: Int, page: Int) {
            self.text = text
            self.before = before
            self.page = page
        }
    }

    /// True if each of several tokens contains the place of its page, plainly or in base64: the number of items before
    /// it, the index of the last of them, or the number of the page, from 0 or 1.
    package static func hasPlaces(_ tokens: [Token]) -> Bool {
        guard !tokens.isEmpty else { return false }
        let numbers = tokens.map {
            Self.numbers(in: $0.text).union(Base64.decoded($0.text).map(Self.numbers(in:)) ?? [])
        }
        let places: [(Token) -> Int] = [\.before, { $0.before - 1 }, \.page, { $0.page - 1 }]
        return places.contains { place in zip(tokens, numbers).allSatisfy { $1.contains(place($0)) } }
    }

    /// The whole numbers in a text.
    static func numbers(in text: String) -> Set<Int> {
        Set(text.split { !$0.isASCII || !$0.isNumber }.compactMap { Int($0) })
    }
}

/// Base64 as in tokens: RFC 4648, either alphabet, with or without padding.
private enum Base64 {
    /// The decoded text; nil if the text is not base64 of UTF-8.
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
