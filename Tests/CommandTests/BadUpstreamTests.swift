import Concurrency
import Foundation
import HTTPServer
import SQLite
import ScriptedServer
import Testing

@Suite struct BadUpstreamTests {
    @Test(
        "Each error of an upstream has its exit code, and stores nothing",
        arguments: [
            (ServerResponse.html("<!DOCTYPE html><p>Sign in</p>"), 65),
            (.json(#"{"items":[{"id":1}"#), 65), (.json(""), 65), (.json("[1,2]"), 65), (.json("not JSON"), 65),
            (.json(#"{"things":[]}"#), 65), (.json(#"{"items":[{"name":"no key"}]}"#), 65),
            (.status(401), 77), (.status(403), 77), (.status(404), 69), (.status(410), 69), (.status(500), 69),
            (ServerResponse(body: Array(#"{"items":[]}"#.utf8), delivery: .truncated(after: 4)), 69),
            (.status(429, headers: [(name: "Retry-After", value: "120")]), 75),
        ] as [(ServerResponse, Int32)])
    func responses(response: ServerResponse, code: Int32) async throws {
        let place = try Workplace()
        place.server.enqueue("/things", [response])
        let run = try await place.run("reload things")
        #expect(run.code == code)
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix("feedsync: things: "))
        #expect(try place.log() == ["beginHeader", "endHeader"])
        #expect(try place.query("SELECT count(*) FROM things") == ["0"])
        try place.expectSound()
    }

    @Test("A wait that an upstream asks for is reported, kept for the next command, and not printed with --quiet")
    func limited() async throws {
        let place = try Workplace()
        place.server.enqueue("/things", [.status(429, headers: [(name: "Retry-After", value: "7200")])])
        let run = try await place.run("reload things")
        #expect(run.errors.contains("429 Too Many Requests"))
        // The time is said as people read it, as in the rest of the message.
        #expect(run.errors.contains(" again after ") && run.errors.contains(":") && !run.errors.contains("Z, or allow"))
        #expect(run.errors.contains("--max-wait"))
        #expect(run.code == 75)
        let quiet = try await place.run("more things -q")
        #expect(quiet.code == 75)
        #expect(quiet.errors.isEmpty)
        #expect(place.server.requests.count == 1)
    }

    @Test("An upstream that cannot be reached is named")
    func unreachable() async throws {
        let place = try Workplace()
        // Nothing listens on port 1; a port that was just closed may be in use by another test.
        try place.write("feedsync.yaml", "feeds:\n" + Workplace.feed("things", at: "http://127.0.0.1:1/things"))
        let run = try await place.run("reload things")
        #expect(run.errors.contains("http://127.0.0.1:1/things"))
        #expect(run.code == 69)
    }

    @Test("The text of an upstream cannot control the terminal")
    func escapes() async throws {
        let place = try Workplace()
        place.server.enqueue("/things", [.json(#"{"items":[{"id":1,"name":"a\u001b[31mb\nc\u202ed"}]}"#)])
        #expect(try await place.run("reload things").code == 0)
        #expect(
            try await place.run("show things --columns id,name").output == "id\tname\n1\ta\\u001b[31mb\\nc\\u202ed\n")
    }
}

@Suite struct BadStoreTests {
    @Test("A database of another program is refused and left as it was")
    func foreign() async throws {
        let place = try Workplace()
        try Connection(path: place.path("feedsync.db")).execute(
            "CREATE TABLE notes (text); INSERT INTO notes VALUES (1)")
        let run = try await place.run("reload things")
        #expect(run.errors.hasPrefix("feedsync: feedsync.db belongs to another program"))
        #expect(run.code == 73)
        #expect(try place.query("SELECT name FROM sqlite_schema") == ["notes"])
        #expect(place.server.requests.isEmpty)
    }

    @Test("A file that is not a database is refused and left as it was")
    func noDatabase() async throws {
        let place = try Workplace()
        let text = String(repeating: "Dear diary, ", count: 100)
        try place.write("feedsync.db", text)
        let run = try await place.run("reload things")
        #expect(run.code == 73)
        #expect(run.errors.contains("\nTry: "))
        #expect(try place.text(of: "feedsync.db") == text)
    }

    @Test(
        "A store on a read-only file system can be read, and cannot be written",
        .enabled(if: BadStoreTests.canMount, "mounting takes a superuser"))
    func readOnlyFileSystem() async throws {
        let place = try Workplace()
        place.server.enqueue("/things", [.json(#"{"items":[{"id":1}]}"#)])
        #expect(try await place.run("reload things").code == 0)
        let run = try await place.shell(
            """
            unshare --mount bash -c 'mount --bind . . && mount -o remount,ro,bind . && cd "$PWD" && $FEEDSYNC show things --columns id &&
                $FEEDSYNC reload things'
            """)
        #expect(run.output == "id\n1\n")
        #expect(
            run.errors.hasPrefix(
                "feedsync: unable to open database file: Read-only file system (SQLite error 14), file feedsync.db\n"),
            "\(run.errors)")
        #expect(run.code == 73)
    }

    static let canMount: Bool = {
        guard let child = try? ChildProcess.start(["/usr/bin/unshare", "--mount", "true"], environment: [:]) else {
            return false
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status == 0
    }()

    @Test("A store that cannot be created is reported with its path", arguments: ["/proc/x.db", "feedsync.yaml/x.db"])
    func impossiblePlaces(path: String) async throws {
        let place = try Workplace()
        let run = try await place.run("reload things --store \(path)")
        #expect(run.errors.contains(path))
        #expect(run.code == 73)
        #expect(place.server.requests.isEmpty)
    }

    @Test("Reading a missing store does not create it", arguments: ["status", "feeds", "show things", "events"])
    func missing(words: String) async throws {
        let place = try Workplace()
        #expect(try await place.run(words).code == 0)
        #expect(place.files == ["feedsync.yaml"])
    }
}
