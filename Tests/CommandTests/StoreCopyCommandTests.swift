import HTTPServer
import PostgreSQLServer
import ScriptedServer
import Testing

@Suite("store copy")
struct StoreCopyCommandTests {
    @Test("A store is moved to PostgreSQL and back, and the next sync continues as if it had not been")
    func move() async throws {
        let place = try Workplace()
        let feed = PagedFeed(PagedFeed.items(1...350))
        place.server.route("/things", to: feed)
        #expect(try await place.run("sync things").code == 0)
        let uri = try PostgreSQLServer.database()
        let there = try await place.run("store copy feedsync.db \(uri) --json")
        #expect(there.code == 0, "\(there.errors)")
        #expect(there.output.contains(#"{"table":"things","rows":350,"checksum":""#))
        #expect(there.errors.contains("feedsync: things: 350 rows copied\n"))
        let back = try await place.run("store copy \(uri) back.db")
        #expect(back.code == 0, "\(back.errors)")

        feed.items = PagedFeed.items(0...350)
        var requests = place.server.requests.count
        #expect(try await place.run("sync things").code == 0)
        let usual = place.server.requests.dropFirst(requests).map {
            "\($0.path) \($0.query) \($0.header("If-None-Match") ?? "")"
        }
        requests = place.server.requests.count
        #expect(try await place.run("sync things --store back.db").code == 0)
        let moved = place.server.requests.dropFirst(requests).map {
            "\($0.path) \($0.query) \($0.header("If-None-Match") ?? "")"
        }
        #expect(moved == usual)
        let query = "SELECT id, name, _generation, _position FROM things ORDER BY id"
        #expect(try place.query(query, of: "back.db") == place.query(query))
        #expect(try place.query("SELECT count(*) FROM run", of: "back.db") == place.query("SELECT count(*) FROM run"))

        let again = try await place.run("store copy feedsync.db \(uri)")
        #expect(again.code == 0 && again.output.contains("things\t351\t"), "\(again.errors)")
        let refused = try await place.run("store copy \(uri) back.db")
        #expect(refused.code == 73 && refused.errors.contains("back.db exists already"), "\(refused.errors)")
    }

    @Test("A damaged store is not copied over the copy that PostgreSQL has")
    func damaged() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...300)))
        #expect(try await place.run("more things --all").code == 0)
        let uri = try PostgreSQLServer.database()
        #expect(try await place.run("store copy feedsync.db \(uri)").code == 0)
        try await place.repeatPage()
        let run = try await place.run("store copy feedsync.db \(uri)")
        #expect(run.code == 73 && run.errors.contains("feedsync.db is damaged: "), "\(run.errors)")
        let back = try await place.run("store copy \(uri) back.db")
        #expect(back.code == 0, "\(back.errors)")
        #expect(try place.query("SELECT count(DISTINCT id) FROM things", of: "back.db") == ["300"])
    }

    @Test(
        "A copy that cannot be made is reported with the reason",
        arguments: [
            ("store", 64, "store needs `copy`, a store, and where to copy it"),
            ("store copy feedsync.db", 64, "store needs `copy`"),
            ("store move a b", 64, "no such command of `store`: move"),
            ("store copy missing.db postgres:///x", 73, "missing.db"),
            ("store copy feedsync.db postgres://me:s3cr3t@127.0.0.1:9/x", 73, "PostgreSQL: connection to server"),
            ("store copy feedsync.db nowhere/copy.db", 73, "nowhere"),
            (
                "doctor --repair --store postgres:///x", 73,
                "the store is in PostgreSQL, and `doctor --repair` needs a file"
            ),
        ])
    func wrong(words: String, code: Int32, message: String) async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        #expect(try await place.run("reload things").code == 0)
        let run = try await place.run(words)
        #expect(run.code == code, "\(run.errors)")
        #expect(run.errors.contains(message), "\(run.errors)")
        #expect(!run.errors.contains("s3cr3t"))
        #expect(run.errors.contains("\nTry: "))
    }
}
