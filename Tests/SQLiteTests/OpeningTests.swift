import Foundation
import SQLite
import TemporaryFolder
import Testing

@Suite("Opening a database")
struct OpeningTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("A file that is something else is refused with its path, and stays as it is")
    func foreignFile() throws {
        let content = Data(String(repeating: "This is a letter to the editor. ", count: 200).utf8)
        try content.write(to: URL(filePath: folder.path("letter.txt")))
        let error = try #require(sqliteError { _ = try folder.connect("letter.txt") })
        #expect(error.isNotADatabase)
        #expect(error.path == folder.path("letter.txt"))
        #expect(
            error.description
                == "file is not a database (SQLite error 26), file \(folder.path("letter.txt"))")
        #expect(try folder.bytes("letter.txt") == content)
    }

    @Test("A missing file is created only if asked for", arguments: [Connection.Access.readOnly, .readWrite])
    func missingFile(access: Connection.Access) throws {
        let error = try #require(sqliteError { _ = try folder.connect(access: access) })
        #expect(error.isCannotOpen)
        #expect(error.systemCode == ENOENT)
        #expect(error.description.contains("No such file or directory"))
        #expect(!FileManager.default.fileExists(atPath: folder.path()))
        try folder.connect().execute("CREATE TABLE t (a)")
        _ = try folder.connect(access: access)
    }

    // Files cannot be created in /proc, even by the superuser, whom permissions do not stop.
    @Test(
        "A folder that takes no files is an error of opening",
        arguments: [("/proc/test.db", [0, EACCES]), ("/nowhere/test.db", [ENOENT])] as [(String, [Int32])])
    func unwritableFolder(path: String, reasons: [Int32]) throws {
        let error = try #require(sqliteError { _ = try Connection(path: path) })
        #expect(error.isCannotOpen)
        #expect(error.path == path)
        #expect(reasons.contains(error.systemCode))
    }

    @Test("A read-only folder is an error of opening", .enabled(if: geteuid() != 0, "root may write anywhere"))
    func readOnlyFolder() throws {
        chmod(folder.path, 0o500)
        defer { chmod(folder.path, 0o700) }
        let error = try #require(sqliteError { _ = try folder.connect() })
        #expect(error.isCannotOpen)
        #expect(error.systemCode == EACCES)
    }

    @Test("A connection opened to read refuses to write")
    func readOnlyConnection() throws {
        try folder.connect().execute("CREATE TABLE t (a)")
        let connection = try folder.connect(access: .readOnly)
        #expect(connection.isReadOnly)
        let error = try #require(sqliteError { try connection.run("INSERT INTO t VALUES (1)") })
        #expect(error.isReadOnly)
        #expect(error.sql == "INSERT INTO t VALUES (1)")
    }

    @Test(
        "A path is a path, whatever a URI or a special name may look like",
        arguments: ["file:a.db?mode=memory", ":odd:", "a b%20c.db", "émoji 🐦.db"])
    func oddNames(name: String) throws {
        // Relative, because only there does the name come first; the current folder is every test's, so it stays.
        let relative = "\(name).\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(at: URL(filePath: "./" + relative)) }
        try Connection(path: relative).execute("CREATE TABLE t (a)")
        #expect(FileManager.default.fileExists(atPath: "./" + relative))
    }

    @Test("A path that is empty or has a NUL in it is an error", arguments: ["", "a\0b.db"])
    func impossiblePaths(path: String) {
        #expect(throws: SQLiteError.self) { _ = try Connection(path: path) }
    }

    @Test(
        "Any busy time-out is taken, however odd",
        arguments: [
            (Duration.zero, 0), (.seconds(-1), 0), (.nanoseconds(1), 1), (.seconds(2), 2000),
            (.milliseconds(1500), 1500), (.seconds(Int64.max), 2_147_483_647),
        ] as [(Duration, Int64)])
    func busyTimeouts(timeout: Duration, milliseconds: Int64) throws {
        #expect(try folder.connect(busyTimeout: timeout).int64("PRAGMA busy_timeout") == milliseconds)
    }

    @Test("Foreign keys are enforced, the schema is not trusted")
    func settings() throws {
        let connection = try folder.connect()
        #expect(try connection.int64("PRAGMA foreign_keys") == 1)
        #expect(try connection.int64("PRAGMA trusted_schema") == 0)
        try connection.execute("CREATE TABLE a (id PRIMARY KEY); CREATE TABLE b (a REFERENCES a (id))")
        let error = try #require(sqliteError { try connection.run("INSERT INTO b VALUES (1)") })
        #expect(error.isConstraint)
        #expect(error.code == 787, "the extended code says that it was a foreign key")
    }

    @Test(
        "A string in double quotes is an unknown column, not a string",
        arguments: ["SELECT \"nothing\"", "CREATE INDEX i ON t (\"nothing\")"])
    func doubleQuotedStrings(sql: String) throws {
        let connection = try folder.connect()
        try connection.execute("CREATE TABLE t (a)")
        let error = try #require(sqliteError { try connection.execute(sql) })
        #expect(error.message.hasPrefix("no such column: ") && error.message.contains("nothing"))
    }

    @Test("A statement outlives the connection it came from")
    func statementKeepsTheFileOpen() throws {
        let statement: Statement = try {
            let connection = try folder.connect()
            _ = try connection.cached("SELECT 1")
            return try connection.prepare("SELECT 42")
        }()
        #expect(try statement.step())
        #expect(statement.int64(at: 0) == 42)
    }

    @Test("A connection that is gone has closed its file, cached statements notwithstanding")
    func closing() throws {
        do {
            let connection = try folder.connect()
            try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (a)")
            _ = try connection.cached("SELECT * FROM t")
            #expect(FileManager.default.fileExists(atPath: folder.path("test.db-wal")))
        }
        // The last connection to close removes the log. https://sqlite.org/wal.html
        #expect(!FileManager.default.fileExists(atPath: folder.path("test.db-wal")))
    }
}
