internal import Text

/// A checksum of a table's rows in any order: of each value's kind and bytes, as SQLite has them.
///
/// It finds losses and changes on the way; it is no protection against deception.
package struct TableChecksum: Sendable, Hashable {
    private(set) var rowCount = 0
    private var sum: UInt64 = 0
    private var mixed: UInt64 = 0

    /// Adds a row.
    mutating func add(_ row: [CopiedValue]) {
        var hash = FNV1a()
        for value in row {
            switch value {
            case .null: hash.add([0])
            case .integer(let integer): hash.add(Self.tagged(1, UInt64(bitPattern: integer)))
            case .real(let real): hash.add(Self.tagged(2, real.bitPattern))
            case .text(let text):
                hash.add(Self.tagged(3, UInt64(text.utf8.count)))
                hash.add(text.utf8)
            case .blob(let bytes): hash.add(Self.tagged(4, UInt64(bytes.count)) + bytes)
            case .otherText(let bytes): hash.add(Self.tagged(3, UInt64(bytes.count)) + bytes)
            }
        }
        rowCount += 1
        sum &+= hash.hash
        // https://xoshiro.di.unimi.it/splitmix64.c: rows that differ in little differ in all bits
        var mix = hash.hash &+ 0x9e37_79b9_7f4a_7c15
        mix = (mix ^ (mix >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mix = (mix ^ (mix >> 27)) &* 0x94d0_49bb_1331_11eb
        mixed &+= mix ^ (mix >> 31)
    }

    private static func tagged(_ tag: UInt8, _ number: UInt64) -> [UInt8] {
        [tag] + (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    /// 32 hexadecimal digits.
    var digits: String { [sum, mixed].map { Hexadecimal.digits($0, count: 16) }.joined() }
}
