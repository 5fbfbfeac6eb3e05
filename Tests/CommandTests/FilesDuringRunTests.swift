import Foundation
import HTTPServer
import SQLite
import ScriptedServer
import Testing

@Suite("Changes of the store's files by others while a command runs")
struct FilesDuringRunTests {
    /// A command that fetches all pages, and waits for its second one at the gate.
    private func held(
        _ place: Workplace, items: Int = 300, _ command: String = "more things --all"
    ) async throws -> (run: RunningCommand, gate: Gate) {
        let feed = PagedFeed(PagedFeed.items(1...items))
        let gate = place.server.gate()
        feed.hold(page: 2, at: gate)
        place.server.route("/things", to: feed)
        let run = try place.start(command)
        await gate.arrived()
        return (run, gate)
    }

    @Test(
        "A store that is replaced ends a command with exit code 73, and the new file is left as it is",
        arguments: ["more things --all", "sync things"])
    func replaced(command: String) async throws {
        let place = try Workplace(extra: "timeout: 10m")
        let other = try Workplace()
        other.server.route("/things", to: PagedFeed(PagedFeed.items(1...50)))
        #expect(try await other.run("reload things --store \(place.path("other.db"))").code == 0)
        let (run, gate) = try await held(place, command)
        _ = try await place.shell("sqlite3 other.db 'PRAGMA wal_checkpoint(TRUNCATE)' || true")
        #expect(rename(place.path("other.db"), place.path("feedsync.db")) == 0)
        gate.open()
        let end = await run.end()
        #expect(end.code == 73)
        #expect(end.errors.contains("was deleted, moved or replaced while feedsync was using it"), "\(end.errors)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: place.path("feedsync.db-wal"))).isEmpty)
        #expect(try place.query("PRAGMA integrity_check") == ["ok"])
        #expect(try place.query("SELECT count(*) FROM things") == ["50"])
        #expect(try await place.run("reload things").code == 0)
        try place.expectSound()
    }

    @Test("A store that is deleted ends a command with exit code 73, and the next command begins a new one")
    func deleted() async throws {
        let place = try Workplace(extra: "timeout: 10m")
        let (run, gate) = try await held(place)
        for file in ["feedsync.db", "feedsync.db-wal", "feedsync.db-shm"] { place.remove(file) }
        gate.open()
        let end = await run.end()
        #expect(end.code == 73)
        #expect(end.output.isEmpty)
        #expect(try await place.run("more things --all").code == 0)
        #expect(try place.query("SELECT count(*) FROM things") == ["300"])
        try place.expectSound()
    }

    @Test(
        "If a file beside the store is deleted or replaced, the first command stops before it writes, and no row is lost",
        arguments: ["-shm", "-wal"], [true, false])
    func besideDeleted(end: String, isAlone: Bool) async throws {
        let place = try Workplace(extra: "timeout: 10m")
        place.server.route("/others", to: PagedFeed(PagedFeed.items(1...200)))
        try place.write(
            "others.yaml",
            "feeds: {others: {url: \"\(place.server.url)/others\", key: id, items: $.items, retries: 0}}\n")
        let (run, gate) = try await held(place)
        place.remove("feedsync.db\(end)")
        let others = "more others --all --config others.yaml --store feedsync.db"
        if !isAlone {
            let second = try await place.run(others)
            // The index describes a log that the second command cannot open any more.
            #expect(second.code == 0 || end == "-wal" && second.code == 73, "\(second.errors)")
        }
        gate.open()
        let told = await run.end()
        #expect(told.code == 73 && told.output.isEmpty)
        #expect(told.errors.contains("feedsync.db\(end), the "), "\(told.errors)")
        #expect(try place.query("PRAGMA integrity_check") == ["ok"])
        if !isAlone, end == "-shm" { #expect(try place.query("SELECT count(*) FROM others") == ["200"]) }
        #expect(try await place.run("sync things").code == 0)
        #expect(try await place.run(others).code == 0)
        #expect(try place.query("SELECT count(*) FROM things") == ["300"])
        #expect(try place.query("SELECT count(*) FROM others") == ["200"])
        try place.expectSound()
    }

    @Test(
        "If the log is damaged in the middle of a run, the run does not succeed",
        arguments: ["cut", "zeros", "one byte"])
    func damagedLog(kind: String) async throws {
        let place = try Workplace(extra: "timeout: 10m")
        let (run, gate) = try await held(place)
        let log = try FileHandle(forUpdating: URL(fileURLWithPath: place.path("feedsync.db-wal")))
        let size = try log.seekToEnd()
        #expect(size > 40_000)
        switch kind {
        case "cut": try log.truncate(atOffset: size / 2)
        case "zeros":
            try log.seek(toOffset: size / 2)
            try log.write(contentsOf: Data(count: 8_192))
        default:
            try log.seek(toOffset: size / 2)
            let byte = try #require(try log.read(upToCount: 1)?.first)
            try log.seek(toOffset: size / 2)
            try log.write(contentsOf: Data([byte ^ 1]))
        }
        try log.close()
        gate.open()
        let end = await run.end()
        #expect(end.code == 73 && end.output.isEmpty, "\(end.output) \(end.errors)")
        #expect(end.errors.contains("Try: feedsync doctor"), "\(end.errors)")
    }

    @Test("If the index of the log is cut during a run, the run ends with exit code 73 and says so")
    func cutIndex() async throws {
        let place = try Workplace(extra: "timeout: 10m")
        let (run, gate) = try await held(place)
        #expect(truncate(place.path("feedsync.db-shm"), 0) == 0)
        gate.open()
        let end = await run.end()
        #expect(end.code == 73 && end.errors.contains("the index of the store's log, was cut"), "\(end.errors)")
        #expect(try await place.run("more things --all").code == 0)
        try place.expectSound()
    }

    @Test("If the link to the store is changed during a run, the run ends with exit code 73")
    func linkMoved() async throws {
        let place = try Workplace(extra: "timeout: 10m")
        #expect(try await place.shell("umask 022; mkdir real; ln -s real/store.db feedsync.db").code == 0)
        let (run, gate) = try await held(place)
        for file in try FileManager.default.contentsOfDirectory(atPath: place.path("real")) {
            let attributes = try FileManager.default.attributesOfItem(atPath: place.path("real/\(file)"))
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file)")
        }
        #expect(try await place.shell("ln -sf other.db feedsync.db").code == 0)
        gate.open()
        let end = await run.end()
        #expect(end.code == 73 && end.output.isEmpty)
        #expect(end.errors.contains("feedsync.db was deleted, moved or replaced"), "\(end.errors)")
        #expect(try await place.run("more things --all").code == 0)
        #expect(try place.query("SELECT count(*) FROM things") == ["300"])
        try place.expectSound()
    }

    @Test("If the lock file is deleted, the first command stops as soon as it would write, and the log stays whole")
    func lockDeleted() async throws {
        let place = try Workplace(extra: "timeout: 10m")
        let (run, gate) = try await held(place)
        place.remove("feedsync.db-lock")
        let second = try place.start("reload things")
        #expect(await second.end().code == 0)
        gate.open()
        let end = await run.end()
        #expect(end.code == 73)
        #expect(end.errors.contains("feedsync.db-lock was deleted or replaced"), "\(end.errors)")
        #expect(try await place.run("more things --all").code == 0)
        #expect(try place.query("SELECT count(*) FROM things") == ["300"])
        try place.expectSound()
    }

    @Test("A lock file that is a symbolic link is refused, and nothing is written where it leads")
    func lockLink() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        try place.write("victim", "mine")
        try FileManager.default.createSymbolicLink(
            atPath: place.path("feedsync.db-lock"), withDestinationPath: "victim")
        let run = try await place.run("reload things")
        #expect(run.code == 73)
        #expect(run.errors.contains("is a symbolic link"))
        #expect(try place.text(of: "victim") == "mine")
    }

    @Test("The store and the files beside it are for their owner alone")
    func permissions() async throws {
        let place = try Workplace(extra: "timeout: 10m")
        let (run, gate) = try await held(place)
        for file in place.files where file.hasPrefix("feedsync.db") {
            let attributes = try FileManager.default.attributesOfItem(atPath: place.path(file))
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file)")
        }
        #expect(place.files.filter { $0.hasPrefix("feedsync.db") }.count == 4)
        gate.open()
        #expect(await run.end().code == 0)
    }

    @Test("A store that others may read keeps the log beside it, empty, without which they could not open it")
    func sharedStore() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        #expect(try await place.shell("umask 0027; : > feedsync.db").code == 0)
        for _ in 1...2 { #expect(try await place.run("reload things").code == 0) }
        for file in ["feedsync.db", "feedsync.db-wal", "feedsync.db-shm"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: place.path(file))
            #expect(attributes[.posixPermissions] as? Int == 0o640, "\(file)")
            if file.hasSuffix("-wal") { #expect(attributes[.size] as? Int == 0) }
        }
        #expect(try place.query("SELECT count(*) FROM things") == ["3"])
    }

    @Test("A store that cannot be reached is an error, and not taken for one that is empty")
    func unreachable() async throws {
        let place = try Workplace()
        #expect(try await place.shell("ln -s feedsync.db feedsync.db").code == 0)
        for words in ["status", "show things", "feeds"] {
            let run = try await place.run(words)
            #expect(run.code == 73)
            #expect(run.errors.contains("feedsync.db"))
        }
    }

    @Test("`:memory:` is refused, and no file is made")
    func memory() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        let run = try await place.run("reload things --store :memory:")
        #expect(run.code == 73)
        #expect(run.errors.contains("`:memory:` is no file"))
        #expect(place.files == ["feedsync.yaml"])
    }
}
