/// The traits of a text in UTF-8, found in one pass over its bytes, eight at a time.
///
/// Source: https://graphics.stanford.edu/~seander/bithacks.html#ZeroInWord
package struct TextTraits: Sendable, Hashable {
    /// True if the text needs no escape in an array's literal: it has no quotes and no backslash.
    package let isPlain: Bool
    /// True if all bytes are ASCII.
    package let isASCII: Bool
    /// True if the text has a zero, or a byte from 0xF4 on.
    package let hasExtremes: Bool

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits = ones << 7

    /// Finds the traits of a text.
    package init(_ text: UnsafeRawBufferPointer) {
        // Of each, a byte's highest bit.
        var (marks, all, extremes): (UInt64, UInt64, UInt64) = (0, 0, 0)
        func look(at word: UInt64) {
            all |= word
            marks |= Self.zeros(in: word ^ (Self.ones &* 0x22)) | Self.zeros(in: word ^ (Self.ones &* 0x27))
            marks |= Self.zeros(in: word ^ (Self.ones &* 0x5c))
            // From 0x74 on, the lower seven bits and 0x0C have a bit more.
            extremes |= Self.zeros(in: word) | ((word & ~Self.highBits) &+ (Self.ones &* 0x0c)) & word
        }
        var start = 0
        while start &+ 8 <= text.count {
            look(at: text.loadUnaligned(fromByteOffset: start, as: UInt64.self))
            start &+= 8
        }
        if start < text.count {
            // Some bytes are read twice, or letters fill the missing places.
            var word = Self.ones &* 0x61
            if text.count >= 8 {
                word = text.loadUnaligned(fromByteOffset: text.count &- 8, as: UInt64.self)
            } else {
                for byte in text { word = word << 8 | UInt64(byte) }
            }
            look(at: word)
        }
        isPlain = marks & Self.highBits == 0
        isASCII = all & Self.highBits == 0
        hasExtremes = extremes & Self.highBits != 0
    }

    /// Has the highest bit of a byte if a byte is zero.
    private static func zeros(in word: UInt64) -> UInt64 { (word &- ones) & ~word }
}
