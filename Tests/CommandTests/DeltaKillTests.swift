import Concurrency
import Foundation
import HTTPServer
import ScriptedServer
import SeededGenerator
import Testing

/// `SYNC_FIRST_SEED` chooses the seed, and so plays one that failed again.
@Suite(.timeLimit(.minutes(10))) struct DeltaKillTests {
    private static let seed = ProcessInfo.processInfo.environment["SYNC_FIRST_SEED"].flatMap { UInt64($0) }

    @Test(
        "Killed at any moment, again and again, while the list changes and tokens expire, a sync by delta loses nothing",
        arguments: ChangeLogList.Form.allCases)
    func anyMoment(form: ChangeLogList.Form) async throws {
        let seed = Self.seed ?? .random(in: 0...(.max))
        let random = Lock(SeededGenerator(seed))
        let number = { @Sendable (range: ClosedRange<Int>) in random.withLock { Int.random(in: range, using: &$0) } }
        let list = ChangeLogList(form, items: 60)
        let place = try Workplace([])
        let members = list.members.split(separator: "\n").map { "    \($0)\n" }.joined()
        try place.write(
            "feedsync.yaml",
            """
            feeds:
              things:
                url: \(place.server.url)/things
                items: items
                key: id
                columns: {id: id, name: name}
                retries: 0
                removed: gone
                \(list.paging)
                sync: {mode: delta, \(list.rule)}
            \(members)
            """)
        let target = Lock(SignalTarget())
        for path in ["/things", "/delta"] {
            place.server.route(path) { request in
                target.withLock { $0.countDown() }
                return list.answer(request, at: place.server.url)
            }
        }
        list.edit { state in
            state.beforeAnswer = { state in
                for _ in 0..<number(0...3) {
                    let id = number(1...70)
                    if number(0...3) == 0 { state.remove(id) } else { state.set(id, "name \(number(1...9))") }
                }
            }
        }
        var hits = 0
        for round in 0..<8 {
            if round == 2 || round == 5 { list.edit { $0.forgetChanges() } }
            target.withLock { $0.arm(SIGKILL, after: number(1...7)) }
            let run = try place.start("sync")
            target.withLock { $0.process = run.id }
            if await run.end().code == -SIGKILL { hits += 1 }
            guard place.files.contains("feedsync.db") else { continue }
            #expect(try place.query("PRAGMA integrity_check") == ["ok"], "seed \(seed), round \(round)")
        }
        target.withLock { $0.disarm() }
        list.edit { $0.beforeAnswer = nil }
        #expect(hits > 1, "seed \(seed): the signals came too late to tell anything")
        var last = try await place.run("sync")
        for _ in 0..<2 { last = try await place.run("sync") }
        // A page cursor of the list as it was once keeps rows behind a full last page, until the list changes.
        if last.errors.contains("the page that came next before still has items") {
            list.edit { $0.set(71, "last") }
            for _ in 0..<3 { last = try await place.run("sync") }
        }
        #expect(last.code == 0, "\(last.errors)")
        let rows = try place.query("SELECT id || '|' || name FROM things WHERE _removed_at IS NULL ORDER BY id")
        #expect(rows == list.rows, "\(form), seed \(seed)")
        #expect(try place.query("SELECT complete FROM feed") == ["1"])
        try place.expectSound()
    }
}
