import Foundation
import SQLite
import TemporaryFolder
import Testing

@Suite("Errors")
struct SQLiteErrorTests {
    @Test(
        "An extended code answers the question about its class, and no other",
        arguments: [
            (517, "busy"), (15, "busy"), (13, "full"), (1032, "read-only"), (26, "not a database"), (267, "corrupt"),
            (526, "cannot open"), (2067, "constraint"), (778, "I/O"),
        ] as [(Int32, String)])
    func questions(code: Int32, expected: String) {
        let error = SQLiteError(code: code, message: "")
        let answers = [
            "busy": error.isBusy, "full": error.isFull, "read-only": error.isReadOnly,
            "not a database": error.isNotADatabase, "corrupt": error.isCorrupt, "cannot open": error.isCannotOpen,
            "constraint": error.isConstraint, "I/O": error.isIO,
        ]
        #expect(answers.filter(\.value).map(\.key) == [expected])
    }

    @Test("A code that nobody knows is kept")
    func unknownCode() {
        let error = SQLiteError(code: 0x7fff_ff63, message: "new")
        #expect(error.primaryCode == 99)
        #expect(error.description == "new (SQLite error 2147483491)")
    }

    @Test("A description is one line and holds no more than the start of a long statement")
    func longStatement() {
        let sql = "SELECT\n    " + String(repeating: "a, ", count: 500)
        let description = SQLiteError(code: 1, message: "bad", sql: sql).description
        #expect(description.hasPrefix("bad (SQLite error 1), in: SELECT a, a, "))
        #expect(description.count < 240)
    }

    @Test(
        "A description has no statement where the file or the disk is to blame",
        arguments: [5, 8, 10, 11, 13, 14, 26, 522, 1032] as [Int32])
    func noStatement(code: Int32) {
        #expect(SQLiteError(code: code, message: "bad", sql: "SELECT 1").description == "bad (SQLite error \(code))")
    }

    @Test("A bound value is in no part of an error")
    func noBoundValues() throws {
        let connection = try Connection(path: ":memory:")
        try connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY) STRICT")
        let error = try #require(sqliteError { try connection.run("INSERT INTO t VALUES (?)", "secret") })
        #expect(!String(reflecting: error).contains("secret"))
    }

    @Test("A database with a damaged page is corrupt, and says so")
    func corruption() throws {
        let folder = try TemporaryFolder()
        try folder.connect().execute("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        var bytes = try folder.bytes()
        // The second page, the table's only one, begins with its type.
        bytes.replaceSubrange(4096..<4296, with: repeatElement(0xa5, count: 200))
        try bytes.write(to: URL(filePath: folder.path()))
        let error = try #require(sqliteError { _ = try folder.connect().scalar("SELECT a FROM t") })
        #expect(error.isCorrupt)
    }
}
