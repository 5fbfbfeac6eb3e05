/// Finds tokens that contain positions: a page cursor that hides a place in the list moves as the list does.
package enum TokenPlaces {
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

    /// True if each of several tokens contains the place of its page: the number of items before it, as they came or on
    /// full pages, the index of the last of them, or the number of the page, from 0 or 1. A server that filters its
    /// pages counts the items that it left out, too.
    package static func hasPlaces(_ tokens: [Token]) -> Bool {
        guard let first = tokens.first else { return false }
        let size = zip(tokens.dropFirst(), tokens).map { $0.before - $1.before }.reduce(first.before, max)
        let numbers = tokens.map { Self.numbers(in: $0.text) }
        let places: [(Token) -> Int] = [
            \.before, { $0.before - 1 }, \.page, { $0.page - 1 },
            { ($0.page - 1) * size }, { ($0.page - 1) * size - 1 },
        ]
        return places.contains { place in zip(tokens, numbers).allSatisfy { $1.contains(place($0)) } }
    }

    /// The numbers in a token, plainly, in base64 or hexadecimal digits, or as integers of Protocol Buffers. Parts
    /// between dots are tokens of their own, as in a JSON Web Token.
    static func numbers(in token: String) -> Set<Int> {
        guard token.utf8.count <= longest else { return [] }
        var numbers = digits(in: token)
        for part in Set([token] + token.split(separator: ".").map(String.init)) {
            for bytes in [Base64.decodedFromEither(part), hexBytes(part)].compactMap(\.self) {
                if let text = String(validating: bytes, as: UTF8.self) { numbers.formUnion(digits(in: text)) }
                numbers.formUnion(integers(in: bytes))
            }
        }
        return numbers
    }

    /// The most bytes of a token that is looked into.
    private static let longest = 1_000

    /// The whole numbers in a text.
    private static func digits(in text: String) -> Set<Int> {
        Set(text.split { !$0.isASCII || !$0.isNumber }.compactMap { Int($0) })
    }

    /// The bytes of a text of hexadecimal digits; nil if it is none.
    private static func hexBytes(_ text: String) -> [UInt8]? {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// The integers of a message of nothing but integers; none of other bytes.
    ///
    /// Source: https://protobuf.dev/programming-guides/encoding/
    private static func integers(in bytes: [UInt8]) -> Set<Int> {
        var values: [Int] = []
        var (value, shift) = (0, 0)
        for byte in bytes {
            guard shift < 56 else { return [] }
            value |= Int(byte & 0x7F) << shift
            shift += 7
            guard byte < 0x80 else { continue }
            values.append(value)
            (value, shift) = (0, 0)
        }
        // Each value follows the number of its field, whose lower three bits say that it is an integer.
        let tags = stride(from: 0, to: values.count, by: 2).map { values[$0] }
        guard shift == 0, values.count.isMultiple(of: 2), tags.allSatisfy({ $0 > 0 && $0 & 7 == 0 }) else { return [] }
        return Set(stride(from: 1, to: values.count, by: 2).map { values[$0] })
    }
}
