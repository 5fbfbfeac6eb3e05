import Testing

@Suite struct CompletionTests {
    @Test(
        "Completions come from the commands, the configuration and the presets",
        arguments: [
            (["sy"], ["sync"]), (["sync", "th"], ["things", "thin-ice"]), (["sync", "things", "th"], ["thin-ice"]),
            (["--quiet", "sync", "--max-t"], ["--max-time"]), (["--vers"], ["--version"]),
            (["sync", "--quiet", "--qui"], []), (["sync", "-qv", "th"], ["things", "thin-ice"]),
            (["add", "x", "https://a", "-H", "A: b", "--head"], ["--header"]), (["sync", "-qv", "--qui"], []),
            (["add", "x", "https://a", "--header", "A: b", "--head"], ["--header"]),
            (["sync", "--", "-"], []), (["more", "--pages", ""], []), (["feeds", ""], []),
            (["show", "things", ""], []),
            (["add", ""], []), (["add", "x", "github.sea"], ["github.search"]),
            (["add", "x", "gitlab.projects", ""], ["host="]), (["add", "x", "gitlab.projects", "host=a", ""], []),
            (["presets", "redmine"], ["redmine.issues"]), (["help", "wo"], ["work", "words"]),
            (["help", "rel"], ["reload"]),
            (["completion", ""], ["bash", "zsh", "fish"]), (["--config", ""], [":path"]), (["--store=x"], [":path"]),
            (["--config", "other.yaml", "sync", ""], ["elsewhere"]),
            (["--config=other.yaml", "sync", ""], ["elsewhere"]),
            (["--config", "absent.yaml", "sync", ""], []),
        ])
    func words(line: [String], expected: [String]) async throws {
        let place = try Self.place()
        let words = ["__complete"] + line
        let quoted = words.map { "'\($0)'" }.joined(separator: " ")
        let run = try await place.shell("\"$FEEDSYNC\" \(quoted) | cut -d ' ' -f 1")
        #expect(run.output.split(separator: "\n").map(String.init) == expected)
        #expect(run.errors.isEmpty)
        #expect(run.code == 0)
    }

    @Test("A configuration that is wrong, or that nobody may trust, is silent")
    func quiet() async throws {
        let place = try Workplace()
        place.remove("feedsync.yaml")
        #expect(try await place.run("__complete sync t") == Self.nothing)
        try place.write("feedsync.yaml", "feeds: {things: {url: nonsense}, \"a b\": {}, $(id): {}}")
        #expect(try await place.run("__complete sync t").output == "things\n")
        #expect(try await place.run("__complete sync a") == Self.nothing)
        #expect(try await place.run("__complete sync $") == Self.nothing)
        try place.write("feedsync.yaml", "feeds: [\n")
        #expect(try await place.run("__complete sync t") == Self.nothing)
        try place.write("feedsync.yaml", "feeds: {things: {url: http://a}}")
        #expect(try await place.shell("chmod o+w feedsync.yaml").code == 0)
        #expect(try await place.run("__complete sync t") == Self.nothing)
    }

    @Test(
        "Tab completes the line in the shell itself", arguments: ["bash", "zsh"],
        [
            ("feedsync sy", "feedsync sync "), ("feedsync sync thing", "feedsync sync things "),
            ("feedsync sync th", "feedsync sync thin"), ("feedsync sync --max-t", "feedsync sync --max-time "),
            ("feedsync add x gitlab.projects h", "feedsync add x gitlab.projects host="),
            ("feedsync --config oth", "feedsync --config other.yaml "),
            ("feedsync --config=oth", "feedsync --config=other.yaml "),
            ("feedsync --config other.yaml sync e", "feedsync --config other.yaml sync elsewhere "),
            ("feedsync --config=other.yaml sync e", "feedsync --config=other.yaml sync elsewhere "),
        ])
    func tab(shell: String, line: (typed: String, completed: String)) async throws {
        let place = try Self.place()
        try place.write("terminal.zsh", Self.terminal)
        let run = try await place.shell(
            "PATH=${FEEDSYNC%/*}:$PATH timeout 60 zsh -f terminal.zsh \(shell) '\(line.typed)'")
        #expect(run.output == "\(line.completed)\n")
        #expect(run.errors.isEmpty)
    }

    @Test(
        "fish offers words with what they mean",
        arguments: [
            ("feedsync sy", ["sync\tBring feeds up to date, several at a time"]),
            ("feedsync sync th", ["things", "thin-ice"]), ("feedsync add x gitlab.projects h", ["host="]),
            ("feedsync sync --max-t", ["--max-time\tstart no new requests after DURATION"]),
            ("feedsync --config oth", ["other.yaml"]), ("feedsync --config=oth", ["--config=other.yaml"]),
            ("feedsync --config other.yaml sync ", ["elsewhere"]), ("feedsync feeds ", []),
        ])
    func fish(line: String, expected: [String]) async throws {
        let place = try Self.place()
        let run = try await place.shell(
            #"PATH=${FEEDSYNC%/*}:$PATH fish --no-config -c 'feedsync completion fish | source; complete -C "\#(line)"'"#
        )
        #expect(run.output.split(separator: "\n").map(String.init).sorted() == expected.sorted())
    }

    @Test("A shell that there is no script for is a usage error")
    func unknown() async throws {
        let run = try await Workplace().run("completion fissh")
        #expect(run.errors == "feedsync: no such shell: fissh; did you mean fish?\nTry: feedsync help completion\n")
        #expect(run.code == 64)
    }

    private static let nothing = CommandLineRun(output: "", errors: "", code: 0)

    /// Two configurations: the one in the folder, and one that `--config` names.
    private static func place() throws -> Workplace {
        let place = try Workplace(["things", "thin-ice"])
        try place.write("other.yaml", "feeds: {elsewhere: {url: \"https://example.com\"}}")
        return place
    }

    /// Types into a shell on a terminal of its own, and prints the line after a tab.
    private static let terminal = #"""
        zmodload zsh/zpty
        if [[ $1 == bash ]]; then
            zpty shell bash --norc --noprofile -i
            zpty -w shell 'PS1= PS2=; source <(feedsync completion bash)'
            zpty -w shell $'bind -x \'"\\C-x\\C-r": printf "<%s>" "$READLINE_LINE"\''
        else
            zpty shell zsh -f -i
            zpty -w shell 'PS1= PS2=; autoload -Uz compinit; compinit -D -u; source <(feedsync completion zsh)'
            zpty -w shell $'report() { printf "<%s>" "$BUFFER" }; zle -N report; bindkey "^X^R" report; bindkey "^I" complete-word'
        fi
        # What is typed before the shell edits its line is lost.
        if [[ $1 == bash ]]; then
            zpty -w shell 'echo rea""dy'
        else
            zpty -w shell 'zle-line-init() { printf rea; printf dy }; zle -N zle-line-init'
        fi
        zpty -r shell output '*ready*'
        zpty -n -w shell "$2"$'\t\C-x\C-r'
        zpty -r shell output '*<feedsync*>*'
        print -r -- "${${output##*<}%%>*}"
        """#
}

extension CommandLineRun: Equatable {
    static func == (one: CommandLineRun, other: CommandLineRun) -> Bool {
        one.output == other.output && one.errors == other.errors && one.code == other.code
    }
}
