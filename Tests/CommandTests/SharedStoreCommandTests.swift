import Foundation
import HTTPServer
import PostgreSQL
import PostgreSQLServer
import ScriptedServer
import Testing

/// Commands other than `work` on a store in PostgreSQL.
@Suite struct SharedStoreCommandTests {
    @Test("reset, rekey and prune take a feed from its worker, and the worker goes on with what they left")
    func maintenance() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 2, extra: "every: 1h")
        let worker = try await bench.beginWorker()
        try await bench.waitUntilComplete()
        let feed = try #require(bench.feeds["h0x0"])

        let before = feed.requestedPages.count
        let reset = try await bench.place.run("reset h0x0")
        #expect(
            reset.code == 0 && reset.output == "h0x0  reset; the next sync reads everything again\n", "\(reset.errors)")
        // The worker finds it due, and reads all of it again.
        try await bench.wait { feed.requestedPages.count >= before + 3 }
        try await bench.waitUntilComplete()

        feed.items = Array(feed.items.dropLast(50))
        #expect(try await bench.place.run("sync h0x0 --wait 30s").code == 0)
        #expect(try bench.query("SELECT count(*) FROM h0x0 WHERE _removed_at IS NOT NULL") == ["50"])
        _ = try Connection(uri: bench.uri).query(
            "UPDATE h0x0 SET _removed_at = '2020-01-01T00:00:00.000Z' WHERE _removed_at IS NOT NULL")
        let trial = try await bench.place.run("prune h0x0 --dry-run")
        #expect(trial.output == "h0x0  50 items would be deleted\n", "\(trial.errors)")
        let pruned = try await bench.place.run("prune")
        #expect(pruned.code == 0 && pruned.output == "h0x0  50 items deleted\n", "\(pruned.errors)")
        #expect(try bench.query("SELECT count(*) FROM h0x0") == ["200"])

        let changed = try bench.place.text(of: "feedsync.yaml").replacing("key: id", with: "key: name")
        try bench.place.write("feedsync.yaml", changed)
        worker.send(SIGHUP)
        try await bench.wait(for: "2", "SELECT count(*) FROM _worker WHERE name LIKE '%(work)'")
        let rekeyed = try await bench.place.run("rekey h0x0")
        #expect(rekeyed.code == 0 && rekeyed.output.contains("200 items now identified by name"), "\(rekeyed.errors)")
        #expect(
            try bench.query(
                """
                SELECT a.attname FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
                WHERE i.indrelid = CAST('h0x0' AS regclass) AND i.indisprimary
                """) == ["name"])
        #expect(try await bench.place.run("sync h0x0 --wait 30s").code == 0)
        try await bench.end([worker])
        #expect(try bench.query("SELECT count(*), count(DISTINCT name) FROM h0x0 WHERE _removed_at IS NULL") == ["200"])
    }

    @Test(
        "rename takes a feed's whole history with it, and a worker leaves the old name alone until it has the new one")
    func rename() async throws {
        let bench = try WorkBench(hosts: 2, feeds: 2, extra: "every: 1h")
        let worker = try await bench.beginWorker()
        try await bench.waitUntilComplete()
        // A working file has the latest runs only.
        _ = try bench.query(
            """
            INSERT INTO run (feed, command, started_at, finished_at, outcome)
            SELECT 'h0x0', 'sync', at, at, 'ok' FROM generate_series(now() - interval '40 days', now() - interval '10 days', '1 day') at
            """)
        let runs = try bench.query("SELECT count(*) FROM run WHERE feed = 'h0x0'")
        let renamed = try await bench.place.run("rename h0x0 things")
        #expect(renamed.code == 0 && renamed.output == "h0x0  renamed to things\n", "\(renamed.errors)")
        #expect(try bench.query("SELECT count(*) FROM things") == ["250"])
        #expect(try bench.query("SELECT count(*) FROM run WHERE feed = 'things'") == runs)
        #expect(
            try bench.query(
                "SELECT conname FROM pg_constraint WHERE contype = 'p' AND conrelid = CAST('things' AS regclass)")
                != bench.query(
                    "SELECT conname FROM pg_constraint WHERE contype = 'p' AND conrelid = CAST('h0x1' AS regclass)"))
        #expect(try bench.query("SELECT count(*) FROM change WHERE feed = 'things'") == ["250"])
        // The other feed of the host is left, too: the worker's configuration is no longer the host's.
        try await bench.wait(for: "0", "SELECT count(*) FROM _claim WHERE feeds && ARRAY['h0x0', 'h0x1']")
        worker.send(SIGHUP)
        try await bench.wait(for: "1", "SELECT count(*) FROM _claim WHERE feeds @> ARRAY['things', 'h0x1']")
        let synced = try await bench.place.run("sync things --wait 30s")
        #expect(synced.code == 0 && synced.output.contains("things  unchanged "), "\(synced.output) \(synced.errors)")

        let removed = try await bench.place.run("remove h1x0 --data --yes")
        #expect(
            removed.code == 0 && removed.output.hasPrefix("h1x0  removed from ")
                && removed.output.hasSuffix(", 250 items deleted\n"), "\(removed.output) \(removed.errors)")
        try await bench.wait(for: "0", "SELECT count(*) FROM _claim WHERE 'h1x0' = ANY (feeds)")
        try await bench.end([worker])
        for (table, column) in [
            ("feed", "name"), ("_feed", "feed"), ("run", "feed"), ("event", "feed"), ("_page", "feed"),
        ] {
            let sql = "SELECT count(*) FROM \(table) WHERE \(column) IN ('h0x0', 'h1x0')"
            #expect(try bench.query(sql) == ["0"], "\(table)")
        }
        #expect(try bench.query("SELECT to_regclass('h0x0'), to_regclass('h1x0')") == ["-"])
        #expect(try bench.query("SELECT DISTINCT feed FROM change ORDER BY 1") == ["h0x1", "h1x1", "things"])
    }

    @Test("A worker with an older configuration says that it leaves a renamed feed, and never begins the old name anew")
    func renamedElsewhere() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 1, extra: "every: 1s")
        let worker = try await bench.beginWorker()
        try await bench.waitUntilComplete()
        #expect(try await bench.place.run("rename h0x0 things").code == 0)
        let feed = try #require(bench.feeds["h0x0"])
        let before = feed.requestedPages.count
        // It looks at its claims every three seconds.
        let count = "SELECT count(*) FROM _worker WHERE name LIKE '%(work)' AND seen_at > now() - interval '1 second'"
        for expected in ["1", "0", "1", "0"] { try await bench.wait(for: expected, count) }
        #expect(feed.requestedPages.count == before)
        #expect(try bench.query("SELECT name FROM feed") == ["things"])
        worker.send(SIGTERM)
        let end = await worker.end()
        #expect(end.errors.contains("a newer configuration has other feeds or definitions for "), "\(end.errors)")
        let text = try bench.place.text(of: "feedsync.yaml").replacing("things:", with: "h0x0:")
        try bench.place.write("old.yaml", text)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_000)], ofItemAtPath: "\(bench.place.folder)/old.yaml")
        let old = try await bench.place.run("sync --config old.yaml")
        #expect(
            old.code == 73 && old.errors.contains("the feed h0x0 was renamed or deleted")
                && old.errors.contains("Try: touch old.yaml"), "\(old.errors)")
        try bench.place.write("old.yaml", text)
        #expect(try await bench.place.run("sync --config old.yaml").code == 0)
        #expect(try bench.query("SELECT name FROM feed ORDER BY 1") == ["h0x0", "things"])
    }

    @Test("A rename that was cut off behind the file's change is finished by the next run, with all stored data")
    func unfinishedRename() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 2)
        #expect(try await bench.place.run("sync").code == 0)
        _ = try bench.query("UPDATE _feed SET new_name = 'things' WHERE feed = 'h0x0'")
        let text = try bench.place.text(of: "feedsync.yaml").replacing("h0x0:", with: "things:")
        try bench.place.write("feedsync.yaml", text)
        let run = try await bench.place.run("sync things")
        #expect(run.code == 0 && run.output.contains("things  unchanged "), "\(run.output) \(run.errors)")
        #expect(try bench.query("SELECT count(*), count(DISTINCT name) FROM things") == ["250"])
        #expect(try bench.query("SELECT feed FROM _feed ORDER BY 1") == ["h0x1", "things"])
        #expect(try bench.query("SELECT count(*) FROM run WHERE feed = 'things'") == ["2"])
    }

    @Test("A run with the older configuration does not undo a rename that was cut off behind the file's change")
    func olderConfiguration() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 2)
        #expect(try await bench.place.run("sync").code == 0)
        _ = try bench.query("UPDATE _feed SET new_name = 'things' WHERE feed = 'h0x0'")
        for _ in 1...2 { #expect(try await bench.place.run("sync h0x0").code == 0) }
        let text = try bench.place.text(of: "feedsync.yaml").replacing("h0x0:", with: "things:")
        try bench.place.write("feedsync.yaml", text)
        let run = try await bench.place.run("sync things")
        #expect(run.code == 0 && run.output.contains("things  unchanged "), "\(run.output) \(run.errors)")
        #expect(try bench.query("SELECT feed FROM _feed WHERE new_name IS NULL ORDER BY 1") == ["h0x1", "things"])
        #expect(try bench.query("SELECT count(*) FROM run WHERE feed = 'things'") == ["4"])
    }

    @Test(
        "A worker with the older configuration never stores a feed that was renamed or deleted before it was stored",
        arguments: ["rename h0x0 things", "remove h0x0 --data --yes"])
    func notStored(command: String) async throws {
        let bench = try WorkBench(hosts: 2, feeds: 2)
        let text = try bench.place.text(of: "feedsync.yaml")
        try bench.place.write("old.yaml", text)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_000)], ofItemAtPath: "\(bench.place.folder)/old.yaml")
        let run = try await bench.place.run(command)
        #expect(run.code == 0, "\(run.errors)")
        let old = try await bench.place.run("sync h0x0 --config old.yaml")
        #expect(old.code == 73 && old.errors.contains("the feed h0x0 was renamed or deleted"), "\(old.errors)")
        #expect(try await bench.place.run("sync").code == 0)
        let kept = command.hasPrefix("rename") ? ["things"] : []
        #expect(try bench.query("SELECT name FROM feed ORDER BY 1") == ["h0x1", "h1x0", "h1x1"] + kept)
        #expect(try bench.query("SELECT count(*) FROM _claim WHERE 'h0x0' = ANY (feeds)") == ["0"])
        // A newer configuration may have a feed of that name again.
        try bench.place.write("new.yaml", text)
        let new = try await bench.place.run("sync h0x0 --config new.yaml")
        #expect(new.code == 0, "\(new.errors)")
    }

    @Test("A name that something else in PostgreSQL has is refused before anything is changed")
    func takenName() async throws {
        let bench = try WorkBench(hosts: 2, feeds: 1)
        #expect(try await bench.place.run("sync").code == 0)
        _ = try bench.query("CREATE VIEW mine AS SELECT 1 AS one")
        let text = try bench.place.text(of: "feedsync.yaml")
        for (name, words) in [("mine", "something else named `mine`"), ("h1x0", "h1x0 already exists")] {
            let run = try await bench.place.run("rename h0x0 \(name)")
            #expect(run.code != 0 && run.errors.contains(words), "\(run.errors)")
        }
        #expect(try bench.place.text(of: "feedsync.yaml") == text)
        let other = text.replacing("h1x0:", with: "elsewhere:")
        try bench.place.write("feedsync.yaml", other)
        let stored = try await bench.place.run("rename h0x0 h1x0")
        #expect(stored.code == 78 && stored.errors.contains("the store already has a feed `h1x0`"), "\(stored.errors)")
        #expect(try bench.place.text(of: "feedsync.yaml") == other)
        // A feed that only the store has can be deleted, and nothing of the claim stays.
        let removed = try await bench.place.run("remove h1x0 --data --yes")
        #expect(
            removed.code == 0 && removed.output == "h1x0  250 items deleted\n", "\(removed.output) \(removed.errors)")
        #expect(try bench.query("SELECT count(*) FROM _claim WHERE \"group\" LIKE 'feed %'") == ["0"])
    }

    @Test("A command on one feed of a host reads nothing of the tables of the others")
    func oneOfMany() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 3)
        #expect(try await bench.place.run("sync").code == 0)
        let writer = try Connection(uri: bench.uri)
        try writer.execute("BEGIN; LOCK TABLE h0x1, h0x2")
        #expect(try await bench.place.run("sync h0x0").code == 0)
        // A command that needs no items does not read those of its own feed.
        try writer.execute("LOCK TABLE h0x0")
        #expect(try await bench.place.run("reset h0x0").code == 0)
        try writer.execute("ROLLBACK")
        try await bench.expectTrue()
    }

    @Test("Each query of the documentation and of the dashboard for Grafana runs")
    func queries() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 1)
        #expect(try await bench.place.run("sync").code == 0)
        let connection = try Connection(uri: bench.uri)
        let project = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let page = try String(contentsOf: project.appending(path: "Docs/postgresql.md"), encoding: .utf8)
        let blocks = page.matches(of: #/```sql\n((?s:.*?))```/#).map { String($0.1) }
        #expect(blocks.count > 2)
        try connection.execute(
            """
            DO $$ BEGIN CREATE ROLE reader; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
            CREATE TABLE repository (full_name text, stars int, topics jsonb, _changed_at timestamptz)
            """)
        for block in blocks { try connection.execute(block) }
        struct Dashboard: Decodable {
            struct Target: Decodable { let rawSql: String }
            struct Panel: Decodable {
                let title: String
                let targets: [Target]
            }
            let panels: [Panel]
        }
        let file = try Data(contentsOf: project.appending(path: "Packaging/grafana.json"))
        let panels = try JSONDecoder().decode(Dashboard.self, from: file).panels
        #expect(panels.count > 10)
        for panel in panels {
            for target in panel.targets {
                // Grafana's macro for the time span that is shown.
                let sql = target.rawSql.replacing(#/\$__timeFilter\((\w+)\)/#) { "\($0.1) > now() - interval '1 day'" }
                let rows = try connection.query(sql)
                let isOfTrouble = ["Feeds that fail, are incomplete or are overdue", "Quotas"].contains(panel.title)
                #expect(isOfTrouble || !rows.isEmpty, "\(panel.title)")
            }
        }
        #expect(try connection.query(#require(panels.first { $0.title == "Items" }).targets[0].rawSql) == [["250"]])
    }

    @Test("The roles of the script are enough: one writes, one reads, and neither has more")
    func roles() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 1)
        let script = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../Packaging/postgresql-roles.sql"), encoding: .utf8)
        let name = try #require(bench.uri.split(separator: "?").first?.split(separator: "/").last)
        // psql's own commands and variables are not SQL.
        let sql = script.split(separator: "\n").filter { !$0.hasPrefix("\\") }.joined(separator: "\n")
            .replacing(#":"DBNAME""#, with: "\"\(name)\"")
        try Connection(uri: bench.uri).execute(sql)
        let uri = { (role: String) in bench.uri.replacing("feedsync@", with: "\(role)@") }
        let synced = try await bench.place.run("sync --store \(uri("feedsync_writer"))")
        #expect(synced.code == 0, "\(synced.errors)")
        for words in ["status", "show h0x0 --limit 1", "changes h0x0", "events", "plan"] {
            let read = try await bench.place.run("\(words) --store \(uri("feedsync_reader"))")
            #expect(read.code == 0 && !read.output.isEmpty, "\(words): \(read.errors)")
        }
        #expect(try await bench.place.run("sync --store \(uri("feedsync_reader"))").code == 73)
        let reader = try Connection(uri: uri("feedsync_reader"))
        #expect(try reader.query("SELECT count(*) > 0 FROM change").first == ["t"])
        #expect(throws: PostgreSQLError.self) {
            try reader.execute("SET transaction_read_only = off; DELETE FROM h0x0")
        }
        let writer = try Connection(uri: uri("feedsync_writer"))
        #expect(throws: PostgreSQLError.self) { try writer.execute("CREATE TABLE public.mine (id int)") }
        #expect(throws: PostgreSQLError.self) { try writer.execute("CREATE ROLE other") }
    }

    @Test("sync, reload, more and what they stored are as with a file")
    func commands() async throws {
        let bench = try WorkBench(hosts: 2, feeds: 2)
        let empty = try await bench.place.run("status")
        #expect(
            empty.code == 0 && empty.output.contains("h0x0\t") && empty.output.contains("\tnew\t"), "\(empty.output)")
        #expect(try bench.query("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == ["0"])
        let feed = try #require(bench.feeds["h0x1"])
        for words in ["reload h0x1", "more h0x1", "sync", "sync --due", "reload h*"] {
            let before = feed.requestedPages.count
            let own = try await bench.place.run("\(words) --json --store file.db")
            let pages = feed.requestedPages
            let shared = try await bench.place.run("\(words) --json")
            #expect(shared.code == own.code && own.code == 0, "\(words): \(shared.errors)")
            #expect(Self.settled(shared.output) == Self.settled(own.output), "\(words)")
            #expect(
                feed.requestedPages.count == pages.count + (pages.count - before), "\(words): \(feed.requestedPages)")
        }
        try await bench.expectTrue()
        for words in ["status --json", "plan --json", "show h0x1 --json", "events h1x0 --json", "feeds --json"] {
            let own = try await bench.place.run("\(words) --store file.db")
            let shared = try await bench.place.run(words)
            #expect(shared.code == 0 && own.code == 0, "\(words): \(shared.errors)")
            #expect(Self.settled(shared.output) == Self.settled(own.output), "\(words)")
        }
        let explanation = try await bench.place.run("explain h0x0")
        #expect(explanation.output.contains("  database    \(bench.uri)\n"), "\(explanation.output)")
        let path = try await bench.place.run("path store")
        #expect(path.output == "\(bench.uri)\n")
        let doctor = try await bench.place.run("doctor --json")
        #expect(doctor.output.contains(bench.uri), "\(doctor.output)")
        let changes = try await bench.place.run("changes h0x0")
        #expect(changes.code == 0 && changes.output.split(separator: "\n").count == 251, "\(changes.errors)")
        #expect(bench.place.files.filter { !$0.hasPrefix("copy-") } == ["feedsync.yaml", "file.db", "file.db-lock"])
    }

    @Test("The states of feeds and their plan are read without the tables of their items")
    func states() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 2)
        try #require(bench.feeds["h0x1"]).fail(page: 1, with: ServerResponse(status: 404), times: 9)
        #expect(try await bench.place.run("sync").code != 0)
        let writer = try Connection(uri: bench.uri)
        try writer.execute("BEGIN; LOCK TABLE h0x0")
        for words in ["status", "plan", "feeds"] {
            let read = try await bench.place.run("\(words) --json")
            #expect(read.code == 0, "\(words): \(read.errors)")
            #expect(read.output.contains("\"h0x0\"") && read.output.contains("\"h0x1\""), "\(words)")
        }
        let status = try await bench.place.run("status")
        let line = status.output.split(separator: "\n").first { $0.hasPrefix("h0x1\t") }
        #expect(line?.contains("\tfailing\t") == true, "\(status.output)")
        try writer.execute("ROLLBACK")
    }

    /// Without times, numbers of rows and the store's name.
    private static func settled(_ text: String) -> String {
        text.replacing(#/\d{4}-\d\d-\d\dT[0-9:.]+Z/#, with: "TIME").replacing(
            #/"(id|run|seconds|jitter)":[0-9.]+/#, with: ""
        )
        .replacing(#/\d+ ?m?s( ago)?\b|just now/#, with: "SPAN").replacing(#/[^" ]*file\.db/#, with: "STORE")
    }

    @Test("A feed that a worker is at is locked: the command says by whom, or waits")
    func locked() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 1)
        let gate = bench.hosts[0].gate()
        try #require(bench.feeds["h0x0"]).hold(page: 2, at: gate)
        let worker = try bench.worker()
        await gate.arrived()
        let refused = try await bench.place.run("sync")
        #expect(refused.code == 75, "\(refused.errors)")
        #expect(
            refused.errors.contains(" \(worker.id) (work) works on the feeds of \(bench.hosts[0].url)"),
            "\(refused.errors)")
        let waiting = try bench.place.start("sync --wait 60s")
        gate.open()
        #expect(await waiting.end().code == 0)
        try await bench.end([worker])
        try await bench.expectTrue()
    }

    @Test("A reload reaches the worker that is at the feed, and wins")
    func reload() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 1)
        let feed = try #require(bench.feeds["h0x0"])
        let gate = bench.hosts[0].gate()
        feed.hold(page: 2, at: gate)
        let worker = try bench.worker()
        await gate.arrived()
        let reload = try await bench.place.run("reload h0x0")
        #expect(reload.code == 0, "\(reload.errors)")
        #expect(
            try bench.query("SELECT outcome FROM run WHERE command <> 'reload' ORDER BY id LIMIT 1") == ["cancelled"])
        feed.release(page: 2)
        gate.open()
        try await bench.waitUntilComplete()
        try await bench.end([worker])
        try await bench.expectTrue()
    }

    @Test("A signal ends a command whose server is connected and silent")
    func silent() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 1)
        let feed = try #require(bench.feeds["h0x0"])
        let gate = bench.hosts[0].gate()
        feed.hold(page: 2, at: gate)
        let run = try bench.place.start("sync")
        await gate.arrived()
        // A backend that is stopped at work may hold a lock for which the whole server waits, other tests included.
        try await bench.wait(for: "1", "SELECT count(*) FROM feed WHERE item_count > 0")
        let others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        try await bench.wait(for: "t", "SELECT bool_and(state = 'idle') \(others)")
        let backends = try bench.query("SELECT pid \(others)").compactMap { Int32($0) }
        #expect(!backends.isEmpty)
        for backend in backends { kill(backend, SIGSTOP) }
        defer { for backend in backends { kill(backend, SIGCONT) } }
        gate.open()
        run.send(SIGTERM)
        let end = await run.end()
        #expect(end.code == 143 && end.errors.contains("is connected, and has not answered for 1"), "\(end.errors)")
    }

    @Test("A rule that takes the rows of a table is named, and nothing is said to be stored")
    func rule() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 1)
        #expect(try await bench.place.run("sync").code == 0)
        _ = try bench.query("CREATE RULE nothing AS ON INSERT TO h0x0 DO INSTEAD NOTHING")
        try #require(bench.feeds["h0x0"]).edit { $0.insert(#"{"id":9999,"name":"new"}"#, at: 0) }
        let run = try await bench.place.run("sync")
        #expect(run.code == 73 && run.output.isEmpty, "\(run.output)")
        #expect(run.errors.contains("the rule nothing of h0x0"), "\(run.errors)")
        #expect(run.errors.contains("Try: DROP RULE \"nothing\" ON \"h0x0\""), "\(run.errors)")
        _ = try bench.query("DROP RULE nothing ON h0x0")
        #expect(try await bench.place.run("sync").code == 0)
        try await bench.expectTrue()
    }

    @Test("If PostgreSQL refuses the rows of one feed, a sync of several stores the others")
    func refusedFeed() async throws {
        let bench = try WorkBench(hosts: 2, feeds: 2)
        #expect(try await bench.place.run("sync h0x0").code == 0)
        _ = try bench.query("ALTER TABLE h0x0 ADD CONSTRAINT small CHECK (id < 1000)")
        try #require(bench.feeds["h0x0"]).edit { $0.insert(#"{"id":9999,"name":"new"}"#, at: 0) }
        let run = try await bench.place.run("sync")
        #expect(run.code == 73, "\(run.output) \(run.errors)")
        #expect(run.errors.contains("h0x0: ") && !run.errors.contains("h1x0: "), "\(run.errors)")
        for name in ["h0x1", "h1x0", "h1x1"] {
            // Pages that came before the refusal are stored, and not new at the second try.
            #expect(run.output.contains("\(name)  ") && run.output.contains("250 items"), "\(run.output)")
            #expect(try bench.query("SELECT count(*) FROM \(name)") == ["250"])
        }
        #expect(try bench.query("SELECT count(*) FROM h0x0") == ["250"])
        _ = try bench.query("ALTER TABLE h0x0 DROP CONSTRAINT small")
        #expect(try await bench.place.run("sync").code == 0)
        try await bench.expectTrue()
    }

    @Test("While workers work, another configuration of the same feeds is refused")
    func otherConfiguration() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 2)
        let worker = try bench.worker()
        try await bench.waitUntilComplete()
        try bench.place.write(
            "other.yaml", "store: \(bench.uri)\nfeeds:\n" + Workplace.feed("h0x0", at: "\(bench.hosts[0].url)/h0x0"))
        let run = try await bench.place.run("sync --config other.yaml")
        #expect(run.code == 73 && run.errors.contains("have another configuration"), "\(run.errors)")
        try await bench.end([worker])
        #expect(try await bench.place.run("sync --config other.yaml").code == 0)
    }

    @Test("sql runs one query in PostgreSQL's SQL, with values as a file would have them")
    func query() async throws {
        let place = try await storedPlace()
        let values = try await query(
            #"SELECT count(*), true AS yes, avg(id), NULL AS none, json '{"a": 1}' AS j FROM things"#, "--json",
            in: place)
        #expect(
            values.output.filter { !$0.isWhitespace }
                == #"[{"count":600,"yes":true,"avg":300.5,"none":null,"j":{"a":1}}]"#, "\(values.errors)")
        let times = try await query("SELECT synced_at FROM feed", in: place)
        #expect(times.output.hasSuffix("Z\n") && times.output.contains("T"), "\(times.output)")
        let all = try await query("SELECT id FROM things ORDER BY id;", "--format tsv", in: place)
        #expect(all.output == "id\n" + (1...600).map { "\($0)\n" }.joined())
        let empty = try await query("SELECT id, name FROM things WHERE id < 0", in: place)
        #expect(empty.code == 0 && empty.output == "id,name\n", "\(empty.errors)")
    }

    @Test(
        "sql changes nothing in PostgreSQL, and says in its words why a query is wrong",
        arguments: [
            ("DELETE FROM things", "only queries are run"), ("SELECT 1; DELETE FROM things", "multiple commands"),
            ("COPY things TO PROGRAM 'cat'", "only queries are run"), ("COMMIT", "only queries are run"),
            ("WITH gone AS (DELETE FROM things RETURNING id) SELECT * FROM gone", "data-modifying"),
            ("SELECT nextval('_fence')", "read-only transaction"), ("SELECT * FROM thing", "\"thing\" does not exist"),
            ("SELECT 1 / (id - 300) FROM things ORDER BY id", "division by zero"),
        ])
    func wrongQuery(_ sql: String, _ message: String) async throws {
        let place = try await storedPlace()
        let run = try await query(sql, "", in: place)
        #expect(run.code == 64 && run.errors.contains(message), "\(run.errors)")
        #expect(run.errors.contains("\nTry: feedsync sql "))
        #expect(try await query("SELECT count(*) FROM things", in: place).output == "count\n600\n")
    }

    @Test("backup writes all of a store in PostgreSQL to a file, and replaces an older backup")
    func backup() async throws {
        let place = try await storedPlace()
        for _ in 1...2 {
            let run = try await place.run("backup copy.db")
            #expect(run.code == 0 && run.output.hasPrefix("copy.db  "), "\(run.errors)")
            #expect(try place.query("SELECT count(*) || ' ' || sum(id) FROM things", of: "copy.db") == ["600 180300"])
            #expect(try place.query("SELECT count(*) FROM run", of: "copy.db") == ["1"])
        }
    }

    @Test("remove without --data takes a feed out of the configuration, and leaves its rows in PostgreSQL")
    func remove() async throws {
        let place = try await storedPlace()
        let run = try await place.run("remove things --yes")
        #expect(run.code == 0, "\(run.errors)")
        #expect(try !place.text(of: "feedsync.yaml").contains("/things"))
        let rows =
            "SELECT (SELECT count(*) FROM things) AS rows, (SELECT count(*) FROM feed WHERE name = 'things') AS feeds"
        #expect(try await query(rows, in: place).output == "rows,feeds\n600,1\n")
        #expect(try await !place.run("status").output.contains("things"))
    }

    private func query(_ sql: String, _ options: String = "--csv", in place: Workplace) async throws -> CommandLineRun {
        try await place.shell("$FEEDSYNC sql \"$SQL\" \(options)", environment: ["SQL": sql])
    }

    /// A folder whose store is in PostgreSQL, with 600 items.
    private func storedPlace() async throws -> Workplace {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...600)))
        try place.write(
            "feedsync.yaml", "store: \(PostgreSQLServer.database())\n" + place.text(of: "feedsync.yaml"))
        #expect(try await place.run("sync things").code == 0)
        return place
    }

    @Test(
        "A command that needs a file says so",
        arguments: [
            ("changes --ack me", "feedsync store copy URI FILE"), ("doctor --repair", "feedsync store copy URI FILE"),
        ])
    func needsFile(words: String, advice: String) async throws {
        let place = try Workplace()
        try place.write("feedsync.yaml", "store: postgres:///feeds\n" + place.text(of: "feedsync.yaml"))
        let run = try await place.run(words)
        #expect(
            run.code == 78 && run.errors.contains("the store is in PostgreSQL, and `\(words.split(separator: " ")[0])"),
            "\(run.errors)")
        #expect(run.errors.contains("\nTry: \(advice)"))
    }
}
