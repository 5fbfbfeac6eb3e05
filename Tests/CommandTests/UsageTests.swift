import Testing

@Suite struct UsageTests {
    @Test(
        "A wrong command line says what is wrong, and what was probably meant",
        arguments: [
            ("relod things", "no such command: relod; did you mean reload?", "feedsync help  # lists the commands"),
            ("frobnicate", "no such command: frobnicate", "feedsync help  # lists the commands"),
            (
                "reload thigns", "no such feed: thigns; did you mean things?",
                "feedsync feeds  # lists those of feedsync.yaml"
            ),
            (
                "reload things --wiat 3s", "no such option: --wiat; did you mean --wait?",
                "feedsync help reload"
            ),
            ("--wiat 3s reload things", "no such option: --wiat; did you mean --wait?", "feedsync help reload"),
            ("--quite", "no such option: --quite; did you mean --quiet?", "feedsync help"),
            ("more things --sction a", "no such option: --sction", "feedsync help more"),
            ("reload -x things", "no such option: -x", "feedsync help reload"),
            ("reload things -q=1", "-q takes no value", "feedsync help reload"),
            ("reload things --wait", "--wait needs a value", "feedsync help reload"),
            ("reload things --wait soon", "--wait must be a time such as 30s or 5m, not soon", "feedsync help reload"),
            ("reload things --json=yes", "--json takes no value", "feedsync help reload"),
            ("reload things --all", "reload has no option --all", "feedsync help reload"),
            ("more things --pages 0", "--pages must be a whole number, 1 or more, not 0", "feedsync help more"),
            (
                "more things --pages 99999999999999999999",
                "--pages is too large: 99999999999999999999",
                "feedsync help more"
            ),
            ("more things --all --pages 2", "--pages and --all cannot be used together", "feedsync help more"),
            ("reload", "reload needs the name of a feed", "feedsync feeds  # lists them"),
            ("feeds things", "unexpected argument: things", "feedsync help feeds"),
            ("show thing", "no such feed: thing; did you mean things?", "feedsync status  # lists them"),
            (
                "presets github.serch", "no such preset: github.serch; did you mean github.search?",
                "feedsync presets  # lists them"
            ),
            ("help mor", "no such command: mor; did you mean more?", "feedsync help  # lists the commands"),
            ("ls", "no such command: ls; did you mean feeds?", "feedsync help feeds"),
            ("list", "no such command: list; did you mean feeds?", "feedsync help feeds"),
            ("pull", "no such command: pull; did you mean sync?", "feedsync help sync"),
            ("fetch things", "no such command: fetch; did you mean sync?", "feedsync help sync"),
            ("help update", "no such command: update; did you mean sync?", "feedsync help sync"),
            ("init", "no such command: init; did you mean add?", "feedsync help add"),
            ("version", "no such command: version", "feedsync --version"),
        ])
    func diagnostics(words: String, message: String, advice: String) async throws {
        let run = try await Workplace().run(words)
        #expect(run.errors == "feedsync: \(message)\nTry: \(advice)\n")
        #expect(run.output.isEmpty)
        #expect(run.code == 64)
    }

    @Test(
        "An empty word for an argument that a command needs is a missing one",
        arguments: [
            ("backup ''", "backup needs the name of the file to write", "feedsync help backup"),
            ("rename things ''", "rename needs the name of a feed, and a new one", "feedsync feeds  # lists them"),
            ("sql ''", "sql needs a query, in quotes", "feedsync help sql"),
            ("search ''", "search needs the words to search for", "feedsync help search"),
            (
                "store copy feedsync.db ''", "store needs `copy`, a store, and where to copy it",
                "feedsync help store"
            ),
        ])
    func emptyWords(words: String, message: String, advice: String) async throws {
        let place = try Workplace()
        let run = try await place.shell("$FEEDSYNC \(words)")
        #expect(run.errors == "feedsync: \(message)\nTry: \(advice)\n")
        #expect(run.code == 64 && run.output.isEmpty)
        #expect(place.files == ["feedsync.yaml"])
    }

    @Test("feedsync without a command shows its usage, as an error")
    func alone() async throws {
        let run = try await Workplace().run("")
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix("feedsync: no command\n\nUsage: feedsync COMMAND [OPTIONS]\n"))
        #expect(run.code == 64)
    }

    @Test(
        "Help is printed on stdout, however it is asked for",
        arguments: [
            ("help reload", "Usage: feedsync reload FEED... [OPTIONS]\n"),
            ("reload --help", "Usage: feedsync reload FEED... [OPTIONS]\n"),
            ("-h more", "Usage: feedsync more FEED... [OPTIONS]\n"),
            ("--help", "feedsync mirrors paginated HTTP feeds into SQLite or PostgreSQL.\n"),
            ("help", "feedsync mirrors paginated HTTP feeds into SQLite or PostgreSQL.\n"),
        ])
    func help(words: String, start: String) async throws {
        let run = try await Workplace().run(words)
        #expect(run.output.hasPrefix(start))
        #expect(run.errors.isEmpty)
        #expect(run.code == 0)
    }

    @Test(
        "Every command has a help text with an example, and its lines fit the terminal",
        arguments: [
            "add", "reload", "more", "sync", "plan", "status", "show", "sql", "changes", "events", "feeds", "path",
            "explain",
            "remove", "rename", "reset", "prune", "backup",
            "presets",
            "check", "completion", "demo", "help",
        ])
    func helpTexts(command: String) async throws {
        let place = try Workplace()
        let text = try await place.run("help \(command)").output
        #expect(text.contains("\nExample:\n  feedsync \(command)"))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
        for columns in [40, 60, 200] {
            let text = try await place.run("help \(command)", environment: ["COLUMNS": "\(columns)"]).output
            // Lines that are copied into a shell are not wrapped.
            let lines = text.split(separator: "\n").filter { !$0.contains("feedsync \(command)") }
            #expect(lines.allSatisfy { $0.count <= min(columns, 80) }, "\(columns) columns")
        }
    }

    @Test("The overview and the list of words fit the terminal", arguments: ["help", "help words", ""])
    func overview(words: String) async throws {
        let place = try Workplace()
        for columns in [40, 60, 80, 200] {
            let run = try await place.run(words, environment: ["COLUMNS": "\(columns)"])
            let lines = (run.output + run.errors).split(separator: "\n")
            #expect(lines.count > 10)
            #expect(lines.allSatisfy { $0.count <= min(columns, 80) }, "\(columns) columns")
        }
    }

    @Test(
        "The help of commands that use special words says where they are explained",
        arguments: ["status", "events", "explain"])
    func words(command: String) async throws {
        let place = try Workplace()
        let words = try await place.run("help words").output
        #expect(try await place.run("help \(command)").output.contains("`feedsync help words`"))
        for word in ["page cursor", "crawl", "synced range", "generation", "lock", "full crawl"] {
            #expect(words.contains("\n  \(word)  "))
        }
    }

    @Test("--version names the version")
    func version() async throws {
        let run = try await Workplace().run("--version")
        // Scripts/test-release knows which.
        #expect(run.output.wholeMatch(of: /feedsync \d+\.\d+\.\d+\n/) != nil)
        #expect(run.code == 0)
    }

    @Test("Options end at --, so that an operand may start with a dash")
    func endOfOptions() async throws {
        #expect(try await Workplace().run("reload -- --all").errors.hasPrefix("feedsync: no such feed: --all\n"))
    }
}
