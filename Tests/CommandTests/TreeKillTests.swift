import Concurrency
import Foundation
import HTTPServer
import ScriptedServer
import SeededGenerator
import Testing

/// `SYNC_FIRST_SEED` and `SYNC_SEEDS` choose the seeds, and so play one that failed again.
@Suite(.timeLimit(.minutes(60))) struct TreeKillTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seeds = environment["SYNC_SEEDS"].flatMap { UInt64($0) } ?? 3
    private static let first = environment["SYNC_FIRST_SEED"].flatMap { UInt64($0) } ?? 1

    @Test(
        "Killed at any moment, again and again, while a tree moves and fails, a sync makes the mirror the upstream, and no list is asked more often than the plan says"
    )
    func anyMoment() async throws {
        var (hits, quiet) = (0, 0)
        for seed in Self.first..<Self.first + Self.seeds {
            let kills = try TreeKills(seed: seed)
            guard try await kills.survive() else { return }
            hits += kills.counts.withLock { $0.hits }
            quiet += kills.counts.withLock { $0.quiet }
        }
        // One seed that is played again may have none.
        guard Self.seeds > 2 else { return }
        #expect(hits > Self.seeds, "the signals came too late to tell anything")
        #expect(quiet > 0, "each list was due in each run")
    }
}

/// One tree, and the processes that mirror it.
private final class TreeKills: Sendable {
    private let seed: UInt64
    private let place: Workplace
    private let tree: Lock<MovingTree>
    private let target = Lock(SignalTarget())
    /// The number of killed processes, and of lists that were not due in a run.
    let counts = Lock((hits: 0, quiet: 0))
    private let asked: Lock<[String]>
    private let server: Server

    init(seed: UInt64) throws {
        self.seed = seed
        let (tree, asked, target) = (Lock(MovingTree(seed: seed)), Lock<[String]>([]), self.target)
        server = try Server { request in
            target.withLock { $0.countDown() }
            asked.withLock { $0.append("\(request.path)?\(request.parameter("page") ?? "1")") }
            return tree.withLock { $0.answer(request) }
        }
        (self.tree, self.asked, place) = (tree, asked, try Workplace([]))
        try place.write(
            "feedsync.yaml",
            """
            defaults: {retries: 0, key: id, columns: {id: id, value: value}, sync: {mode: all}, every: 1h}
            feeds:
            \(MovingTree.feeds(at: server.url))
            """)
    }

    deinit { server.stop() }

    /// - Returns: True if all went well.
    func survive() async throws -> Bool {
        var generator = SeededGenerator(seed &+ 2_000_000)
        var stored: [String: Set<String>] = [:]
        for round in 0..<6 {
            let mayBeKilled = Int.random(in: 0..<5, using: &generator) > 0
            let isDueOnly = round > 0 && Bool.random(using: &generator)
            tree.withLock { $0.isMoving = true }
            target.withLock { target in
                if mayBeKilled {
                    target.arm(SIGKILL, after: Int.random(in: 1...25, using: &generator))
                } else {
                    target.disarm()
                }
            }
            guard try await attempt(isDueOnly: isDueOnly) else { return false }
            guard try isWhole(&stored) else { return false }
        }
        target.withLock { $0.disarm() }
        tree.withLock { $0.isMoving = false }
        return try await rests()
    }

    /// One process, which may be killed. A run of due lists leaves the others alone.
    private func attempt(isDueOnly: Bool) async throws -> Bool {
        if isDueOnly { try place.execute("UPDATE feed SET next_due_at = NULL") }
        let before = isDueOnly ? try quietLists() : []
        asked.withLock { $0 = [] }
        let run = try place.start(isDueOnly ? "sync --due" : "sync")
        target.withLock { $0.process = run.id }
        if await run.end().code == -SIGKILL { counts.withLock { $0.hits += 1 } }
        let paths = Set(asked.withLock { $0 }.map { $0.prefix { $0 != "?" } }.map(String.init))
        // A row that changed meanwhile has another time by now.
        let quiet = isDueOnly ? before.intersection(try quietLists()) : []
        counts.withLock { $0.quiet += quiet.count }
        let tooMany = Set(quiet.map { $0.prefix { $0 != " " } }.map(String.init)).intersection(paths)
        #expect(tooMany == [], "seed \(seed): lists that are not due, whose rows are as they were, were asked")
        return tooMany == []
    }

    /// The paths of lists that are not due, whose rows are unchanged since their last request, each with the time of
    /// that.
    private func quietLists() throws -> Set<String> {
        guard try place.query("SELECT 1 FROM sqlite_schema WHERE name IN ('owners', 'things')").count == 2 else {
            return []
        }
        let parts = """
            FROM feed_part l JOIN _feed_part s ON s.feed = l.name
            WHERE l.next_due_at > strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+10 minutes')
            """
        let things = try place.query(
            "SELECT '/things/' || parent_key || ' ' || s.seen \(parts) AND l.feed = 'things' AND s.seen = (SELECT _changed_at FROM owners WHERE id = parent_key)"
        )
        let labels = try place.query(
            """
            SELECT '/labels/' || (parent_key ->> 1) || ' ' || s.seen \(parts) AND l.feed = 'labels' AND s.seen =
                (SELECT _changed_at FROM things WHERE owners_id = parent_key ->> 0 AND id = parent_key ->> 1)
            """)
        return Set(things + labels)
    }

    /// Once nothing moves, syncs make the mirror the upstream; then nothing is due.
    private func rests() async throws -> Bool {
        var ends: [String] = []
        // A crawl that began while its list moved may find out only at its end that it did; the one behind it does not.
        // A list that ends earlier than before is believed when it does so again, and then pages are asked for what is
        // gone.
        while ends.count < 4 {
            asked.withLock { $0 = [] }
            let run = try await place.run("sync")
            ends.append("\(run.code): \(run.output)\(run.errors)")
        }
        let (things, labels) = tree.withLock { $0.rows }
        let live = "_removed_at IS NULL"
        let ownThings = try place.query("SELECT owners_id || '|' || id FROM things WHERE \(live)").sorted()
        let ownLabels = try place.query(
            "SELECT things_owners_id || '|' || things_id || '|' || id FROM labels WHERE \(live)"
        ).sorted()
        #expect(ownThings == things && ownLabels == labels, "seed \(seed): \(ends)")
        // At rest each page is asked for once, and once more where that is the proof.
        let most = asked.withLock { Dictionary(grouping: $0, by: \.self).values.map(\.count).max() ?? 0 }
        #expect(most <= 2, "seed \(seed): a page was asked for \(most) times: \(ends)")
        asked.withLock { $0 = [] }
        let due = try await place.run("sync --due")
        let paths = asked.withLock { $0 }
        #expect(due.code == 0 && paths == [], "seed \(seed): \(due.errors)")
        let counts = try place.query("SELECT name || item_count FROM feed WHERE name <> 'owners' ORDER BY name")
        #expect(counts == ["labels\(labels.count)", "things\(things.count)"], "seed \(seed)")
        #expect(
            try place.query("SELECT coalesce(sum(item_count), 0) FROM feed_part") == ["\(things.count + labels.count)"])
        for feed in try place.query("SELECT DISTINCT feed FROM event") {
            let log = try place.log(of: feed)
            #expect(followsGrammar(log), "seed \(seed): \(feed) \(log)")
        }
        return ownThings == things && ownLabels == labels && most <= 2 && paths == []
    }

    /// True if no row is lost, and the file is intact.
    private func isWhole(_ stored: inout [String: Set<String>]) throws -> Bool {
        guard place.files.contains("feedsync.db") else { return true }
        var isWhole = try place.query("PRAGMA integrity_check") == ["ok"]
        let keys = ["things": "owners_id || '|' || id", "labels": "things_owners_id || '|' || things_id || '|' || id"]
        for (table, key) in keys where try place.query("SELECT 1 FROM sqlite_schema WHERE name = '\(table)'") != [] {
            let rows = Set(try place.query("SELECT \(key) FROM \(table)"))
            isWhole = isWhole && rows.isSuperset(of: stored[table] ?? [])
            stored[table] = rows
        }
        #expect(isWhole, "seed \(seed): rows were lost, or the store is broken")
        return isWhole
    }
}
