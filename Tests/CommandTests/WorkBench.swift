import Foundation
import HTTPServer
import PostgreSQL
import PostgreSQLServer
import ScriptedServer
import Testing

/// Hosts with feeds, a database for their store, and workers.
final class WorkBench: Sendable {
    let place: Workplace
    let hosts: [ScriptedServer]
    /// The feeds by their names: `h0x1` is the second one of the first host.
    let feeds: [String: PagedFeed]
    let uri: String

    /// The given number of feeds for each host, with the given number of items on pages of 100.
    init(hosts count: Int, feeds perHost: Int, items: Int = 250, extra: String = "") throws {
        place = try Workplace([])
        hosts = try (0..<count).map { _ in try ScriptedServer() }
        uri = try PostgreSQLServer.database()
        var feeds: [String: PagedFeed] = [:]
        var text = "store: \(uri)\nfeeds:\n"
        for (index, host) in hosts.enumerated() {
            for number in 0..<perHost {
                let name = "h\(index)x\(number)"
                let feed = PagedFeed(PagedFeed.items(1...items))
                feeds[name] = feed
                host.route("/\(name)", to: feed)
                text += Workplace.feed(name, at: "\(host.url)/\(name)", extra: extra)
            }
        }
        self.feeds = feeds
        try place.write("feedsync.yaml", text)
    }

    func worker(_ options: String = "") throws -> RunningCommand {
        // Files that killed workers leave go with the folder.
        try place.start("work \(options)", environment: ["TMPDIR": place.folder])
    }

    /// A worker whose messages can be read while it works.
    func reportingWorker() throws -> (worker: RunningCommand, errors: @Sendable () -> String) {
        let worker = try RunningCommand(
            ["-c", "exec \(RunningCommand.binary.path) work 2>errors.txt"], executable: URL(filePath: "/bin/sh"),
            folder: place.folder,
            environment: ["HOME": place.folder, "PATH": "/usr/bin", "TMPDIR": place.folder])
        let path = "\(place.folder)/errors.txt"
        return (worker, { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" })
    }

    /// A worker that has started: a worker that cannot reach PostgreSQL at first reports that and ends.
    func beginWorker() async throws -> RunningCommand {
        let count = "SELECT count(*) FROM _worker"
        let before = (try? query(count).first.flatMap(Int.init)) ?? 0
        let worker = try worker()
        try await wait(for: "\(before + 1)", count)
        return worker
    }

    /// The first column of a query on the store in PostgreSQL.
    func query(_ sql: String) throws -> [String] {
        try Connection(uri: uri).query(sql).map { ($0.first ?? nil) ?? "-" }
    }

    /// Waits until a query's first value is as expected, two minutes at most.
    func wait(for expected: String, _ sql: String, location: SourceLocation = #_sourceLocation) async throws {
        var last: [String] = []
        let deadline = ContinuousClock.now + .seconds(120)
        while ContinuousClock.now < deadline {
            // Before a worker has made the tables, there are none.
            last = (try? query(sql)) ?? []
            if last.first == expected { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("\(sql) is \(last) and not \(expected)", sourceLocation: location)
    }

    /// Waits until a condition is true, two minutes at most.
    func wait(location: SourceLocation = #_sourceLocation, until condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(120)
        while !condition() {
            guard ContinuousClock.now < deadline else {
                Issue.record("the condition did not come true", sourceLocation: location)
                return
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Waits until all feeds are whole.
    func waitUntilComplete(location: SourceLocation = #_sourceLocation) async throws {
        try await wait(for: "\(feeds.count)", "SELECT count(*) FROM feed WHERE complete", location: location)
    }

    /// Ends workers; the claims are free then.
    func end(_ workers: [RunningCommand], location: SourceLocation = #_sourceLocation) async throws {
        for worker in workers { worker.send(SIGTERM) }
        for worker in workers {
            let run = await worker.end()
            #expect(run.code == 143, "\(run.errors)", sourceLocation: location)
        }
    }

    /// Expects the store, and a copy of it, to have the hosts' items, and each feed's log to follow the grammar.
    func expectTrue(location: SourceLocation = #_sourceLocation) async throws {
        let copy = "copy-\(UUID().uuidString).db"
        let run = try await place.run("store copy \(uri) \(copy)")
        #expect(run.code == 0, "\(run.errors)", sourceLocation: location)
        for (name, feed) in feeds {
            let rows = #"SELECT '{"id":' || id || ',"name":"' || name || '"}' FROM \#(name) WHERE _removed_at IS NULL"#
            #expect(
                try Set(query(rows)) == Set(feed.items) && Set(place.query(rows, of: copy)) == Set(feed.items),
                "\(name)", sourceLocation: location)
            let log = try place.query("SELECT status FROM event WHERE feed = '\(name)' ORDER BY id", of: copy)
            #expect(followsGrammar(log), "\(name): \(log)", sourceLocation: location)
        }
        let open = try query("SELECT feed || ' ' || id FROM run WHERE finished_at IS NULL")
        #expect(open == [], sourceLocation: location)
    }
}
