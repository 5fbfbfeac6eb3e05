import Concurrency
import Foundation
import HTTP
import HTTPServer
import SQLite
import ScriptedServer
import SeededGenerator
import TemporaryFolder
import Testing

@testable import FeedSync
@testable import StoreFile

@Suite("A tree of feeds, whatever moves under it", .timeLimit(.minutes(20))) struct TreePropertyTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seeds = environment["SYNC_SEEDS"].flatMap { UInt64($0) } ?? 4
    private static let first = environment["SYNC_FIRST_SEED"].flatMap { UInt64($0) } ?? 1

    /// `SYNC_FIRST_SEED` and `SYNC_SEEDS` choose the seeds, and so play one that failed again.
    @Test("Once the upstream rests, syncs of each level make the mirror the upstream, and ask for each page once")
    func rests() async throws {
        for seed in Self.first..<(Self.first + Self.seeds) { try await play(seed) }
    }

    private func play(_ seed: UInt64) async throws {
        let tree = Lock(MovingTree(seed: seed))
        let asked = Lock<[String]>([])
        let server = try Server { request in
            asked.withLock { $0.append("\(request.path)?\(request.parameter("page") ?? "")") }
            return tree.withLock { $0.answer(request) }
        }
        defer { server.stop() }
        let folder = try TemporaryFolder()
        let path = folder.file("store.db")
        let yaml = """
            defaults: {retries: 0, timeout: 10m, key: id, columns: {id: id, value: value}, sync: {mode: all}}
            feeds:
            \(MovingTree.feeds(at: server.url))
            """
        let feeds = try Configuration.parse(Array(yaml.utf8), file: "feedsync.yaml").feeds
        var generator = SeededGenerator(seed &+ 1_000_000)
        let twin = try await SharedTwin.of(Store(path: path), feeds: feeds.map(\.name))
        defer { twin?.check() }
        // A crawl that began while its list moved may find out only at its end that it did: the one behind it does not.
        for round in 0..<9 {
            let isResting = round > 5
            tree.withLock { $0.isMoving = !isResting }
            let store = try await Store(path: path)
            try await twin?.attach(to: store)
            for feed in feeds {
                var options = EngineBench.options
                if !isResting, Bool.random(using: &generator) {
                    let budget = RequestBudget(requests: Int.random(in: 1...12, using: &generator))
                    options.client = Client(userAgent: "feedsync-tests", budget: budget)
                }
                asked.withLock { $0 = [] }
                let engine = try await SyncEngine(feed: feed, store: store, options: options)
                do {
                    let summary = try await engine.perform(.sync)
                    if round == 8 { #expect(summary.reason == nil, "seed \(seed): \(feed.name) \(summary)") }
                } catch {
                    #expect(!isResting, "seed \(seed): \(feed.name): \(error)")
                }
            }
        }
        let (things, labels) = tree.withLock { $0.rows }
        let query = { (sql: String) in try Connection(path: path, access: .readOnly).lines(sql).sorted() }
        #expect(try query("SELECT owners_id, id FROM things WHERE _removed_at IS NULL") == things, "seed \(seed)")
        #expect(
            try query("SELECT things_owners_id, things_id, id FROM labels WHERE _removed_at IS NULL") == labels,
            "seed \(seed)")
        let counts = try query("SELECT name || item_count FROM feed WHERE name <> 'owners'")
        #expect(counts == ["labels\(labels.count)", "things\(things.count)"], "seed \(seed)")
        #expect(try query("SELECT coalesce(sum(item_count), 0) FROM feed_part") == ["\(things.count + labels.count)"])
        // A section without items is none.
        let sections = try query("SELECT feed || sum(item_count) FROM section WHERE feed <> 'owners' GROUP BY feed")
        #expect(sections == counts.filter { !$0.hasSuffix("s0") }, "seed \(seed)")
        #expect(try query("PRAGMA integrity_check") == ["ok"])
        // At rest each page of each list is asked for once, and once more where that is the proof.
        let most = asked.withLock { asked in Dictionary(grouping: asked, by: \.self).values.map(\.count).max() ?? 0 }
        #expect(most <= 2, "seed \(seed)")
    }
}
