import Foundation
import HTTPServer
import ScriptedServer
import SeededGenerator
import Testing
import Threading

@Suite struct KillTests {
    @Test(
        "Killed or stopped at any moment, again and again, a feed loses nothing", arguments: [SIGKILL, SIGINT, SIGTERM])
    func anyMoment(_ signal: Int32) async throws {
        let seed = UInt64.random(in: 0...(.max))
        var random = SeededGenerator(seed)
        let place = try Workplace()
        let feed = PagedFeed(PagedFeed.items(1...5000))
        // The signal comes while a request is answered: look-ahead has the page before being committed just then.
        let target = Lock(SignalTarget())
        place.server.route("/things") { request in
            target.withLock { $0.countDown() }
            return feed.answer(request)
        }
        var hits = 0
        for round in 0..<14 {
            let isReload = Int.random(in: 0..<4, using: &random) == 0
            target.withLock { $0.arm(signal, after: Int.random(in: 1...(isReload ? 1 : 6), using: &random)) }
            let run = try place.start(isReload ? "reload things" : "more things --all")
            target.withLock { $0.process = run.id }
            let end = await run.end()
            if end.code != 0 { hits += 1 }
            #expect([0, -signal, 128 + signal].contains(end.code), "seed \(seed), round \(round): \(end.errors)")
            guard !place.files.filter({ $0 == "feedsync.db" }).isEmpty else { continue }
            // What is stored is the head of the upstream's list, and the continuation is behind it.
            let stored = try place.query("SELECT count(*) FROM things").first
            let placed = try place.query(
                "SELECT count(*) FROM (SELECT id, row_number() OVER (ORDER BY _generation DESC, _position) AS n FROM things) WHERE id <> n"
            )
            #expect(placed == ["0"], "seed \(seed), round \(round)")
            let next = try place.query("SELECT next_page FROM feed").first.flatMap(Int.init)
            if let next, let stored = stored.flatMap(Int.init) {
                #expect((next - 1) * 100 <= stored, "seed \(seed), round \(round)")
            }
            #expect(try place.query("PRAGMA integrity_check") == ["ok"], "seed \(seed), round \(round)")
        }
        target.withLock { $0.disarm() }
        #expect(hits > 3, "seed \(seed): the signals came too late to tell anything")
        #expect(try await place.run("more things --all").code == 0)
        #expect(try place.query("SELECT count(*) FROM things") == ["5000"], "seed \(seed)")
        try place.expectSound()
    }
}

/// Who gets a signal, and after how many requests.
private struct SignalTarget {
    var process: Int32?
    private var signal: Int32 = 0
    private var requests = 0

    mutating func arm(_ signal: Int32, after requests: Int) {
        process = nil
        self.signal = signal
        self.requests = requests
    }

    mutating func disarm() { requests = 0 }

    mutating func countDown() {
        guard requests > 0 else { return }
        requests -= 1
        if requests == 0, let process { kill(process, signal) }
    }
}
