/// The order of the keys of a list, read page by page.
package struct KeyOrder: Sendable {
    /// True if each key so far comes behind the one before, or is the same: numbers by their value, texts by their
    /// bytes. A page may begin with the last item of the page before.
    package private(set) var isAscending = true
    private var last: Key?

    private enum Key {
        case number(Int64)
        /// A key in the form of `PageKeys.texts`.
        case text(String)

        init(_ text: String) { self = Int64(text).map(Key.number) ?? .text(text) }

        func comesBehind(_ other: Key) -> Bool {
            switch (other, self) {
            case (.number(let before), .number(let number)): return before <= number
            case (.text(let before), .text(let text)):
                let quote = UInt8(ascii: "\"")
                guard before.utf8.first == quote, text.utf8.first == quote else { return false }
                return !text.utf8.lexicographicallyPrecedes(before.utf8)
            case (.number, .text), (.text, .number): return false
            }
        }
    }

    /// The order of no keys.
    package init() {}

    /// Adds the keys of the next page.
    ///
    /// - Parameter keys: As `_page.keys` has them: a JSON array.
    package mutating func add(_ keys: String) {
        guard isAscending, !addNumbers(keys) else { return }
        for key in PageKeys.texts(keys) where isAscending { add(Key(key)) }
    }

    private mutating func add(_ key: Key) {
        if let last, !key.comesBehind(last) { isAscending = false }
        last = key
    }

    /// Adds keys that are whole numbers without a sign, as those of most pages are. Adds nothing and returns false for
    /// other keys.
    private mutating func addNumbers(_ keys: String) -> Bool {
        var keys = keys
        return keys.withUTF8 { bytes in
            guard bytes.count > 2, bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") else {
                return false
            }
            var order = self
            var number: Int64 = 0
            var digits = 0
            for byte in bytes[1...] {
                switch byte {
                // One digit less than the largest number has.
                case 0x30...0x39 where digits < 18:
                    number = number &* 10 &+ Int64(byte &- 0x30)
                    digits += 1
                case UInt8(ascii: ","), UInt8(ascii: "]"):
                    guard digits > 0 else { return false }
                    order.add(.number(number))
                    (number, digits) = (0, 0)
                default: return false
                }
            }
            self = order
            return true
        }
    }
}
