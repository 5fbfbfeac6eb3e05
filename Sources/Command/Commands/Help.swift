extension Command {
    /// `help [COMMAND]`
    static let help = Command(
        name: "help", operands: "[COMMAND | words]", count: 0...1, options: [.man], general: [.help],
        isForResults: true,
        summary: "Show help for feedsync or for one command",
        explanation: """
            Without a command, lists all commands. `feedsync help words` explains the words that commands
            and messages use.

            With --man, prints the manual page, as `man -l` reads it: feedsync(1), or that of the command.
            """,
        example: "feedsync help reload"
    ) { session throws(Failure) in
        let (console, width) = (session.console, session.console.helpWidth)
        let isManual = session.invocation.has(.man)
        guard let name = session.invocation.operands.first else {
            guard !isManual else {
                console.print(ManualPage.overview)
                return .done
            }
            console.print(HelpText.overview(console.palette, width: width))
            return .done
        }
        if name == "words" {
            console.print(HelpText.words(console.palette, width: width))
            return .done
        }
        guard let command = Command.named(name) else { throw .unknown(command: name) }
        guard !isManual else {
            console.print(ManualPage.page(of: command))
            return .done
        }
        console.print(HelpText.text(of: command, console.palette, width: width))
        return .done
    }
}

extension Failure {
    /// A word that is not a command, with the one that was probably meant.
    static func unknown(command word: String) -> Failure {
        if word == "version" { return .usage("no such command: version", advice: "feedsync --version") }
        guard let usual = Command.usualNames[word] else {
            return .unknown(
                "command", word, among: Command.all.map(\.name), advice: "feedsync help  # lists the commands")
        }
        return .usage("no such command: \(word); did you mean \(usual)?", advice: "feedsync help \(usual)")
    }
}

extension Command {
    /// The names of our commands in other programs.
    fileprivate static let usualNames = [
        "ls": "feeds", "list": "feeds", "pull": "sync", "fetch": "sync", "update": "sync", "refresh": "sync",
        "run": "sync", "start": "sync", "get": "show", "cat": "show", "view": "show", "export": "show", "query": "sql",
        "init": "add", "new": "add", "create": "add", "rm": "remove", "delete": "remove", "mv": "rename",
        "log": "events", "logs": "events", "history": "changes", "diff": "changes", "next": "more", "info": "explain",
        "validate": "check", "test": "check", "debug": "doctor", "diagnose": "doctor", "health": "doctor",
        "config": "path", "set": "edit", "change": "edit", "restore": "backup", "man": "help", "pause": "edit",
        "clean": "prune", "vacuum": "prune", "st": "status",
    ]
}
