import Foundation
import Testing

@Suite struct AddPresetTests {
    @Test("Without a configuration, add creates one, and says what to do next")
    func first() async throws {
        let place = try Workplace.empty()
        let run = try await place.run("add swift-repos github.search q=language:swift per_page=50")
        #expect(
            run.output == """
                created feedsync.yaml and added swift-repos: GitHub repositories that match a search, with their statistics
                Next: feedsync sync swift-repos

                """)
        #expect(run.errors.isEmpty)
        #expect(run.code == 0)
        #expect(
            try place.text(of: "feedsync.yaml") == """
                feeds:
                  swift-repos:
                    preset: github.search
                    query: {q: language:swift, per_page: 50}

                """)
        #expect(place.files == ["feedsync.yaml"])
        #expect(try await place.run("check").code == 0)
    }

    @Test("A parameter of the preset goes to `with`, others to the query, several of one name to a list")
    func parameters() async throws {
        let place = try Workplace.empty()
        #expect(try await place.run("add r github.repo owner=apple repo=swift ?a=1 ?a=x").code == 0)
        #expect(
            try place.text(of: "feedsync.yaml") == """
                feeds:
                  r:
                    preset: github.repo
                    with: {owner: apple, repo: swift}
                    query: {a: [1, x]}

                """)
    }

    @Test("A parameter that the preset does not have is an error with a hint")
    func unknownParameter() async throws {
        let place = try Workplace.empty()
        let slip = try await place.run("add r github.repo owner=apple repoo=swift")
        #expect(slip.code == 64)
        #expect(
            slip.errors == """
                feedsync: github.repo has no parameter repoo; did you mean repo?
                Try: its parameters are owner, repo; write '?repoo=…' to add another query parameter

                """)
        #expect(place.files.isEmpty)
    }

    @Test("--dry-run prints lines to paste below `feeds:`, and touches nothing")
    func dryRun() async throws {
        let place = try Workplace.empty()
        let run = try await place.shell(
            #"$FEEDSYNC add a github.search 'q=${Q}' --header 'X-Odd: on' --dry-run"#)
        #expect(
            run.output == """
                  a:
                    preset: github.search
                    query: {q: "${Q}"}
                    headers: {X-Odd: "on"}

                """)
        #expect(run.errors.isEmpty)
        #expect(run.code == 0)
        #expect(place.files.isEmpty)
        try place.write("feedsync.yaml", "feeds:\n\(run.output)")
        #expect(try await place.run("check", environment: ["Q": "x"]).code == 0)
    }

    @Test("--json is one document, without literal credentials")
    func json() async throws {
        let place = try Workplace.empty()
        let run = try await place.shell(
            "$FEEDSYNC add a github.search q=x --header 'Authorization: Bearer s3cr3t' --header 'Accept: a/b' --json")
        #expect(
            run.output == #"""
                [
                {"feed":"a","definition":{"preset":"github.search","query":{"q":"x"},\#
                "headers":{"Authorization":"***","Accept":"a/b"}},"findings":[],"file":"feedsync.yaml","version":1}
                ]

                """#)
        #expect(try place.text(of: "feedsync.yaml").contains("Bearer s3cr3t"))
    }

    @Test(
        "A feed that cannot be added is reported, and the file stays as it is",
        arguments: [
            (
                "add", 64,
                "add needs the name of the new feed, and a URL or the name of a preset\nTry: feedsync help add\n"
            ),
            (
                "add things github.search", 64,
                """
                feed things already exists (feedsync.yaml:2:3)
                Try: choose another name, or remove the old feed with feedsync remove things

                """
            ),
            (
                "add THINGS github.search", 64,
                """
                the feed name `THINGS` is taken by the feed `things` (`-` counts as `_`, and capitals as small letters)
                Try: feedsync help add

                """
            ),
            (
                "add run github.search", 64,
                """
                the feed name `run` is taken by the store's table `run` (`-` counts as `_`, and capitals as small letters)
                Try: feedsync help add

                """
            ),
            (
                "add 1x github.search", 64,
                """
                the feed name `1x` is not a letter followed by at most 62 letters, digits, `_` or `-`
                Try: feedsync help add

                """
            ),
            (
                "add a github.serch", 64,
                """
                github.serch is neither a URL nor the name of a preset; did you mean github.search?
                Try: feedsync presets  # lists them; a URL begins with https://

                """
            ),
            (
                "add a github.search size", 64,
                "unexpected argument: size\nTry: write parameters as name=value, for example size=100\n"
            ),
            (
                "add a github.search --header secret", 64,
                "--header must have the form 'Name: value'\nTry: for example --header 'Accept: application/json'\n"
            ),
            (
                "add a github.search q=${", 64,
                "in `q` of `query` of feed `a`: `${` is not closed; a literal `${` is written `$${`\nTry: feedsync help add\n"
            ),
            (
                "add a ftp://a.b/c", 64,
                "`url` of feed `a` must begin with `https://` or `http://`\nTry: feedsync help add\n"
            ),
            ("add a github.search --pages 2", 64, "add has no option --pages\nTry: feedsync help add\n"),
        ] as [(String, Int32, String)])
    func refusals(words: String, code: Int32, message: String) async throws {
        let place = try Workplace()
        try await place.expectRefusal(words, code: code, message: message)
        #expect(place.files == ["feedsync.yaml"])
    }

    @Test("A preset with parameters shows the whole line")
    func missingParameters() async throws {
        let run = try await Workplace.empty().run("add r github.repo")
        #expect(run.errors.hasSuffix("Try: feedsync add NAME github.repo owner=… repo=…\n"))
        #expect(run.code == 64)
    }

    @Test("If the editor finds no place, the lines to add are printed")
    func byHand() async throws {
        let place = try Workplace.empty()
        try place.write("feedsync.yaml", "store: x.db\nfeeds: &none\n")
        let run = try await place.run("add a github.search")
        #expect(
            run.errors == """
                feedsync: feedsync.yaml:2:1: the feed cannot be added without changing other lines; add it by hand

                feeds:
                  a:
                    preset: github.search

                Try: add these lines to feedsync.yaml yourself

                """)
        #expect(run.code == 78)
    }

    @Test("Lines that are only to be printed need no place in the file")
    func dryByHand() async throws {
        let place = try Workplace.empty()
        try place.write("feedsync.yaml", "feeds: &none\n")
        let run = try await place.run("add a github.search --dry-run")
        #expect(run.output == "  a:\n    preset: github.search\n")
        #expect(run.code == 0)
    }

    @Test("Feeds that are added at once are all there in the end")
    func atOnce() async throws {
        let place = try Workplace.empty()
        let names = (1...8).map { "f\($0)" }
        try await withThrowingTaskGroup(of: Int32.self) { group in
            for name in names { group.addTask { try await place.run("add \(name) github.search").code } }
            for try await code in group { #expect(code == 0) }
        }
        let run = try await place.run("feeds --json")
        #expect(names.allSatisfy { run.output.contains(#""name":"\#($0)""#) })
        #expect(place.files == ["feedsync.yaml"])
    }

    @Test("The file keeps its permissions, and a symbolic link to it stays one")
    func permissions() async throws {
        let place = try Workplace.empty()
        try place.write("real.yaml", "feeds:\n")
        let run = try await place.shell(
            "chmod 640 real.yaml; ln -s real.yaml link.yaml; $FEEDSYNC add a github.search --config link.yaml -q; "
                + "stat -c %a real.yaml; readlink link.yaml; cat link.yaml")
        #expect(run.output == "640\nreal.yaml\nfeeds:\n  a:\n    preset: github.search\n")
        #expect(place.files == ["link.yaml", "real.yaml"])
    }

    @Test("A file that cannot be written is reported, and stays as it is")
    func unwritable() async throws {
        let place = try Workplace.empty()
        let absent = try await place.run("add a github.search --config nowhere/feedsync.yaml")
        #expect(
            absent.errors == """
                feedsync: nowhere/feedsync.yaml cannot be written: the folder nowhere does not exist
                Try: mkdir -p nowhere

                """)
        #expect(absent.code == 73)
        let dangling = try await place.shell("ln -s nowhere.yaml l.yaml; $FEEDSYNC add a github.search --config l.yaml")
        #expect(dangling.errors == "feedsync: l.yaml is a symbolic link to a missing file\n")
        #expect(dangling.code == 73)
        place.remove("l.yaml")
        try place.write("feedsync.yaml", "feeds:\n")
        let full = try await place.shell("ulimit -f 0; trap '' XFSZ; $FEEDSYNC add a github.search")
        #expect(full.errors.hasPrefix("feedsync: feedsync.yaml cannot be written: File too large\n"))
        #expect(full.code == 73)
        #expect(try place.text(of: "feedsync.yaml") == "feeds:\n")
        #expect(place.files == ["feedsync.yaml"])
    }
}
