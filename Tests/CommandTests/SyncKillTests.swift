import Concurrency
import Foundation
import HTTPServer
import ScriptedServer
import SeededGenerator
import Testing

/// `SYNC_FIRST_SEED` and `SYNC_SEEDS` choose the seeds, and so play one that failed again.
@Suite(.timeLimit(.minutes(60))) struct SyncKillTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seeds = environment["SYNC_SEEDS"].flatMap { UInt64($0) } ?? 1
    private static let first = environment["SYNC_FIRST_SEED"].flatMap { UInt64($0) } ?? 1

    @Test(
        "Killed at any moment, again and again, while the list moves and fails, a sync makes the mirror what its mode promises",
        arguments: MovingList.Mode.allCases, [false, true])
    func anyMoment(mode: MovingList.Mode, inPartitions: Bool) async throws {
        var hits = 0
        for seed in Self.first..<Self.first + Self.seeds {
            for style in MovingList.Style.allCases {
                let list = MovingList(style, mode, inPartitions: inPartitions, seed: seed)
                let name = "\(mode) \(style)\(inPartitions ? " in parts" : "") seed \(seed)"
                guard try await survives(list, name, &hits) else { return }
            }
        }
        #expect(hits > 3, "the signals came too late to tell anything")
    }

    private func survives(_ start: MovingList, _ name: String, _ hits: inout Int) async throws -> Bool {
        var start = start
        // The binary's waits take time.
        start.mayLimit = false
        let place = try Workplace([])
        let members = start.definition.split(separator: "\n").map { "    \($0)\n" }.joined()
        try place.write(
            "feedsync.yaml",
            "feeds:\n  things:\n    url: \(place.server.url)/things\n    retries: 0\n\(members)")
        let list = Lock(start)
        let target = Lock(SignalTarget())
        place.server.route("/things") { request in
            target.withLock { $0.countDown() }
            return list.withLock { $0.answer(request) }
        }
        var stored: Set<String> = []
        for _ in 0..<4 {
            target.withLock { $0.arm(SIGKILL, after: list.withLock { $0.random(1...6) }) }
            list.withLock { $0.isMoving = true }
            let run = try place.start("sync")
            target.withLock { $0.process = run.id }
            if await run.end().code == -SIGKILL { hits += 1 }
            list.withLock { $0.note("    killed") }
            list.withLock { $0.isMoving = false }
            guard try isWhole(place, name, &stored) else { return false }
        }
        target.withLock { $0.disarm() }
        list.withLock { $0.rest() }
        var ends: [String] = []
        // A crawl that began while the list moved may keep what went since: the one behind it does not.
        var done = 0
        // A crawl without a proof may have missed items, which the next full crawl finds. Nor does a look at the head
        // tell that what a total counts beside the items is more by now.
        var isLater = false
        while try done < 2 || !isLater && !isVerified(place), ends.count < 8 {
            if !isLater, done >= 2 || ends.count == 4 {
                try place.execute("UPDATE feed SET full_at = '2020-01-01T00:00:00.000Z'")
                (isLater, done) = (true, min(done, 1))
            }
            let run = try await place.run("sync")
            try list.withLock { $0.note("    \(try place.query("SELECT coalesce(ranges, '') FROM _feed"))") }
            ends.append(run.output + run.errors + (try isVerified(place) ? ", verified" : ""))
            if run.code == 0, try isComplete(place, start) { done += 1 }
        }
        guard try isWhole(place, name, &stored) else { return false }
        let runs = "\(name): \(ends), \(try place.query("SELECT outcome || coalesce(' ' || reason, '') FROM run"))"
        try place.expectSound()
        let live = try place.query(
            "SELECT id || '|' || value FROM things WHERE _removed_at IS NULL ORDER BY _generation DESC, _position")
        let listed = list.withLock { $0.listed }
        let isTrue = start.mode == .all ? live == listed : Set(live).isSuperset(of: listed)
        let history = list.withLock { $0.history.joined(separator: "\n") }
        #expect(isTrue, "\(live) is not what there is, \(listed); \(runs)\n\(start.definition)\n\(history)")
        let isComplete = try isComplete(place, start)
        #expect(isComplete, "\(runs)")
        return isTrue && isComplete
    }

    private func isVerified(_ place: Workplace) throws -> Bool {
        try place.query("SELECT verified FROM feed") == ["1"]
    }

    /// True if the last crawl met all items, or all that could be stored.
    private func isComplete(_ place: Workplace, _ list: MovingList) throws -> Bool {
        let reason = try place.query("SELECT coalesce(reason, '') FROM run ORDER BY id DESC LIMIT 1")
        if list.mayLeaveOut, reason == ["left_out"] { return true }
        return try place.query("SELECT complete FROM feed") == ["1"]
    }

    /// True if no row is lost, and the file is intact.
    private func isWhole(_ place: Workplace, _ name: String, _ stored: inout Set<String>) throws -> Bool {
        guard place.files.contains("feedsync.db"),
            try place.query("SELECT 1 FROM sqlite_schema WHERE name = 'things'") != []
        else { return true }
        let ids = Set(try place.query("SELECT id FROM things"))
        let isWhole = try ids.isSuperset(of: stored) && place.query("PRAGMA integrity_check") == ["ok"]
        #expect(isWhole, "\(name): rows were lost, or the store is broken")
        stored = ids
        return isWhole
    }
}
