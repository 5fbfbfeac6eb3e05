/// The format of printed rows.
enum RowFormat: Sendable, CaseIterable {
    /// Aligned columns, as many as fit the terminal.
    case table
    /// A line of names, then a line for each row, tabs between the values.
    case tsv
    case csv
    /// One JSON array of objects.
    case json
    /// One JSON object a line.
    case ndjson
    /// A table in Markdown, as GitHub has it.
    case markdown

    /// The options that ask for a format.
    static let options: [Option] = [.ndjson, .csv, .tsv, .markdown]

    private var option: Option? {
        switch self {
        case .table: nil
        case .tsv: .tsv
        case .csv: .csv
        case .json: .json
        case .ndjson: .ndjson
        case .markdown: .markdown
        }
    }

    /// The format that the command line asks for: a table on a terminal, tabs in a pipe if it asks for none.
    ///
    /// - Throws: `Failure` with exit code 64 if it asks for two.
    init(_ invocation: Invocation, isTerminal: Bool) throws(Failure) {
        let wanted = Self.allCases.filter { $0.option.map(invocation.has) ?? false }
        if wanted.count > 1, let first = wanted[0].option, let second = wanted[1].option {
            throw .usage(
                "\(first.written) and \(second.written) cannot be used together",
                advice: invocation.command.helpAdvice)
        }
        self = wanted.first ?? (isTerminal ? .table : .tsv)
    }

    /// True if it is for people, who get a choice of columns.
    var isForPeople: Bool { self == .table || self == .markdown }
}
