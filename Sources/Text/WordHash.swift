/// A hash that reads eight bytes at a time; the same in every process, without protection of its input.
///
/// Each word is multiplied in, as FNV-1a does with bytes. A shift follows, because the upper bits of a product do not
/// change the lower ones.
package struct WordHash: Sendable {
    private var hash: UInt64 = 0xcbf2_9ce4_8422_2325

    /// The hash of nothing.
    package init() {}

    /// Adds bytes. What is added in two parts has another hash than the whole.
    package mutating func add(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            let words = bytes.count / 8
            for word in 0..<words { fold(bytes.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self)) }
            var rest: UInt64 = UInt64(truncatingIfNeeded: bytes.count)
            for byte in bytes[(words * 8)...] { rest = rest << 8 | UInt64(byte) }
            fold(rest)
        }
    }

    private mutating func fold(_ word: UInt64) {
        hash = (hash ^ word) &* 0x9e37_79b9_7f4a_7c15
        hash ^= hash >> 32
    }

    /// The hash as hexadecimal digits, 16 of them.
    package var digits: String { Hexadecimal.digits(hash, count: 16) }
}
