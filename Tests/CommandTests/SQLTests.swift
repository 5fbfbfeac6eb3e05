import HTTPServer
import ScriptedServer
import Testing

@Suite("sql and path")
struct SQLTests {
    private func place() async throws -> Workplace {
        let place = try Workplace(extra: "model: thing")
        place.server.enqueue("/things", [.json(#"{"items":[{"id":1,"name":"a"},{"id":2,"name":"b"}]}"#)])
        #expect(try await place.run("reload things").code == 0)
        return place
    }

    @Test("sql prints the result of a query in every format")
    func formats() async throws {
        let place = try await place()
        func sql(_ query: String, _ words: String = "") async throws -> String {
            let run = try await place.shell("$FEEDSYNC sql '\(query)' \(words)")
            #expect(run.code == 0, "\(run.errors)")
            return run.output
        }
        #expect(try await sql("SELECT id, name AS n FROM things ORDER BY id DESC") == "id\tn\n2\tb\n1\ta\n")
        #expect(try await sql("SELECT feed, count(*) AS c FROM thing", "--csv") == "feed,c\nthings,2\n")
        #expect(
            try await sql("SELECT name, complete FROM feed", "--json")
                == "[\n{\"name\":\"things\",\"complete\":false}\n]\n")
        #expect(try await sql("VALUES (1, NULL)", "--ndjson") == "{\"column1\":1,\"column2\":null}\n")
        #expect(try await sql("SELECT 1 WHERE 0", "--json") == "[]\n")
        #expect(try await sql("SELECT 1 AS a", "--markdown") == "| a |\n| --- |\n| 1 |\n")
        #expect(try await sql("PRAGMA table_info(things)", "--csv").contains("\n0,id,INTEGER,1,,1\n"))
        #expect(
            try await sql("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3) SELECT * FROM n")
                == "i\n1\n2\n3\n")
    }

    @Test(
        "sql runs nothing but queries",
        arguments: [
            "DELETE FROM things", "DROP TABLE things", "CREATE TABLE x (a)", "CREATE TEMP TABLE x (a)",
            "ATTACH 'other.db' AS o", "PRAGMA query_only = 0", "PRAGMA user_version = 7",
            "PRAGMA journal_mode = DELETE",
            "PRAGMA writable_schema = 1", "VACUUM INTO 'copy.db'", "BEGIN", "UPDATE things SET name = 1 RETURNING id",
            "SELECT 1; DELETE FROM things", "",
        ])
    func refused(query: String) async throws {
        let place = try await place()
        let run = try await place.shell("$FEEDSYNC sql \"$QUERY\"", environment: ["QUERY": query])
        #expect(run.code == 64)
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix("feedsync: "))
        #expect(try place.query("SELECT count(*) FROM things") == ["2"])
        #expect(place.files.allSatisfy { $0 != "other.db" && $0 != "copy.db" })
    }

    @Test(
        "Ctrl-C on a terminal ends a query at once, also while a pager waits for rows",
        arguments: [
            "SELECT count(*) FROM n", "SELECT i FROM n",
            "SELECT count(*) FROM n WHERE i = -1 UNION ALL SELECT i FROM n",
        ])
    func interrupted(query: String) async throws {
        let place = try await place()
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \(query)"
        let run = try await place.shell(
            """
            mkfifo keys
            PAGER='touch started; less -FRX' timeout 60 script -qec "$FEEDSYNC sql '$QUERY'" /dev/null < keys > shown.txt &
            exec 3> keys
            until [ -e started ]; do sleep 0.01; done
            printf '\\003' >&3
            # Where rows fill the screen, the pager stays until its reader leaves it.
            (while sleep 0.2; do printf 'q' >&3; done) 2> /dev/null & typist=$!
            wait %1; code=$?
            kill $typist
            exit $code
            """, environment: ["QUERY": endless])
        #expect(run.code == 130, "\(run.output) \(run.errors)")
    }

    @Test("The error of a query that SQLite does not take has SQLite's reason")
    func wrong() async throws {
        let place = try await place()
        let run = try await place.shell("$FEEDSYNC sql 'SELECT nmae FROM things'")
        #expect(run.code == 64)
        #expect(run.errors.hasPrefix("feedsync: `SELECT nmae FROM things`: no such column: nmae\n"))
        #expect(try await Workplace().shell("$FEEDSYNC sql 'SELECT 1'").code == 73)
    }

    @Test("path names the configuration and the store, or one of them alone")
    func path() async throws {
        let place = try await place()
        let run = try await place.run("path store")
        #expect(run.output.hasSuffix("/feedsync.db\n") && run.output.hasPrefix("/"))
        let both = try await place.terminal("path --store other/x.db").output.split(separator: "\n")
        #expect(both.count == 2)
        #expect(both[0].hasPrefix("configuration  /") && both[0].hasSuffix("/feedsync.yaml"))
        #expect(both[1].hasPrefix("store          /") && both[1].hasSuffix("/other/x.db"))
        let document = try await place.run("path --json").output
        #expect(document.contains("\"configuration\":\"/") && document.contains("/feedsync.db\","))
        #expect(
            try await place.run("path stor").errors.hasPrefix("feedsync: no such path: stor; did you mean store?\n"))
    }

    @Test(
        "On a terminal, status, feeds and check name the files that they read", arguments: ["status", "feeds", "check"])
    func named(command: String) async throws {
        let place = try await place()
        let shown = try await place.shell(
            "script -qec '$FEEDSYNC \(command)' /dev/null", environment: ["NO_COLOR": "1"])
        #expect(shown.output.hasPrefix("using feedsync.yaml, store feedsync.db\r\n"))
        guard command != "check" else { return }
        let other = try await place.shell(
            "script -qec '$FEEDSYNC \(command)' /dev/null", environment: ["NO_COLOR": "1", "FEEDSYNC_STORE": "typo.db"])
        #expect(other.output.hasPrefix("using feedsync.yaml, store typo.db (not there yet)\r\n"))
        let document = try await place.shell("script -qec '$FEEDSYNC \(command) --json' /dev/null")
        #expect(document.output.hasPrefix("["))
    }
}
