import SQLite
import Testing

@Suite("Statements")
struct StatementTests {
    private let connection: Connection

    init() throws { connection = try Connection(path: ":memory:") }

    static let values: [Value] = [
        nil, 0, 1, .integer(.max), .integer(.min), 1.5, .real(-.infinity), "", "plain", "with\0NUL", "🐦‍⬛ é e\u{301}",
        "007", "12345678901234567890123", .blob([]), .blob([0, 255, 0]), true, false,
    ]

    @Test("A value comes back as it was bound", arguments: values)
    func roundTrip(value: Value) throws {
        #expect(try connection.scalar("SELECT ?", value) == value)
        let statement = try connection.prepare("SELECT ?1, typeof(?1)")
        try statement.bind(value, at: 1)
        #expect(try statement.step())
        #expect(statement.value(at: 0) == value)
        #expect(statement.isNull(at: 0) == value.isNull)
    }

    @Test("Text bound without a copy comes back with its length", arguments: ["", "a\0b", "🐦", "plain"])
    func uncopiedText(text: String) throws {
        let statement = try connection.prepare("SELECT ?1, typeof(?1), length(CAST(?1 AS BLOB))")
        try Array(text.utf8).withUnsafeBytes { bytes in
            try statement.bindText(bytes, at: 1)
            #expect(try statement.step())
            #expect(statement.text(at: 0) == text)
            #expect(statement.text(at: 1) == "text")
            #expect(statement.int64(at: 2) == Int64(bytes.count))
        }
    }

    @Test("An empty buffer without an address is empty, not NULL")
    func emptyBuffers() throws {
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        let statement = try connection.prepare("SELECT typeof(?), typeof(?)")
        try statement.bindText(nothing, at: 1)
        try statement.bind(.blob([]), at: 2)
        #expect(try statement.step())
        #expect(statement.text(at: 0) == "text")
        #expect(statement.text(at: 1) == "blob")
    }

    @Test("Bytes are lent as they are, a number's as its digits, NULL's as none")
    func lentBytes() throws {
        let statement = try connection.prepare("SELECT x'00ff', 'a🐦', 42, NULL, ''")
        #expect(try statement.step())
        let columns = (0..<5).map { statement.withBytes(at: $0) { Array($0) } }
        #expect(columns == [[0, 255], Array("a🐦".utf8), Array("42".utf8), [], []])
        #expect(statement.blob(at: 3) == nil)
        #expect(statement.blob(at: 4) == [])
    }

    @Test("Numbers are bound and read in their own class")
    func numbers() throws {
        let statement = try connection.prepare("SELECT ?, ?, ?, ?")
        try statement.bindInt64(.min, at: 1)
        try statement.bindDouble(2.5, at: 2)
        try statement.bindDouble(.nan, at: 3)
        try statement.bindNull(at: 4)
        #expect(try statement.step())
        #expect((0..<4).map { statement.value(at: $0) } == [.integer(.min), 2.5, nil, nil])
        #expect(statement.double(at: 1) == 2.5)
    }

    @Test("A parameter index out of range is an error", arguments: [0, -1, 2, Int.max, Int.min])
    func parameterOutOfRange(index: Int) throws {
        let statement = try connection.prepare("SELECT ?")
        let error = try #require(sqliteError { try statement.bind(1, at: index) })
        #expect(error.code == 25)
    }

    @Test("A column index out of range reads as NULL", arguments: [-1, 1, Int.max, Int.min])
    func columnOutOfRange(index: Int) throws {
        let statement = try connection.prepare("SELECT 1")
        #expect(statement.value(at: 0) == nil, "no row yet")
        #expect(try statement.step())
        #expect(statement.value(at: index) == nil)
        #expect(statement.int64(at: index) == 0)
        #expect(statement.columnName(at: index) == nil)
    }

    @Test("Too few or too many values are errors")
    func wrongParameters() {
        #expect(sqliteError { try connection.run("SELECT ?") } != nil)
        #expect(sqliteError { try connection.run("SELECT ?", 1, 2) } != nil)
    }

    @Test("Binding before a reset is an error, after it is not; bindings stay until cleared")
    func resetting() throws {
        let statement = try connection.prepare("SELECT ?")
        try statement.bind(1, at: 1)
        #expect(try statement.step())
        #expect(sqliteError { try statement.bind(2, at: 1) } != nil)
        try statement.reset()
        #expect(try statement.step())
        #expect(statement.int64(at: 0) == 1)
        try statement.reset()
        statement.clearBindings()
        #expect(try statement.step())
        #expect(statement.isNull(at: 0))
    }

    @Test("A step that failed has reported it: the reset does not report it again, and the statement works")
    func resetAfterFailure() throws {
        try connection.execute("CREATE TABLE t (a PRIMARY KEY); INSERT INTO t VALUES (1)")
        let statement = try connection.prepare("INSERT INTO t VALUES (?)")
        try statement.bind(1, at: 1)
        let error = try #require(sqliteError { _ = try statement.step() })
        #expect(error.code == 1555)
        #expect(error.description == "UNIQUE constraint failed: t.a (SQLite error 1555), in: INSERT INTO t VALUES (?)")
        try statement.reset()
        try statement.bind(2, at: 1)
        #expect(try statement.step() == false)
        #expect(try connection.int64("SELECT count(*) FROM t") == 2)
    }

    @Test("A statement says what it is")
    func description() throws {
        let statement = try connection.prepare("SELECT ? AS one, 2 AS \"zwei\"")
        #expect(statement.parameterCount == 1)
        #expect(statement.columnCount == 2)
        #expect((0..<2).map { statement.columnName(at: $0) } == ["one", "zwei"])
        #expect(statement.isReadOnly)
        #expect(try connection.prepare("CREATE TABLE t (a)").isReadOnly == false)
    }

    @Test(
        "Anything but one statement is not prepared",
        arguments: ["", " ", ";", "-- nothing", "SELECT 1; SELECT 2", "SELECT 1; nonsense", "SELEKT", "SELECT 1\0"])
    func notOneStatement(sql: String) {
        #expect(throws: SQLiteError.self) { _ = try connection.prepare(sql) }
    }

    @Test(
        "White space, comments and semicolons around a statement are nothing",
        arguments: ["SELECT 1;", "SELECT 1; -- one", ";; SELECT 1 ; /* one */ ;\n", "/* a */ SELECT 1"])
    func oneStatement(sql: String) throws {
        let statement = try connection.prepare(sql)
        #expect(try statement.step())
        #expect(statement.int64(at: 0) == 1)
    }
}
