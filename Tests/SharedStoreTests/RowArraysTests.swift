import PostgreSQL
import PostgreSQLServer
import SQLite
import SeededGenerator
import Testing

@testable import PostgreSQLStore

@Suite("Rows that are sent as arrays")
struct RowArraysTests {
    private let file: SQLite.Connection
    private let store: StoreDatabase

    init() throws {
        file = try SQLite.Connection(path: ":memory:")
        try file.execute("CREATE TABLE rows (number INTEGER PRIMARY KEY, text ANY, count ANY, at TEXT, ended TEXT)")
        store = StoreDatabase(connection: try PostgreSQL.Connection(uri: PostgreSQLServer.database()))
        try store.connection.execute(
            "CREATE TABLE rows (text text, count bigint, at timestamptz, ended timestamptz, _exact jsonb)")
    }

    /// The rows in both databases, in order.
    private func copied() throws -> (own: [[CopiedValue]], shared: [[CopiedValue]]) {
        let table = try #require(try store.table("rows"))
        var arrays = RowArrays(into: table)
        var own: [[CopiedValue]] = []
        try table.rows(in: file, where: "1 ORDER BY number") { own.append($0) }
        try table.stand(at: "1 ORDER BY number", in: file) { try arrays.append($0) }
        var script = Script()
        arrays.takeInsertion(into: &script)
        #expect(arrays.isEmpty)
        try store.connection.execute(&script)
        var shared: [[CopiedValue]] = []
        try store.rows(of: table, where: "true ORDER BY ctid") { shared.append($0) }
        return (own, shared)
    }

    @Test(
        "Rows sent as arrays arrive unchanged and in order, however often their values repeat",
        arguments: UInt64(1)...20)
    func repeated(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        let columns: [[SQLite.Value]] = [
            ["a", "b", "it's", "\"", "\\", "", "{1,2}", nil, .integer(7)],
            [.integer(0), .integer(1), .integer(.min), nil, .real(0.5), "text"],
            ["2026-11-21T02:20:11.123Z", "2026-11-21T02:20:11.124Z", "2026-11-21T02:20:11.120Z", "2026-11-30"],
            ["2026-11-21T02:20:11.000Z", nil],
        ]
        // The probability that a value repeats the one before; in some columns all are the same.
        let staying = columns.map { _ in [0.0, 0.5, 0.95, 1.0].randomElement(using: &random) ?? 0.0 }
        var row: [SQLite.Value] = columns.map { $0.randomElement(using: &random) ?? .null }
        for _ in 0..<Int.random(in: 1...200, using: &random) {
            for (index, column) in columns.enumerated() where Double.random(in: 0..<1, using: &random) >= staying[index]
            {
                row[index] = column.randomElement(using: &random) ?? .null
            }
            try file.run(
                "INSERT INTO rows (text, count, at, ended) VALUES (?, ?, ?, ?)", row[0], row[1], row[2], row[3])
        }
        let (own, shared) = try copied()
        #expect(own == shared, "seed \(seed)")
    }

    @Test("Rows sent as arrays keep their number if all are alike", arguments: [1, 2, 1_000])
    func alike(count: Int) throws {
        for _ in 0..<count { try file.run("INSERT INTO rows (text, at) VALUES ('a', '2026-11-21T02:20:11.123Z')") }
        let (own, shared) = try copied()
        #expect(own.count == count)
        #expect(own == shared)
    }
}
