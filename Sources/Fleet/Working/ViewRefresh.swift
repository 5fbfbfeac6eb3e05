internal import Concurrency
internal import Feeds
internal import PostgreSQL
internal import PostgreSQLStore

extension StoreDatabase {
    /// Updates the views to the present tables, in a transaction of their own. While a view has a long-running reader,
    /// the next refresh does it. The views of a newer feedsync stay.
    func refreshViews() throws {
        guard try PostgreSQLViews.areOutdated(on: connection) else { return }
        do {
            try connection.transaction {
                try lockTables()
                guard try connection.scalar("SELECT \(Self.isNewer)") != "t" else { return }
                try PostgreSQLViews(feeds: shownFeeds()).apply(to: connection)
            }
        } catch let error as PostgreSQLError where error.isLocked {}
    }

    /// Other workers that create tables wait until the transaction ends, so it does not wait long for readers of a
    /// table.
    func lockTables() throws {
        try connection.query("SELECT pg_advisory_xact_lock(hashtext('feedsync tables ' || current_schema()))")
        try connection.execute("SET LOCAL lock_timeout = '5s'")
    }
}

/// The pace at which a worker makes the views again.
///
/// They show all feeds, so they take the longer the more there are: made for each new table, the tables of a first load
/// would cost more and more. A worker spends at most an eleventh of its time on them, and owes them meanwhile.
struct ViewPace {
    /// True if tables have come since the views were made.
    private(set) var isOwed = false
    private var isUnderway = false
    private var earliest: ContinuousClock.Instant?

    /// The pause after the views were made, by the time that it took.
    private static let pause = 10

    /// True if the views may be made now. They are owed if not.
    mutating func mayBegin(at now: ContinuousClock.Instant) -> Bool {
        guard !isUnderway, earliest.map({ $0 <= now }) ?? true else {
            isOwed = true
            return false
        }
        (isUnderway, isOwed) = (true, false)
        return true
    }

    /// Records that the views were made or could not be made.
    mutating func ended(at now: ContinuousClock.Instant, after time: Duration) {
        isUnderway = false
        earliest = now + time * Self.pause
    }
}

/// Makes the views of a store again, beside the workers' commits.
///
/// - Isolation: an actor on a thread of its own, because libpq blocks.
actor ViewRefresh {
    private let executor: ThreadExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Throws: `FeedSyncError` of kind `store` where the system has no thread.
    init() throws(FeedSyncError) {
        guard let executor = ThreadExecutor() else {
            throw FeedSyncError(.store, "no thread can be started for the views", advice: "see `ulimit -u`")
        }
        self.executor = executor
    }

    /// - Throws: `FeedSyncError` of kind `store`.
    func run(_ pool: ConnectionPool) throws(FeedSyncError) {
        do {
            let taken = try pool.take()
            try withExtendedLifetime(taken) { try taken.store.refreshViews() }
        } catch {
            throw FeedSyncError(copying: error, path: "the views")
        }
    }
}
