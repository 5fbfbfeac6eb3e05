import SQLite
import Testing

@testable import FeedTables

@Suite("A walk through the rows of a table")
struct RowWalkTests {
    private let connection: Connection
    private let walk: RowWalk

    init() throws {
        connection = try Connection(path: ":memory:")
        try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)")
        try connection.execute("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (5, 'c'), (7, 'd'), (11, 'e')")
        walk = RowWalk("SELECT _rowid_, name FROM t", on: connection)
    }

    /// The row if the walk leads to it; nil if it has to be looked up.
    private func next(_ id: Int64) throws -> String? {
        let row = try walk.next { $0.int64(at: 0) == id }
        if row == nil { walk.goOn(from: id) }
        return row?.text(at: 1)
    }

    @Test("Two rows that are looked up give the direction in which the others are found")
    func directions() throws {
        #expect(try [1, 2, 5, 7, 11].map(next) == [nil, nil, "c", "d", "e"])
        try walk.end()
        #expect(try [11, 7, 5, 2, 1].map(next) == [nil, nil, "c", "b", "a"])
    }

    @Test("A row out of order is looked up, and the walk goes on behind it")
    func rowOutOfOrder() throws {
        #expect(try [1, 2, 7, 11].map(next) == [nil, nil, nil, "e"])
    }

    @Test("Rows in no order cost two steps, and the next page is walked again")
    func noOrder() throws {
        #expect(try [1, 7, 2, 5, 7, 11].map(next) == [nil, nil, nil, nil, nil, nil])
        try walk.end()
        #expect(try [1, 2, 5].map(next) == [nil, nil, "c"])
    }

    @Test("A row that is looked up again changes no direction")
    func sameRow() throws {
        #expect(try [1, 2, 5, 5, 5, 7, 11].map(next) == [nil, nil, "c", nil, nil, "d", "e"])
        try walk.end()
        #expect(try [1, 1, 2, 5].map(next) == [nil, nil, nil, "c"])
    }

    @Test("Rows behind the last one are looked up")
    func end() throws {
        #expect(try [7, 11, 12].map(next) == [nil, nil, nil])
    }

    @Test("Rows that are written during a walk are found as they were written")
    func writes() throws {
        #expect(try [1, 2, 5].map(next) == [nil, nil, "c"])
        try connection.execute("UPDATE t SET name = 'new' WHERE id IN (5, 7)")
        try connection.execute("INSERT INTO t VALUES (8, 'between')")
        #expect(try [7, 8, 11].map(next) == ["new", "between", "e"])
    }
}
