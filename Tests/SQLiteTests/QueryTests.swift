import SQLite
import Testing

@Suite("Queries")
struct QueryTests {
    private let connection: Connection

    init() throws {
        connection = try Connection(path: ":memory:")
        try connection.execute(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t (a) VALUES ('x'), ('y'), ('z')")
    }

    @Test("Executing stops at the statement that fails and names it and what follows")
    func executing() throws {
        let error = try #require(
            sqliteError { try connection.execute("INSERT INTO t (a) VALUES (1); INSERT INTO u VALUES (1); SELECT 1") })
        #expect(error.message == "no such table: u")
        #expect(error.sql == " INSERT INTO u VALUES (1); SELECT 1")
        #expect(try connection.int64("SELECT count(*) FROM t") == 4)
    }

    @Test(
        "A script is more than one statement's tail: empty text, comments and semicolons run",
        arguments: ["", ";;", "--"])
    func emptyScripts(sql: String) throws {
        try connection.execute(sql)
    }

    @Test("One value: no row is nil, NULL is a value")
    func scalars() throws {
        #expect(try connection.scalar("SELECT a FROM t WHERE id = ?", 2) == .text("y"))
        #expect(try connection.scalar("SELECT a FROM t WHERE id = ?", 9) == Value?.none)
        #expect(try connection.scalar("SELECT NULL") == .some(.null))
        #expect(try connection.int64("SELECT id FROM t WHERE a = ?", "z") == 3)
        #expect(try connection.int64("SELECT NULL") == nil)
        #expect(try connection.scalar("DELETE FROM t RETURNING id") == 1)
        #expect(try connection.int64("SELECT count(*) FROM t") == 0, "a writing statement runs to its end")
    }

    @Test("Rows come in order, and an error of the reader ends them and lets the table go")
    func rows() throws {
        #expect(try firstColumn(connection, "SELECT a FROM t WHERE id > ? ORDER BY id", [1]) == ["y", "z"])
        var seen = 0
        #expect(throws: CancellationError.self) {
            try connection.rows("SELECT a FROM t") { _ in
                seen += 1
                throw CancellationError()
            }
        }
        #expect(seen == 1)
        try connection.execute("DROP TABLE t")
    }

    @Test("The same text gets the same statement, reset and with no bindings")
    func cache() throws {
        let first = try connection.cached("SELECT ?")
        try first.bind(1, at: 1)
        #expect(try first.step())
        let second = try connection.cached("SELECT ?")
        #expect(first === second)
        #expect(try second.step())
        #expect(second.isNull(at: 0))
        #expect(try connection.cached("SELECT ? ") !== first)
    }

    @Test("A query inside the same query does not disturb it")
    func nestedQueries() throws {
        let sql = "SELECT a FROM t ORDER BY id"
        var pairs: [String] = []
        try connection.rows(sql) { outer in
            // Queries that reset each other would never end.
            try #require(pairs.count < 9)
            try connection.rows(sql) { inner in pairs.append((outer.text(at: 0) ?? "") + (inner.text(at: 0) ?? "")) }
        }
        #expect(pairs == ["xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"])
    }

    @Test("More texts than the cache holds do no harm to a statement in use")
    func cacheOverflow() throws {
        var sums: [Int64] = []
        try connection.rows("SELECT id FROM t ORDER BY id") { row in
            for number in 0..<300 { _ = try connection.int64("SELECT \(number)") }
            sums.append(row.int64(at: 0))
        }
        #expect(sums == [1, 2, 3])
    }

    @Test("A cached statement follows a change of the schema")
    func schemaChange() throws {
        let statement = try connection.cached("SELECT * FROM t")
        #expect(try statement.step())
        try statement.reset()
        try connection.execute("ALTER TABLE t ADD COLUMN b DEFAULT 'new'")
        #expect(try statement.step())
        #expect(statement.text(at: 2) == "new")
    }

    @Test("The last rowid tells an insert from an update")
    func lastInsertRowID() throws {
        let upsert = "INSERT INTO t (id, a) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET a = excluded.a"
        connection.lastInsertRowID = 0
        try connection.run(upsert, 2, "changed")
        #expect(connection.lastInsertRowID == 0)
        #expect(connection.changes == 1)
        try connection.run(upsert, 7, "new")
        #expect(connection.lastInsertRowID == 7)
        try connection.run("UPDATE t SET a = 0")
        #expect(connection.changes == 4)
    }

    @Test("A STRICT table with ANY keeps exactly what was bound")
    func strictAny() throws {
        try connection.execute("CREATE TABLE s (a ANY) STRICT")
        let values: [Value] = ["007", "12345678901234567890123", "1e3", 7, 1.0, nil, .blob([55])]
        for value in values { try connection.run("INSERT INTO s VALUES (?)", value) }
        #expect(try firstColumn(connection, "SELECT a FROM s ORDER BY rowid") == values)
    }

    @Test(
        "A name is quoted so that it is that name",
        arguments: ["plain", "a\"b", "select", "", "a b;--", "\"\u{301}x", "🐦"])
    func identifiers(name: String) throws {
        try connection.execute("CREATE TABLE q (id, \(SQL.identifier(name)))")
        #expect(try connection.prepare("SELECT * FROM q").columnName(at: 1) == name)
    }

    @Test("A text is quoted so that it is that text", arguments: ["", "it's", "'", "'\u{301}", "a\"b", "🐦"])
    func strings(text: String) throws {
        #expect(try connection.scalar("SELECT \(SQL.string(text))") == .text(text))
    }

    @Test("A NUL can be quoted neither in a name nor in a text")
    func quotedNUL() {
        #expect(throws: SQLiteError.self) { try SQL.identifier("a\0") }
        #expect(throws: SQLiteError.self) { try SQL.string("a\0") }
    }
}
