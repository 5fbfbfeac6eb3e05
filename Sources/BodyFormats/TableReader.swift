internal import Feeds
internal import JSON
internal import Text

/// Reads a table with a header line; an array of objects with texts is written.
///
/// Source: https://www.rfc-editor.org/rfc/rfc4180. Besides, lines may end with LF, and a semicolon, a tab or `|` may
/// separate the fields. A field without quotes and content is null.
struct TableReader {
    private let text: [UInt8]
    private let separator: UInt8
    private let numbers: Set<String>
    private var place = 0
    private var line = 1

    /// - Parameters:
    ///   - separator: What separates fields; nil where the header line says it.
    ///   - numbers: The names of the columns that take numbers.
    init(_ text: [UInt8], separator: UInt8? = nil, numbers: Set<String> = []) {
        self.text = text
        self.numbers = numbers
        self.separator = separator ?? Self.separator(in: text)
    }

    /// The one of the usual separators that the header line has most of.
    private static func separator(in text: [UInt8]) -> UInt8 {
        var counts: [UInt8: Int] = [:]
        var isQuoted = false
        for byte in text {
            if byte == quote { isQuoted.toggle() }
            if !isQuoted, byte == lineFeed || byte == carriageReturn {
                if counts.isEmpty { continue }
                break
            }
            if !isQuoted, usual.contains(byte) { counts[byte, default: 0] += 1 }
        }
        let most = counts.values.max() ?? 0
        return usual.first { counts[$0] == most && most > 0 } ?? UInt8(ascii: ",")
    }

    private static let usual = Array(",;\t|".utf8)
    private static let quote = UInt8(ascii: "\"")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    /// - Throws: `BodyFault` with the line that is wrong.
    mutating func write(to output: inout JSONOutput) throws(BodyFault) {
        guard let header = try row(most: FeedDefinition.mostColumns) else {
            throw BodyFault("it has no header line")
        }
        guard header.count <= FeedDefinition.mostColumns else {
            throw BodyFault("the header has more than \(FeedDefinition.mostColumns) columns", line: 1)
        }
        let names = Self.names(header.map { $0 ?? "" })
        try output.write("[")
        var isFirst = true
        while true {
            let start = firstLine
            guard let row = try row(most: names.count) else { break }
            guard row.count <= names.count else {
                throw BodyFault(
                    "it has more fields than the header, which has \(names.count)", line: start,
                    advice: "put quotes around fields that contain the separator, or tell the upstream")
            }
            try output.write(isFirst ? "{" : ",\n{")
            isFirst = false
            for (index, field) in row.enumerated() {
                if index > 0 { try output.write(",") }
                try output.write(string: names[index])
                try output.write(":")
                if let field, numbers.contains(names[index]), let number = Self.number(field) {
                    try output.write(ArraySlice(number.utf8))
                } else if let field {
                    try output.write(string: field)
                } else {
                    try output.write("null")
                }
            }
            try output.write("}")
        }
        try output.write("]")
    }

    /// The number that a text is, as JSON writes it.
    private static func number(_ text: String) -> String? {
        if let integer = Int64(text) { return "\(integer)" }
        guard case .number? = try? JSONValue(parsing: text) else { return nil }
        return text
    }

    /// The header's names, each once: the second `name` is `name_2`, one without a name is `column`.
    private static func names(_ header: [String]) -> [String] {
        var taken: Set<String> = []
        let all = Set(header)
        return header.map { name in
            let name = name.trimmingSpaces
            let base = name.isEmpty ? "column" : String(name)
            if taken.insert(base).inserted { return base }
            let free = (2...(header.count + 1)).lazy.map { "\(base)_\($0)" }.first {
                !taken.contains($0) && !all.contains($0)
            }
            let chosen = free ?? "\(base)_\(taken.count + 1)"
            taken.insert(chosen)
            return chosen
        }
    }

    /// The line at which the next row begins, empty lines passed over.
    private var firstLine: Int {
        var (place, line) = (place, line)
        while place < text.count, text[place] == Self.lineFeed || text[place] == Self.carriageReturn {
            if text[place] == Self.lineFeed { line += 1 }
            place += 1
        }
        return line
    }

    /// The fields of the next row that is not empty; nil at the end. Of a row with more than `most`, one more: the rest
    /// may be millions.
    private mutating func row(most: Int) throws(BodyFault) -> [String?]? {
        while place < text.count, text[place] == Self.lineFeed || text[place] == Self.carriageReturn { endLine() }
        guard place < text.count else { return nil }
        var fields: [String?] = []
        while true {
            fields.append(place < text.count && text[place] == Self.quote ? try quoted() : plain())
            guard place < text.count, fields.count <= most else { return fields }
            guard text[place] == separator else {
                endLine()
                return fields
            }
            place += 1
            if place == text.count { return fields + [nil] }
        }
    }

    /// Passes over a line's end: CR LF, LF or CR.
    private mutating func endLine() {
        if text[place] == Self.carriageReturn, place + 1 < text.count, text[place + 1] == Self.lineFeed { place += 1 }
        line += 1
        place += 1
    }

    private mutating func plain() -> String? {
        let start = place
        while place < text.count, text[place] != separator, text[place] != Self.lineFeed,
            text[place] != Self.carriageReturn
        {
            place += 1
        }
        return start == place ? nil : String(decoding: text[start..<place], as: UTF8.self)
    }

    private mutating func quoted() throws(BodyFault) -> String {
        let start = line
        var field: [UInt8] = []
        place += 1
        while place < text.count {
            let byte = text[place]
            place += 1
            if byte == Self.lineFeed { line += 1 }
            guard byte == Self.quote else {
                field.append(byte)
                continue
            }
            if place < text.count, text[place] == Self.quote {
                field.append(byte)
                place += 1
                continue
            }
            guard place == text.count || [separator, Self.lineFeed, Self.carriageReturn].contains(text[place]) else {
                throw BodyFault(
                    "something follows after the closing quote of a field", line: line,
                    advice: "a quote in a quoted field has to be written twice; tell the upstream")
            }
            return String(decoding: field, as: UTF8.self)
        }
        throw BodyFault(
            "the quotes that open here are not closed", line: start, advice: "run it again: it may be cut off")
    }
}
