internal import FeedSync

/// A command: its arguments, its help, and its action.
struct Command: Sendable {
    /// Its name on the command line.
    let name: String
    /// Its operands, as help shows them.
    let operands: String
    /// The number of operands.
    let operandCount: ClosedRange<Int>
    /// Its options, besides the general ones.
    let options: [Option]
    /// The general options that it takes.
    let generalOptions: [Option]
    /// True if it may finish by itself after the first Ctrl-C.
    let endsGracefully: Bool
    /// True if it reads the configuration again after a SIGHUP that comes from no terminal.
    let rereadsConfiguration: Bool
    /// True if it only prints results, which `--quiet` does not hide.
    let isForResults: Bool
    /// Its action, in one line.
    let summary: String
    /// Its help, in paragraphs; they are wrapped to the terminal's width.
    let explanation: String
    /// An example.
    let example: String
    /// Runs it.
    let run: @Sendable (Session) async throws(Failure) -> ExitCode

    init(
        _ name: String, operands: String = "", count: ClosedRange<Int> = 0...0, options: [Option] = [],
        general: [Option] = Option.general, endsGracefully: Bool = false, rereadsConfiguration: Bool = false,
        isForResults: Bool = false, summary: String, explanation: String, example: String,
        run: @escaping @Sendable (Session) async throws(Failure) -> ExitCode
    ) {
        self.name = name
        self.operands = operands
        operandCount = count
        self.options = options
        generalOptions = general
        self.endsGracefully = endsGracefully
        self.rereadsConfiguration = rereadsConfiguration
        self.isForResults = isForResults
        self.summary = summary
        self.explanation = explanation
        self.example = example
        self.run = run
    }

    /// Every command, in the order of the help text.
    static let all: [Command] = [
        .add, .reload, .more, .sync, .plan, .status, .show, .search, .sql, .changes, .events, .feeds, .path, .explain,
        .edit, .login, .remove, .rename, .reset, .rekey, .prune, .backup, .store, .presets, .check, .doctor, .schema,
        .serve,
        .work,
        .demo,
        .completion,
        .help,
    ]

    /// The command of that name.
    static func named(_ name: String) -> Command? { all.first { $0.name == name } }

    /// Its form on the command line.
    var synopsis: String {
        ["feedsync", name, operands, "[OPTIONS]"].filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// True if it takes the option.
    func takes(_ option: Option) -> Bool {
        generalOptions.contains(option) || options.contains(option)
    }

    /// The command for further help, for errors.
    var helpAdvice: String { "feedsync help \(name)" }

    /// The meaning of its operands.
    var need: String {
        switch name {
        case "add": "the name of the new feed, and a URL or the name of a preset"
        case "edit": "the name of a feed, and members as name=value"
        case "rename": "the name of a feed, and a new one"
        case "sql": "a query, in quotes"
        case "search": "the words to search for"
        case "backup": "the name of the file to write"
        case "completion": "the name of a shell: bash, zsh or fish"
        case "store": "`copy`, a store, and where to copy it"
        default: "the name of a feed"
        }
    }

    /// True if it may make requests of feeds.
    var makesRequests: Bool { takes(.maxWait) }

    /// The source of their values.
    var needAdvice: String {
        let others: Set = ["add", "sql", "search", "backup", "store", "completion"]
        return others.contains(name) ? helpAdvice : "feedsync feeds  # lists them"
    }

    /// Any number of operands.
    static let anyNumber = Int.max - 1
}
