import Foundation
import SQLite
import ScriptedServer
import TemporaryFolder
import Testing

@testable import FeedSync

@Suite("The public views")
struct PublicViewsTests {
    /// Feeds of one model on one upstream, in one process.
    private struct Bench {
        let server: ScriptedServer
        private let folder: TemporaryFolder
        let store: Store
        let names: [String]
        let definitions: [FeedDefinition]

        init(feeds: Int, members: String) async throws {
            let server = try ScriptedServer()
            self.server = server
            for number in 1...feeds {
                server.route("/f\(number)", to: PagedFeed(PagedFeed.items(1...3), perPage: 10))
            }
            names = (1...feeds).map { "f\($0)" }
            definitions = try names.map {
                try FeedDefinition.parse(name: $0, yaml: "url: \(server.url)/\($0)\nmodel: thing\n\(members)")
            }
            folder = try TemporaryFolder()
            store = try await Store(path: folder.file("store.db"))
        }

        func run(_ command: RequestCommand) async throws {
            for definition in definitions {
                let engine = try await SyncEngine(feed: definition, store: store, options: EngineBench.options)
                _ = try await engine.perform(command)
            }
        }

        /// The rows that only the views or only the tables have.
        func faults() throws -> [String] {
            let connection = try Connection(path: store.path, access: .readOnly)
            var faults: [String] = []
            for name in names {
                let counts = try [
                    name, "change WHERE feed = '\(name)' AND kind = 'new'", "thing WHERE feed = '\(name)'",
                ].map { try connection.int64("SELECT count(*) FROM \($0)") ?? -1 }
                if Set(counts).count > 1 {
                    faults.append("\(name) has \(counts[0]) rows, change \(counts[1]), thing \(counts[2])")
                }
            }
            return faults
        }
    }

    @Test(
        "Every row of every feed is in them after every kind of run",
        arguments: [
            "items: items\nkey: id\ncolumns: {id: id, name: name}\npagination: none", "pagination: none",
            "items: items\npagination: none",
        ])
    func whole(members: String) async throws {
        let bench = try await Bench(feeds: 12, members: members)
        for command in [RequestCommand.reload, .sync, .nextPage, .allPages] {
            try await bench.run(command)
            #expect(try bench.faults() == [], "\(command)")
        }
        // A table that another program dropped is made anew.
        let connection = try Connection(path: bench.store.path)
        try connection.execute("DROP TABLE f7")
        try await bench.run(.sync)
        #expect(try bench.faults() == [])
    }
}
