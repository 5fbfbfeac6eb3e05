import Foundation
import HTTPServer
import SQLite
import ScriptedServer
import TemporaryFolder
import Testing

/// A folder with a configuration, and a server for its feeds.
final class Workplace: Sendable {
    private let temporaryFolder: TemporaryFolder
    var folder: String { temporaryFolder.path }
    let server: ScriptedServer

    /// A folder whose configuration has these feeds, each at the server's path of its name.
    ///
    /// - Parameter extra: further lines for each feed.
    init(_ feeds: [String] = ["things"], extra: String = "") throws {
        server = try ScriptedServer()
        temporaryFolder = try TemporaryFolder()
        try write(
            "feedsync.yaml",
            "feeds:\n" + feeds.map { Self.feed($0, at: "\(server.url)/\($0)", extra: extra) }.joined())
    }

    deinit { server.stop() }

    /// A feed of `PagedFeed`'s kind that is never tried again.
    static func feed(_ name: String, at url: String, extra: String = "") -> String {
        """
          \(name):
            url: \(url)
            items: items
            key: id
            columns: {id: id, name: name}
            pagination: {style: page, param: page, size_param: per_page, size: 100, total: total_count}
            retries: 0
            \(extra)

        """
    }

    /// Sets the time at which a file changed, in seconds since 1970.
    func setTime(of name: String, to seconds: Int) throws {
        let time = Date(timeIntervalSince1970: TimeInterval(seconds))
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: path(name))
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    func write(_ name: String, _ text: String) throws {
        try text.write(toFile: path(name), atomically: true, encoding: .utf8)
    }

    func text(of name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

    func remove(_ name: String) { try? FileManager.default.removeItem(atPath: path(name)) }

    /// The names of the folder's files.
    var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()) ?? [] }

    /// Starts `feedsync`, its words separated by spaces.
    func start(_ words: String, environment: [String: String] = [:]) throws -> RunningCommand {
        try RunningCommand(
            words.split(separator: " ").map(String.init), folder: folder,
            environment: ["HOME": folder, "PATH": "/usr/bin"].merging(environment) { $1 })
    }

    /// A folder without a file.
    static func empty() throws -> Workplace {
        let place = try Workplace([])
        place.remove("feedsync.yaml")
        return place
    }

    /// A folder without a configuration, whose server has 25 items at `/things`.
    static func withoutConfiguration() throws -> Workplace {
        let place = try empty()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...25)))
        return place
    }

    /// Starts a reload of `things`, which has requested its first page and gets it when the gate opens.
    func heldReload(
        _ items: [String] = PagedFeed.items(1...10)
    ) async throws -> (run: RunningCommand, gate: Gate) {
        let feed = PagedFeed(items)
        let gate = server.gate()
        feed.hold(page: 1, at: gate)
        server.route("/things", to: feed)
        let run = try start("reload things")
        await gate.arrived()
        return (run, gate)
    }

    /// Runs `feedsync`, its words separated by spaces.
    func run(_ words: String, environment: [String: String] = [:]) async throws -> CommandLineRun {
        try await start(words, environment: environment).end()
    }

    /// Expects a command to fail with a message, and to leave the configuration as it is.
    func expectRefusal(
        _ words: String, code: Int32, message: String, location: SourceLocation = #_sourceLocation
    ) async throws {
        let before = try text(of: "feedsync.yaml")
        let run = try await run(words)
        #expect(run.errors == "feedsync: \(message)", sourceLocation: location)
        #expect(run.output.isEmpty, sourceLocation: location)
        #expect(run.code == code, sourceLocation: location)
        #expect(try text(of: "feedsync.yaml") == before, sourceLocation: location)
    }

    /// Runs a line of shell, where `feedsync` is the binary's path in `$FEEDSYNC`.
    func shell(_ line: String, environment: [String: String] = [:]) async throws -> CommandLineRun {
        let own = ["HOME": folder, "PATH": "/usr/bin:/bin", "TERM": "xterm", "FEEDSYNC": RunningCommand.binary.path]
        return try await RunningCommand(
            ["-o", "pipefail", "-c", line], executable: URL(fileURLWithPath: "/bin/bash"), folder: folder,
            environment: own.merging(environment) { $1 }
        ).end()
    }

    /// Changes the store as a user might by hand.
    func execute(_ sql: String) throws {
        try Connection(path: path("feedsync.db"), access: .readWrite).execute(sql)
    }

    /// Damages the store so that a table can still be read to its end: one of its pages gets another one's content.
    func repeatPage(of table: String = "things") async throws {
        let run = try await shell(
            """
            sqlite3 feedsync.db 'PRAGMA wal_checkpoint(TRUNCATE)'
            set -- $(sqlite3 feedsync.db "SELECT pageno FROM dbstat WHERE name = '\(table)' AND pagetype = 'leaf'")
            size=$(sqlite3 feedsync.db 'PRAGMA page_size')
            dd if=feedsync.db of=page.part bs=$size skip=$(($1 - 1)) count=1 2> dd.txt &&
                dd if=page.part of=feedsync.db bs=$size seek=$(($2 - 1)) conv=notrunc 2> dd.txt
            """)
        #expect(run.code == 0, "\(run.errors)")
    }

    /// Runs `feedsync` on a terminal, for its output to people: without colours and pager, stderr apart.
    func terminal(_ words: String, columns: Int = 200) async throws -> CommandLineRun {
        let run = try await shell(
            #"script -qec "stty cols \#(columns); $FEEDSYNC \#(words) 2> stderr.txt" /dev/null"#,
            environment: ["NO_COLOR": "1", "PAGER": "cat"])
        let errors = try text(of: "stderr.txt")
        remove("stderr.txt")
        return CommandLineRun(output: run.output.replacing("\r\n", with: "\n"), errors: errors, code: run.code)
    }

    /// The first column of a query on the store.
    func query(_ sql: String, of name: String = "feedsync.db") throws -> [String] {
        let connection = try Connection(path: path(name), access: .readWrite)
        var result: [String] = []
        try connection.rows(sql) { row in result.append(row.text(at: 0) ?? "") }
        return result
    }

    /// The statuses of a feed's log.
    func log(of feed: String = "things") throws -> [String] {
        try query("SELECT status FROM event WHERE feed = '\(feed)' ORDER BY id")
    }

    /// Expects the log to follow the grammar, and the file to be whole.
    func expectSound(_ feed: String = "things", location: SourceLocation = #_sourceLocation) throws {
        let log = try log(of: feed)
        #expect(followsGrammar(log), "\(log)", sourceLocation: location)
        #expect(try query("PRAGMA integrity_check") == ["ok"], sourceLocation: location)
    }
}

/// `{ beginHeader endHeader [noMoreData] | beginFooter (endFooter | noMoreData) }`
func followsGrammar(_ log: [String]) -> Bool {
    var last = "noMoreData"
    for status in log {
        let mayFollow: [String: Set<String>] = [
            "beginHeader": ["endHeader"],
            "beginFooter": ["endFooter", "noMoreData"],
            "endHeader": ["beginHeader", "beginFooter", "noMoreData"],
            "endFooter": ["beginHeader", "beginFooter"],
            "noMoreData": ["beginHeader", "beginFooter"],
        ]
        guard mayFollow[last]?.contains(status) == true else { return false }
        last = status
    }
    return !last.hasPrefix("begin")
}
