import SQLite
import TemporaryFolder
import Testing

@Suite("Transactions")
struct TransactionTests {
    private struct Refusal: Error {}

    private let folder: TemporaryFolder
    private let connection: Connection

    init() throws {
        folder = try TemporaryFolder()
        connection = try folder.connect(busyTimeout: .zero)
        try connection.execute("CREATE TABLE t (a)")
    }

    private func count() throws -> Int64? { try connection.int64("SELECT count(*) FROM t") }

    @Test(
        "A transaction keeps the changes of its body, and returns its result",
        arguments: [TransactionKind.deferred, .immediate])
    func commit(kind: TransactionKind) throws {
        let result = try connection.transaction(kind) {
            #expect(connection.isInTransaction)
            try connection.run("INSERT INTO t VALUES (1)")
            return "done"
        }
        #expect(result == "done")
        #expect(!connection.isInTransaction)
        #expect(try folder.connect().int64("SELECT count(*) FROM t") == 1)
    }

    @Test("A throw undoes everything and comes through")
    func rollBack() throws {
        #expect(throws: Refusal.self) {
            try connection.transaction {
                try connection.run("INSERT INTO t VALUES (1)")
                throw Refusal()
            }
        }
        #expect(!connection.isInTransaction)
        #expect(try count() == 0)
    }

    @Test("A transaction in a transaction is a part of it, and is undone alone")
    func nesting() throws {
        try connection.transaction {
            try connection.run("INSERT INTO t VALUES (1)")
            #expect(throws: Refusal.self) {
                try connection.transaction {
                    try connection.run("INSERT INTO t VALUES (2)")
                    throw Refusal()
                }
            }
            try connection.transaction { try connection.run("INSERT INTO t VALUES (3)") }
            #expect(connection.isInTransaction)
        }
        #expect(try count() == 2)
    }

    @Test("While another connection writes, a second one is busy")
    func busy() throws {
        let other = try folder.connect(busyTimeout: .zero)
        var hasBegun = false
        try other.transaction {
            let error = try #require(sqliteError { try connection.transaction { hasBegun = true } })
            #expect(error.isBusy)
        }
        #expect(!hasBegun)
        try connection.transaction { try connection.run("INSERT INTO t VALUES (1)") }
    }

    @Test("A commit that finds a reader in its way fails as busy and leaves nothing behind")
    func busyCommit() throws {
        let reader = try folder.connect()
        try reader.execute("BEGIN; SELECT * FROM t")
        let error = try #require(
            sqliteError { try connection.transaction { try connection.run("INSERT INTO t VALUES (1)") } })
        #expect(error.isBusy)
        #expect(error.sql == "COMMIT")
        #expect(!connection.isInTransaction)
        try reader.execute("COMMIT")
        #expect(try count() == 0)
        try connection.transaction { try connection.run("INSERT INTO t VALUES (2)") }
        #expect(try count() == 1)
    }

    @Test("A full disk undoes everything, and says that it is full")
    func fullDisk() throws {
        try connection.transaction { try connection.run("INSERT INTO t VALUES ('kept')") }
        try connection.execute("PRAGMA max_page_count = 5")
        let error = try #require(
            sqliteError {
                try connection.transaction {
                    for _ in 0..<100 { try connection.run("INSERT INTO t VALUES (zeroblob(1000))") }
                }
            })
        #expect(error.isFull)
        #expect(error.message == "database or disk is full")
        #expect(!connection.isInTransaction)
        #expect(try firstColumn(connection, "SELECT a FROM t") == ["kept"])
        #expect(try connection.scalar("PRAGMA integrity_check") == "ok")
    }

    @Test("A body whose transaction was rolled back throws its own error")
    func rolledBackByItself() throws {
        try connection.execute("CREATE TABLE u (a UNIQUE ON CONFLICT ROLLBACK)")
        let error = try #require(
            sqliteError {
                try connection.transaction {
                    try connection.run("INSERT INTO u VALUES (1)")
                    try connection.run("INSERT INTO u VALUES (1)")
                }
            })
        #expect(error.isConstraint)
        #expect(try connection.int64("SELECT count(*) FROM u") == 0)
    }

    @Test("A body that passes over such a roll back does not commit as if nothing had happened")
    func unnoticedRollback() throws {
        try connection.execute("CREATE TABLE u (a UNIQUE ON CONFLICT ROLLBACK)")
        let error = try #require(
            sqliteError {
                try connection.transaction {
                    try connection.run("INSERT INTO u VALUES (1)")
                    try? connection.run("INSERT INTO u VALUES (1)")
                }
            })
        #expect(error.message == "cannot commit - no transaction is active")
        #expect(try connection.int64("SELECT count(*) FROM u") == 0)
    }

    @Test("A commit that breaks a deferred foreign key is undone")
    func deferredForeignKey() throws {
        try connection.execute(
            "CREATE TABLE p (id PRIMARY KEY); CREATE TABLE c (p REFERENCES p (id) DEFERRABLE INITIALLY DEFERRED)")
        let error = try #require(
            sqliteError { try connection.transaction { try connection.run("INSERT INTO c VALUES (1)") } })
        #expect(error.code == 787)
        #expect(!connection.isInTransaction)
        #expect(try connection.int64("SELECT count(*) FROM c") == 0)
    }
}
