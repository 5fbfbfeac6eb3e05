import Concurrency
import Foundation
import HTTPServer
import ScriptedServer
import SeededGenerator
import Testing

@Suite(.timeLimit(.minutes(10))) struct WindowKillTests {
    @Test(
        "Killed at any moment, again and again, a sync in windows loses nothing, and its watermark passes no window that is not stored"
    )
    func anyMoment() async throws {
        let seed = UInt64.random(in: 0...(.max))
        var random = SeededGenerator(seed)
        let now = Int64(Date().timeIntervalSince1970)
        let times = (1...400).map { ($0, now - Int64.random(in: 100..<100 * 86_400, using: &random)) }
        let list = TimedList(Dictionary(uniqueKeysWithValues: times), now: now + 1000, pageSize: 20)
        let place = try Workplace([])
        try place.write(
            "feedsync.yaml",
            """
            feeds:
              things:
                url: \(place.server.url)/things
                key: id
                columns: {id: id, at: at}
                retries: 0
                pagination: {style: keyset, param: after, from: id}
                sync: {mode: since, param: from, until: to, widest: 7d, start: 101d, format: unix, from: at}
            """)
        let target = Lock(SignalTarget())
        place.server.route("/things") { request in
            target.withLock { $0.countDown() }
            return list.answer(request)
        }
        var hits = 0
        for round in 0..<8 {
            target.withLock { $0.arm(SIGKILL, after: Int.random(in: 1...8, using: &random)) }
            let run = try place.start("sync")
            target.withLock { $0.process = run.id }
            if await run.end().code == -SIGKILL { hits += 1 }
            guard place.files.contains("feedsync.db"),
                try place.query("SELECT 1 FROM sqlite_schema WHERE name = 'things'") != []
            else { continue }
            let name = "seed \(seed), round \(round)"
            #expect(try place.query("PRAGMA integrity_check") == ["ok"], "\(name)")
            // Everything up to the watermark is stored.
            let mark =
                try place.query(
                    "SELECT coalesce(unixepoch(watermark ->> '$'), watermark, 0) FROM _feed"
                ).first.flatMap { Int64($0) } ?? 0
            let stored = Set(try place.query("SELECT id FROM things").compactMap { Int($0) })
            #expect(times.allSatisfy { $0.1 > mark || stored.contains($0.0) }, "\(name)")
        }
        target.withLock { $0.disarm() }
        #expect(hits > 3, "seed \(seed): the signals came too late to tell anything")
        #expect(try await place.run("sync").code == 0)
        let rows = try place.query("SELECT id || '|' || at FROM things ORDER BY id")
        let runs = try place.query("SELECT outcome || ' ' || pages FROM run")
        #expect(rows == list.rows, "seed \(seed), without \(Set(list.rows).subtracting(rows)): \(runs)")
        #expect(try place.query("SELECT complete FROM feed") == ["1"])
        try place.expectSound()
    }
}
