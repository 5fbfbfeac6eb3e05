internal import JSON
internal import Text

/// Reads one JSON value a line; an array of them is written.
///
/// Source: https://github.com/ndjson/ndjson-spec
struct JSONLinesReader {
    private let text: [UInt8]

    init(_ text: [UInt8]) {
        self.text = text
    }

    /// - Throws: `BodyFault` with the line that is not JSON.
    func write(to output: inout JSONOutput) throws(BodyFault) {
        try output.write("[")
        var number = 0
        var isFirst = true
        var start = text.startIndex
        while start < text.endIndex {
            number += 1
            let end = text[start...].firstIndex(of: UInt8(ascii: "\n")) ?? text.endIndex
            let line = text[start..<end]
            start = end == text.endIndex ? end : end + 1
            guard line.contains(where: { ![0x20, 0x09, 0x0D].contains($0) }) else { continue }
            do throws(JSONSyntaxError) {
                _ = try JSONValue(parsing: Array(line))
            } catch {
                let shown = Excerpt.of(String(decoding: line, as: UTF8.self), limit: 40).map { ": `\($0)`" } ?? ""
                throw BodyFault(
                    "\(error.message)\(shown)", line: number, column: error.offset + 1,
                    advice: end == text.endIndex ? "run it again: the last line may be cut off" : nil)
            }
            if !isFirst { try output.write(",\n") }
            isFirst = false
            try output.write(line)
        }
        try output.write("]")
    }
}
