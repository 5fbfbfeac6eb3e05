import Foundation
import HTTPServer
import ScriptedServer
import Testing

@Suite("The state that status and plan tell", .timeLimit(.minutes(2)))
struct StateTests {
    /// The output of `status --json` for a feed.
    private func state(_ place: Workplace, of feed: String = "things", environment: [String: String] = [:]) async throws
        -> [String: String]
    {
        let run = try await place.run("status \(feed) --json", environment: environment)
        let list = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String: Any]]
        return (list?.first ?? [:]).compactMapValues { $0 as? String }
    }

    @Test("While a process works on a feed it is running: its pid, the page, and about how many there are")
    func running() async throws {
        let place = try Workplace(extra: "timeout: 10m")
        let feed = PagedFeed(PagedFeed.items(1...3950))
        let gate = place.server.gate()
        feed.hold(page: 7, at: gate)
        place.server.route("/things", to: feed)
        let sync = try place.start("sync")
        await gate.arrived()
        // The pages before it share a commit that may still be to come.
        try await until { try place.query("SELECT max(page) FROM event") == ["7"] }
        let expected = "pid \(sync.id), page 7 of about 40"
        let state = try await state(place)
        #expect(state["state"] == "running")
        #expect(state["why"] == expected)
        let plan = try await place.terminal("plan")
        #expect(plan.output.hasPrefix("things  running, due now\n"))
        #expect(try await place.run("plan --json").output.contains(#""state":"running","why":"\#(expected)""#))
        // It is new but for the run.
        #expect(try await place.run("status --fail").code == 1)
        gate.open()
        #expect(await sync.end().output.hasSuffix("; 3,950 items, fresh\n"))
        #expect(try await self.state(place)["state"] == "fresh")
    }

    @Test("A feed that is fresh but for the run under way is well")
    func runningWell() async throws {
        let place = try Workplace(extra: "timeout: 10m")
        let feed = PagedFeed(PagedFeed.items(1...250))
        let gate = place.server.gate()
        place.server.route("/things", to: feed)
        #expect(try await place.run("sync").code == 0)
        feed.hold(page: 1, at: gate)
        let sync = try place.start("sync")
        await gate.arrived()
        #expect(try await state(place)["why"] == "pid \(sync.id), page 1")
        #expect(try await place.run("status --fail").code == 0)
        gate.open()
        _ = await sync.end()
    }

    @Test("The cause of a failure survives runs that were stopped or killed, of sync and of more", arguments: [2, 9])
    func cause(signal: Int32) async throws {
        let place = try Workplace(extra: "timeout: 10m\n    sync: {mode: all}")
        let feed = PagedFeed(PagedFeed.items(1...350))
        place.server.route("/things", to: feed)
        for command in ["sync things", "more things --all"] {
            feed.fail(page: 2, with: .status(403))
            #expect(try await place.run(command).code == 77)
            let cause = "the upstream answered 403 Forbidden"
            let failing = try await state(place)
            #expect(failing["state"] == "failing")
            #expect(failing["why"]?.contains(cause) == true, "\(failing)")
            let gate = place.server.gate()
            feed.hold(page: 2, at: gate)
            let stopped = try place.start(command)
            await gate.arrived()
            let running = try await state(place)
            #expect(running["why"]?.hasPrefix("pid \(stopped.id), page") == true)
            #expect(running["why"]?.hasSuffix("; \(failing["why"] ?? "")") == true, "\(running)")
            stopped.send(signal)
            _ = await stopped.end()
            gate.open()
            #expect(try await state(place)["state"] == "failing")
            #expect(try await state(place)["why"]?.contains(cause) == true)
            #expect(try await place.run(command).code == 0)
            #expect(try await state(place)["state"] == "fresh")
            #expect(try await place.shell("rm feedsync.db*").code == 0)
        }
    }

    @Test("A changed definition with an unset variable changes nothing: the next page is where it was")
    func unsetVariable() async throws {
        let place = try Workplace()
        let feed = PagedFeed(PagedFeed.items(1...250))
        place.server.route("/things", to: feed)
        #expect(try await place.run("reload things").code == 0)
        let text = try place.text(of: "feedsync.yaml")
        try place.write("feedsync.yaml", text + #"    auth: {bearer: "${NOPE}"}"# + "\n")
        #expect(try await place.run("reload things").code == 78)
        #expect(try place.query("SELECT next_page FROM feed") == ["2"])
        #expect(try place.query("SELECT error ->> 'kind' FROM feed") == ["configuration"])
        try place.write("feedsync.yaml", text)
        #expect(try await place.run("more things").code == 0)
        #expect(try place.query("SELECT next_page, item_count FROM feed") == ["3"])
        try place.expectSound()
    }

    @Test("A feed whose every sync is a configuration error is failing, and says why")
    func configuration() async throws {
        let place = try Workplace(extra: #"auth: {bearer: "${THINGS_TOKEN}"}"#)
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        #expect(try await place.run("sync").code == 78)
        #expect(try await state(place)["state"] == "failing")
        #expect(try await state(place)["why"]?.contains("`THINGS_TOKEN` is not set") == true)
        #expect(try await place.run("sync", environment: ["THINGS_TOKEN": "t"]).code == 0)
        #expect(try await state(place)["state"] == "fresh")
        // A changed key, which no run can begin with.
        let text = try place.text(of: "feedsync.yaml")
        try place.write("feedsync.yaml", text.replacing("key: id", with: "key: name"))
        for times in 1...2 {
            #expect(try await place.run("sync", environment: ["THINGS_TOKEN": "t"]).code == 78)
            let state = try await state(place)
            #expect(state["state"] == "failing")
            #expect(state["why"]?.hasPrefix(times == 1 ? "`key` differs" : "2 failures in a row, ") == true, "\(state)")
        }
        #expect(try await place.run("status --fail").code == 1)
        let json = try await place.run("sync --json", environment: ["THINGS_TOKEN": "t"])
        #expect(json.output.contains(#""outcome":"failed","complete":false,"verified":false,"#), "\(json.output)")
        try place.write("feedsync.yaml", text)
        #expect(try await place.run("sync", environment: ["THINGS_TOKEN": "t"]).code == 0)
        #expect(try await state(place)["state"] == "fresh")
    }

    @Test("A feed whose table belongs to another one is failing, though nothing of it can be stored")
    func foreignTable() async throws {
        let place = try Workplace(["a-b"])
        place.server.route("/a-b", to: PagedFeed(PagedFeed.items(1...3)))
        #expect(try await place.run("sync").code == 0)
        try place.write("feedsync.yaml", "feeds:\n" + Workplace.feed("a_b", at: "\(place.server.url)/a-b"))
        #expect(try await place.run("sync").code == 78)
        #expect(try await state(place, of: "a_b")["state"] == "failing")
        #expect(try await state(place, of: "a_b")["why"]?.contains("table already belongs") == true)
    }

    @Test("status and sync say what was looked at, and when")
    func lastLook() async throws {
        let place = try Workplace(["all", "new", "since"])
        let feeds = ["all", "new", "since, param: since, from: name"]
        try place.write(
            "feedsync.yaml",
            "feeds:\n"
                + feeds.map { mode in
                    let name = String(mode.prefix { $0 != "," })
                    return Workplace.feed(name, at: "\(place.server.url)/\(name)", extra: "sync: {mode: \(mode)}")
                }.joined())
        for name in ["all", "new", "since"] {
            let items = (1...3).map { #"{"id":\#($0),"name":"2026-01-0\#($0)T00:00:00Z"}"# }
            place.server.route("/\(name)", to: PagedFeed(items))
        }
        let first = try await place.run("sync")
        #expect(first.output.split(separator: "\n").allSatisfy { $0.hasSuffix("; 3 items, fresh") }, "\(first.output)")
        let long = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-6 hours', '-1 minute')"
        _ = try place.query("UPDATE feed SET full_at = \(long), synced_at = \(long), reloaded_at = \(long) RETURNING 1")
        let fullAt = try #require(try place.query("SELECT full_at FROM feed WHERE name = 'new'").first)
        #expect(try await state(place, of: "new")["why"] == "at \(fullAt)")
        let second = try await place.run("sync --jobs 1")
        let lines = second.output.split(separator: "\n").map { $0.replacing(/(just now|\d s ago)/, with: "now") }
        #expect(lines.count == 3)
        #expect(lines[0].hasSuffix("; 3 items, fresh"))
        #expect(lines[1].hasSuffix("; 3 items, fresh (head now, all of it 6 h ago)"), "\(lines)")
        #expect(lines[2].hasSuffix("; 3 items, fresh (changes now, all of it 6 h ago)"), "\(lines)")
        let status = try await place.terminal("status")
        #expect(status.output.contains(/new +fresh .*  head (just now|\d+ s ago), all of it 6 h ago/))
    }

    @Test("A feed that was removed from the configuration is in no list, and its items can still be shown")
    func removed() async throws {
        let place = try Workplace(["things", "idle"])
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        #expect(try await place.run("sync things").code == 0)
        #expect(try await place.run("remove things").code == 0)
        for command in ["status", "plan", "feeds", "check", "status --json"] {
            #expect(try await !place.run(command).output.contains("things"), "\(command)")
            #expect(try await !place.run(command).output.contains(#""name":"things""#), "\(command)")
        }
        #expect(try await place.run("status things").code == 64)
        #expect(try await place.run("show things").code == 0)
        // Without a configuration, the store tells.
        #expect(
            try await place.shell("rm feedsync.yaml; $FEEDSYNC status --store feedsync.db").output.contains("things\t"))
    }

    @Test("A load that was cut off says in status, plan and JSON how far it came")
    func loading() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...450)))
        #expect(try await place.run("sync --max-requests 3").code == 0)
        #expect(try await state(place)["state"] == "loading")
        #expect(try await state(place)["why"] == "300 of about 450 items, continues at page 4")
        let plan = try await place.terminal("plan")
        #expect(plan.output.hasPrefix("things  loading, due now\n    never  no sync has finished yet"))
    }
}
