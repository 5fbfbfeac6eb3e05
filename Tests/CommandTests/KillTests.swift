import Concurrency
import Foundation
import HTTPServer
import ScriptedServer
import SeededGenerator
import Testing

@Suite struct KillTests {
    @Test(
        "Killed or stopped at any moment, again and again, a feed whose columns are found and grow loses nothing",
        arguments: [SIGKILL, SIGINT, SIGTERM], [false, true])
    func anyMoment(_ signal: Int32, isOpen: Bool) async throws {
        let seed = UInt64.random(in: 0...(.max))
        var random = SeededGenerator(seed)
        let place = try Workplace()
        // Every few pages a member is new, and an older one is no longer a number.
        let items = (1...5000).map { id in
            let part = id / 400
            return
                #"{"id":\#(id),"name":"item \#(id)","m\#(part)":\#(id),"m\#(max(part - 1, 0))x":"\#(id)","m\#(max(part - 2, 0))":1.5}"#
        }
        let feed = PagedFeed(items, perPage: 100)
        if isOpen {
            try place.write("feedsync.yaml", "feeds: {things: {url: \"\(place.server.url)/things\", retries: 0}}")
        }
        // The signal comes while a request is answered: prefetch has the page before being committed just then.
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
            guard place.files.contains("feedsync.db"),
                try place.query("SELECT 1 FROM sqlite_schema WHERE name = 'things'") != []
            else { continue }
            // The stored items are the head of the upstream's list, and the page cursor is behind it.
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
        if isOpen {
            #expect(try place.query("SELECT count(*) FROM things WHERE m0 IS NOT NULL") == ["1199"], "seed \(seed)")
            #expect(try place.query("SELECT typeof(m3) FROM things WHERE id IN (1200, 2000)") == ["real", "real"])
            let recorded =
                "SELECT count(*) FROM _feed, json_each(columns) WHERE json_extract(value, '$.name') NOT GLOB '_*'"
            #expect(
                try place.query(recorded)
                    == place.query("SELECT count(*) FROM pragma_table_info('things') WHERE name NOT GLOB '_*'"))
        }
        try place.expectSound()
    }
}
