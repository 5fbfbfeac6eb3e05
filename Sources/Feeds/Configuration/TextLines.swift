/// The lines of a text, and the blank lines and comments among them.
struct TextLines {
    private let bytes: [UInt8]
    private let start: Int

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        // A byte order mark is no part of the first line.
        start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// The first line break of the text; a line feed where there is none.
    var lineBreak: String {
        guard let first = bytes.firstIndex(where: Self.isBreak) else { return "\n" }
        return bytes[first] == UInt8(ascii: "\n") ? "\n" : bytes[first...].starts(with: "\r\n".utf8) ? "\r\n" : "\r"
    }

    /// The start of the line that contains the offset.
    func lineStart(of offset: Int) -> Int {
        var place = max(start, min(offset, bytes.count))
        while place > start, !isLineStart(place) { place -= 1 }
        return place
    }

    /// The end of the line that contains the offset, before its line break.
    func textEnd(from offset: Int) -> Int {
        bytes[min(offset, bytes.count)...].firstIndex(where: Self.isBreak) ?? bytes.count
    }

    /// The start of the next line, or the end of the text.
    func nextLine(from offset: Int) -> Int {
        let end = textEnd(from: offset)
        guard end < bytes.count else { return end }
        return bytes[end...].starts(with: "\r\n".utf8) ? end + 2 : end + 1
    }

    /// True if a line begins here.
    func isLineStart(_ offset: Int) -> Bool {
        guard offset > start else { return true }
        guard bytes.indices.contains(offset - 1) else { return false }
        let isWithinBreak = bytes[offset - 1] == UInt8(ascii: "\r") && bytes[offset...].first == UInt8(ascii: "\n")
        return Self.isBreak(bytes[offset - 1]) && !isWithinBreak
    }

    /// A line without a value.
    enum Filler: Equatable {
        case blank
        case comment(column: Int)
    }

    /// The kind of the line from here on; nil if it has a value.
    func filler(from offset: Int) -> Filler? {
        let rest = bytes[min(offset, bytes.count)..<textEnd(from: offset)]
        let text = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard let first = text.first else { return .blank }
        return first == UInt8(ascii: "#") ? .comment(column: text.startIndex - offset) : nil
    }

    /// The line's number, from 1.
    func number(of offset: Int) -> Int {
        var place = start
        var number = 1
        while place < bytes.count {
            let next = nextLine(from: place)
            guard next <= offset, isLineStart(next) else { break }
            (place, number) = (next, number + 1)
        }
        return number
    }

    private static func isBreak(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }
}
