import Foundation
import HTTPServer
import ScriptedServer
import Testing

@Suite struct OutputTests {
    /// A folder where `things` has two sections and one command failed.
    private func place() async throws -> Workplace {
        let place = try Workplace(["things", "idle"], extra: "section: kind")
        place.server.enqueue(
            "/things",
            [
                .json(
                    """
                    {"total_count":4,"items":[{"id":1,"name":"東京","kind":"Städte"},{"id":22,"name":"👩‍💻","kind":"Zeichen"},
                    {"id":333,"name":null,"kind":"Städte"}]}
                    """), .status(404),
            ])
        #expect(try await place.run("reload things").code == 0)
        #expect(try await place.run("more things").code == 69)
        return place
    }

    @Test("--json is one valid document, with the tables' names")
    func json() async throws {
        let place = try await place()
        #expect(
            try array(await place.run("show things --json").output).compactMap { $0["id"] as? Int } == [1, 333, 22])
        let status = try array(await place.run("status --json").output)
        #expect(status.compactMap { $0["name"] as? String } == ["things", "idle"])
        #expect(status.compactMap { $0["item_count"] as? Int } == [3, 0])
        #expect(Set(status[0].keys) == Set(status[1].keys))
        #expect((status[0]["error"] as? [String: Any])?["http_status"] as? Int == 404)
        let run = try array(await place.run("more things idle --json").output)
        #expect(run.compactMap { $0["feed"] as? String } == ["things", "idle"])
        #expect(run.compactMap { $0["outcome"] as? String } == ["failed", "failed"])
        #expect(run.compactMap { $0["id"] as? Int } == [3, 4])
        #expect(run.compactMap { $0["requests"] as? Int } == [1, 1])
        #expect(try array(await place.run("check --json").output).count == 2)
        #expect(try array(await place.run("presets --json").output).count == 34)
        #expect(try array(await place.run("feeds --json").output).count == 2)
    }

    @Test("events --json prints the lines of the contract, --last the newest, and people get aligned ones")
    func events() async throws {
        let place = try await place()
        let lines = try await place.run("events --json").output.split(separator: "\n").map { try object(String($0)) }
        #expect(lines.compactMap { $0["status"] as? String } == (try place.log()))
        #expect(
            Set(lines[1].keys) == [
                "id", "at", "feed", "run", "status", "page", "inserted", "updated", "unchanged", "removed", "error",
                "version",
            ])
        let people = try await place.terminal("events things --last 3").output.split(separator: "\n").map {
            $0.dropFirst(19)
        }
        #expect(
            people == [
                "  things  endHeader    page 1    3 new", "  things  beginFooter  page 2",
                "  things  endFooter    page 2    the upstream answered 404 Not Found",
            ])
        #expect(try await place.run("events idle").output.isEmpty)
    }

    @Test("events --follow prints events as they come, from a store that does not exist yet, until nobody reads")
    func follow() async throws {
        let place = try Workplace()
        place.server.enqueue("/things", [.json(#"{"total_count":1,"items":[{"id":1}]}"#)])
        async let followed = place.shell("$FEEDSYNC events --follow --json | head -n 4")
        #expect(try await place.run("reload things").code == 0)
        #expect(try await place.run("reload things").code == 0)
        let run = try await followed
        #expect(
            try place.log() == ["beginHeader", "endHeader", "noMoreData", "beginHeader", "endHeader", "noMoreData"])
        #expect(
            try run.output.split(separator: "\n").compactMap { try object(String($0))["status"] as? String }
                == ["beginHeader", "endHeader", "noMoreData", "beginHeader"])
        #expect(run.errors.isEmpty)
        #expect(run.code == 0)
    }

    @Test("status lists every feed, loaded or not")
    func status() async throws {
        let lines = try await place().terminal("status").output.split(separator: "\n")
        #expect(lines.count == 3)
        // The width of the column of times depends on the duration of the test.
        #expect(lines[0].hasPrefix("FEED    STATE    ITEMS  NEXT PAGE  LOADED  "))
        #expect(lines[1].hasPrefix("things  failing      3  2          "))
        #expect(lines[1].hasSuffix("  the upstream answered 404 Not Found"))
        #expect(lines[2].hasPrefix("idle    new          0             never  "))
        #expect(lines[2].hasSuffix("  now"))
    }

    @Test("status lists a feed once, however often it is named")
    func twice() async throws {
        #expect(try await place().run("status idle idle").output.split(separator: "\n").count == 2)
    }

    @Test("On a narrow terminal no line is too long, and the columns left out are named")
    func narrowTerminal() async throws {
        let place = try await place()
        func narrow(_ words: String) async throws -> [Substring] {
            try await place.shell(
                #"script -qec "stty cols 40; $FEEDSYNC \#(words)" /dev/null"#,
                environment: ["NO_COLOR": "1", "PAGER": "cat"]
            ).output.split(separator: "\r\n")
        }
        let status = try await narrow("status")
        #expect(status.dropLast().allSatisfy { $0.count <= 40 })
        #expect(status.first == "using feedsync.yaml, store feedsync.db")
        #expect(status.dropFirst().first == "FEED    STATE    ITEMS  NEXT PAGE")
        #expect(
            status.last
                == "feedsync: note: columns not shown: LOADED, DUE, WHY; --json prints all")
        let link = "https://example.com/1"
        place.server.enqueue("/idle", [.json(#"{"items":[{"id":1,"name":"\#(link)"}]}"#)])
        #expect(try await place.run("reload idle").code == 0)
        #expect(
            try await narrow("show idle") == ["id  name", " 1  https://example.com/1"])
    }

    @Test("A failure after some pages says what they brought")
    func partial() async throws {
        let place = try Workplace()
        let feed = PagedFeed(PagedFeed.items(1...350))
        feed.fail(page: 3, with: .status(404))
        place.server.route("/things", to: feed)
        let run = try await place.run("more things --all")
        #expect(
            run.errors.hasPrefix("feedsync: things: note: 200 new before it failed\nfeedsync: things: the upstream"))
        #expect(run.code == 69)
    }

    @Test("Nothing that was typed or read from a file controls the terminal")
    func controlCharacters() async throws {
        let place = try Workplace()
        let run = try await place.run("reload a\u{1B}[31mb\u{202E}c\u{9B}d\u{7F}e\nf")
        #expect(run.errors.hasPrefix("feedsync: no such feed: a [31mbc d e f\n"))
        place.server.enqueue("/things", [.json(#"{"items":[{"id":1,"name":"a\u009b\u202e\u2028b"}]}"#)])
        #expect(try await place.run("reload things").code == 0)
        #expect(try await place.run("show things --json").output.contains(#""name":"a\u009b\u202e\u2028b""#))
    }

    @Test("--quiet prints only failures")
    func quiet() async throws {
        let place = try Workplace()
        place.server.enqueue("/things", [.json(#"{"items":[{"id":1}]}"#), .status(404)])
        let good = try await place.run("reload things --quiet")
        #expect(good.output + good.errors == "")
        let bad = try await place.run("reload things -q")
        #expect(bad.output.isEmpty)
        #expect(bad.errors.hasPrefix("feedsync: things: the upstream answered 404"))
    }

    @Test("A terminal gets colour unless it is turned off; a pipe never does")
    func colour() async throws {
        let place = try await place()
        let onTerminal = #"script -qec "$FEEDSYNC status" /dev/null"#
        #expect(try await place.shell(onTerminal).output.contains("\u{1B}[1mthings\u{1B}[0m"))
        #expect(try await !place.shell(onTerminal, environment: ["NO_COLOR": "1"]).output.contains("\u{1B}"))
        #expect(try await !place.shell(onTerminal, environment: ["TERM": "dumb"]).output.contains("\u{1B}"))
        #expect(try await !place.shell("$FEEDSYNC status 2>&1; $FEEDSYNC relod 2>&1").output.contains("\u{1B}"))
    }

    @Test("A terminal shows the progress of a run, on a line that is gone when the result comes")
    func progress() async throws {
        let place = try Workplace(["things", "go"])
        let feed = PagedFeed(PagedFeed.items(1...1))
        let gate = place.server.gate()
        feed.hold(page: 1, at: gate)
        place.server.route("/things", to: feed)
        place.server.route("/go") { _ in
            gate.open()
            return .json(#"{"items":[]}"#)
        }
        let line = "\r\u{1B}[K\u{1B}[1mthings\u{1B}[0m  \u{1B}[2mpage 1  0 items\u{1B}[0m"
        // The page is held back until the line has been read.
        let run = try await place.shell(
            """
            script -qec "$FEEDSYNC reload things" /dev/null |
                { head -c \(line.utf8.count); $FEEDSYNC reload go >/dev/null; cat; }
            """)
        #expect(run.output.hasPrefix(line + "\r\u{1B}[K"))
        #expect(run.output.contains("\r\u{1B}[K\u{1B}[1mthings\u{1B}[0m  \u{1B}[32m1 new\u{1B}[0m"))
        #expect(run.code == 0)
    }

    @Test(
        "Times are local on a terminal, and UTC for programs",
        arguments: ["events", "changes", "changes --schema", "plan"])
    func localTimes(command: String) async throws {
        let place = try Workplace(extra: "every: 400d")
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...1)))
        #expect(try await place.run("sync").code == 0)
        try place.execute(
            """
            UPDATE event SET at = '2999-01-02T23:30:00.000Z';
            UPDATE things SET _first_seen_at = '2999-01-02T23:30:00.000Z';
            UPDATE _feed SET planned_due_at = '2999-01-02T23:30:00.000Z';
            UPDATE feed SET next_due_at = '2999-01-02T23:30:00.000Z';
            INSERT INTO _column_change (at, feed, run, kind, "column")
                VALUES ('2999-01-02T23:30:00.000Z', 'things', 1, 'new', 'x');
            """)
        let run = try await place.shell(
            #"script -qec "$FEEDSYNC \#(command)" /dev/null"#,
            environment: ["NO_COLOR": "1", "PAGER": "cat", "TZ": "Asia/Tokyo"])
        let program = try await place.run("\(command) --json")
        #expect(!run.output.contains("Z  "), "\(run.output)")
        if command == "plan" {
            #expect(run.output.contains(", at 20") && !run.output.contains("ms"), "\(run.output)")
        } else {
            #expect(run.output.contains("2999-01-03 08:30:00  things"), "\(run.output)")
            #expect(program.output.contains("\"at\":\"2999-01-02T23:30:00.000Z\""), "\(program.output)")
        }
    }

    @Test("The progress of a run has the total that the server reports")
    func progressOfTotal() async throws {
        let place = try Workplace(["things", "go"])
        let feed = PagedFeed(PagedFeed.items(1...250))
        let gate = place.server.gate()
        feed.hold(page: 2, at: gate)
        place.server.route("/things", to: feed)
        place.server.route("/go") { _ in
            gate.open()
            return .json(#"{"items":[]}"#)
        }
        let run = try await place.shell(
            """
            script -qec "$FEEDSYNC more things --all" /dev/null |
                { while IFS= read -r -d 's' part; do
                    printf '%ss' "$part"; case $part in *'100 of 250 item') break;; esac
                done; $FEEDSYNC reload go >/dev/null; cat; }
            """, environment: ["NO_COLOR": "1"])
        #expect(run.output.contains("  100 of 250 items, "), "\(run.output)")
        #expect(run.code == 0)
    }

    @Test("A reader that is gone is not an error; a full disk is")
    func lostOutput() async throws {
        let place = try await place()
        // The reader is gone before anything is written.
        let cut = try await place.shell(
            "{ trap '' PIPE; while printf x 2> /dev/null; do sleep 0.01; done; $FEEDSYNC events --json; } | true")
        #expect(cut.errors.isEmpty)
        #expect(cut.code == 0)
        let full = try await place.shell("$FEEDSYNC feeds > /dev/full")
        #expect(full.errors == "feedsync: cannot write to stdout: No space left on device\n")
        #expect(full.code == 74)
        #expect(try await place.shell("$FEEDSYNC reload idle >&-").code == 69)
        #expect(try await place.shell("$FEEDSYNC feeds >&-").code == 74)
        try place.expectSound()
    }

    private func object(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    private func array(_ text: String) throws -> [[String: Any]] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
    }
}
