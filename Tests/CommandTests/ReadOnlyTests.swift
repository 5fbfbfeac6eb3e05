import Foundation
import HTTPServer
import Platform
import SQLite
import ScriptedServer
import Testing

/// Permissions do not stop a superuser, who becomes another user here.
private let canBeAnother = geteuid() != 0 || access("/usr/bin/setpriv", X_OK) == 0

@Suite("Reading needs no write permission", .enabled(if: canBeAnother, "a superuser needs setpriv"))
struct ReadOnlyTests {
    private static let another =
        geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups ./feedsync" : "./feedsync"

    private static let commands = [
        "status", "feeds", "plan", "events", "show things", "sql 'SELECT * FROM things'", "changes",
    ]

    /// A folder that others can read, with a binary that they can reach.
    private func place(items: Int = 3) async throws -> Workplace {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...items)))
        #expect(try await place.run("more things --all").code == 0)
        let shell = try await place.shell("cp $FEEDSYNC feedsync && chmod 755 feedsync && chmod 644 feedsync.*")
        #expect(shell.code == 0, "\(shell.errors)")
        return place
    }

    /// Runs a line of shell as a user who may not write in the folder; `$READ` is feedsync.
    private func read(_ place: Workplace, _ line: String) async throws -> CommandLineRun {
        chmod(place.folder, 0o555)
        defer { chmod(place.folder, 0o755) }
        return try await place.shell(
            line, environment: ["READ": "\(Self.another) --config feedsync.yaml"])
    }

    @Test("Every command that only reads works in a folder that cannot be written, and leaves nothing there")
    func resting() async throws {
        let place = try await place()
        let files = place.files
        for command in Self.commands {
            let run = try await read(place, "$READ \(command)")
            #expect(run.code == 0, "\(command): \(run.errors)")
            #expect(run.errors.isEmpty)
            #expect(!run.output.isEmpty)
        }
        #expect(place.files == files)
        let write = try await read(place, "$READ reload things")
        #expect(write.code == 73)
    }

    @Test("A writer's changes that are not in the file yet are read, too")
    func beside() async throws {
        let place = try await place()
        let connection = try Connection(path: place.path("feedsync.db"), access: .readWrite)
        try connection.run("UPDATE things SET name = 'in the log' WHERE id = 2")
        let run = try await read(place, "$READ sql 'SELECT name FROM things WHERE id = 2'")
        #expect(run.output == "name\nin the log\n", "\(run.errors)")
        withExtendedLifetime(connection) {}
    }

    @Test(
        "The log of a store that a group may read is the group's, too, whoever of it writes",
        .enabled(if: geteuid() == 0, "needs a user of two groups"))
    func sharedLog() async throws {
        let place = try await place()
        let run = try await place.shell(
            """
            chown -R 65534:65534 . && chgrp 60001 feedsync.db && chmod 640 feedsync.db
            setpriv --reuid=65534 --regid=65534 --groups=60001 ./feedsync more things --all --quiet
            stat -c '%n %a %g' feedsync.db-wal feedsync.db-shm
            """)
        #expect(run.output == "feedsync.db-wal 640 60001\nfeedsync.db-shm 640 60001\n", "\(run.errors)")
    }

    @Test("A copy in another journal mode, and a path through a link, can be read")
    func copies() async throws {
        let place = try await place()
        _ = try place.query("VACUUM INTO '\(place.path("copy.db"))'")
        chmod(place.path("copy.db"), 0o444)
        symlink("copy.db", place.path("link.db"))
        for name in ["copy.db", "link.db"] {
            let run = try await read(place, "$READ sql 'SELECT count(*) AS n FROM things' --store \(name)")
            #expect(run.output == "n\n3\n", "\(run.errors)")
        }
    }

    @Test("A log that cannot be read is an error, in place of rows that lack what is in it")
    func unreadableLog() async throws {
        let place = try await place()
        let connection = try Connection(path: place.path("feedsync.db"), access: .readWrite)
        try connection.run("UPDATE things SET name = 'in the log' WHERE id = 2")
        #expect(try await place.shell("mkdir other && cp feedsync.db feedsync.db-wal other").code == 0)
        withExtendedLifetime(connection) {}
        chmod(place.path("other"), 0o555)
        let run = try await read(place, "$READ show things --store other/feedsync.db")
        chmod(place.path("other"), 0o755)
        #expect(run.code == 73)
        #expect(run.errors.contains("-wal has what was written last"), "\(run.errors)")
        #expect(run.output.isEmpty)
    }

    @Test("A file that is written while it is read without locks is an error, not a mixture of rows")
    func torn() async throws {
        let place = try await place(items: 6_000)
        let run = try await read(
            place,
            """
            set +e; mkfifo /tmp/$$.fifo; $READ show things > /tmp/$$.fifo 2> /tmp/$$.errors & reader=$!
            { head -c 1000 > /dev/null; touch feedsync.db; cat > /dev/null; } < /tmp/$$.fifo
            wait $reader; code=$?; cat /tmp/$$.errors >&2; rm /tmp/$$.*; exit $code
            """)
        #expect(run.code == 75)
        #expect(
            run.errors.contains("feedsync.db was written while it was read\nTry: run the command again"),
            "\(run.errors)")
    }

    @Test("events --follow shows what is written after it was started")
    func follow() async throws {
        let place = try await place()
        let before = try place.log().count
        chmod(place.folder, 0o755)
        async let followed = place.shell(
            "$READ events --follow --json | head -n \(before + 1)",
            environment: ["READ": "\(Self.another) --config feedsync.yaml"])
        while true {
            #expect(try await place.run("reload things").code == 0)
            if try place.log().count > before { break }
        }
        #expect(try await followed.output.split(separator: "\n").count == before + 1)
    }
}
