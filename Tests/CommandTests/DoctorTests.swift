import Foundation
import HTTPServer
import SQLite
import ScriptedServer
import Testing

@Suite("doctor")
struct DoctorTests {
    /// A finding of `doctor --json`.
    private struct Finding: Decodable {
        let subject: String
        let level: String
        let feed: String?
        let message: String
        let advice: String?
    }

    private func findings(
        _ place: Workplace, _ environment: [String: String] = [:], code: Int32,
        location: SourceLocation = #_sourceLocation
    ) async throws -> [Finding] {
        let run = try await place.run("doctor --json", environment: environment)
        #expect(run.code == code, "\(run.output) \(run.errors)", sourceLocation: location)
        return try JSONDecoder().decode([Finding].self, from: Data(run.output.utf8))
    }

    private func place() async throws -> Workplace {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        #expect(try await place.run("sync things").code == 0)
        return place
    }

    @Test("A healthy store gets a list of the checks, and is not changed")
    func well() async throws {
        let place = try await place()
        let count = place.server.requests.count
        let before = try place.query("SELECT count(*) FROM run")
        let run = try await place.run("doctor")
        #expect(run.code == 0, "\(run.output)")
        let lines = run.output.split(separator: "\n").map(String.init)
        let marks = ["version", "configuration", "store", "disk", "network", "clock", "schedule", "feed"]
        for mark in marks {
            let padding = String(repeating: " ", count: 15 - mark.count)
            #expect(lines.contains { $0.hasPrefix("ok       \(mark)\(padding)") }, "\(mark) in \(run.output)")
        }
        #expect(lines.first?.contains(" libcurl/") == true && run.output.contains("SQLite/3."))
        #expect(run.output.contains("\(place.server.url): 404 Not Found from 127.0.0.1 (DNS "))
        #expect(run.output.contains("sync last ran "))
        #expect(run.output.contains("1 of 1 feed fresh"))
        // One request, which tells who asks but has no credentials.
        let own = place.server.requests.dropFirst(count)
        #expect(own.map(\.method) == ["HEAD"])
        #expect(try place.query("SELECT count(*) FROM run") == before)
    }

    @Test("A configuration with mistakes is a problem, each with its place")
    func mistakes() async throws {
        let place = try await place()
        try place.write("feedsync.yaml", "feeds: {things: {urll: x}}")
        let findings = try await findings(place, code: 1)
        let problems = findings.filter { $0.level == "problem" }
        #expect(problems.contains { $0.subject == "configuration" && $0.message.contains("feedsync.yaml:1:") })
    }

    @Test("References that lead nowhere are warnings, and so is a credential that is written out; it is not shown")
    func configuration() async throws {
        let place = try Workplace(["things", "others"], extra: #"auth: {bearer: "Literal-Token-9"}"#)
        let text = try place.text(of: "feedsync.yaml")
        try place.write("feedsync.yaml", text + #"    headers: {X-Own: "${UNSET}"}"#)
        let findings = try await findings(place, code: 0)
        let warnings = findings.filter { $0.level == "warning" && $0.subject == "configuration" }
        #expect(warnings.contains { $0.feed == "others" && $0.message.contains("`UNSET` is not set") })
        #expect(
            findings.contains { $0.subject == "network" && $0.message.hasPrefix("the host of others was not asked") })
        let exposed = warnings.filter { $0.message.contains("a credential is written out") }
        #expect(exposed.map(\.feed) == ["things", "others"])
        #expect(exposed.allSatisfy { $0.advice?.contains("chmod 600") == true })
        #expect(!findings.contains { $0.message.contains("Literal-Token") })
    }

    @Test("A damaged store is a problem, with a way to save what is left")
    func damage() async throws {
        let place = try await place()
        #expect(try await place.shell("sqlite3 feedsync.db 'PRAGMA wal_checkpoint(TRUNCATE)'").code == 0)
        // The root page of the feed's table gets another kind's mark.
        let page = try place.query("SELECT rootpage FROM sqlite_schema WHERE name = 'things'").first.flatMap { Int($0) }
        let size = try place.query("PRAGMA page_size").first.flatMap { Int($0) }
        let offset = (try #require(page) - 1) * (try #require(size))
        #expect(
            try await place.shell("printf '\\377' | dd of=feedsync.db bs=1 seek=\(offset) conv=notrunc 2>/dev/null")
                .code
                == 0)
        let findings = try await findings(place, code: 1)
        let problem = try #require(findings.first { $0.subject == "store" && $0.level == "problem" })
        #expect(problem.message.contains("damaged") || problem.message.contains("malformed"), "\(problem.message)")
        // Of what cannot be repaired, what can be read is saved, as the documentation says.
        let repair = try await place.run("doctor --repair")
        #expect(repair.code == 73, "\(repair.output) \(repair.errors)")
        let rescue = "sqlite3 feedsync.db .dump | sed 's/^ROLLBACK.*/COMMIT;/' | sqlite3 new.db"
        let advice = "\(rescue); feedsync doctor --repair --store new.db  # or restore a backup"
        #expect(problem.advice == advice)
        #expect(repair.errors.hasSuffix("Try: \(advice)\n"), "\(repair.errors)")
        #expect(try await place.run("show things").errors.contains("Try: restore a backup, or run feedsync doctor"))
        #expect(try await place.shell(rescue).code == 0)
        let saved = try await place.run("doctor --repair --store new.db")
        #expect(saved.code == 0, "\(saved.output) \(saved.errors)")
        #expect(try await place.run("sync things --store new.db").code == 0)
        #expect(try place.query("SELECT count(*) FROM things WHERE _removed_at IS NULL", of: "new.db") == ["3"])
    }

    @Test("The advice on a damaged store works as it is pasted, with a path that needs quotes and rows that come twice")
    func pastedAdvice() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...300)))
        #expect(try await place.run("more things --all").code == 0)
        try await place.repeatPage()
        #expect(try await place.shell("mv feedsync.db 'my store.db'").code == 0)
        let run = try await place.shell("$FEEDSYNC doctor --json --store 'my store.db'")
        let found = try JSONDecoder().decode([Finding].self, from: Data(run.output.utf8))
        let advice = try #require(found.first { $0.subject == "store" && $0.level == "problem" }?.advice)
        let pasted = try await place.shell("feedsync() { $FEEDSYNC \"$@\"; }; \(advice)")
        #expect(pasted.code == 0, "\(pasted.output) \(pasted.errors)")
        #expect(try place.query("PRAGMA integrity_check", of: "new.db") == ["ok"])
        #expect(try await place.run("sync things --store new.db").code == 0)
        #expect(try place.query("SELECT count(*) FROM things WHERE _removed_at IS NULL", of: "new.db") == ["300"])
    }

    @Test(
        "Counts and sections that differ from the items are a problem; --repair corrects them, and loses no item",
        arguments: [
            ("UPDATE feed SET item_count = 9", "`item_count` is 9, and there are 3 items"),
            ("DELETE FROM _section", "its sections are not those of its items"),
            ("UPDATE _section SET name = 'x', position = 7", "its sections are not those of its items"),
            ("UPDATE _feed SET columns = '{'", "`_feed.columns` is not JSON"),
            ("UPDATE _feed SET key_columns = 'id'", "`_feed.key_columns` is not JSON"),
        ])
    func discrepancy(sql: String, words: String) async throws {
        let place = try await place()
        try place.execute(sql)
        let found = try await findings(place, code: 1).filter { $0.level == "problem" }
        #expect(found.map(\.message) == ["things: \(words)"])
        #expect(found.map(\.advice) == ["feedsync doctor --repair"])
        let repair = try await place.run("doctor --repair")
        #expect(repair.code == 0, "\(repair.output) \(repair.errors)")
        #expect(repair.output.contains("corrected:"), "\(repair.output)")
        #expect(!(try await findings(place, code: 0)).contains { $0.level == "problem" })
        let count = place.server.requests.count
        #expect(try await place.run("sync things").code == 0)
        #expect(place.server.requests.count > count)
        #expect(try place.query("SELECT count(*) FROM things WHERE _removed_at IS NULL") == ["3"])
        #expect(try place.query("SELECT item_count FROM feed") == ["3"])
    }

    @Test("A broken index is a problem; --repair rebuilds it, and full-text indexes, too")
    func indexes() async throws {
        let place = try Workplace(extra: "search: [name]")
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        #expect(try await place.run("sync things").code == 0)
        try place.execute("CREATE INDEX own ON things (name)")
        // The index is taken for one of another column, which it knows nothing of.
        let damage = try await place.shell(
            """
            sqlite3 feedsync.db '.dbconfig defensive off' 'PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = "CREATE INDEX own ON things (_changed_at)" WHERE name = "own";
            DELETE FROM _search_things_data WHERE id > 10;'
            """)
        #expect(damage.code == 0, "\(damage.errors)")
        #expect(!(try await place.run("search item --json")).output.contains("item 3"))
        let found = try await findings(place, code: 1).filter { $0.level == "problem" }
        #expect(!found.isEmpty && found.allSatisfy { $0.advice == "feedsync doctor --repair" }, "\(found)")
        let repair = try await place.run("doctor --repair")
        #expect(repair.code == 0, "\(repair.output) \(repair.errors)")
        #expect(try place.query("PRAGMA integrity_check") == ["ok"])
        let search = try await place.run("search item --json")
        #expect(search.output.components(separatedBy: "\"item ").count == 4, "\(search.output) \(search.errors)")
    }

    @Test("A feed that another process works on is not repaired: try later")
    func busy() async throws {
        let place = try Workplace(extra: "timeout: 10m")
        let (run, gate) = try await place.heldReload()
        let repair = try await place.run("doctor --repair")
        #expect(repair.code == 75, "\(repair.output) \(repair.errors)")
        gate.open()
        #expect(await run.end().code == 0)
    }

    @Test("A store in a folder that is missing is a problem; one that is not there yet is none")
    func noStore() async throws {
        let place = try Workplace()
        let yet = try await findings(place, code: 0)
        #expect(yet.contains { $0.subject == "store" && $0.level == "ok" && $0.message.contains("not there yet") })
        try place.write("feedsync.yaml", "store: no/such.db\n" + place.text(of: "feedsync.yaml"))
        let missing = try await findings(place, code: 1)
        #expect(missing.contains { $0.subject == "store" && $0.level == "problem" && $0.advice == "mkdir -p no" })
    }

    @Test("A host that cannot be reached is a problem with the reason; one that fails is a warning")
    func network() async throws {
        let place = try Workplace(["things", "others"])
        place.server.enqueue("/", [.status(503)])
        let text = try place.text(of: "feedsync.yaml")
        try place.write(
            "feedsync.yaml", text.replacing("\(place.server.url)/others", with: "https://127.0.0.1:1/others"))
        let findings = try await findings(place, code: 1).filter { $0.subject == "network" }
        #expect(findings.map(\.level) == ["warning", "problem"])
        #expect(findings.last?.message.hasPrefix("https://127.0.0.1:1: Failed to connect") == true)
        #expect(findings.last?.advice?.isEmpty == false)
    }

    @Test(
        "A certificate that is not trusted, and the environment's file of certificates that is not there",
        .enabled(if: SecureServer.isInstalled))
    func certificates() async throws {
        let place = try Workplace([])
        let server = try await SecureServer(in: place)
        try place.write(
            "feedsync.yaml", "feeds:\n" + Workplace.feed("things", at: "https://127.0.0.1:\(server.port)/things"))
        let unknown = try await findings(place, code: 1)
        #expect(unknown.contains { $0.subject == "network" && $0.advice?.contains("`ca`") == true })
        let missing = try await findings(place, ["SSL_CERT_FILE": "no.pem"], code: 1)
        #expect(missing.contains { $0.subject == "environment" && $0.message == "set: SSL_CERT_FILE" })
        #expect(missing.contains { $0.subject == "environment" && $0.message.contains("no.pem cannot be read") })
        let trusted = try await findings(place, ["SSL_CERT_FILE": place.path("ca.pem")], code: 0)
        #expect(trusted.contains { $0.subject == "network" && $0.level == "ok" && $0.message.contains(", TLS ") })
    }

    @Test("A clock that is off is a problem", .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/faketime")))
    func clock() async throws {
        let place = try await place()
        let run = try await place.shell("faketime -f +2h $FEEDSYNC doctor --json")
        #expect(run.output.contains("2 h ahead of the hosts' clocks"), "\(run.output) \(run.errors)")
        #expect(run.code == 1)
    }

    @Test("Feeds that fail or are overdue are problems, and nothing that runs sync is one")
    func feeds() async throws {
        let place = try Workplace(["things", "others"])
        for path in ["/things", "/others"] { place.server.route(path, to: PagedFeed(PagedFeed.items(1...3))) }
        let never = try await findings(place, code: 0)
        #expect(!never.isEmpty && !never.contains { $0.subject == "feed" && $0.level == "problem" })
        #expect(try await place.run("sync").code == 0)
        place.server.enqueue("/things", [.status(500)])
        #expect(try await place.run("sync things").code == 69)
        _ = try place.query(
            """
            UPDATE feed SET next_due_at = '2026-01-01T00:00:00.000Z', synced_at = '2026-01-01T00:00:00.000Z',
                reloaded_at = '2026-01-01T00:00:00.000Z' WHERE name = 'others'
            """)
        _ = try place.query(
            """
            UPDATE _feed SET planned_due_at = '2026-01-01T00:00:00.000Z', round_started_at = '2026-01-01T00:00:00.000Z',
                round_ended_at = '2026-01-01T00:00:00.000Z' WHERE feed = 'others'
            """)
        let findings = try await findings(place, code: 1)
        let failing = try #require(findings.first { $0.feed == "things" })
        #expect(failing.level == "problem" && failing.message.hasPrefix("failing: "))
        #expect(failing.advice?.contains("feedsync explain things --response") == true)
        #expect(findings.contains { $0.feed == "others" && $0.level == "problem" && $0.message.hasPrefix("stale: ") })
        #expect(findings.contains { $0.level == "warning" && $0.message == "0 of 2 feeds fresh" })
        let schedule = try #require(findings.first { $0.subject == "schedule" })
        #expect(schedule.level == "problem" && schedule.message.contains("1 feed is overdue"), "\(schedule.message)")
        // A full disk has nothing to do with the response.
        let error = #"{"kind":"store","message":"database or disk is full","http_status":null,"url":null}"#
        _ = try place.query("UPDATE feed SET error = '\(error)' WHERE name = 'things'")
        let full = try #require(try await self.findings(place, code: 1).first { $0.feed == "things" })
        #expect(full.advice == "feedsync sync things -v", "\(full)")
    }
}

@Suite("Credentials that are written out")
struct LiteralCredentialTests {
    @Test(
        "check warns of each with its place, and does not show it",
        arguments: [
            "auth: {bearer: L1teral}", "auth: {basic: {user: me, password: L1teral}}", "auth: {header: {X-A: L1teral}}",
            "auth: {query: {k: L1teral}}", "headers: {Authorization: Bearer L1teral}", "query: {api_key: L1teral}",
            "auth: {oauth2: {token_url: \"http://a/\", client_id: x, client_secret: L1teral}}",
            "proxy: \"http://me:L1teral@a:1\"", "client_certificate: {certificate: x, password: L1teral}",
        ])
    func literal(member: String) async throws {
        let place = try Workplace(extra: member)
        let run = try await place.run("check")
        #expect(run.code == 0)
        #expect(run.errors.contains("things: warning: feedsync.yaml:9:"), "\(run.errors)")
        #expect(run.errors.contains(": a credential is written out; write '${NAME}'"))
        #expect(!(run.errors + run.output).contains("L1teral"))
        // It may be used all the same.
        #expect(try await place.run("explain things").output.contains("L1teral") == false)
    }

    @Test(
        "A literal password in `store` is reported",
        arguments: [
            ("postgres://me:L1teral@h/db", true), ("postgres://h/db?password=L1teral", true),
            ("postgres://me:${PW}@h/db", false), ("postgres://h/db?password=${PW}", false),
            ("postgres://me@h/db", false),
        ])
    func storePassword(uri: String, isWarned: Bool) async throws {
        let place = try Workplace()
        try place.write("feedsync.yaml", "store: \(uri)\n" + place.text(of: "feedsync.yaml"))
        let run = try await place.run("check", environment: ["PW": "x"])
        #expect(run.code == 0 && !run.errors.contains("L1teral"), "\(run.errors)")
        #expect(run.errors.contains("warning: feedsync.yaml:1:8: a credential is written out") == isWarned)
    }

    @Test(
        "References and what is no credential are not warned of",
        arguments: [
            "auth: {bearer: \"${T}\"}", "headers: {Authorization: \"Bearer ${T}\"}", "query: {sort: name}",
            "auth: {basic: {user: me, password: \"${T}\"}}", "proxy: \"http://me:${T}@a:1\"", "proxy: http://me@a:1",
        ])
    func references(member: String) async throws {
        let run = try await Workplace(extra: member).run("check", environment: ["T": "x"])
        #expect(run.code == 0)
        #expect(run.errors.isEmpty, "\(run.errors)")
    }

    @Test("A file that holds one is for its owner alone once a command has written it, whatever was changed")
    func mode() async throws {
        let place = try Workplace(["things", "others"], extra: "auth: {bearer: L1teral}")
        let mode = {
            try FileManager.default.attributesOfItem(atPath: place.path("feedsync.yaml"))[.posixPermissions] as? Int
        }
        chmod(place.path("feedsync.yaml"), 0o644)
        #expect(try await place.run("remove others").code == 0)
        #expect(try mode() == 0o600)
        chmod(place.path("feedsync.yaml"), 0o644)
        #expect(try await place.run("add stars github.search q=language:swift").code == 0)
        #expect(try mode() == 0o600)
        // Without one it stays as it is.
        try place.write("feedsync.yaml", "feeds: {}\n")
        chmod(place.path("feedsync.yaml"), 0o644)
        #expect(try await place.run("add stars github.search q=language:swift").code == 0)
        #expect(try mode() == 0o644)
    }
}
