internal import CSQLite

/// The moment at which a transaction takes its locks.
///
/// Source: <https://sqlite.org/lang_transaction.html#deferred_immediate_and_exclusive_transactions>
public enum TransactionKind: Sendable, Hashable {
    /// At the first read or write, so that a write after a read can fail as busy at once.
    case deferred
    /// The write lock at the start, so that busy is met before any work is done.
    case immediate

    fileprivate var begin: String {
        switch self {
        case .deferred: "BEGIN DEFERRED"
        case .immediate: "BEGIN IMMEDIATE"
        }
    }
}

/// Commits each transaction of a connection to another database first.
public protocol CommitCompanion: AnyObject {
    /// Commits. An error keeps the connection from its own commit.
    ///
    /// - Parameter isFollowed: True if another commit or `settle` is sure to come, so that this one may be incomplete
    ///   until then.
    func commitFirst(isFollowed: Bool) throws(SQLiteError)

    /// True while a commit is not complete.
    var isBusy: Bool { get }

    /// Waits for the commit that is on its way.
    ///
    /// - Throws: why it failed; the connection has it, and commits nothing more.
    func settle() throws(SQLiteError)

    /// The connection's commit failed behind the companion's.
    func commitFailed(_ error: SQLiteError)
}

extension Connection {
    /// True if a transaction is open.
    public var isInTransaction: Bool { sqlite3_get_autocommit(handle.database) == 0 }

    /// Runs `body` in a transaction: commits when it returns, rolls back when it or the commit throws.
    ///
    /// After a throw no transaction is open and nothing of `body` is in the database. Within an open transaction it is
    /// a part of that one, and only the part is undone when it throws.
    ///
    /// - Throws: the error of `body`, or the `SQLiteError` of the begin or the commit; never that of the roll back,
    ///   which would hide the reason.
    public func transaction<T>(_ kind: TransactionKind = .immediate, _ body: () throws -> T) throws -> T {
        guard !isInTransaction else { return try savepoint(body) }
        try begin(kind)
        do {
            let result = try body()
            // The commit throws that no transaction is active if SQLite rolled back by itself and `body` hid the
            // error.
            try commit()
            return result
        } catch {
            rollback()
            throw error
        }
    }

    /// Begins a transaction that stays open until `commit` or `rollback`.
    public func begin(_ kind: TransactionKind) throws(SQLiteError) { try run(kind.begin) }

    /// Commits the open transaction; it stays open if that fails.
    ///
    /// - Parameter isFollowed: True if another commit is sure to come, or the companion's `settle`.
    public func commit(isFollowed: Bool = false) throws(SQLiteError) {
        guard let companion else { return try run("COMMIT") }
        try companion.commitFirst(isFollowed: isFollowed)
        do throws(SQLiteError) { try run("COMMIT") } catch {
            companion.commitFailed(error)
            throw error
        }
    }

    /// Ends the open transaction, if one is open, with nothing of it in the database.
    public func rollback() {
        // After SQLITE_FULL, IOERR and a few more SQLite may have rolled back by itself, and ROLLBACK is an error.
        // https://sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction
        if isInTransaction { try? run("ROLLBACK") }
    }

    /// Runs `body` within the open transaction, and undoes only that part when it throws.
    ///
    /// - Throws: the error of `body`. If SQLite has rolled back by itself, no transaction is open then.
    public func savepoint<T>(_ body: () throws -> T) throws -> T {
        try run("SAVEPOINT part")
        do {
            let result = try body()
            try run("RELEASE part")
            return result
        } catch {
            if isInTransaction {
                try? run("ROLLBACK TO part")
                try? run("RELEASE part")
            }
            throw error
        }
    }
}
