import Foundation
import HTTPServer
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

    @Test("A feed without items has no rows in PostgreSQL, and commands that read say so")
    func empty() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 0)
        bench.hosts[0].route("/things") { _ in .json("[]") }
        try bench.place.write(
            "feedsync.yaml",
            """
            store: \(bench.uri)
            feeds:
              things: {url: "\(bench.hosts[0].url)/things", key: id, pagination: none, columns: [id, name]}
            """)
        #expect(try await bench.place.run("sync").code == 0)
        for words in ["show things", "show things --at 1h", "changes things", "status"] {
            let run = try await bench.place.run(words)
            #expect(run.code == 0, "\(words): \(run.errors)")
        }
        let shown = try await bench.place.run("show things")
        #expect(shown.output == "" && shown.errors.contains("no items"), "\(shown.output) \(shown.errors)")
    }

    @Test("A list of lists whose URL has a column of the feed above both is shown with the rows of all three")
    func treeOfTrees() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 0)
        let server = bench.hosts[0]
        server.route("/owners") { _ in .json(#"[{"id":1,"name":"ada"}]"#) }
        server.route("/of/1") { _ in .json(#"[{"id":10}]"#) }
        server.route("/ada/10") { _ in .json(#"[{"id":100}]"#) }
        try bench.place.write(
            "feedsync.yaml",
            """
            store: \(bench.uri)
            defaults: {retries: 0, key: id, pagination: none}
            feeds:
              owners: {url: "\(server.url)/owners"}
              things: {for_each: owners, url: "\(server.url)/of/{owners.id}"}
              parts: {for_each: things, url: "\(server.url)/{owners.name}/{things.id}"}
            """)
        #expect(try await bench.place.run("sync").code == 0)
        for words in ["explain parts --json", "plan parts --json", "plan --json"] {
            let run = try await bench.place.run(words)
            let output = run.output.replacing(" ", with: "")
            #expect(run.code == 0 && output.contains(#""parent":"things","rows":1"#), "\(words): \(run.errors)")
        }
        let list = try await bench.place.run("explain parts/1/10")
        #expect(list.code == 0 && list.output.contains("/ada/10"), "\(list.errors) \(list.output)")
    }
}
