/// A hash that is the same in every process, without protection of its input.
///
/// Source: https://datatracker.ietf.org/doc/html/draft-eastlake-fnv
package struct FNV1a: Sendable {
    /// The hash of all bytes added so far.
    package private(set) var hash: UInt64 = 0xcbf2_9ce4_8422_2325

    /// The hash of nothing.
    package init() {}

    /// The hash of a text.
    package init(_ text: String) { add(text.utf8) }

    // No generic function: one of another module would ask for each byte through a table of witnesses.

    /// Adds the bytes of a text.
    package mutating func add(_ text: String.UTF8View) {
        if text.withContiguousStorageIfAvailable({ add($0) }) == nil { add(Array(text)) }
    }

    /// Adds bytes.
    package mutating func add(_ bytes: [UInt8]) { bytes.withUnsafeBufferPointer { add($0) } }

    private mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }

    /// The lower half of the hash: many texts share each value.
    package var lowerHalf: UInt32 { UInt32(truncatingIfNeeded: hash) }

    /// The hash as hexadecimal digits, 16 of them.
    package var digits: String { Hexadecimal.digits(hash, count: 16) }
}

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
