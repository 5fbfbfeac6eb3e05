internal import FeedSync
internal import PostgreSQLStore
internal import Text

/// A valid command line.
struct Invocation: Sendable {
    /// The command to run.
    let command: Command
    /// The options given, with their values; the last of several wins.
    let options: [Option: String]
    /// All values of each option, in order.
    let values: [Option: [String]]
    /// The operands, without the command's name.
    let operands: [String]

    /// Reads the words after the program's name.
    ///
    /// Options may stand anywhere, as `--name value` or `--name=value`; `--` ends them.
    ///
    /// - Parameter helpWidth: The columns that help may take.
    /// - Throws: `Failure` with exit code 64.
    init(_ words: some Sequence<String>, helpWidth: Int) throws(Failure) {
        let words = Array(words)
        if words.first == Command.wordCompletion.name {
            // The words before the completed one may be wrong as yet.
            command = .wordCompletion
            options = [:]
            values = [:]
            operands = Array(words.dropFirst())
            return
        }
        var reader = ArgumentReader(words)
        try reader.read()
        options = reader.options
        values = reader.values
        if options[.version] != nil {
            command = .version
            operands = []
            return
        }
        guard let name = reader.operands.first else {
            guard options[.help] != nil else {
                throw Failure(.usage, ["no command"], explanation: HelpText.usage(width: helpWidth))
            }
            command = .help
            operands = []
            return
        }
        guard let named = Command.named(name) else {
            throw .unknown(command: name)
        }
        if options[.help] != nil {
            command = .help
            operands = [named.name]
            return
        }
        command = named
        operands = Array(reader.operands.dropFirst())
        for option in options.keys where !command.takes(option) {
            throw .usage("\(command.name) has no option \(option.written)", advice: command.helpAdvice)
        }
        try checkOperands()
    }

    private func checkOperands() throws(Failure) {
        let range = command.count
        // A shell's variable that is not set is an empty word.
        if operands.count < range.lowerBound || operands.prefix(range.lowerBound).contains("") {
            throw .usage("\(command.name) needs \(command.need)", advice: command.needAdvice)
        }
        if operands.count > range.upperBound {
            let word = operands[range.upperBound]
            throw .usage("unexpected argument: \(word)", advice: command.helpAdvice)
        }
    }

    /// The given options that name the configuration and the store, to be added to another command; empty if none were
    /// given.
    var storeOptions: String { [Option.config, .store].map(given).joined() }

    private func given(_ option: Option) -> String {
        // A password in a URI is nobody's to read.
        options[option].map { " \(option.written) \(ShellWord.quoted(StoreAddress($0).shown))" } ?? ""
    }

    /// Advice with the given options in each command that takes them and lacks them, before the comment on it.
    func completed(_ advice: String) -> String {
        advice.split(separator: "; ", omittingEmptySubsequences: false).map { part in
            let words = part.split(separator: " ", maxSplits: 2)
            guard words.first == "feedsync", words.count > 1, let command = Command.named(String(words[1])) else {
                return String(part)
            }
            let missing = [Option.config, .store].filter { command.takes($0) && !part.contains(" \($0.written) ") }
            let line = part.firstRange(of: "  #").map { part[..<$0.lowerBound] } ?? part
            return line + missing.map(given).joined() + part[line.endIndex...]
        }.joined(separator: "; ")
    }

    /// True if the option was given.
    func has(_ option: Option) -> Bool { options[option] != nil }

    /// The number of times that the option was given.
    func times(_ option: Option) -> Int { values[option]?.count ?? 0 }

    /// Checks that none of some options was given together with another one.
    ///
    /// - Throws: `Failure` with exit code 64.
    func check(_ one: Option, without others: Option...) throws(Failure) {
        for other in others where has(one) && has(other) {
            throw .usage("\(one.written) and \(other.written) cannot be used together", advice: command.helpAdvice)
        }
    }

    /// The option's value as a whole number, 1 or more; nil if it was not given.
    ///
    /// - Throws: `Failure` with exit code 64.
    func count(_ option: Option) throws(Failure) -> Int? {
        guard let text = options[option] else { return nil }
        guard let count = Int(text), count > 0 else {
            if Int(text) == nil, text.utf8.allSatisfy(\.isASCIIDigit) {
                throw .usage("\(option.written) is too large: \(text)", advice: command.helpAdvice)
            }
            throw .usage("\(option.written) must be a whole number, 1 or more, not \(text)", advice: command.helpAdvice)
        }
        return count
    }

    /// The option's value as a duration; nil if it was not given.
    ///
    /// - Throws: `Failure` with exit code 64.
    func duration(_ option: Option) throws(Failure) -> Duration? {
        guard let text = options[option] else { return nil }
        guard let duration = DurationText.parse(text) else {
            throw .usage("\(option.written) must be a time such as 30s or 5m, not \(text)", advice: command.helpAdvice)
        }
        return duration
    }
}
