internal import FeedSync

/// A command: its arguments, its help, and its action.
struct Command: Sendable {
    /// Its name on the command line.
    let name: String
    /// Its operands, as help shows them.
    var operands = ""
    /// Their meaning, for errors.
    var need = "the name of a feed"
    /// The number of operands.
    var count = 0...0
    /// Its options, besides the general ones.
    var options: [Option] = []
    /// The general options that it takes.
    var general = Option.general
    /// The kind of store that it needs.
    var store = StoreNeed.file
    /// True if it may finish by itself after the first Ctrl-C.
    var endsGracefully = false
    /// True if it reads the configuration again after a SIGHUP that comes from no terminal.
    var rereadsConfiguration = false
    /// True if it only prints results, which `--quiet` does not hide.
    var isForResults = false
    /// Its action, in one line.
    let summary: String
    /// Its help, in paragraphs; they are wrapped to the terminal's width.
    let explanation: String
    /// An example.
    let example: String
    /// Runs it.
    let run: @Sendable (Session) async throws(Failure) -> ExitCode

    /// Every command, in the order of the help text.
    static let all: [Command] = [
        .add, .reload, .more, .sync, .plan, .status, .show, .search, .sql, .changes, .events, .feeds, .path, .explain,
        .edit, .login, .remove, .rename, .reset, .rekey, .prune, .backup, .store, .presets, .check, .doctor, .schema,
        .serve, .work, .demo, .completion, .help,
    ]

    /// The command of that name.
    static func named(_ name: String) -> Command? { all.first { $0.name == name } }

    /// Its form on the command line.
    var synopsis: String {
        ["feedsync", name, operands, "[OPTIONS]"].filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// All its options, in the order of the help text.
    var allOptions: [Option] { options + general }

    /// The options of all commands; some are there several times.
    static var allOptions: [Option] { Option.general + [.version] + all.flatMap { $0.options } }

    /// True if it takes the option.
    func takes(_ option: Option) -> Bool { allOptions.contains(option) }

    /// The command for further help, for errors.
    var helpAdvice: String { "feedsync help \(name)" }

    /// True if it may make requests of feeds.
    var makesRequests: Bool { takes(.maxWait) }

    /// The source of its operands.
    var needAdvice: String {
        Operand.list(operands).contains { $0.takes("FEED") } ? "feedsync feeds  # lists them" : helpAdvice
    }

    /// Any number of operands.
    static let anyNumber = Int.max - 1
}

/// The kind of store that a command needs.
enum StoreNeed: Sendable, Equatable {
    /// A file: a store in PostgreSQL is refused.
    case file
    /// Any kind: the command reads the store, opens it itself, or needs none.
    case any
    /// Any kind, to write it. A command is urgent if a person waits for it: the owner of a feed in PostgreSQL is asked to
    /// let go.
    case writes(isUrgent: Bool = false, needsItems: Bool = true)
}
