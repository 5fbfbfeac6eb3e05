import Foundation
import HTTPServer
import SQLite
import ScriptedServer
import Testing

@Suite("prune and backup")
struct MaintenanceTests {
    private func place() async throws -> Workplace {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...300)))
        #expect(try await place.run("more things --all").code == 0)
        return place
    }

    @Test("backup writes one file that needs nothing beside it, also while somebody writes the store")
    func backup() async throws {
        let place = try await place()
        let writer = try Connection(path: place.path("feedsync.db"), access: .readWrite)
        try writer.run("UPDATE things SET name = 'in the log' WHERE id = 7")
        try writer.begin(.immediate)
        try writer.run("UPDATE things SET name = 'not committed' WHERE id = 8")
        let run = try await place.run("backup copy.db")
        writer.rollback()
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.hasPrefix("copy.db  "))
        #expect(!place.files.contains { $0.hasPrefix("copy.db-") || $0.hasPrefix("copy.db.") })
        let mode = try FileManager.default.attributesOfItem(atPath: place.path("copy.db"))[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try place.query("PRAGMA integrity_check", of: "copy.db") == ["ok"])
        #expect(try place.query("PRAGMA journal_mode", of: "copy.db") == ["delete"])
        #expect(
            try place.query("SELECT name FROM things WHERE id IN (7, 8) ORDER BY id", of: "copy.db")
                == ["in the log", "item 8"])

        // It can be used in the place of the store.
        let synced = try await place.run("sync --store copy.db")
        #expect(synced.code == 0, "\(synced.errors)")
        #expect(try place.query("SELECT count(*) FROM things", of: "copy.db") == ["300"])
    }

    @Test("backup removes what a killed backup left, and not the part of one that goes on")
    func abandonedParts() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        #expect(try await place.run("reload things").code == 0)
        // The number of no process: https://man7.org/linux/man-pages/man5/proc_sys_kernel.5.html, pid_max
        let gone = ["copy.db.part-5000000", "copy.db.part-5000000-journal"]
        let others = ["copy.db.part-1", "copy.db.part-x", "other.db.part-5000000"]
        for file in gone + others {
            try place.write(file, "")
            try place.setTime(of: file, to: 1_700_000_000)
        }
        // Another machine may be writing it.
        try place.write("copy.db.part-5000001", "")
        #expect(try await place.run("backup copy.db").code == 0)
        for file in gone { #expect(!FileManager.default.fileExists(atPath: place.path(file))) }
        for file in others + ["copy.db.part-5000001"] {
            #expect(FileManager.default.fileExists(atPath: place.path(file)))
        }
    }

    @Test("backup refuses - for a file, and completion says which shells there are")
    func operands() async throws {
        let place = try Workplace()
        let backup = try await place.run("backup -")
        #expect(backup.code == 64)
        #expect(backup.errors.contains("backup writes to a file, not to stdout"))
        #expect(!place.files.contains("-"))
        #expect(try await place.run("completion").errors.contains("completion needs the name of a shell"))
    }

    @Test("backup replaces an older copy, but not the store, a database in use, or a file that is not a database")
    func replaced() async throws {
        let place = try await place()
        try place.write("copy.db", "")
        for _ in 1...2 { #expect(try await place.run("backup copy.db").code == 0) }
        #expect(try place.query("SELECT count(*) FROM things", of: "copy.db") == ["300"])
        let itself = try await place.run("backup ./feedsync.db")
        #expect(itself.code == 73 && itself.errors.contains("is the store itself"), "\(itself.errors)")
        #expect(link(place.path("feedsync.db"), place.path("link.db")) == 0)
        let hardLink = try await place.run("backup link.db")
        #expect(hardLink.code == 73 && hardLink.errors.contains("is the store itself"), "\(hardLink.errors)")
        for name in ["feedsync.yaml", "feedsync.db-lock"] {
            let other = try await place.run("backup \(name)")
            #expect(other.code == 73 && other.errors.contains("is not a database"), "\(other.errors)")
        }
        #expect(try place.text(of: "feedsync.yaml").contains("things"))
        try place.write("copy.db-wal", "")
        #expect(try await place.run("backup copy.db").code == 73)
        let folder = try await place.run("backup nowhere/copy.db")
        #expect(folder.code == 73 && folder.errors.contains("the folder nowhere does not exist"), "\(folder.errors)")
        #expect(!place.files.contains { $0.contains(".part-") })
    }

    @Test("backup replaces the target of a link, and refuses what is no file")
    func linked() async throws {
        let place = try await place()
        try FileManager.default.createSymbolicLink(atPath: place.path("link.db"), withDestinationPath: "copy.db")
        for _ in 1...2 {
            #expect(try await place.run("backup link.db").code == 0)
            #expect(try place.query("SELECT count(*) FROM things", of: "copy.db") == ["300"])
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: place.path("link.db")) == "copy.db")
        }
        #expect(try await place.shell("mkfifo pipe").code == 0)
        for path in ["pipe", "/dev/null", "."] {
            let run = try await place.run("backup \(path)")
            #expect(run.code == 73 && run.errors.contains("\(path) is not a file"), "\(run.errors)")
        }
    }

    @Test("backup of a damaged store fails, and keeps the older copy")
    func damaged() async throws {
        let place = try await place()
        #expect(try await place.run("backup copy.db").code == 0)
        try await place.repeatPage()
        let run = try await place.run("backup copy.db")
        #expect(run.code == 73 && run.output.isEmpty, "\(run.output)")
        #expect(run.errors.contains("feedsync.db is damaged: "), "\(run.errors)")
        #expect(run.errors.hasSuffix("Try: restore a backup, or run feedsync doctor to see what can be saved\n"))
        #expect(try place.query("PRAGMA integrity_check", of: "copy.db") == ["ok"])
        #expect(try place.query("SELECT count(DISTINCT id) FROM things", of: "copy.db") == ["300"])
        #expect(!place.files.contains { $0.contains(".part-") })
        let other = try await place.run("backup other.db")
        #expect(other.code == 73 && !place.files.contains("other.db"), "\(other.errors)")
    }

    @Test("backup of a store with a wrong index goes on, as no row is lost")
    func wrongIndex() async throws {
        let place = try await place()
        try place.execute("CREATE INDEX own ON things (name)")
        // The index is taken for one of another column, which it knows nothing of.
        let change = try await place.shell(
            """
            sqlite3 feedsync.db '.dbconfig defensive off' 'PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = "CREATE INDEX own ON things (_changed_at)" WHERE name = "own";'
            """)
        #expect(change.code == 0, "\(change.errors)")
        let run = try await place.run("backup copy.db")
        #expect(run.code == 0, "\(run.errors)")
        let repair = try await place.run("doctor --repair --store copy.db")
        #expect(repair.code == 0, "\(repair.errors)")
        #expect(try place.query("SELECT count(*) FROM things NOT INDEXED", of: "copy.db") == ["300"])
    }

    @Test("prune deletes items that are gone for longer than `keep`, and makes the file smaller")
    func prune() async throws {
        let place = try await place()
        _ = try place.query("UPDATE things SET _removed_at = '2020-01-01T00:00:00.000Z' WHERE id > 20")
        _ = try place.query(
            "UPDATE things SET _removed_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-1 day') WHERE id IN (1, 2)")
        #expect(try await place.run("prune --dry-run").output == "things  280 items would be deleted\n")
        #expect(
            try await place.run("prune --dry-run --json").output
                == "[\n{\"feed\":\"things\",\"deleted\":280,\"version\":1}\n]\n")
        #expect(try place.query("SELECT count(*) FROM things") == ["300"])
        let run = try await place.run("prune")
        #expect(run.code == 0, "\(run.errors)")
        #expect(
            run.output.hasPrefix("things  280 items deleted\n") && run.output.hasSuffix(" kB given back\n"),
            "\(run.output)")
        #expect(try place.query("SELECT count(*) FROM things") == ["20"])
        let none = try await place.run("prune --json")
        #expect(none.output == "[\n{\"feed\":\"things\",\"deleted\":0,\"version\":1}\n]\n")
        #expect(try await place.run("sync").code == 0)
        try place.expectSound()
    }

    @Test("prune leaves out a feed that somebody is working on")
    func busy() async throws {
        let place = try Workplace(extra: "timeout: 10m")
        let (run, gate) = try await place.heldReload()
        let prune = try await place.run("prune")
        #expect(prune.code == 75)
        #expect(prune.errors.contains("things: another feedsync is using this feed"))
        gate.open()
        #expect(await run.end().code == 0)
    }
}
