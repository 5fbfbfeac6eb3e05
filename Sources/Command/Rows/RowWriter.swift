internal import FeedSync

/// Turns rows into the text of a format that a program reads.
struct RowWriter: Sendable {
    let format: RowFormat
    private let columns: [RowColumn]
    private var isFirst = true

    init(_ format: RowFormat, _ columns: [RowColumn]) {
        self.format = format
        self.columns = columns
    }

    /// The text before the rows, also where there are none: programs that read CSV look for the names.
    var head: String { format == .csv ? names : "" }

    private var names: String {
        switch format {
        case .csv: line(columns.map(\.name), by: ",", Self.quoted)
        case .tsv, .table: line(columns.map(\.name), by: "\t", Self.escaped)
        case .markdown:
            line(columns.map(\.name), Self.markdown) + line(columns.map { _ in "---" }, { $0 })
        case .json, .ndjson: ""
        }
    }

    /// A row, below the names if it is the first. An empty list therefore prints nothing, and cron sends no mail.
    mutating func row(_ values: [StoredValue]) -> String {
        defer { isFirst = false }
        return (isFirst && format != .csv ? names : "") + text(of: values)
    }

    private func text(of values: [StoredValue]) -> String {
        switch format {
        case .csv:
            let line = line(values.map(\.description), by: ",", Self.quoted)
            // Readers take an empty line for no row.
            return line == "\n" ? "\"\"\n" : line
        case .tsv, .table: return line(values.map(\.description), by: "\t", Self.escaped)
        case .markdown: return line(values.map(\.description), Self.markdown)
        case .ndjson: return object(values) + "\n"
        case .json: return (isFirst ? "[\n" : ",\n") + object(values)
        }
    }

    /// The text after the rows.
    var tail: String { format == .json ? (isFirst ? "[]\n" : "\n]\n") : "" }

    private func object(_ values: [StoredValue]) -> String {
        var object = JSONObjectText()
        for (column, value) in zip(columns, values) { object.add(column.name, json: column.json(value)) }
        return object.text
    }

    private func line(_ cells: [String], by separator: String, _ coded: (String) -> String) -> String {
        cells.map(coded).joined(separator: separator) + "\n"
    }

    private func line(_ cells: [String], _ coded: (String) -> String) -> String {
        "| " + cells.map(coded).joined(separator: " | ") + " |\n"
    }

    /// As RFC 4180 has it, but for the ends of lines, which are those of the system.
    private static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { $0 != 0x22 && $0 != 0x2C && $0 != 0x0A && $0 != 0x0D }
        return isPlain ? text : "\"" + text.replacing("\"", with: "\"\"") + "\""
    }

    /// One line and one field: characters that would end either are written as `\t`, `\n`, `\r`, and `\` as `\\`.
    /// Controls of a terminal are written as in JSON, since much piped text ends on one.
    private static func escaped(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != 0x5C }) { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\t": result += "\\t".unicodeScalars
            case "\n": result += "\\n".unicodeScalars
            case "\r": result += "\\r".unicodeScalars
            case "\\": result += "\\\\".unicodeScalars
            case _ where ControlCharacters.contains(scalar):
                result += "\\u\(Hexadecimal.digits(scalar.value, count: 4))".unicodeScalars
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    private static func markdown(_ text: String) -> String {
        DisplayWidth.printable(text).replacing("\\", with: "\\\\").replacing("|", with: "\\|")
    }
}
