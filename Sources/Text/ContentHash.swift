/// A hash of 128 bits, the same in every process and on every machine.
///
/// Source: https://datatracker.ietf.org/doc/html/draft-eastlake-fnv
package struct ContentHash {
    package private(set) var value: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d

    /// The hash of nothing.
    package init() {}

    /// Adds the bytes of a text.
    package mutating func add(_ text: String.UTF8View) {
        for byte in text { value = (value ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013B }
    }

    /// The hash as 32 hexadecimal digits.
    package var digits: String { Hexadecimal.digits(value, count: 32) }
}
