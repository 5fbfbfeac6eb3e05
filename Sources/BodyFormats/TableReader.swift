internal import Feeds
internal import JSON
internal import Text

/// Reads a table with a header line; an array of objects with texts is written.
///
/// Source: https://www.rfc-editor.org/rfc/rfc4180. Besides, lines may end with LF, and a semicolon, a tab or `|` may
/// separate the fields. A field without quotes and content is null. A last row that may be cut off becomes a text.
/// Excel's first line `sep=;` names the separator, and lines of `#` in front of the header are comments.
struct TableReader {
    private let text: [UInt8]
    private let separator: UInt8
    private let numbers: Set<String>
    private let wanted: Columns
    private let mayBeCut: Bool
    private let secrets: Secrets
    private var place = 0
    private var line = 1

    /// - Parameters:
    ///   - separator: The byte between fields; nil where the header line says it.
    ///   - numbers: The names of the columns that take numbers.
    ///   - wanted: The columns that the feed reads.
    ///   - mayBeCut: True if nothing but the text itself shows that it is whole.
    ///   - secrets: The secrets to hide where the text is quoted.
    init(
        _ text: [UInt8], separator: UInt8? = nil, numbers: Set<String> = [], wanted: Columns = Columns(),
        mayBeCut: Bool = false, secrets: Secrets = Secrets()
    ) {
        self.text = text
        self.numbers = numbers
        self.wanted = wanted
        self.mayBeCut = mayBeCut
        self.secrets = secrets
        let preamble = Preamble(text)
        (place, line) = (preamble.length, preamble.lines + 1)
        self.separator = separator ?? preamble.separator ?? Self.separator(in: text[preamble.length...])
    }

    /// The one of the usual separators that the header line has most of.
    fileprivate static func separator(in text: ArraySlice<UInt8>) -> UInt8 {
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

    fileprivate static let usual = Array(",;\t|".utf8)
    private static let quote = UInt8(ascii: "\"")
    fileprivate static let lineFeed = UInt8(ascii: "\n")
    fileprivate static let carriageReturn = UInt8(ascii: "\r")

    /// The names of the columns that a feed reads of a table.
    struct Columns: Sendable {
        /// The columns of the key; empty where the key is found, or is the hash of the row.
        var key: [String] = []
        /// All columns that the feed reads; empty where they are found.
        var all: [String] = []
    }

    /// - Throws: `BodyFault` with the line that is wrong.
    mutating func write(to output: inout JSONOutput) throws(BodyFault) {
        try checkBeginning()
        guard let header = try row(most: FeedDefinition.mostColumns) else {
            throw BodyFault("it has no header line")
        }
        guard header.count <= FeedDefinition.mostColumns else {
            throw BodyFault("the header has more than \(FeedDefinition.mostColumns) columns", line: 1)
        }
        let names = Self.names(header.map { $0 ?? "" })
        try output.write("[")
        var isFirst = true
        var hasShortRow = false
        var hasWords = false
        while true {
            let start = firstLine
            guard let row = try row(most: names.count, isHeader: false) else { break }
            guard row.count <= names.count else {
                throw BodyFault(
                    "it has more fields than the header, which has \(names.count)", line: start,
                    advice: "put quotes around fields that contain the separator, or tell the upstream")
            }
            let isShort = row.count < names.count
            // A row that may be cut off becomes a text, and not an item: it counts as left out, and so do words in a
            // last line without a separator, such as `Error: query timed out`. A short last row is whole if other rows
            // leave out their last fields, too.
            let hasWord = row[0]?.contains(" ") == true
            let isText = row.count == 1 && hasWord && !hasWords && !isFirst && isAtEnd
            if isCut && mayBeCut || isShort && !hasShortRow && (isCut || isText) {
                guard !isFirst else {
                    let fields = isShort ? "has \(row.count) of \(names.count) fields, and its line" : "is a line that"
                    throw BodyFault(
                        "the only row \(fields) has no end", line: start, advice: "run it again: it may be cut off")
                }
                try output.write(",\n")
                let text = row.map { $0 ?? "" }.joined(separator: String(Unicode.Scalar(separator)))
                try output.write(string: text)
                break
            }
            hasShortRow = hasShortRow || isShort
            hasWords = hasWords || hasWord
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
        if isFirst { try checkHeader(names) }
        try output.write("]")
    }

    /// Checks that the text is not of another format: lines of HTML read as rows.
    private func checkBeginning() throws(BodyFault) {
        let other: String? =
            switch text.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) {
            // MetaStock's names of columns are in angle brackets.
            case UInt8(ascii: "<"): hasNamesInBrackets ? nil : "HTML or XML"
            case UInt8(ascii: "{"): "JSON"
            // Microsoft's names of columns may be in brackets.
            case UInt8(ascii: "["): (try? JSONValue(parsing: text)) == nil ? nil : "JSON"
            default: nil
            }
        if let other { throw BodyFault("it is \(other), not a table: \(beginning)") }
    }

    /// True if each field of the first line is as `<TICKER>`.
    private var hasNamesInBrackets: Bool {
        let line = text[place...].prefix { $0 != Self.lineFeed && $0 != Self.carriageReturn }
        let fields = line.split(separator: separator)
        return fields.count > 1
            && fields.allSatisfy { $0.first == UInt8(ascii: "<") && $0.last == UInt8(ascii: ">") && $0.count > 2 }
    }

    /// Checks that a header without rows is one: any line of text reads as such, that of an error, too.
    ///
    /// | the feed's columns | the header needs |
    /// | --- | --- |
    /// | with a key | the columns of the key |
    /// | known, without a key | one of the columns |
    /// | not known yet | two columns |
    private func checkHeader(_ names: [String]) throws(BodyFault) {
        if let missing = wanted.key.first(where: { !names.contains($0) }) {
            throw BodyFault("it has no rows, and its header has no column `\(missing)`, the feed's key: \(beginning)")
        }
        guard wanted.key.isEmpty else { return }
        guard wanted.all.isEmpty ? names.count > 1 : wanted.all.contains(where: names.contains) else {
            throw BodyFault(
                wanted.all.isEmpty
                    ? "it is one line of text, not a header: \(beginning)"
                    : "it has no rows, and its header has none of the feed's columns: \(beginning)")
        }
    }

    private var beginning: String {
        Excerpt.of(String(decoding: text.prefix(2_000), as: UTF8.self), limit: 100, secrets: secrets) ?? ""
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
    /// may be millions. A separator behind the last field of a row stands for nothing.
    private mutating func row(most: Int, isHeader: Bool = true) throws(BodyFault) -> [String?]? {
        while place < text.count, text[place] == Self.lineFeed || text[place] == Self.carriageReturn { endLine() }
        guard place < text.count else { return nil }
        var fields: [String?] = []
        while true {
            fields.append(place < text.count && text[place] == Self.quote ? try quoted() : plain())
            if !isHeader, fields.count == most + 1, fields.last == .some(nil), isAtLineEnd { fields.removeLast() }
            guard place < text.count, fields.count <= most else { return fields }
            guard text[place] == separator else {
                endLine()
                return fields
            }
            place += 1
            if place == text.count { return isHeader || fields.count < most ? fields + [nil] : fields }
        }
    }

    /// True at the end of a text whose last line has none.
    private var isCut: Bool {
        place == text.count && text.last.map { $0 != Self.lineFeed && $0 != Self.carriageReturn } ?? false
    }

    /// True if no row follows.
    private var isAtEnd: Bool { text[place...].allSatisfy { $0 == Self.lineFeed || $0 == Self.carriageReturn } }

    private var isAtLineEnd: Bool {
        place == text.count || text[place] == Self.lineFeed || text[place] == Self.carriageReturn
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

/// The lines in front of a table's header.
private struct Preamble {
    /// Its bytes.
    private(set) var length = 0
    private(set) var lines = 0
    /// The separator that it names.
    private(set) var separator: UInt8?

    init(_ text: [UInt8]) {
        let first = Self.line(of: text, from: 0)
        let word = text[first].filter { $0 != UInt8(ascii: "\"") }
        if word.count == 5, word.prefix(4).elementsEqual("sep=".utf8) {
            separator = word[4]
            (length, lines) = (Self.next(in: text, behind: first), 1)
            return
        }
        var place = 0
        var count = 0
        var last = first
        while place < text.count, text[place] == UInt8(ascii: "#") {
            last = Self.line(of: text, from: place)
            place = Self.next(in: text, behind: last)
            count += 1
        }
        guard count > 0, place < text.count else { return }
        let table = TableReader.separator(in: text[place...])
        let fields = { (line: Range<Int>) in text[line].split(separator: table, omittingEmptySubsequences: false) }
        let row = fields(Self.line(of: text, from: place))
        guard row.count > 1 else { return }
        // A header may begin with `#`: it has as many fields as the row below. With a space behind, it may be a
        // sentence, if nothing in that row is a number.
        let isSentence = text[last].dropFirst().first == UInt8(ascii: " ") && !row.contains(where: Self.isNumber)
        let isHeader = fields(last).count == row.count && !isSentence
        (length, lines) = isHeader ? (last.lowerBound, count - 1) : (place, count)
    }

    private static func isNumber(_ field: ArraySlice<UInt8>) -> Bool {
        let digits = field.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "-") }
        return digits.first.map(\.isASCIIDigit) ?? false
    }

    private static func line(of text: [UInt8], from place: Int) -> Range<Int> {
        let end = text[place...].firstIndex { $0 == TableReader.lineFeed || $0 == TableReader.carriageReturn }
        return place..<(end ?? text.count)
    }

    /// The beginning of the line behind one.
    private static func next(in text: [UInt8], behind line: Range<Int>) -> Int {
        guard line.upperBound < text.count else { return text.count }
        let isPair =
            text[line.upperBound] == TableReader.carriageReturn && line.upperBound + 1 < text.count
            && text[line.upperBound + 1] == TableReader.lineFeed
        return line.upperBound + (isPair ? 2 : 1)
    }
}
