import SQLite
import SeededGenerator
import Testing

@testable import Fleet
@testable import PostgreSQLStore

@Suite("Rows that are found by their keys")
struct RowFinderTests {
    private let file: SQLite.Connection

    init() throws { file = try SQLite.Connection(path: ":memory:") }

    private func target(_ key: [String], type: FieldType) -> WriteThrough.Target {
        let columns = ["text", "other", "id"].map {
            CopiedTable.Column(name: $0, type: key.contains($0) ? type : .text)
        }
        return WriteThrough.Target(
            table: CopiedTable(name: "rows", columns: columns, hasExact: false, primaryKey: key),
            key: columns.filter { key.contains($0.name) }, untyped: nil)
    }

    @Test("Rows are found by their numbers, however far apart they are", arguments: UInt64(1)...40)
    func numbers(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        try file.execute("CREATE TABLE rows (text TEXT, other ANY, id INTEGER PRIMARY KEY)")
        let range = Int64(-20)...(seed.isMultiple(of: 2) ? 60 : 2_000)
        var all = Set((0..<200).map { _ in Int64.random(in: range, using: &random) })
        if seed.isMultiple(of: 3) { all.formUnion([.min, .min + 1, .max]) }
        for id in all { try file.run("INSERT INTO rows VALUES (?, 1, ?)", .text("row \(id)"), .integer(id)) }
        var wanted = Set(all.filter { _ in Bool.random(using: &random) })
        wanted.formUnion((0..<50).map { _ in Int64.random(in: range, using: &random) })
        wanted.formUnion([.min, .max])
        var finder = try RowFinder(target(["id"], type: .bigint), hasNumbers: true, in: file)
        for id in wanted.sorted() {
            let isThere = try finder.find(.number(id))
            #expect(isThere == all.contains(id), "\(id)")
            if isThere { #expect(finder.statement.text(at: 0) == "row \(id)") }
        }
        finder.end()
        try file.execute("DROP TABLE rows")
    }

    @Test("Rows are found by their values, in any order")
    func values() throws {
        try file.execute(
            """
            CREATE TABLE rows (text TEXT, other ANY, id ANY, PRIMARY KEY (id, other));
            INSERT INTO rows VALUES ('a', 1, 'x'), ('b', 2, 'x'), ('c', 1, 7)
            """)
        var finder = try RowFinder(target(["id", "other"], type: .text), hasNumbers: false, in: file)
        // In the order of the table's columns.
        let keys: [[Value]] = [[2, "x"], [1, 7], [2, 7], [1, "x"]]
        #expect(
            try keys.map { try finder.find(.values($0)) ? finder.statement.text(at: 0) : nil } == ["b", "c", nil, "a"])
    }
}
