internal import JSON
internal import Text

/// Reads JSON values between separators: one a line, or those of a JSON text sequence. An array of them is written.
///
/// Source: https://github.com/ndjson/ndjson-spec and https://www.rfc-editor.org/rfc/rfc7464
struct JSONLinesReader {
    let text: [UInt8]
    var separator = UInt8(ascii: "\n")

    /// - Throws: `BodyFault` with the line, or the number of the record, that is not JSON.
    func write(to output: inout JSONOutput) throws(BodyFault) {
        try output.write("[")
        var number = 0
        var isFirst = true
        var hasErrors = false
        var start = text.startIndex
        while start < text.endIndex {
            number += 1
            let end = text[start...].firstIndex(of: separator) ?? text.endIndex
            let line = text[start..<end]
            start = end == text.endIndex ? end : end + 1
            guard !Self.isBlank(line) else { continue }
            let value: JSONValue
            do throws(JSONSyntaxError) {
                value = try JSONValue(parsing: Array(line))
            } catch {
                let shown = Excerpt.of(String(decoding: line, as: UTF8.self), limit: 40).map { ": `\($0)`" } ?? ""
                let isLine = separator == UInt8(ascii: "\n")
                throw BodyFault(
                    isLine ? "\(error.message)\(shown)" : "record \(number - 1): \(error.message)\(shown)",
                    line: isLine ? number : nil, column: error.offset + 1,
                    advice: end == text.endIndex ? "run it again: the last one may be cut off" : nil)
            }
            if !isFirst { try output.write(",\n") }
            // As a text, and not an item, the error counts as left out.
            if !isFirst, !hasErrors, Self.isBlank(text[start...]), isOnlyError(value) {
                try output.write(string: String(decoding: line, as: UTF8.self))
            } else {
                try output.write(line)
            }
            isFirst = false
            hasErrors = hasErrors || Self.errors.contains { value.members?[$0] != nil }
        }
        try output.write("]")
    }

    private static func isBlank(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    }

    private static let errors = ["error", "errors", "exception"]

    /// True for an error in place of an item, as upstreams write it that fail midway.
    private func isOnlyError(_ value: JSONValue) -> Bool {
        guard let members = value.members, members.all.count == 1 else { return false }
        return Self.errors.contains(members.all[0].name)
    }
}
