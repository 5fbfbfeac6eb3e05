/// Bodies in gzip's form, without a library: https://www.rfc-editor.org/rfc/rfc1952 and rfc1951
enum Gzip {
    /// The bytes before the blocks.
    static let head: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]

    /// The bytes in one stored block.
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        head + storedBlock(bytes) + littleEndian(checksum(bytes)) + littleEndian(UInt32(bytes.count))
    }

    /// A block that is the last, and not compressed: https://www.rfc-editor.org/rfc/rfc1951#section-3.2.4
    static func storedBlock(_ bytes: [UInt8]) -> [UInt8] {
        precondition(bytes.count < 65_536)
        let size = UInt16(bytes.count)
        return [1] + littleEndian(UInt32(size) | UInt32(~size) << 16) + bytes
    }

    /// A text, and behind it one of up to 6 bytes that is repeated until there are `count` of them: one block, with its
    /// end, and nothing around it.
    static func repeating(_ text: String, behind start: String = "", count: Int) -> [UInt8] {
        let unit = Array(text.utf8)
        precondition((1...6).contains(unit.count) && 258 % unit.count == 0)
        var bits = BitWriter()
        // The last block, with fixed codes, in which ASCII has 8 bits.
        bits.add(1, 1)
        bits.add(1, 2)
        for byte in Array(start.utf8) + unit { bits.addCode(0x30 + Int(byte), 8) }
        // "258 bytes as they stand so far back", again and again.
        let isFar = unit.count > 4
        for _ in 0..<16 {
            bits.addCode(0xc0 + 5, 8)
            bits.addCode(isFar ? 4 : unit.count - 1, 5)
            if isFar { bits.add(unit.count - 5, 1) }
        }
        // Eight of them are whole bytes, which come again from here on.
        let period = isFar ? 14 : 13
        var bytes = Array(bits.bytes.dropLast())
        bytes.reserveCapacity(bytes.count + count / 258 * period / 8)
        for _ in 0..<count / 258 / 8 * period { bytes.append(bytes[bytes.count - period]) }
        // The end of the block is seven zeros.
        return bytes + bits.bytes.suffix(1) + [0]
    }

    private struct BitWriter {
        private(set) var bytes: [UInt8] = []
        private var used = 8

        /// A number, least significant bit first.
        mutating func add(_ value: Int, _ count: Int) {
            for bit in 0..<count {
                if used == 8 {
                    bytes.append(0)
                    used = 0
                }
                bytes[bytes.count - 1] |= UInt8(value >> bit & 1) << UInt8(used)
                used += 1
            }
        }

        /// A Huffman code, most significant bit first.
        mutating func addCode(_ code: Int, _ count: Int) {
            for bit in (0..<count).reversed() { add(code >> bit & 1, 1) }
        }
    }

    private static func littleEndian(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    /// The checksum that PNG has, too.
    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xedb8_8320 : sum >> 1 }
        }
    }
}
