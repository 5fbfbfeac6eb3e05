/// Base64 with padding.
///
/// Source: https://www.rfc-editor.org/rfc/rfc4648#section-4
package enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

    package static func encoded(_ text: String) -> String { encoded(Array(text.utf8)) }

    /// The bytes of a text; nil where it is not Base64.
    package static func decoded(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var (bits, count) = (0, 0)
        let body = text.prefix { $0 != "=" }
        for character in body {
            guard let digit = digits.firstIndex(of: character) else { return nil }
            bits = (bits << 6 | digit) & 0xFFFF
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return text.dropFirst(body.count).allSatisfy { $0 == "=" } ? bytes : nil
    }

    /// The bytes of a text in either alphabet, that of URLs too, with or without padding; nil where it is not Base64.
    package static func decodedFromEither(_ text: String) -> [UInt8]? {
        decoded(text.replacing("-", with: "+").replacing("_", with: "/").replacing("=", with: ""))
    }

    /// Base64 for URLs, without padding: https://www.rfc-editor.org/rfc/rfc4648#section-5
    package static func encodedForURL(_ bytes: [UInt8]) -> String {
        encoded(bytes).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    package static func encoded(_ bytes: [UInt8]) -> String {
        var result = ""
        var rest = bytes[...]
        while !rest.isEmpty {
            let block = rest.prefix(3)
            rest = rest.dropFirst(3)
            let bits = block.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - block.count))
            for place in 0..<4 {
                result.append(place <= block.count ? digits[(bits >> (18 - 6 * place)) & 63] : "=")
            }
        }
        return result
    }
}
