import Foundation
import ScriptedServer
import Testing

/// `sync` of more feeds than one claim has, into a store in PostgreSQL.
@Suite struct SharedSyncTests {
    @Test("sync claims many feeds batch by batch, syncs those that are free, and makes the views of all at the end")
    func batches() async throws {
        let bench = try WorkBench(hosts: 2, feeds: 251, items: 1, extra: "every: 1h")
        let others = bench.hosts[1].url
        // Nothing is stored yet.
        let first = try await bench.place.run("sync --due h1x0", environment: ["TMPDIR": bench.place.folder])
        #expect(first.code == 0, "\(first.errors)")
        #expect(!bench.place.files.contains { $0.hasPrefix("feedsync-sync-") }, "\(bench.place.files)")
        // Another process has the last host.
        _ = try bench.query(#"UPDATE _claim SET until = now() + interval '1 hour' WHERE "group" = '\#(others)'"#)
        let run = try await bench.place.run("sync")
        #expect(run.code == 75 && run.output.split(separator: "\n").count == 251, "\(run.errors)")
        #expect(
            run.errors.hasPrefix("feedsync: another worker works on the feeds of \(others)\nTry: "), "\(run.errors)")
        #expect(try bench.query("SELECT count(DISTINCT feed) FROM change") == ["252"])
        #expect(try bench.query("SELECT count(*) FROM _claim WHERE worker IS NOT NULL") == ["0"])

        _ = try bench.query("UPDATE _claim SET until = NULL")
        let requests = bench.hosts[0].requests.count
        let due = try await bench.place.run("sync --due")
        #expect(due.code == 0 && due.output.split(separator: "\n").count == 250, "\(due.errors)")
        #expect(bench.hosts[0].requests.count == requests)
        #expect(try bench.query("SELECT count(DISTINCT feed) FROM change") == ["502"])
        let nothing = try await bench.place.run("sync --due")
        #expect(nothing.code == 0 && nothing.output == "", "\(nothing.output)")
        #expect(nothing.errors.hasPrefix("feedsync: nothing is due for another "), "\(nothing.errors)")

        // PostgreSQL refuses a row of the first batch.
        _ = try bench.query("ALTER TABLE h0x250 ADD CHECK (name <> 'bad')")
        try #require(bench.feeds["h0x250"]).edit { $0.insert(#"{"id":2,"name":"bad"}"#, at: 0) }
        try #require(bench.feeds["h1x250"]).edit { $0.insert(#"{"id":2,"name":"good"}"#, at: 0) }
        let refused = try await bench.place.run("sync")
        #expect(refused.code == 73 && refused.output.contains("h1x250  1 new"), "\(refused.output.suffix(500))")
        #expect(refused.errors.components(separatedBy: "\n").count { $0.contains("h0x250") } == 1, "\(refused.errors)")
        #expect(try bench.query("SELECT count(*) FROM h1x250") == ["2"])
    }
}
