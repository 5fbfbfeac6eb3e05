import SQLite
import TemporaryFolder
import Testing

@Suite("Migrations")
struct MigratorTests {
    private static let steps = [
        Migration(
            name: "0001_notes",
            sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, body); INSERT INTO note VALUES (1, 'a')"),
        Migration(name: "0002_title", sql: "ALTER TABLE note ADD COLUMN title DEFAULT 'none';"),
        Migration(name: "0003_tags", sql: "CREATE TABLE tag (name); UPDATE note SET title = 'some' -- the end"),
    ]
    private static let now = "2026-11-21T02:20:11.123Z"

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func migrate(_ connection: Connection, _ steps: [Migration] = steps) throws -> [Migration] {
        let migrator = Migrator(steps)
        return try migrator.apply(migrator.pending(in: connection), to: connection, now: now)
    }

    private func migrate(_ count: Int = steps.count) throws -> [Migration] {
        try Self.migrate(folder.connect(), Array(Self.steps.prefix(count)))
    }

    @Test("From any earlier version the rest is applied, and the data is there", arguments: 0...steps.count)
    func prefixes(count: Int) throws {
        #expect(try migrate(count) == Array(Self.steps.prefix(count)))
        if count > 0 { try folder.connect().execute("INSERT INTO note (id, body) VALUES (2, 'b')") }
        #expect(try migrate() == Array(Self.steps.dropFirst(count)))
        let connection = try folder.connect()
        #expect(try firstColumn(connection, "SELECT body FROM note ORDER BY id") == (count > 0 ? ["a", "b"] : ["a"]))
        #expect(try connection.int64("SELECT count(*) FROM _migration WHERE applied_at = ?", .text(Self.now)) == 3)
        #expect(try migrate() == [])
    }

    @Test("Asking what is pending writes nothing")
    func pendingDoesNotWrite() throws {
        let connection = try folder.connect()
        #expect(try Migrator(Self.steps).pending(in: connection) == Self.steps)
        #expect(try folder.bytes().isEmpty)
        _ = try migrate(1)
        let reader = try folder.connect(access: .readOnly)
        #expect(try Migrator(Self.steps).pending(in: reader) == Array(Self.steps.dropFirst()))
    }

    @Test("A newer store is refused and stays byte for byte as it is")
    func newerStore() throws {
        _ = try migrate()
        let before = try folder.bytes()
        #expect(throws: MigrationError.newerStore(unknown: ["0002_title", "0003_tags"])) { try migrate(1) }
        #expect(try folder.bytes() == before)
    }

    @Test("A migration that was edited after it was applied is refused")
    func edited() throws {
        _ = try migrate(2)
        let edited = [Migration(name: "0001_notes", sql: Self.steps[0].sql + " ")] + Self.steps.dropFirst()
        let connection = try folder.connect()
        #expect(throws: MigrationError.edited(name: "0001_notes")) {
            try Self.migrate(connection, edited)
        }
        #expect(try Migrator(Self.steps).pending(in: connection) == [Self.steps[2]])
    }

    @Test("A migration put in before one that was applied is refused")
    func outOfOrder() throws {
        _ = try migrate(1)
        let inserted = [Migration(name: "0000_early", sql: "SELECT 1")] + Self.steps
        let connection = try folder.connect()
        #expect(throws: MigrationError.outOfOrder(name: "0000_early", after: "0001_notes")) {
            try Self.migrate(connection, inserted)
        }
    }

    @Test("A migration that fails halfway leaves the store as the one before it did")
    func failure() throws {
        let broken = [
            Self.steps[0], Migration(name: "0002_bad", sql: "CREATE TABLE x (a); INSERT INTO nowhere VALUES (1)"),
        ]
        let connection = try folder.connect()
        let error = try #require(sqliteError { _ = try Self.migrate(connection, broken) })
        #expect(error.message == "no such table: nowhere")
        #expect(try firstColumn(connection, "SELECT name FROM _migration") == ["0001_notes"])
        #expect(try connection.int64("SELECT count(*) FROM sqlite_schema WHERE name = 'x'") == 0)
    }

    @Test(
        "A migration cannot begin or end a transaction, and leaves nothing behind if it tries",
        arguments: ["COMMIT", "COMMIT; BEGIN", "ROLLBACK", "BEGIN", "END"])
    func transactionInside(control: String) throws {
        let step = Migration(name: "0001_own", sql: "CREATE TABLE x (a); \(control)")
        let connection = try folder.connect()
        #expect(throws: MigrationError.transactionInside(name: "0001_own")) {
            try Self.migrate(connection, [step])
        }
        #expect(!connection.isInTransaction)
        #expect(try connection.int64("SELECT count(*) FROM sqlite_schema") == 0)
        try connection.transaction {}
    }

    @Test("A record that cannot be read is an error, not a new store")
    func unreadableRecord() throws {
        let connection = try folder.connect()
        try connection.execute("CREATE TABLE _Migration (version)")
        let error = try #require(sqliteError { _ = try Migrator(Self.steps).pending(in: connection) })
        #expect(error.message == "no such column: name")
    }

    @Test("A migration that another process has applied since the plan was made is not applied again")
    func overtaken() throws {
        let connection = try folder.connect()
        let migrator = Migrator(Self.steps)
        let planned = try migrator.pending(in: connection)
        _ = try migrate(2)
        #expect(try migrator.apply(planned, to: connection, now: Self.now) == [Self.steps[2]])
    }

    @Test("A store that a newer process has migrated since the plan was made is refused")
    func overtakenByNewer() throws {
        let connection = try folder.connect()
        let older = Migrator([Self.steps[0]])
        let planned = try older.pending(in: connection)
        _ = try migrate()
        #expect(throws: MigrationError.newerStore(unknown: ["0002_title", "0003_tags"])) {
            try older.apply(planned, to: connection, now: Self.now)
        }
    }

    @Test("Processes that migrate at once apply each migration once")
    func concurrentMigrators() async throws {
        let path = folder.path()
        let applied = try await withThrowingTaskGroup(of: [Migration].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try Self.migrate(Connection(path: path, busyTimeout: .seconds(60)))
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(applied.map(\.name).sorted() == Self.steps.map(\.name))
    }

    // The vectors of http://www.isthe.com/chongo/src/fnv/test_fnv.c
    @Test(
        "The checksum is FNV-1a, 64 bits",
        arguments: [("", "cbf29ce484222325"), ("a", "af63dc4c8601ec8c"), ("foobar", "85944171f73967e8")])
    func checksum(sql: String, expected: String) {
        #expect(Migration(name: "x", sql: sql).checksum == expected)
    }
}
