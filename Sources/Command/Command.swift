internal import FeedSync

/// One command of the command line: what it takes, how it is explained, what it does.
struct Command: Sendable {
    /// The word that calls it.
    let name: String
    /// The words that may follow, as help texts have them.
    let operands: String
    /// How many of them.
    let operandCount: ClosedRange<Int>
    /// The options it takes besides the general ones.
    let options: [Option]
    /// The general options that mean something to it.
    let generalOptions: [Option]
    /// Whether the first Ctrl-C leaves it time to end by itself.
    let endsGracefully: Bool
    /// What it does, in a line.
    let summary: String
    /// What there is to know, in paragraphs that are wrapped to the terminal's width.
    let explanation: String
    /// A line to try.
    let example: String
    /// Does it.
    let run: @Sendable (Session) async throws(Failure) -> ExitCode

    init(
        _ name: String, operands: String = "", count: ClosedRange<Int> = 0...0, options: [Option] = [],
        general: [Option] = Option.general, endsGracefully: Bool = false, summary: String, explanation: String,
        example: String,
        run: @escaping @Sendable (Session) async throws(Failure) -> ExitCode
    ) {
        self.name = name
        self.operands = operands
        operandCount = count
        self.options = options
        generalOptions = general
        self.endsGracefully = endsGracefully
        self.summary = summary
        self.explanation = explanation
        self.example = example
        self.run = run
    }

    /// Every command, in the order of the help text.
    static let all: [Command] = [
        .add, .reload, .more, .sync, .plan, .status, .show, .events, .feeds, .explain, .remove, .presets, .check, .demo,
        .help,
    ]

    /// The command that a word calls.
    static func named(_ name: String) -> Command? { all.first { $0.name == name } }

    /// Whether the option means something to it.
    func takes(_ option: Option) -> Bool {
        generalOptions.contains(option) || options.contains(option)
    }

    /// Where to read more, for errors.
    var helpAdvice: String { "feedsync help \(name)" }

    /// What its operands have to name.
    var need: String {
        name == "add" ? "the name of the new feed, and a URL or the name of a preset" : "the name of a feed"
    }

    /// Where to find that.
    var needAdvice: String { name == "add" ? helpAdvice : "feedsync feeds lists them" }

    /// As many operands as there may be.
    static let anyNumber = Int.max - 1
}
