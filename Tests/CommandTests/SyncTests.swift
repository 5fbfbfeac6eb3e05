import Foundation
import HTTPServer
import ScriptedServer
import Testing

@Suite(.timeLimit(.minutes(2))) struct SyncTests {
    private static let page = #"{"total_count":1,"items":[{"id":1,"name":"a"}]}"#

    /// A place whose feeds all have one item.
    private func place(_ feeds: [String] = ["a", "b", "c"], extra: String = "") throws -> Workplace {
        let place = try Workplace(feeds, extra: extra)
        for feed in feeds { place.server.enqueue("/\(feed)", [.json(Self.page)]) }
        return place
    }

    /// An HTTP date some seconds from now.
    private static func httpDate(in seconds: TimeInterval) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: Date(timeIntervalSinceNow: seconds))
    }

    private func requests(_ place: Workplace) -> [String] { place.server.requests.map(\.path) }

    @Test("sync takes all feeds, or the named ones, due or not")
    func all() async throws {
        let place = try place()
        let run = try await place.run("sync")
        #expect(run.code == 0)
        #expect(run.errors.isEmpty)
        #expect(
            run.output.split(separator: "\n").sorted().map { $0.prefix { $0 != ")" } } == [
                "a  1 new (1 page, 1 request, 170 B", "b  1 new (1 page, 1 request, 170 B",
                "c  1 new (1 page, 1 request, 170 B",
            ])
        #expect(try await place.run("sync b b").code == 0)
        #expect(requests(place).sorted() == ["/a", "/b", "/b", "/c"])
        for feed in ["a", "b", "c"] { try place.expectSound(feed) }
    }

    @Test("--due takes feeds that were never synced first, then those that have been due longest, and no others")
    func due() async throws {
        let place = try place(["a", "b", "c", "d"])
        #expect(try await place.run("sync a b d").code == 0)
        for (feed, time) in [("a", "2026-01-02T00:00:00.000Z"), ("b", "2026-01-01T00:00:00.000Z")] {
            _ = try place.query("UPDATE feed SET next_due_at = '\(time)' WHERE name = '\(feed)'")
        }
        let before = place.server.requests.count
        let run = try await place.run("sync --due --jobs 1 --json")
        #expect(run.code == 0)
        #expect(Array(requests(place).dropFirst(before)) == ["/c", "/b", "/a"])
        let again = try await place.run("sync --due")
        #expect(again.code == 0)
        #expect(again.output.isEmpty)
        #expect(again.errors.hasPrefix("feedsync: nothing is due for another "))
        #expect(place.server.requests.count == before + 3)
        let quiet = try await place.run("sync --due --quiet")
        #expect(quiet.output + quiet.errors == "")
    }

    @Test("A sync that is killed in the midst of ten new pages leaves no gap: the next one crawls past what it wrote")
    func classicGap() async throws {
        let place = try Workplace()
        let feed = PagedFeed(PagedFeed.items(1...300))
        place.server.route("/things", to: feed)
        #expect(try await place.run("sync").code == 0)
        feed.edit { $0.insert(contentsOf: PagedFeed.items(1001...2000), at: 0) }
        let gate = place.server.gate()
        // The fifth page is asked for while the fourth is committed, so three are.
        feed.hold(page: 5, at: gate)
        let run = try place.start("sync")
        await gate.arrived()
        // Pages that come close together share a commit.
        let count = { Int(try place.query("SELECT count(*) FROM things")[0]) ?? 0 }
        for _ in 1...1_000 where try count() < 600 { try await Task.sleep(for: .milliseconds(10)) }
        run.send(SIGKILL)
        #expect(await run.end().code == -SIGKILL)
        gate.open()
        let stored = Int(try place.query("SELECT count(*) FROM things")[0]) ?? 0
        #expect((600...700).contains(stored))
        #expect(try place.query("SELECT complete FROM feed") == ["0"])
        #expect(try await place.run("sync").code == 0)
        let order = "SELECT id FROM things ORDER BY _generation DESC, _position"
        #expect(try place.query(order) == (Array(1001...2000) + Array(1...300)).map(String.init))
        #expect(try place.query("SELECT complete FROM feed") == ["1"])
        try place.expectSound()
    }

    @Test(
        "A sync of an unchanged feed writes to no page of the file that holds rows, pages' records or sections",
        arguments: ["new", "all"])
    func unchangedPages(mode: String) async throws {
        let place = try Workplace(extra: "sync: {mode: \(mode)}")
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...250)))
        #expect(try await place.run("sync").code == 0)
        let before = try pages(place)
        #expect(before.count > 3)
        #expect(try await place.run("sync").code == 0)
        #expect(try place.query("SELECT outcome FROM run") == ["ok", "unchanged"])
        #expect(try pages(place) == before)
    }

    /// The file's pages that hold the feed's rows and pages, by number.
    private func pages(_ place: Workplace) throws -> [String: Data] {
        _ = try place.query("PRAGMA wal_checkpoint(TRUNCATE)")
        let file = try Data(contentsOf: URL(fileURLWithPath: place.path("feedsync.db")))
        let size = Int(try place.query("PRAGMA page_size")[0]) ?? 4096
        let numbers = try place.query(
            """
            SELECT pageno FROM dbstat WHERE name IN (
                SELECT name FROM sqlite_schema WHERE tbl_name IN ('things', '_page', '_section', '_quota'))
            """)
        return Dictionary(
            uniqueKeysWithValues: numbers.map { number in
                let start = ((Int(number) ?? 1) - 1) * size
                return (number, file[start..<start + size])
            })
    }

    @Test("A Retry-After of one process is respected by the next one without a request", arguments: [false, true])
    func retryAfter(isDate: Bool) async throws {
        let place = try place(["a"])
        place.server.route("/a") { _ in
            .status(429, headers: [("Retry-After", isDate ? Self.httpDate(in: 7200) : "7200")])
        }
        #expect(try await place.run("sync --due --quiet").code == 75)
        #expect(place.server.requests.count == 1)
        let next = try await place.run("sync --due --quiet")
        #expect(next.code == 0)
        #expect(next.output + next.errors == "")
        #expect(try await place.run("sync a --quiet").code == 75)
        #expect(place.server.requests.count == 1)
        #expect(try await place.run("status").output.contains("\tlimited\t"))
        let plan = try await place.terminal("plan")
        #expect(plan.output.contains("    blocked until  "))
    }

    @Test("A feed that was never requested waits, too, for a host that asked another feed to wait, and says so")
    func blockedBeforeFirstRequest() async throws {
        let place = try Workplace(["a", "b"])
        place.server.route("/a") { _ in .status(429, headers: [("Retry-After", "7200")]) }
        place.server.route("/b", to: PagedFeed(PagedFeed.items(1...3)))
        #expect(try await place.run("sync a --quiet").code == 75)
        let refused = try await place.run("sync b")
        #expect(refused.code == 75 && refused.errors.contains("asked us to wait"), "\(refused.errors)")
        let status = try await place.run("status b").output
        #expect(status.contains("\tlimited\tthe server asked us to wait"), "\(status)")
        let plan = try await place.terminal("plan b")
        #expect(plan.output.contains("    blocked until  "), "\(plan.output)")
        let due = try await place.run("sync --due --quiet")
        #expect(due.code == 0 && due.errors.isEmpty, "\(due.errors)")
        #expect(place.server.requests.count == 1)
        try place.execute("UPDATE _quota SET blocked_until = '2020-01-01T00:00:00.000Z'")
        #expect(try await place.run("sync b").code == 0)
        #expect(try await place.run("status b").output.contains("\tfresh\t"))
        try place.expectSound("b")
    }

    @Test("A failure is one line for a mail, says what to try, and does not stop the other feeds")
    func failure() async throws {
        let place = try place()
        place.server.route("/a") { _ in .json("{}", status: 404) }
        let run = try await place.run("sync --quiet")
        #expect(run.code == 69)
        #expect(run.output.isEmpty)
        #expect(
            run.errors == "feedsync: a: the upstream answered 404 Not Found: \"{}\" "
                + "(\(place.server.url)/a?per_page=100&page=1); try: check the `url`\n")
        #expect(try place.query("SELECT count(*) FROM c") == ["1"])
        let status = try await place.run("status a")
        #expect(status.output.contains("\tfailing\t"))
        // It is still in the plan.
        let plan = try await place.run("plan a --json")
        #expect(plan.output.contains(#""due":false,"#))
        _ = try place.query("UPDATE feed SET next_due_at = NULL")
        #expect(try await place.run("sync --due --quiet").code == 69)
        #expect(try await place.run("status a").output.contains("2 failures in a row, first "))
        #expect(try await place.run("plan a").output.contains("2 failures in a row since "))
    }

    @Test("Each host gets one request at a time, and a feed that waits does not delay other hosts")
    func hosts() async throws {
        let place = try place(["a1", "a2", "a3"])
        let other = try ScriptedServer()
        defer { other.stop() }
        let gate = place.server.gate()
        place.server.route("/a1") { _ in
            gate.wait()
            return .json(Self.page)
        }
        for feed in ["b1", "b2"] { other.enqueue("/\(feed)", [.json(Self.page)]) }
        let last = other.gate()
        other.route("/b3") { _ in
            last.wait()
            return .json(Self.page)
        }
        let own = try place.text(of: "feedsync.yaml")
        let others = ["b1", "b2", "b3"].map { Workplace.feed($0, at: "\(other.url)/\($0)") }.joined()
        try place.write("feedsync.yaml", own + others)

        let run = try place.start("sync --jobs 2")
        await gate.arrived()
        // All of the other host's requests are served while this one waits.
        await last.arrived()
        #expect(other.requests.map(\.path) == ["/b1", "/b2", "/b3"])
        #expect(requests(place) == ["/a1"])
        last.open()
        gate.open()
        let end = await run.end()
        #expect(end.code == 0)
        #expect(end.output.split(separator: "\n").count == 6)
        #expect(requests(place).sorted() == ["/a1", "/a2", "/a3"])
    }

    @Test("With a place for each feed, a host still gets one request at a time")
    func oneAtATime() async throws {
        let place = try place(["a1", "a2"])
        let gate = place.server.gate()
        for feed in ["a1", "a2"] {
            place.server.route("/\(feed)") { _ in
                gate.wait()
                return .json(Self.page)
            }
        }
        let other = try ScriptedServer()
        defer { other.stop() }
        let reached = other.gate()
        other.route("/b") { _ in
            reached.wait()
            return .json(Self.page)
        }
        try place.write(
            "feedsync.yaml", try place.text(of: "feedsync.yaml") + Workplace.feed("b", at: "\(other.url)/b"))
        let run = try place.start("sync --jobs 8")
        await gate.arrived()
        await reached.arrived()
        #expect(place.server.requests.count == 1)
        reached.open()
        gate.open()
        #expect(await run.end().code == 0)
        #expect(place.server.requests.count == 2)
    }

    @Test("--max-requests is not a failure, says what is left, and the next run continues")
    func maxRequests() async throws {
        let place = try place()
        let first = try await place.run("sync --due --jobs 1 --max-requests 2")
        #expect(first.code == 0)
        #expect(first.output.split(separator: "\n").count == 2)
        #expect(
            first.errors == "feedsync: note: --max-requests 2: 1 of 3 feeds not finished; the next sync continues\n")
        let second = try await place.run("sync --due --jobs 1 --max-requests 2 --quiet")
        #expect(second.output + second.errors == "")
        #expect(requests(place) == ["/a", "/b", "/c"])
    }

    @Test("A feed that --max-requests cuts off keeps its pages, and stays due")
    func cutOff() async throws {
        let place = try Workplace()
        let feed = PagedFeed(PagedFeed.items(1...450))
        place.server.route("/things", to: feed)
        let run = try await place.run("sync --max-requests 3")
        #expect(run.code == 0)
        #expect(run.output == "things  300 of about 450 items; stopped at --max-requests 3, continues at page 4\n")
        #expect(
            run.errors == "feedsync: note: --max-requests 3: 1 of 1 feed not finished; the next sync continues\n")
        let status = try await place.run("status")
        #expect(status.output.contains("loading"))
        #expect(try await place.run("status --fail").code == 1)
        #expect(status.output.contains("300 of about 450 items, continues at page 4"))
        #expect(feed.requestedPages == [1, 2, 3])
        #expect(try place.query("SELECT count(*) FROM things") == ["300"])
        #expect(try await place.run("sync").code == 0)
        #expect(try await place.run("status --fail").code == 0)
        try place.expectSound()
    }

    @Test("Runs that get no further are reported after three of them, with --quiet too")
    func stuck() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...450)))
        var codes: [Int32] = []
        var errors = ""
        for _ in 0..<4 {
            let run = try await place.run("sync --max-requests 1 --quiet")
            codes.append(run.code)
            errors += run.errors
        }
        #expect(codes == [0, 0, 0, 75])
        #expect(
            errors == "feedsync: things: 3 runs in a row were cut off before they got any further; "
                + "try: give it more requests or time\n")
        // Two requests more are enough to get further.
        #expect(try await place.run("sync --max-requests 3 --quiet").code == 0)
    }

    @Test("If the time is over before anything could be done, the exit code is 75")
    func maxTime() async throws {
        let place = try place()
        let run = try await place.run("sync --max-time 0s")
        #expect(run.code == 75)
        #expect(run.errors == "feedsync: note: --max-time 0s: 3 of 3 feeds not finished; the next sync continues\n")
        #expect(place.server.requests.isEmpty)
    }

    @Test("A wait does not outlast --max-time")
    func maxTimeWhileWaiting() async throws {
        let place = try Workplace(["a"])
        let text = try place.text(of: "feedsync.yaml").replacing("retries: 0", with: "retries: 5")
        try place.write("feedsync.yaml", text)
        place.server.route("/a") { _ in .status(503, headers: [("Retry-After", "86000")]) }
        let run = try await place.run("sync --max-time 100ms --max-wait 1d")
        #expect(run.code == 75)
        #expect(run.errors.contains("--max-time 100ms: 1 of 1 feed not finished"))
        try place.expectSound("a")
    }

    @Test(
        "Options that make no sense are exit 64",
        arguments: ["sync --jobs 0", "sync --max-requests none", "sync --max-time soon", "sync nobody", "plan nobody"])
    func usage(_ words: String) async throws {
        #expect(try await place().run(words).code == 64)
    }

    @Test(
        "Options take a time without a unit for seconds",
        arguments: ["sync --max-time 60 --wait 5 --max-wait 30", "show things --since 90"])
    func seconds(words: String) async throws {
        let place = try place(["things"])
        #expect(try await place.run("sync").code == 0)
        let run = try await place.run(words)
        #expect(run.code == 0, "\(run.errors)")
        #expect(!run.output.isEmpty)
    }

    @Test("plan shows when each feed is due and why, for people and programs")
    func plan() async throws {
        let place = try place(["a", "b"], extra: "every: 2h")
        #expect(try await place.run("sync a").code == 0)
        let run = try await place.terminal("plan")
        let lines = run.output.split(separator: "\n")
        #expect(lines.first?.hasPrefix("a  fresh, due in ") == true)
        #expect(lines.dropFirst().first?.split(separator: " ") == ["every", "2h", "the", "definition's", "`every`"])
        #expect(lines.suffix(2) == ["b  new, due now", "    never  the feed was never synced"])
        let due = try place.query("SELECT next_due_at FROM feed WHERE name = 'a'")
        let json = try await place.run("plan --json")
        #expect(json.output.contains(#","next_due_at":"\#(due[0])","due":false,"terms":[{"term":"every","#))
        #expect(
            json.output.contains(
                #"{"feed":"b","state":"new","why":null,"next_due_at":null,"due":true,"terms":[{"term":"never","value":null,"#
            ))
    }
}
