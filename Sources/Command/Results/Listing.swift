internal import FeedSync

/// The form in which commands print lists. This is the one place that decides it.
enum ListingForm: Sendable {
    /// Lines for people, on a terminal.
    case people
    /// In a pipe: values separated by tabs, below a line with their names. The columns are the members that `json` has.
    case tabs
    /// With `--json`: objects.
    case json
}

extension Session {
    /// The form in which this command prints lists.
    var listingForm: ListingForm {
        invocation.has(.json) ? .json : console.width == nil ? .tabs : .people
    }

    /// Prints a list, in a pipe or with `--json`; on a terminal `people` does.
    func list(_ records: [some JSONRecord], people: () -> Void) {
        switch listingForm {
        case .json: console.print(json: JSONLines.array(records.map(\.result)))
        case .tabs:
            var lines = RecordLines(.tabs)
            console.write(records.map { lines.text(of: $0) }.joined(), isGuarded: false)
        case .people: people()
        }
    }

    /// Prints the result of a command as JSON: a list of one object, as for everything else.
    func print(result: JSONFields) { console.print(json: JSONLines.array([result.result])) }

    /// Prints the result of a command: its members with `--json`, and else a line for people.
    func print(result: JSONFields, orLine line: @autoclosure () -> String) {
        if invocation.has(.json) { print(result: result) } else { console.print(line()) }
    }
}

/// Turns records that come one after another into lines for programs.
struct RecordLines: Sendable {
    private let form: ListingForm
    private var writer: RowWriter?

    init(_ form: ListingForm) { self.form = form }

    /// A record's line with its line break, the names before the first.
    mutating func text(of record: some JSONRecord) -> String {
        guard form == .tabs else { return record.result + "\n" }
        let fields = record.fields
        let values = fields.values.map(Self.value)
        var writer = writer ?? RowWriter(.tsv, fields.names.map { RowColumn(name: $0) })
        defer { self.writer = writer }
        return writer.row(values)
    }

    /// As a table of the store would have it: Booleans as 0 and 1, and lists and objects as JSON.
    private static func value(_ json: String) -> StoredValue {
        switch try? JSONValue(parsing: json) {
        case .null?: .null
        case .bool(let isTrue)?: .integer(isTrue ? 1 : 0)
        case .string(let text)?: .text(text)
        default: .text(json)
        }
    }
}
