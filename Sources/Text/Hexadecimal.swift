/// Bytes and numbers as hexadecimal digits.
package enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Two digits for each byte, in small letters.
    package static func encoded(_ bytes: [UInt8]) -> String { String(decoding: encodedBytes(bytes), as: UTF8.self) }

    /// The same as bytes of ASCII.
    package static func encodedBytes(_ bytes: [UInt8]) -> [UInt8] {
        bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    /// The digits of a number, in small letters, with zeros before them up to `count`.
    package static func digits(_ number: some UnsignedInteger, count: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: max(count - digits.count, 0)) + digits
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
