internal import SQLite

/// The words of a full-text index, in which parts of words are found: a text contains a part if one of its words does.
struct Vocabulary {
    /// The words of the index, without case and accents, each after a separator, with room for a last block.
    private var bytes: [UInt8] = [Self.separator]

    /// A byte that never occurs in UTF-8.
    private static let separator: UInt8 = 0xFF
    /// About 400,000 words.
    private static let mostBytes = 4 << 20
    /// The index cuts longer words off: `FTS5_MAX_TOKEN_SIZE` in SQLite's source.
    private static let longestWord = 32_768
    private static let blockSize = SIMD16<UInt8>.scalarCount

    /// A block of neighbouring words, and the byte groups in it.
    private struct Section {
        let bytes: Range<Int>
        let groups: ByteGroups
    }

    private var sections: [Section] = []
    private static let sectionSize = 4_096

    /// - Returns: Nil if the words are too many or too long to be scanned.
    init?(_ words: some Sequence<[UInt8]>) {
        for word in words where !append(word) { return nil }
        finish()
    }

    /// Reads the words of an index.
    ///
    /// Source: <https://sqlite.org/fts5.html#the_fts5vocab_virtual_table_module>
    init?(of index: String, on connection: Connection) throws {
        try connection.makingTemporary {
            try connection.execute(
                "CREATE VIRTUAL TABLE temp._words USING fts5vocab('main', \(try SQL.identifier(index)), 'row')")
        }
        defer {
            try? connection.makingTemporary { try connection.execute("DROP TABLE temp._words") }
            // The whole index has passed through the cache, and searches need little of it.
            try? connection.execute("PRAGMA shrink_memory")
        }
        do {
            try connection.rows("SELECT term FROM temp._words") { row in
                guard row.withBytes(at: 0, { append($0) }) else { throw TooMuch() }
            }
        } catch is TooMuch {
            return nil
        }
        finish()
    }

    /// Thrown when the vocabulary is too large.
    private struct TooMuch: Error {}

    private mutating func append(_ word: some Collection<UInt8>) -> Bool {
        guard word.count < Self.longestWord, bytes.count + word.count < Self.mostBytes else { return false }
        bytes.append(contentsOf: word)
        bytes.append(Self.separator)
        return true
    }

    private mutating func finish() {
        // An array that has grown step by step has room for twice as much.
        var exact: [UInt8] = []
        exact.reserveCapacity(bytes.count + Self.blockSize * 2)
        exact.append(contentsOf: bytes)
        exact.append(contentsOf: repeatElement(Self.separator, count: Self.blockSize * 2))
        let end = bytes.count
        bytes = exact
        bytes.withUnsafeBytes { bytes in
            var start = 0
            while start < end {
                let most = min(start + Self.sectionSize, end)
                let next = bytes[most..<end].firstIndex(of: Self.separator) ?? end
                sections.append(Section(bytes: start..<next, groups: ByteGroups(of: bytes[start..<next])))
                start = next
            }
        }
    }

    /// The part of a typed word that every matching text has inside one of its words, regardless of case and accents;
    /// nil if there is none.
    ///
    /// ASCII's letters and digits never separate words, and stay together when accents are dropped.
    static func part(of word: String) -> [UInt8]? {
        let runs = word.utf8.split { byte in
            !((48...57).contains(byte) || (97...122).contains(byte | 0x20))
        }
        guard let longest = runs.max(by: { $0.count < $1.count }) else { return nil }
        return longest.map { (65...90).contains($0) ? $0 | 0x20 : $0 }
    }

    /// The words that have a part.
    ///
    /// - Returns: Nil if there are more than `most`.
    func words(with part: [UInt8], most: Int) -> [String]? {
        guard !part.isEmpty, bytes.count > part.count + 2 * Self.blockSize else { return [] }
        var words: [String] = []
        let isWhole = bytes.withUnsafeBytes { bytes in
            let groups = part.withUnsafeBytes { Array(ByteGroups.bits(of: $0[...])) }
            var end = 0
            return sections.allSatisfy { section in
                guard section.groups.contain(groups) else { return true }
                return Self.eachPlace(of: part, in: bytes, section.bytes) { place in
                    guard place >= end, bytes[place...].starts(with: part) else { return true }
                    guard words.count < most else { return false }
                    let begin = bytes[..<place].lastIndex(of: Self.separator).map { $0 + 1 } ?? 0
                    end = bytes[place...].firstIndex(of: Self.separator) ?? bytes.count
                    words.append(String(decoding: bytes[begin..<end], as: UTF8.self))
                    return true
                }
            }
        }
        return isWhole ? words : nil
    }

    /// Calls `body` with each place where three of the part's bytes match, sixteen places at a time, and with some
    /// places after the range.
    ///
    /// - Returns: True if `body` wanted all of them.
    private static func eachPlace(
        of part: [UInt8], in bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ body: (Int) -> Bool
    ) -> Bool {
        // Numbers often begin alike, so two of the three bytes are at the end.
        let offsets = [0, max(part.count - 2, 0), part.count - 1]
        let (first, next, last) = (
            SIMD16(repeating: part[offsets[0]]), SIMD16(repeating: part[offsets[1]]),
            SIMD16(repeating: part[offsets[2]])
        )
        let (nextOffset, lastOffset) = (offsets[1], offsets[2])
        func block(_ place: Int) -> SIMD16<UInt8> { bytes.loadUnaligned(fromByteOffset: place, as: SIMD16<UInt8>.self) }
        // The padding after the words has room for the last block.
        let end = min(range.upperBound, bytes.count - blockSize - part.count)
        for place in stride(from: range.lowerBound, to: end, by: blockSize) {
            let isRight =
                (block(place) .== first) .& (block(place + nextOffset) .== next) .& (block(place + lastOffset) .== last)
            // A mask of 16 lanes is 16 bytes, each of which is 0 or 0xFF: safe to read as two numbers.
            let halves = unsafeBitCast(isRight, to: SIMD2<UInt64>.self)
            guard halves.x | halves.y != 0 else { continue }
            for (half, start) in [(halves.x, place), (halves.y, place + 8)] {
                var rest = half.littleEndian
                while rest != 0 {
                    let lane = rest.trailingZeroBitCount / 8
                    guard body(start + lane) else { return false }
                    rest &= ~(0xFF << UInt64(lane * 8))
                }
            }
        }
        return true
    }
}

/// The groups of four bytes in a text, which include those of each of its parts. Some groups cannot be distinguished.
private struct ByteGroups {
    private var bits: [UInt64]
    private static let bitCount = 8_192

    init(of bytes: Slice<UnsafeRawBufferPointer>) {
        bits = Array(repeating: 0, count: Self.bitCount / 64)
        for bit in Self.bits(of: bytes) { bits[bit / 64] |= 1 << UInt64(bit % 64) }
    }

    /// The bits of the groups in a text; none if it is shorter than a group.
    static func bits(of bytes: Slice<UnsafeRawBufferPointer>) -> some Sequence<Int> {
        let base = bytes.base
        return (bytes.startIndex..<max(bytes.startIndex, bytes.endIndex - 3)).lazy.map { place in
            let group = base.loadUnaligned(fromByteOffset: place, as: UInt32.self)
            // The upper bits of the product depend on all of the group's:
            // https://en.wikipedia.org/wiki/Hash_function#Fibonacci_hashing
            return Int((group &* 0x9E37_79B1) >> 19)
        }
    }

    /// True if there are groups with all of these bits.
    func contain(_ bits: [Int]) -> Bool { bits.allSatisfy { self.bits[$0 / 64] & 1 << UInt64($0 % 64) != 0 } }
}
