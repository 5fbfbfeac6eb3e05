import Foundation
import HTTPServer
import Platform
import ScriptedServer
import SeededGenerator
import Testing

/// Pages, API and listings that follow a store in PostgreSQL.
@Suite(.timeLimit(.minutes(10))) struct SharedServeTests {
    /// Requests for a server's pages, as shell functions: `get PATH` and `post PATH`.
    private struct Served {
        let bench: WorkBench
        let run: RunningCommand
        private let socket: String

        init(_ bench: WorkBench) async throws {
            self.bench = bench
            socket = "\(bench.place.folder)/serve-\(UUID().uuidString.prefix(8)).sock"
            run = try bench.place.start(
                "serve --no-token --listen unix:\(socket)", environment: ["TMPDIR": bench.place.folder])
            let answer = try await bench.place.shell(
                "curl -sf --retry 600 --retry-delay 1 --retry-all-errors --unix-socket \(socket) http://localhost/health"
            )
            try #require(answer.code == 0, "\(answer.errors)")
        }

        func shell(_ text: String) async throws -> String {
            try await bench.place.shell(
                """
                get() { curl -sS --fail-with-body --unix-socket \(socket) "$@"; }
                token=$(get http://localhost/session | sed 's/.*"token":"//; s/".*//')
                post() { get -X POST -H "X-FeedSync-Token: $token" "http://localhost/feeds/$1" "${@:2}"; }
                \(text)
                """
            ).output
        }

        /// The items of a feed, as the upstream writes them.
        func items(_ feed: String) async throws -> [String] {
            let text = try await shell("get 'http://localhost/feeds/\(feed)/items?limit=500'")
            let objects = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
            return (objects ?? []).map { #"{"id":\#($0["id"] ?? ""),"name":"\#($0["name"] ?? "")"}"# }
        }

        func end() async {
            run.send(SIGTERM)
            #expect(await run.end().code == 143)
        }
    }

    @Test("serve runs commands in PostgreSQL, those for one host at the same time, too, and shows what they stored")
    func commands() async throws {
        let bench = try WorkBench(hosts: 2, feeds: 2)
        let served = try await Served(bench)
        let runs = try await served.shell(
            "for feed in h0x0 h0x1 h1x0 h1x1; do post $feed/sync > $feed.json & done; wait; cat h*.json")
        #expect(runs.components(separatedBy: #""outcome":"ok","complete":true"#).count == 5, "\(runs)")
        for (name, feed) in bench.feeds { #expect(try await served.items(name) == feed.items, "\(name)") }
        #expect(try bench.query("SELECT count(*) FROM _claim WHERE worker IS NOT NULL") == ["0"])
        let metrics = try await served.shell("get http://localhost/metrics")
        #expect(metrics.contains(#"feedsync_items{feed="h1x1"} 250"#), "\(metrics)")
        await served.end()
        try await bench.expectTrue()
        #expect(!bench.place.files.contains { $0.hasPrefix("feedsync-serve-") })
    }

    @Test("A command on a stored feed joins one on another feed of its host that is under way, and both are stored")
    func joined() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 2)
        #expect(try await bench.place.run("sync").code == 0)
        let ids = "SELECT id FROM _feed ORDER BY feed"
        let before = try bench.query(ids)
        for feed in bench.feeds.values { feed.edit { $0.insert(#"{"id":999,"name":"new"}"#, at: 0) } }
        let served = try await Served(bench)
        let gate = bench.hosts[0].gate()
        try #require(bench.feeds["h0x0"]).hold(page: 1, at: gate)
        async let first = served.shell("post h0x0/sync || true")
        await gate.arrived()
        let blocks = try bench.query("SELECT last_value FROM _number_block").first.flatMap(Int.init) ?? 0
        async let second = served.shell("post h0x1/reload || true")
        // Each working file takes numbers of its own, so the second command's is there now.
        try await bench.wait(for: "\(blocks + 1)", "SELECT last_value FROM _number_block")
        gate.open()
        for run in try await [first, second] { #expect(run.contains(#""outcome":"ok""#), "\(run)") }
        #expect(try bench.query(ids) == before)
        #expect(try bench.query("SELECT count(*) FROM _claim WHERE worker IS NOT NULL") == ["0"])
        for (name, feed) in bench.feeds { #expect(try await served.items(name) == feed.items, "\(name)") }
        await served.end()
        try await bench.expectTrue()
    }

    @Test("A feed is renamed on its page, with its items, while a worker has its host")
    func renames() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 2)
        let served = try await Served(bench)
        let worker = try await bench.beginWorker()
        try await bench.waitUntilComplete()
        let renamed = try await served.shell("post h0x0/rename --data name=other; get http://localhost/feeds/other")
        #expect(renamed.contains(#""name":"other""#), "\(renamed)")
        #expect(try await served.items("other") == bench.feeds["h0x0"]?.items)
        #expect(try bench.query("SELECT name FROM feed ORDER BY name") == ["h0x1", "other"])
        #expect(try bench.query("SELECT count(*) FROM other") == ["250"])
        let taken = try await served.shell("post other/rename --data name=h0x1 || true")
        #expect(taken.contains("feed h0x1 already exists"), "\(taken)")
        try await bench.end([worker])
        await served.end()
    }

    @Test("serve shows a feed that a command renamed, reset, gave another key or removed as it is now")
    func maintained() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 2, extra: "keep: 30d")
        _ = try await bench.place.run("sync")
        let served = try await Served(bench)
        func show(_ path: String, until expected: String) async throws {
            _ = try await served.shell(
                "until get http://localhost/\(path) | grep -qF '\(expected)'; do sleep 0.1; done")
        }
        for (command, path, expected) in [
            ("rename h0x0 other", "feeds/other", #""item_count":250"#),
            ("reset other", "feeds/other", #""complete":false"#),
            ("remove h0x1 --data --yes", "feeds", #"[{"name":"other""#),
        ] {
            let run = try await bench.place.run(command)
            #expect(run.code == 0, "\(run.errors)")
            try await show(path, until: expected)
        }
        #expect(try await served.items("other") == bench.feeds["h0x0"]?.items)
        _ = try await bench.place.shell("sed -i 's/key: id/key: name/' feedsync.yaml")
        let rekeyed = try await bench.place.run("rekey other")
        #expect(rekeyed.code == 0, "\(rekeyed.errors)")
        try await show("feeds/other/items/item%201", until: "item 1")
        await served.end()
    }

    @Test("serve shows what workers store, item by item, while lists move")
    func follows() async throws {
        let bench = try WorkBench(hosts: 2, feeds: 2, items: 150, extra: "every: 1s\n    sync: {mode: all}")
        let served = try await Served(bench)
        let worker = try bench.worker()
        try await bench.waitUntilComplete()
        var random = SeededGenerator(7)
        for round in 0..<3 {
            for feed in bench.feeds.values {
                let place = Int.random(in: 0..<feed.items.count, using: &random)
                feed.edit { items in
                    switch round {
                    case 0: items.insert(#"{"id":1000,"name":"new"}"#, at: 0)
                    case 1: items[place] = items[place].replacing(#/"name":".*"/#, with: #""name":"changed \#(round)""#)
                    default: items.remove(at: place)
                    }
                }
            }
            let runs = try bench.query("SELECT count(*) FROM run WHERE finished_at IS NOT NULL")
            try await bench.wait(
                for: "t", "SELECT count(*) > \(runs[0]) + 3 FROM run WHERE finished_at IS NOT NULL")
        }
        let rest = try #require(bench.query("SELECT now()").first)
        try await bench.wait(
            for: "4",
            """
            SELECT count(*) FROM feed WHERE complete AND (SELECT count(*) FROM run
                WHERE run.feed = feed.name AND started_at > '\(rest)' AND finished_at IS NOT NULL AND error IS NULL) > 1
            """)
        try await bench.end([worker])
        // It looks four times a second.
        for (name, feed) in bench.feeds {
            var items: [String] = []
            for _ in 0..<100 where items != feed.items { items = try await served.items(name) }
            #expect(items == feed.items, "\(name)")
        }
        let states = try await served.shell("get http://localhost/feeds")
        #expect(
            states.components(separatedBy: #""state":"fresh""#).count
                + states.components(separatedBy: #""state":"stale""#).count == 6, "\(states)")
        await served.end()
        try await bench.expectTrue()
    }

    @Test("Events come in the order of commits, and a client that comes back to another server misses none")
    func events() async throws {
        let bench = try WorkBench(hosts: 2, feeds: 1)
        let first = try await Served(bench)
        // The second host's numbers are those of a later block, the first one's come again behind them.
        _ = try await first.shell("post h0x0/reload; post h1x0/sync; post h0x0/sync")
        // A change of the store without an event has no number.
        let all = "get -N --max-time 2 -H 'Last-Event-ID: 0' http://localhost/events | sed -n '/\"id\"/s/^data: //p'"
        let lines = try await first.shell(all).split(separator: "\n").map(String.init)
        #expect(lines.count == (try bench.query("SELECT count(*) FROM event").first.flatMap { Int($0) }))
        let ids = lines.compactMap { $0.firstMatch(of: #/"id":(\d+)/#).flatMap { Int($0.1) } }
        #expect(ids == ids.sorted() && Set(ids).count == lines.count, "\(ids)")
        await first.end()
        let second = try await Served(bench)
        #expect(try await second.shell(all).split(separator: "\n").map(String.init) == lines)
        let half = ids[ids.count / 2]
        let rest = try await second.shell(all.replacing("ID: 0", with: "ID: \(half)"))
        #expect(rest.split(separator: "\n").map(String.init) == Array(lines[(ids.count / 2 + 1)...]))
        await second.end()
    }

    @Test("events and changes follow what is stored elsewhere; search finds it")
    func listings() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 1, items: 3, extra: "search: [name]")
        #expect(try await bench.place.run("sync").code == 0)
        let feed = try #require(bench.feeds["h0x0"])
        feed.edit { $0.insert(#"{"id":99,"name":"lantern"}"#, at: 0) }
        let run = try await bench.place.shell(
            """
            "$FEEDSYNC" events --follow > events.txt & events=$!
            "$FEEDSYNC" changes --follow > changes.txt & changes=$!
            until grep -q endHeader events.txt; do sleep 0.05; done
            until "$FEEDSYNC" reload h0x0 | grep -q 1; do :; done
            until grep -q lantern changes.txt && [ "$(grep -c endHeader events.txt)" = 2 ]; do sleep 0.05; done
            kill -TERM $events $changes; wait $events; wait $changes
            "$FEEDSYNC" search lant | cut -f 1,2
            """, environment: ["TMPDIR": bench.place.folder])
        #expect(run.output.contains("\nh0x0\tlantern\n"), "\(run.output) \(run.errors)")
        #expect(!bench.place.files.contains { $0.hasPrefix("feedsync-events-") || $0.hasPrefix("feedsync-changes-") })
    }

    @Test("serve does not sync a store in PostgreSQL, and says what does")
    func noSync() async throws {
        let place = try Workplace()
        try place.write("feedsync.yaml", "store: postgres:///feeds\n" + place.text(of: "feedsync.yaml"))
        let run = try await place.run("serve --sync --listen 127.0.0.1:0")
        #expect(run.code == 64 && run.errors.contains("\nTry: feedsync work  # syncs it"), "\(run.errors)")
    }
}
