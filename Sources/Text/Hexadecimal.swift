/// Bytes as hexadecimal digits.
package enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Two digits for each byte, in small letters.
    package static func encoded(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// The bytes of a text; nil where it is not hexadecimal.
    package static func decoded(_ text: String) -> [UInt8]? {
        let values = text.lowercased().utf8.map { digits.firstIndex(of: $0) }
        guard values.count.isMultiple(of: 2), !values.contains(nil) else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { place in
            UInt8((values[place] ?? 0) << 4 | (values[place + 1] ?? 0))
        }
    }
}
