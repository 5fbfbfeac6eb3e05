/// A hash that is the same in every process, and no protection of what went in.
///
/// Source: https://datatracker.ietf.org/doc/html/draft-eastlake-fnv
struct FNV1a: Sendable {
    /// The hash of all bytes added so far.
    private(set) var hash: UInt64 = 0xcbf2_9ce4_8422_2325

    /// Adds the bytes of a text or a list.
    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }

    /// The lower half of the hash: many texts share each value.
    var lowerHalf: UInt32 { UInt32(truncatingIfNeeded: hash) }
}
