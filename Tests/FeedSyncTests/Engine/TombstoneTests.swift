import ScriptedServer
import Testing

@testable import FeedSync

@Suite("An item that says that it is gone")
struct TombstoneTests {
    private func bench(
        _ rule: String, _ items: [String], mode: String = "all", paging: String = "{style: page}"
    ) async throws -> EngineBench {
        let bench = try await EngineBench(
            items, members: "removed: \(rule)\nsync: {mode: \(mode)}", paging: "pagination: \(paging)",
            columns: "items: items\nkey: id\ncolumns: {id: id, name: name}")
        bench.upstream.sendsETag = false
        return bench
    }

    private func gone(_ bench: EngineBench) throws -> [String] {
        try bench.query("SELECT id, name FROM things WHERE _removed_at IS NOT NULL ORDER BY id")
    }

    @Test(
        "An item marked as removed is removed, keeps its other members, and returns",
        arguments: [
            ("{path: deleted}", #""deleted":true"#), ("deleted", #""deleted":true"#),
            ("deleted_at", #""deleted_at":"2026-11-21T10:00:00Z""#),
            ("{path: status, is: trashed}", #""status":"trashed""#),
            ("{path: meta.gone, is: 1}", #""meta":{"gone":1}"#),
        ])
    func marked(rule: String, says: String) async throws {
        let bench = try await bench(
            rule, [#"{"id":1,"name":"a"}"#, #"{"id":2,"name":"b","status":"live","deleted":false}"#])
        try await bench.reload()
        #expect(try gone(bench) == [] && bench.feed("item_count") == "2")
        bench.upstream.items = [#"{"id":1,"name":"a"}"#, "{\"id\":2,\(says)}"]
        try await bench.reload()
        #expect(try gone(bench) == ["2|b"])
        #expect(try bench.feed("item_count") == "1")
        #expect(try bench.query("SELECT removed FROM run ORDER BY id DESC LIMIT 1") == ["1"])
        try await bench.reload()
        #expect(try gone(bench) == ["2|b"] && bench.feed("item_count") == "1")
        #expect(try bench.query("SELECT outcome FROM run ORDER BY id DESC LIMIT 1") == ["unchanged"])
        bench.upstream.items = [#"{"id":1,"name":"a"}"#, #"{"id":2,"name":"c"}"#]
        try await bench.reload()
        #expect(try gone(bench) == [] && bench.names == ["a", "c"] && bench.feed("item_count") == "2")
    }

    @Test("A purged row is removed, on the only page, and where all items below it say that they are gone")
    func purged() async throws {
        let items = { (alive: ClosedRange<Int>, gone: ClosedRange<Int>) in
            alive.map { "{\"id\":\($0)}" } + gone.map { "{\"id\":\($0),\"deleted\":true}" }
        }
        let single = try await bench("deleted", ["{\"id\":0}"] + items(5...7, 1...1), paging: "none")
        for _ in 1...2 { try await single.sync() }
        single.upstream.items.removeFirst()
        try await single.sync()
        #expect(try gone(single) == ["0|"])

        let long = try await bench("deleted", items(1...60, 101...101))
        try await long.sync()
        long.upstream.items = items(31...60, 1...30)
        for _ in 1...2 { try await long.sync() }
        long.upstream.items = items(31...59, 1...30)
        for _ in 1...2 { try await long.sync() }
        #expect(try gone(long).contains("60|"))
        #expect(try long.feed("item_count, complete") == "29|1")
    }

    @Test(
        "A purged row is removed, although the last item of another page says that it is gone",
        arguments: [false, true])
    func purgedBesideGone(isCheck: Bool) async throws {
        let items = { (gone: Set<Int>, purged: Set<Int>) in
            (1...25 + purged.count).filter { !purged.contains($0) }
                .map { "{\"id\":\($0),\"deleted\":\(gone.contains($0))}" }
        }
        let bench = try await bench("deleted", items([], []))
        bench.upstream.sendsETag = true
        try await bench.sync()
        if isCheck {
            // The first page is read before the item is gone, and again at the end.
            let gate = bench.server.gate()
            bench.upstream.items = items([25], [])
            bench.upstream.hold(page: 2, at: gate)
            async let summary = bench.sync()
            await gate.arrived()
            bench.upstream.items = items([10, 25], [])
            gate.open()
            _ = try await summary
        } else {
            bench.upstream.items = items([10], [])
            try await bench.sync()
        }
        let others = isCheck ? [10, 25] : [10]
        // Another item comes, so that the first page, which has the total, is answered with 304.
        bench.upstream.items = items(Set(others), [15])
        for _ in 1...2 { try await bench.sync() }
        #expect(try gone(bench) == (others + [15]).sorted().map { "\($0)|" })
        #expect(try bench.feed("item_count, complete") == "\(25 - others.count)|1")
    }

    @Test(
        "An item marked as removed counts in a total, whether its row is stored or not",
        arguments: [true, false], ["all", "auto"])
    func inTotal(isStored: Bool, mode: String) async throws {
        let items = { (deleted: Bool) in
            (1...25).map { #"{"id":\#($0),"name":"n","deleted":\#(deleted && $0 % 5 == 0)}"# }
        }
        let bench = try await EngineBench(
            items(!isStored), members: "removed: deleted\nsync: {mode: \(mode)}",
            paging: "pagination: {style: page, total: total_count}",
            columns: "items: items\nkey: id\ncolumns: {id: id, name: name}")
        for _ in 1...2 {
            for _ in 1...3 {
                let summary = try await bench.sync()
                #expect(summary.reason == nil)
            }
            bench.upstream.items = items(true)
        }
        #expect(try bench.feed("item_count, complete") == "20|1")
    }

    @Test(
        "An item marked as removed leaves no row if none was stored, and does not prevent a complete sync",
        arguments: ["all", "new"])
    func neverStored(mode: String) async throws {
        let items = (1...25).map { #"{"id":\#($0),"name":"n\#($0)","deleted":\#($0 % 5 == 0)}"# }
        let bench = try await bench("deleted", items, mode: mode)
        try await bench.sync()
        #expect(try bench.feed("item_count, complete") == "20|1")
        try await bench.sync()
        #expect(try bench.feed("item_count, complete") == "20|1")
        #expect(try bench.query("SELECT count(*) FROM things") == ["20"])
    }

    @Test("An item marked as removed is subtracted from its section")
    func section() async throws {
        let bench = try await EngineBench(
            [#"{"id":1,"name":"a","kind":"x"}"#, #"{"id":2,"name":"b","kind":"x"}"#],
            members: "removed: deleted\nsection: kind", paging: "pagination: {style: page}",
            columns: "items: items\nkey: id\ncolumns: {id: id, name: name}")
        bench.upstream.sendsETag = false
        try await bench.reload()
        bench.upstream.items = [#"{"id":1,"deleted":true}"#, #"{"id":2,"name":"b","kind":"x"}"#]
        try await bench.reload()
        #expect(try bench.query("SELECT name, item_count FROM section") == ["x|1"])
    }
}
