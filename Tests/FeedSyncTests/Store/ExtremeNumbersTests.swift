import Foundation
import SQLite
import ScriptedServer
import TemporaryFolder
import Testing

@testable import FeedSync
@testable import StoreFile

/// Each column has each number before one of three commands. `TEST_CASES=all` takes all three.
@Suite("Numbers in a store that somebody changed by hand")
struct ExtremeNumbersTests {
    private static let makesAll = ProcessInfo.processInfo.environment["TEST_CASES"] == "all"

    @Test(
        "No number in any column of any table makes a command trap", arguments: [Int64.max, .min, -1], [false, true])
    func everyColumn(number: Int64, isInPieces: Bool) async throws {
        let bench = try await EngineBench()
        _ = try await bench.engine.perform(.sync)
        if isInPieces {
            // Pages of a list that changed, which the next sync joins to what it finds.
            bench.upstream.items = PagedFeed.items((-6)...30)
            _ = try await bench.engine.perform(.reload)
            _ = try await bench.engine.perform(.nextPage)
        }
        let whole = try #require(FileManager.default.contents(atPath: try await copy(of: bench)))
        let offset = number == .max ? 0 : number == .min ? 1 : 2
        for (place, (table, column)) in try columns(of: bench).enumerated() {
            for (index, command) in [RequestCommand.sync, .reload, .nextPage].enumerated()
            where Self.makesAll || index == (place + offset) % 3 {
                let path = bench.folder.file("\(table)-\(column)-\(index).db")
                try whole.write(to: URL(filePath: path))
                // A place of one row, as two rows must not share one.
                let rows = table == "things" ? "WHERE id = 25" : ""
                let planted: Void? = try? Connection(path: path, access: .readWrite).execute(
                    "UPDATE OR IGNORE \"\(table)\" SET \"\(column)\" = \(number) \(rows)")
                guard planted != nil else { continue }
                if !isInPieces { bench.upstream.items = PagedFeed.items((index + 1)...35) }
                // The result does not matter: a trap would end the tests.
                guard let store = try? await Store(path: path),
                    let engine = try? await SyncEngine(
                        feed: bench.definition, store: store, options: EngineBench.options)
                else { continue }
                _ = try? await engine.perform(command)
                _ = try? await store.conditions(of: ["things"])
            }
        }
    }

    /// A file with all that is in the store.
    private func copy(of bench: EngineBench) async throws -> String {
        let path = bench.folder.file("copy.db")
        try Connection(path: bench.store.path, access: .readWrite).execute("VACUUM INTO '\(path)'")
        return path
    }

    /// Every column of numbers.
    private func columns(of bench: EngineBench) throws -> [(table: String, column: String)] {
        let rows = try bench.query(
            """
            SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
            WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' AND t.name <> '_migration'
                AND c.type IN ('INTEGER', 'INT')
            """)
        let pairs = rows.map { $0.split(separator: "|").map(String.init) }
        #expect(pairs.count > 50)
        return pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }
    }
}
