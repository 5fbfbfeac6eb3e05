import Testing

@Suite struct UsageTests {
    @Test(
        "A command line that is wrong says what is, and what was probably meant",
        arguments: [
            ("relod things", "no such command: relod; did you mean reload?", "feedsync help lists the commands"),
            ("frobnicate", "no such command: frobnicate", "feedsync help lists the commands"),
            (
                "reload thigns", "no such feed: thigns; did you mean things?",
                "feedsync feeds lists those of feedsync.yaml"
            ),
            (
                "reload things --wiat 3s", "no such option: --wiat; did you mean --wait?",
                "feedsync help lists the options"
            ),
            ("reload -x things", "no such option: -x", "feedsync help lists the options"),
            ("reload things -q=1", "-q takes no value", "feedsync help lists the options"),
            ("reload things --wait", "--wait needs a value", "feedsync help lists the options"),
            ("reload things --wait soon", "--wait wants a time such as 30s or 5m, not soon", "feedsync help reload"),
            ("reload things --json=yes", "--json takes no value", "feedsync help lists the options"),
            ("reload things --all", "reload takes no --all", "feedsync help reload"),
            ("more things --pages 0", "--pages wants a whole number from 1, not 0", "feedsync help more"),
            (
                "more things --pages 99999999999999999999",
                "--pages wants a whole number from 1, not 99999999999999999999",
                "feedsync help more"
            ),
            ("more things --all --pages 2", "--pages and --all contradict each other", "feedsync help more"),
            ("reload", "reload needs the name of a feed", "feedsync feeds lists them"),
            ("feeds things", "feeds does not know what to do with things", "feedsync help feeds"),
            ("show thing", "no such feed: thing; did you mean things?", "feedsync status lists them"),
            (
                "presets github.serch", "no such preset: github.serch; did you mean github.search?",
                "feedsync presets lists them"
            ),
            ("help mor", "no such command: mor; did you mean more?", "feedsync help lists the commands"),
        ])
    func diagnostics(words: String, message: String, advice: String) async throws {
        let run = try await Workplace().run(words)
        #expect(run.errors == "feedsync: \(message)\nTry: \(advice)\n")
        #expect(run.output.isEmpty)
        #expect(run.code == 64)
    }

    @Test("feedsync alone shows how it is used, as an error")
    func alone() async throws {
        let run = try await Workplace().run("")
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix("feedsync: no command\n\nUsage: feedsync COMMAND [OPTIONS]\n"))
        #expect(run.code == 64)
    }

    @Test(
        "Help comes on stdout, wherever it is asked for",
        arguments: [
            ("help reload", "Usage: feedsync reload FEED... [OPTIONS]\n"),
            ("reload --help", "Usage: feedsync reload FEED... [OPTIONS]\n"),
            ("-h more", "Usage: feedsync more FEED... [OPTIONS]\n"),
            ("--help", "feedsync mirrors paginated HTTP feeds into SQLite.\n"),
            ("help", "feedsync mirrors paginated HTTP feeds into SQLite.\n"),
        ])
    func help(words: String, start: String) async throws {
        let run = try await Workplace().run(words)
        #expect(run.output.hasPrefix(start))
        #expect(run.errors.isEmpty)
        #expect(run.code == 0)
    }

    @Test(
        "Every command has a help text with an example, no line of it longer than a terminal is wide",
        arguments: [
            "add", "reload", "more", "status", "show", "events", "feeds", "explain", "remove", "presets", "check",
            "demo", "help",
        ])
    func helpTexts(command: String) async throws {
        let text = try await Workplace().run("help \(command)").output
        #expect(text.contains("\nExample:\n  feedsync \(command)"))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 120 })
    }

    @Test("--version names the version")
    func version() async throws {
        let run = try await Workplace().run("--version")
        #expect(run.output == "feedsync 0.1.0\n")
        #expect(run.code == 0)
    }

    @Test("Options end at --, so that a word may begin with a dash")
    func endOfOptions() async throws {
        #expect(try await Workplace().run("reload -- --all").errors.hasPrefix("feedsync: no such feed: --all\n"))
    }
}
