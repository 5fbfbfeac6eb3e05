/// New bytes in place of others.
struct TextEdit {
    private let range: Range<Int>
    private let bytes: [UInt8]

    init(_ range: Range<Int>, _ text: String = "") {
        self.range = range
        bytes = Array(text.utf8)
    }

    static func applying(_ edits: [TextEdit], to bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var position = 0
        for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            // Edits never overlap; one that did would be found when the text is read again.
            let start = max(position, min(edit.range.lowerBound, bytes.count))
            result += bytes[position..<start] + edit.bytes
            position = max(start, min(edit.range.upperBound, bytes.count))
        }
        return result + bytes[position...]
    }
}
