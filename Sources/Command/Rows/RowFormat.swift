/// The format of printed rows.
enum RowFormat: String, Sendable, CaseIterable {
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

    /// The options that ask for a format, and say where the rows go.
    static let options: [Option] = [.format, .output, .ndjson, .csv, .tsv, .markdown]

    /// The short form of `--format`.
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

    /// The format that the command line asks for: by an option, or by the ending of the file to write; else a table on
    /// a terminal, and tabs in a pipe.
    ///
    /// - Throws: `Failure` with exit code 64 if it asks for two, or for one that there is not.
    init(_ invocation: Invocation, isTerminal: Bool) throws(Failure) {
        var wanted = Self.allCases.compactMap { format in
            format.option.flatMap { invocation.has($0) ? (format: format, written: $0.written) : nil }
        }
        if let name = invocation.options[.format] {
            wanted.append((try Self.named(name), "\(Option.format.written) \(name)"))
        }
        if wanted.count > 1, wanted[0].format != wanted[1].format {
            throw .usage(
                "\(wanted[0].written) and \(wanted[1].written) cannot be used together",
                advice: invocation.command.helpAdvice)
        }
        if let format = wanted.first?.format {
            self = format
            return
        }
        let ending = try invocation.options[.output].flatMap { path throws(Failure) in try Self.ending(of: path) }
        self = ending ?? (isTerminal ? .table : .tsv)
    }

    /// True if it is for people, who get a choice of columns.
    var isForPeople: Bool { self == .table || self == .markdown }

    private static func named(_ name: String) throws(Failure) -> RowFormat {
        if name == "parquet" { throw noParquet }
        if let format = RowFormat(rawValue: name), format.option != nil { return format }
        let names = allCases.filter { $0.option != nil }.map(\.rawValue)
        throw .unknown("format", name, among: names, advice: "one of \(names.joined(separator: ", "))")
    }

    /// - Throws: `Failure` with exit code 64 for the ending of another format.
    private static func ending(of path: String) throws(Failure) -> RowFormat? {
        let ending = path.split(separator: ".").last?.lowercased()
        switch ending {
        case "csv": return .csv
        case "tsv": return .tsv
        case "json": return .json
        case "ndjson", "jsonl": return .ndjson
        case "md": return .markdown
        case let name? where otherFormats.contains(name) && path.contains("."): return try named(name)
        default: return nil
        }
    }

    /// The endings of formats that are not written, and that a reader of the file would take it for.
    private static let otherFormats: Set = [
        "parquet", "xls", "xlsx", "ods", "xml", "html", "htm", "yaml", "yml", "pdf", "arrow", "avro", "orc", "feather",
        "db", "sqlite", "sqlite3", "sql", "gz", "bz2", "xz", "zst", "zip",
    ]

    private static var noParquet: Failure {
        .usage(
            "Parquet is written by DuckDB, which reads the store",
            advice:
                "see \"DuckDB, and Parquet\" in Docs/query.md: COPY (SELECT … FROM store.things) TO 'things.parquet'")
    }
}
