extension Command {
    /// `help [COMMAND]`
    static let help = Command(
        "help", operands: "[COMMAND]", count: 0...1, general: [.help],
        summary: "Explain feedsync, or one of its commands",
        explanation: "Without a command, lists all of them.", example: "feedsync help reload"
    ) { session throws(Failure) in
        guard let name = session.invocation.operands.first else {
            session.console.print(HelpText.overview(session.console.palette))
            return .done
        }
        guard let command = Command.named(name) else {
            throw .unknown(
                "command", name, among: Command.all.map(\.name), advice: "feedsync help lists the commands")
        }
        session.console.print(HelpText.text(of: command, session.console.palette))
        return .done
    }
}

/// The help texts.
enum HelpText {
    /// What `feedsync` alone says, besides that it wants a command.
    static var usage: String {
        """

        Usage: feedsync COMMAND [OPTIONS]

        \(commands)

        Begin with `feedsync demo`, which needs neither network nor configuration.
        """
    }

    /// All commands at a glance.
    static func overview(_ palette: Palette) -> String {
        """
        feedsync mirrors paginated HTTP feeds into SQLite.

        \(palette.name("Usage:")) feedsync COMMAND [OPTIONS]

        \(palette.name("Commands:"))
        \(commands)

        \(palette.name("Options of most commands:"))
        \(list((Option.general + [.version]).map(entry)))

        \(palette.name("Files:"))
          feedsync.yaml  the feeds; `feedsync check` reads it over
          feedsync.db    the store beside it, which sqlite3 can read at any time

        \(palette.name("Exit codes:"))
          0 done, also when nothing was new   64 usage   65 a page that cannot be read   69 the upstream fails
          70 a bug   73 the store   74 the output   75 try later   77 refused   78 configuration   128 + N signal N

        `feedsync demo` shows it all, and needs neither network nor configuration.
        """
    }

    private static var commands: String {
        list(Command.all.map { ("\($0.name) \($0.operands)", $0.summary) })
    }

    /// All about one command.
    static func text(of command: Command, _ palette: Palette) -> String {
        let synopsis = ["feedsync", command.name, command.operands, "[OPTIONS]"].filter { !$0.isEmpty }
        return """
            \(palette.name("Usage:")) \(synopsis.joined(separator: " "))

            \(command.explanation)

            \(palette.name("Options:"))
            \(list((command.options + command.generalOptions).map(entry)))

            \(palette.name("Example:"))
              \(command.example)
            """
    }

    private static func entry(_ option: Option) -> (String, String) {
        let letter = option.letter.map { "-\($0), " } ?? "    "
        let placeholder = option.placeholder.map { " \($0)" } ?? ""
        return (letter + option.written + placeholder, option.summary)
    }

    private static func list(_ entries: [(String, String)]) -> String {
        let width = (entries.map(\.0.count).max() ?? 0) + 2
        return entries.map { "  " + pad($0.0, to: width) + $0.1 }.joined(separator: "\n")
    }

    private static func pad(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}
