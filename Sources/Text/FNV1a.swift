/// A hash that is the same in every process, without protection of its input.
///
/// Source: https://datatracker.ietf.org/doc/html/draft-eastlake-fnv
package struct FNV1a: Sendable {
    /// The hash of all bytes added so far.
    package private(set) var hash: UInt64 = 0xcbf2_9ce4_8422_2325

    /// The hash of nothing.
    package init() {}

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
