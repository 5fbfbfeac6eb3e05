/// The words that may complete a command line.
struct Completion: Sendable, Hashable {
    /// A possible word, and its meaning.
    struct Candidate: Sendable, Hashable {
        let word: String
        var meaning = ""
    }

    /// The words, of which those that begin as the last word does are offered.
    var candidates: [Candidate] = []
    /// True if the word is the path of a file, which the shell completes.
    var isPath = false

    /// The lines for the shell's script: `:path`, or a word, a space and its meaning.
    func lines(beginningWith start: String) -> [String] {
        if isPath { return [":path"] }
        return candidates.filter { $0.word.hasPrefix(start) }.map { candidate in
            candidate.meaning.isEmpty ? candidate.word : "\(candidate.word) \(candidate.meaning)"
        }
    }
}

/// A command line up to the word that is completed, which is the last one and may be empty.
struct PartialCommandLine: Sendable {
    /// The names that are not part of the command line.
    struct Names: Sendable {
        /// The feeds of the configuration, for the value of `--config`.
        var feeds: @Sendable (_ config: String?) -> [String]
        /// The presets, with their descriptions.
        var presets: @Sendable () -> [Completion.Candidate]
        /// The parameters of a preset.
        var parameters: @Sendable (_ preset: String) -> [String]
    }

    /// The command, once it is there.
    private(set) var command: Command?
    /// The operands before the last word.
    private(set) var operands: [String] = []
    /// The options before the last word.
    private(set) var options: Set<Option> = []
    /// The value of `--config`, if it was given.
    private(set) var config: String?
    /// The option whose value is the last word.
    private(set) var open: Option?
    /// True if `--` ended the options.
    private(set) var hasEndedOptions = false
    /// The word to complete.
    let last: String

    init(_ words: [String]) {
        last = words.last ?? ""
        for word in words.dropLast() { read(word) }
    }

    private mutating func read(_ word: String) {
        if let option = open {
            if option == .config { config = word }
            open = nil
        } else if !hasEndedOptions, word == "--" {
            hasEndedOptions = true
        } else if !hasEndedOptions, word.hasPrefix("-"), word != "-" {
            read(option: word)
        } else if command == nil {
            command = Command.named(word)
        } else {
            operands.append(word)
        }
    }

    private mutating func read(option word: String) {
        guard word.hasPrefix("--") else { return read(letters: word.dropFirst()) }
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let option = Option.named(String(parts[0].dropFirst(2)), of: command) else { return }
        options.insert(option)
        guard option.placeholder != nil else { return }
        if parts.count == 1 { open = option } else if option == .config { config = parts[1] }
    }

    private mutating func read(letters word: Substring) {
        var letters = word
        while let letter = letters.popFirst() {
            guard let option = Option.named(letter, of: command) else { continue }
            options.insert(option)
            guard option.placeholder == nil else {
                if letters.isEmpty { open = option }
                return
            }
        }
    }

    /// The possible completions of the last word.
    func completion(_ names: Names) -> Completion {
        if let open {
            let feeds = open.placeholder == "FEED" ? names.feeds(config) : []
            return Completion(
                candidates: feeds.map { Completion.Candidate(word: $0) }, isPath: open.placeholder == "PATH")
        }
        if !hasEndedOptions, last.hasPrefix("--"), last.contains("=") {
            let name = last.dropFirst(2).prefix { $0 != "=" }
            return Completion(isPath: Option.named(String(name), of: command)?.placeholder == "PATH")
        }
        if !hasEndedOptions, last.hasPrefix("-") { return Completion(candidates: optionCandidates) }
        guard let command else {
            return Completion(candidates: Command.all.map { Completion.Candidate(word: $0.name, meaning: $0.summary) })
        }
        guard let operand = Operand.at(operands.count, of: command.operands) else { return Completion() }
        return Completion(candidates: candidates(for: operand, names))
    }

    private var optionCandidates: [Completion.Candidate] {
        let all = command?.allOptions ?? Option.general + [.version]
        return all.filter { !options.contains($0) || $0.isRepeatable }
            .map { Completion.Candidate(word: $0.written, meaning: $0.summary) }
    }

    private func candidates(for operand: Operand, _ names: Names) -> [Completion.Candidate] {
        var result: [Completion.Candidate] = []
        if operand.takes("COMMAND") {
            result += Command.all.map { Completion.Candidate(word: $0.name, meaning: $0.summary) }
        }
        if operand.takes("FEED") {
            result += names.feeds(config).map { Completion.Candidate(word: $0) }
        }
        if operand.takes("PRESET") { result += names.presets() }
        if operand.takes("KEY=VALUE"), let preset = operands.dropFirst().first {
            result += names.parameters(preset).map { Completion.Candidate(word: "\($0)=") }
        }
        result += operand.literals.map { Completion.Candidate(word: $0) }
        // A feed, or a parameter, is given once.
        return result.filter { candidate in
            !operands.contains { $0 == candidate.word || candidate.word.hasSuffix("=") && $0.hasPrefix(candidate.word) }
        }
    }
}
