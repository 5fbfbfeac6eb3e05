internal import FeedSync

extension Command {
    /// `completion bash|zsh|fish`
    static let completion = Command(
        name: "completion", operands: "bash|zsh|fish", need: "the name of a shell: bash, zsh or fish", count: 1...1,
        general: [.help],
        summary: "Print the script that completes words in a shell",
        explanation: """
            Prints a script for bash, zsh or fish. It completes commands, options, the feeds of the
            configuration in use, presets and their parameters. Packages of feedsync install it already.

            To try it, load it into the running shell:

              bash  source <(feedsync completion bash)
              zsh  source <(feedsync completion zsh), after compinit
              fish  feedsync completion fish | source

            To keep it, write it into the folder where the shell looks for such files, as in the example for
            bash. For zsh, the file is called _feedsync, in a folder of $fpath; for fish it is
            feedsync.fish.
            """,
        example: "feedsync completion bash > ~/.local/share/bash-completion/completions/feedsync"
    ) { session throws(Failure) in
        let shell = session.invocation.operands[0]
        guard let script = CompletionScripts.script(for: shell) else {
            throw .unknown("shell", shell, among: ["bash", "zsh", "fish"], advice: "feedsync help completion")
        }
        session.console.print(script.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
        return .done
    }

    /// The command that those scripts run: `__complete WORD...`, with the words up to the one to complete. It is in no
    /// list of commands, and reports no errors, because the user has not run anything yet.
    static let wordCompletion = Command(
        name: "__complete", summary: "", explanation: "", example: ""
    ) { session throws(Failure) in
        let line = PartialCommandLine(session.invocation.operands)
        let environment = session.environment
        let presets = UserPresets(
            beside: (try? ConfigurationSearch(environment: environment).file(option: line.config)) ?? nil ?? "")
        let names = PartialCommandLine.Names(
            feeds: { config in
                let search = ConfigurationSearch(environment: environment)
                guard let found = try? search.found(option: config) else { return [] }
                return Configuration.feedNames(in: found.path)
            },
            presets: {
                ((try? presets.all) ?? []).map { Completion.Candidate(word: $0.name, meaning: $0.description) }
            },
            parameters: { name in ((try? presets.named(name)) ?? nil)?.parameters ?? [] })
        session.console.print(line.completion(names).lines(beginningWith: line.last))
        return .done
    }
}
