/// Separates options from operands, like `getopt_long`: options anywhere, grouped letters, `--` ends them.
struct ArgumentReader {
    private(set) var options: [Option: String] = [:]
    /// All values of each option, in order; an empty one for each time that an option without a value was given.
    private(set) var values: [Option: [String]] = [:]
    private(set) var operands: [String] = []
    private var words: ArraySlice<String>
    /// The command that the words name, at any place among them.
    private let command: Command?

    init(_ words: some Sequence<String>) {
        let all = Array(words)
        self.words = all[...]
        // No lazy sequence: to make its type takes the runtime a tenth of the time in which the process starts.
        var command: Command?
        for word in all where command == nil { command = Command.named(word) }
        self.command = command
    }

    /// - Throws: `Failure` with exit code 64 for an unknown option, or a missing or superfluous value.
    mutating func read() throws(Failure) {
        while let word = words.popFirst() {
            if word == "--" {
                operands += words
                return
            }
            if word.hasPrefix("--") {
                try readLong(word.dropFirst(2))
            } else if word.hasPrefix("-"), word != "-" {
                try readLetters(word.dropFirst())
            } else {
                operands.append(word)
            }
        }
    }

    private mutating func readLong(_ text: Substring) throws(Failure) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let name = parts.first ?? ""
        guard let option = Option.named(name, of: command) else {
            throw .unknown("option", "--\(name)", among: candidates, advice: advice)
        }
        let value = parts.dropFirst().first
        guard option.placeholder == nil else {
            return try take(option, value)
        }
        if value != nil { throw .usage("\(option.written) takes no value", advice: advice) }
        note(option)
    }

    private mutating func readLetters(_ word: Substring) throws(Failure) {
        var letters = word
        var previous: Character?
        while let letter = letters.popFirst() {
            if letter == "=", let previous { throw .usage("-\(previous) takes no value", advice: advice) }
            previous = letter
            guard let option = Option.named(letter, of: command) else {
                throw .unknown("option", "-\(letter)", among: [], advice: advice)
            }
            guard option.placeholder == nil else {
                return try take(option, letters.isEmpty ? nil : String(letters))
            }
            note(option)
        }
    }

    private mutating func note(_ option: Option, _ value: String = "") {
        options[option] = value
        values[option, default: []].append(value)
    }

    private mutating func take(_ option: Option, _ attached: String?) throws(Failure) {
        guard let value = attached ?? words.popFirst(), !value.isEmpty else {
            // Of another command's option is said that this one does not have it.
            if let command, !command.takes(option) { return note(option) }
            throw .usage("\(option.written) needs a value", advice: advice)
        }
        note(option, value)
    }

    private var advice: String { command?.helpAdvice ?? "feedsync help" }

    /// The options that may have been meant.
    private var candidates: [String] {
        (command?.allOptions ?? Command.allOptions).map(\.written)
    }
}
