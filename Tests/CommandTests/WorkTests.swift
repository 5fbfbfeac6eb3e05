import Foundation
import HTTPServer
import ScriptedServer
import Testing

/// Workers that share a store in PostgreSQL.
@Suite(.timeLimit(.minutes(60))) struct WorkTests {
    @Test("A worker has four connections at most, however many jobs it has under way")
    func connections() async throws {
        let bench = try WorkBench(hosts: 8, feeds: 1)
        let gate = bench.hosts[0].gate()
        for feed in bench.feeds.values { feed.hold(page: 2, at: gate) }
        let worker = try bench.worker("--jobs 8")
        try await bench.wait { bench.feeds.values.allSatisfy { $0.requestedPages.count >= 2 } }
        let count = try bench.query(
            """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
            """)
        #expect(count.first.flatMap { Int($0) } ?? 99 <= 4, "\(count)")
        gate.open()
        try await bench.waitUntilComplete()
        try await bench.end([worker])
        try await bench.expectTrue()
    }

    @Test("Workers share the feeds: each page is asked for once, and what they stored is a store like any other")
    func share() async throws {
        let bench = try WorkBench(hosts: 4, feeds: 3)
        let workers = try [bench.worker("--jobs 2"), bench.worker("--jobs 2"), bench.worker("--jobs 1")]
        try await bench.waitUntilComplete()
        try await bench.end(workers)
        for (name, feed) in bench.feeds { #expect(feed.requestedPages == [1, 2, 3], "\(name)") }
        #expect(try bench.query("SELECT count(*) FROM _claim WHERE worker IS NULL AND until IS NULL") == ["4"])
        #expect(try bench.query("SELECT count(*) FROM _worker") == ["3"])
        try await bench.expectTrue()
    }

    @Test("A host gets one request at a time, however many workers there are")
    func oneAtATime() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 4, items: 100)
        let gate = bench.hosts[0].gate()
        for feed in bench.feeds.values { feed.hold(page: 1, at: gate) }
        let workers = try (0..<3).map { _ in try bench.worker() }
        await gate.arrived()
        try await bench.wait(for: "3", "SELECT count(*) FROM _worker")
        // Time enough for a second request, if there were one.
        try await Task.sleep(for: .seconds(1))
        #expect(bench.hosts[0].requests.count == 1)
        gate.open()
        try await bench.waitUntilComplete()
        try await bench.end(workers)
        try await bench.expectTrue()
    }

    @Test("SIGHUP makes a worker read the configuration again; one with a mistake is reported, and changes nothing")
    func reread() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 2)
        let path = "\(bench.place.folder)/feedsync.yaml"
        let whole = try String(contentsOfFile: path, encoding: .utf8)
        let second = try #require(whole.range(of: "  h0x1:"))
        try bench.place.write("feedsync.yaml", String(whole[..<second.lowerBound]))
        let (worker, errors) = try bench.reportingWorker()
        try await bench.wait(for: "1", "SELECT count(*) FROM feed WHERE complete")
        try bench.place.write("feedsync.yaml", "feeds: nonsense\n")
        worker.send(SIGHUP)
        try await bench.wait { errors().contains("the configuration before holds on") }
        try bench.place.write("feedsync.yaml", whole)
        worker.send(SIGHUP)
        try await bench.wait(for: "2", "SELECT count(*) FROM feed WHERE complete")
        try await bench.end([worker])
        #expect(errors().contains("`feeds` must be"), "\(errors())")
        #expect(try bench.query("SELECT count(*) FROM _worker WHERE ended_at IS NULL") == ["0"])
        try await bench.expectTrue()
    }

    @Test("A worker that was believed dead stores nothing more when it wakes up")
    func fenced() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 1)
        let feed = try #require(bench.feeds["h0x0"])
        let gate = bench.hosts[0].gate()
        feed.hold(page: 2, at: gate)
        let (sleeper, errors) = try bench.reportingWorker()
        await gate.arrived()
        // In a transaction, PostgreSQL would end its connection.
        try await bench.wait(for: "100", "SELECT count(*) FROM h0x0")
        sleeper.send(SIGSTOP)
        feed.release(page: 2)
        let other = try bench.worker()
        try await bench.waitUntilComplete()
        let before = try bench.query("SELECT count(*) FROM event")
        gate.open()
        sleeper.send(SIGCONT)
        try await bench.wait { errors().contains("another worker works on \(bench.hosts[0].url) now") }
        #expect(try bench.query("SELECT count(*) FROM event") == before)
        try await bench.end([sleeper, other])
        try await bench.expectTrue()
    }

    @Test("A worker ends once a newer feedsync has changed the store, and stores nothing of the page under way")
    func newerStore() async throws {
        let bench = try WorkBench(hosts: 2, feeds: 1)
        let feed = try #require(bench.feeds["h0x0"])
        let gate = bench.hosts[0].gate()
        feed.hold(page: 2, at: gate)
        let worker = try bench.worker()
        await gate.arrived()
        try await bench.wait(for: "100", "SELECT count(*) FROM h0x0")
        try await bench.wait(for: "250", "SELECT count(*) FROM h1x0")
        try await bench.wait(for: "1", "SELECT count(*) FROM _claim WHERE worker IS NOT NULL")
        _ = try bench.query("INSERT INTO _migration VALUES ('9999_future', 'x', now())")
        let before = try bench.query("SELECT count(*) FROM event")
        gate.open()
        let run = await worker.end()
        #expect(run.code == 73 && run.errors.contains("(unknown migrations: 9999_future)"), "\(run.errors)")
        #expect(run.errors.contains("\nTry: use the feedsync that wrote the store, or a newer one"), "\(run.errors)")
        #expect(try bench.query("SELECT count(*) FROM h0x0") == ["100"])
        #expect(try bench.query("SELECT count(*) FROM event") == before)
    }

    @Test("A killed worker is replaced as by the next sync: stored pages are not sent again")
    func killed() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 1, items: 450)
        let feed = try #require(bench.feeds["h0x0"])
        let gate = bench.hosts[0].gate()
        feed.hold(page: 3, at: gate)
        let first = try bench.worker()
        await gate.arrived()
        try await bench.wait(for: "200", "SELECT count(*) FROM h0x0")
        first.send(SIGKILL)
        _ = await first.end()
        feed.release(page: 3)
        gate.open()
        let second = try bench.worker()
        try await bench.waitUntilComplete()
        try await bench.end([second])
        #expect(feed.requestedPages == [1, 2, 3, 1, 2, 3, 4, 5])
        let again = bench.hosts[0].requests.dropFirst(3).map { $0.header("If-None-Match") != nil }
        #expect(again == [true, true, false, false, false])
        try await bench.expectTrue()
    }

    @Test("Workers connect again and continue after the database ended all connections")
    func reconnect() async throws {
        let bench = try WorkBench(hosts: 2, feeds: 2)
        let gate = bench.hosts[0].gate()
        try #require(bench.feeds["h0x0"]).hold(page: 2, at: gate)
        let workers = try [bench.worker("--jobs 1"), bench.worker("--jobs 1")]
        await gate.arrived()
        _ = try bench.query(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """)
        gate.open()
        try await bench.waitUntilComplete()
        try await bench.end(workers)
        try await bench.expectTrue()
    }

    @Test("A feed whose next_due_at somebody clears in PostgreSQL is synced at once")
    func setByHand() async throws {
        let bench = try WorkBench(hosts: 2, feeds: 2, extra: "every: 1d")
        let workers = try [bench.worker(), bench.worker()]
        try await bench.waitUntilComplete()
        try await bench.wait(for: "0", "SELECT count(*) FROM _claim WHERE worker IS NOT NULL")
        let feed = try #require(bench.feeds["h1x1"])
        feed.edit { $0.insert(#"{"id":9999,"name":"new"}"#, at: 0) }
        _ = try bench.query("UPDATE feed SET next_due_at = NULL WHERE name = 'h1x1'")
        try await bench.wait(for: "1", "SELECT count(*) FROM h1x1 WHERE id = 9999")
        try await bench.end(workers)
        #expect(try bench.query("SELECT count(*) FROM run WHERE feed <> 'h1x1'") == ["3"])
        try await bench.expectTrue()
    }

    @Test(
        "If PostgreSQL refuses the rows of one feed, only that feed fails, until PostgreSQL takes them")
    func refusedRows() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 3, items: 120, extra: "every: 1s")
        let worker = try bench.worker()
        try await bench.waitUntilComplete()
        _ = try bench.query("ALTER TABLE h0x1 ADD CONSTRAINT small CHECK (id < 1000)")
        for feed in bench.feeds.values { feed.edit { $0.insert(#"{"id":9999,"name":"new"}"#, at: 0) } }
        try await bench.wait(for: "failed", "SELECT outcome FROM run WHERE feed = 'h0x1' ORDER BY id DESC")
        let state = try bench.query("SELECT concat_ws(' ', status, error ->> 'message') FROM feed WHERE name = 'h0x1'")[
            0]
        #expect(
            state
                == #"endHeader PostgreSQL: new row for relation "h0x1" violates check constraint "small" (PostgreSQL error 23514)"#
        )
        try await bench.wait(for: "9999", "SELECT id FROM h0x0 ORDER BY id DESC")
        try await bench.wait(for: "9999", "SELECT id FROM h0x2 ORDER BY id DESC")
        _ = try bench.query("ALTER TABLE h0x1 DROP CONSTRAINT small")
        _ = try bench.query("UPDATE feed SET next_due_at = NULL WHERE name = 'h0x1'")
        try await bench.wait(for: "9999", "SELECT id FROM h0x1 ORDER BY id DESC")
        worker.send(SIGTERM)
        let run = await worker.end()
        #expect(run.errors.contains("; try: change what refuses it in PostgreSQL"), "\(run.errors)")
        try await bench.expectTrue()
    }

    @Test("If a view of somebody's keeps a table from being changed, only its feed fails, and names the view")
    func ownView() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 2, items: 120, extra: "every: 1s")
        let worker = try bench.worker()
        try await bench.waitUntilComplete()
        _ = try bench.query("CREATE VIEW mine AS SELECT id FROM h0x1")
        try #require(bench.feeds["h0x1"]).edit { $0.insert(#"{"id":"new","name":"new"}"#, at: 0) }
        try #require(bench.feeds["h0x0"]).edit { $0.insert(#"{"id":9999,"name":"new"}"#, at: 0) }
        try await bench.wait(for: "failed", "SELECT outcome FROM run WHERE feed = 'h0x1' ORDER BY id DESC")
        let message = try bench.query("SELECT error ->> 'message' FROM feed WHERE name = 'h0x1'")[0]
        #expect(message.contains("view mine depends on"), "\(message)")
        try await bench.wait(for: "9999", "SELECT id FROM h0x0 ORDER BY id DESC")
        _ = try bench.query("DROP VIEW mine")
        _ = try bench.query("UPDATE feed SET next_due_at = NULL WHERE name = 'h0x1'")
        try await bench.wait(for: "new", "SELECT id FROM h0x1 ORDER BY id DESC")
        try await bench.end([worker])
        #expect(try bench.query("SELECT concat_ws(' ', count(*), count(name)) FROM h0x1") == ["121 121"])
    }

    @Test("Columns without a type get one by their first values; a key that does not fit later makes its column text")
    func types() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 1, items: 120, extra: "every: 1s")
        let types = """
            SELECT string_agg(format_type(atttypid, NULL), ' ' ORDER BY attname) FROM pg_attribute
            WHERE attrelid = 'h0x0'::regclass AND attname IN ('id', 'name')
            """
        let worker = try bench.worker()
        try await bench.waitUntilComplete()
        #expect(try bench.query(types) == ["bigint text"])
        #expect(try bench.query("SELECT count(*) FROM h0x0 WHERE _exact IS NOT NULL") == ["0"])
        try #require(bench.feeds["h0x0"]).edit { $0.insert(#"{"id":"new","name":"7"}"#, at: 0) }
        try await bench.wait(for: "text text", types)
        try await bench.end([worker])
        #expect(try bench.query("SELECT count(*) FROM h0x0") == ["121"])
    }

    @Test("A worker answers for what it did, and for how the fleet does")
    func metrics() async throws {
        let bench = try WorkBench(hosts: 2, feeds: 1, items: 120, extra: "every: 1d")
        let socket = "\(bench.place.folder)/work.sock"
        let worker = try bench.worker("--listen unix:\(socket)")
        try await bench.waitUntilComplete()
        try await bench.wait(for: "0", "SELECT count(*) FROM _claim WHERE worker IS NOT NULL")
        let text = try await bench.place.shell("curl -sf --unix-socket \(socket) http://work/metrics").output
        for line in [
            #"feedsync_runs_total{outcome="ok"} 2"#, "feedsync_pages_total 4", "feedsync_workers 1",
            #"feedsync_run_items_total{kind="inserted"} 240"#, #"feedsync_groups{state="resting"} 2"#,
        ] { #expect(text.contains("\n\(line)\n"), "\(line): \(text)") }
        #expect(try await bench.place.shell("curl -sf --unix-socket \(socket) http://work/health").output == "ok\n")
        try await bench.end([worker])
    }

    @Test("The feeds of a tree are one worker's at a time, and each list is whole")
    func tree() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 0)
        let server = bench.hosts[0]
        server.route("/owners") { _ in .json(#"[{"id":1},{"id":2}]"#) }
        server.route("/of/1") { _ in .json(#"[{"id":10},{"id":11}]"#) }
        server.route("/of/2") { _ in .json(#"[{"id":20}]"#) }
        try bench.place.write(
            "feedsync.yaml",
            """
            store: \(bench.uri)
            defaults: {retries: 0, key: id, pagination: none}
            feeds:
              things: {for_each: owners, url: "\(server.url)/of/{owners.id}"}
              owners: {url: "\(server.url)/owners"}
            """)
        let workers = try [bench.worker(), bench.worker()]
        try await bench.wait(for: "2", "SELECT count(*) FROM feed_part WHERE complete")
        try await bench.end(workers)
        #expect(server.requests.map(\.path).sorted() == ["/of/1", "/of/2", "/owners"])
        #expect(try bench.query("SELECT id FROM things ORDER BY id") == ["10", "11", "20"])
        for words in ["plan --json", "plan things --json", "explain things --json"] {
            let run = try await bench.place.run(words)
            let output = run.output.replacing(" ", with: "")
            #expect(output.contains(#""parent":"owners","rows":2"#), "\(words): \(run.output)")
        }
        let list = try await bench.place.run("explain things/1")
        #expect(list.code == 0 && list.output.contains("/of/1"), "\(list.errors) \(list.output)")
        try await bench.expectTrue()
    }

    @Test("No worker keeps a host whose last feed left the configuration, and the host does not count as due")
    func leftHost() async throws {
        let bench = try WorkBench(hosts: 2, feeds: 1)
        let old = try bench.worker()
        try await bench.waitUntilComplete()
        try await bench.end([old])
        let text = try bench.place.text(of: "feedsync.yaml")
        let second = try #require(text.range(of: "  h1x0:"))
        try bench.place.write("feedsync.yaml", String(text[..<second.lowerBound]))
        let new = try await bench.beginWorker()
        try await bench.wait(for: "h0x0", "SELECT array_to_string(feeds, ' ') FROM _claim ORDER BY 1 DESC")
        #expect(try bench.query("SELECT is_whole FROM _layout") == ["t"])
        try await bench.end([new])
    }

    @Test("Feeds that move to another host by the configuration become the newer worker's")
    func otherConfiguration() async throws {
        let bench = try WorkBench(hosts: 2, feeds: 1)
        let (old, errors) = try bench.reportingWorker()
        try await bench.waitUntilComplete()
        let text = try bench.place.text(of: "feedsync.yaml")
        bench.hosts[1].route("/h0x0", to: try #require(bench.feeds["h0x0"]))
        try bench.place.write(
            "feedsync.yaml", text.replacing("\(bench.hosts[0].url)/h0x0", with: "\(bench.hosts[1].url)/h0x0"))
        let new = try bench.worker()
        try await bench.wait(for: "1", "SELECT count(*) FROM _claim")
        // The old one says so at its next sign of life.
        try await bench.wait { errors().contains("a newer configuration has other feeds or definitions") }
        try await bench.end([old, new])
        try await bench.expectTrue()
    }

    @Test(
        "A worker that cannot start reports the reason",
        arguments: [
            ("work", 64, "work needs a store in PostgreSQL"),
            ("work --store feedsync.db", 64, "work needs a store in PostgreSQL"),
            ("work --store postgres://me:s3cr3t@127.0.0.1:9/x", 73, "PostgreSQL: connection to server"),
            ("work things", 64, "unexpected argument: things"),
        ])
    func wrong(words: String, code: Int32, message: String) async throws {
        let run = try await Workplace().run(words)
        #expect(run.code == code && run.errors.contains(message) && run.errors.contains("\nTry: "), "\(run.errors)")
        #expect(!run.errors.contains("s3cr3t"))
    }

    @Test("Of two workers with different definitions, the one with the newer configuration works on the feed")
    func definitions() async throws {
        let bench = try WorkBench(hosts: 2, feeds: 1, items: 120, extra: "every: 1s")
        let host = bench.hosts[0]
        let text = try bench.place.text(of: "feedsync.yaml")
        try bench.place.write(
            "newer.yaml",
            text.replacing("url: \(host.url)/h0x0\n", with: "url: \(host.url)/h0x0\n    query: {version: 2}\n"))
        try bench.place.setTime(of: "feedsync.yaml", to: 1_700_000_000)
        try bench.place.setTime(of: "newer.yaml", to: 1_700_000_060)
        let old = try await bench.beginWorker()
        try await bench.waitUntilComplete()
        let new = try bench.worker("--config newer.yaml")
        try await bench.wait { host.requests.last?.parameter("version") == "2" }
        // The older worker leaves the feed to the newer one also when it starts again.
        try await bench.end([old])
        let again = try await bench.beginWorker()
        let before = host.requests.count
        try await bench.wait { host.requests.count > before + 6 }
        #expect(host.requests[before...].allSatisfy { $0.parameter("version") == "2" })
        // It takes the feed back when no worker has the newer configuration any more.
        try await bench.end([new])
        try await bench.wait { host.requests.last?.parameter("version") == nil }
        again.send(SIGTERM)
        let run = await again.end()
        let words = "a newer configuration has other feeds or definitions for \(host.url);"
        #expect(run.errors.contains(words) && !run.errors.contains(bench.hosts[1].url), "\(run.errors)")
        #expect(try bench.query("SELECT count(*) FROM change WHERE kind <> 'new'") == ["0"])
        try await bench.expectTrue()
    }
}
