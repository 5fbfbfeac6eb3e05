internal import Concurrency
package import Feeds
internal import MirrorReader
internal import MirrorWriter
internal import PostgreSQL
internal import PostgreSQLStore
internal import SQLite
internal import StoreFile

/// A file that follows a store in PostgreSQL, for long-lived readers.
///
/// - Isolation: an actor on a thread of its own, because libpq and SQLite block. Readers of the file have other
///   connections to it.
package actor FollowingCopy {
    private let executor: ThreadExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The file's path.
    package nonisolated let path: String
    /// The store that made the file, and that maintains its full-text indexes.
    private let store: Store
    private let file: SQLite.Connection
    private let uri: String
    private let feeds: [String]?
    private let hasHistory: Bool
    private var numbers = LogNumbers()
    private var source: StoreDatabase?
    /// PostgreSQL's snapshot at the last update; nil before the first one.
    private var snapshot: String?
    /// The hash of the feeds that had been renamed or deleted by then.
    private var gone: String?
    private let pruneInterval: Duration
    private var prunedAt = ContinuousClock.now

    /// The interval of queries for news in PostgreSQL, and the limit on their share of the time.
    private static let pause = Duration.milliseconds(250)
    private static let share = 4

    /// Makes the file.
    ///
    /// - Parameters:
    ///   - path: The path of the file, which is not there yet.
    ///   - feeds: The feeds that are wanted; nil for all, also those that come.
    ///   - hasHistory: True for the whole history; false for the latest runs of each feed.
    ///   - pruneInterval: The interval at which history that PostgreSQL no longer has is deleted from the file.
    /// - Throws: `FeedSyncError` of kind `store`.
    package init(
        path: String, uri: String, feeds: [String]?, hasHistory: Bool, pruneInterval: Duration = .seconds(60)
    ) async throws(FeedSyncError) {
        self.path = path
        self.pruneInterval = pruneInterval
        self.uri = uri
        self.feeds = feeds
        self.hasHistory = hasHistory
        guard let executor = ThreadExecutor() else {
            throw FeedSyncError(.store, "no thread can be started for the store", advice: "see `ulimit -u`")
        }
        self.executor = executor
        // The copy needs no protection from a crash: lost rows are read again.
        var options = Store.Options()
        options.isScratch = true
        store = try await Store(path: path, options: options)
        do throws(SQLiteError) {
            // Triggers write full-text indexes only where the schema is trusted: it is ours.
            file = try SQLite.Connection(
                path: path, access: .readWrite, busyTimeout: .milliseconds(5_000), trustsSchema: true)
            try file.execute("PRAGMA synchronous = OFF")
            // Each worker numbers its own runs, so that their order is that of their times.
            try file.execute("CREATE INDEX \(Store.timesOfRuns) ON run (started_at)")
        } catch {
            throw FeedSyncError(copying: error, path: path)
        }
    }

    /// Brings the file up to date.
    ///
    /// - Parameter definitions: Of the feeds, for their full-text indexes.
    /// - Returns: True if there is a store in PostgreSQL.
    /// - Throws: `FeedSyncError` of kind `store`; the next call connects again.
    @discardableResult
    package func look(_ definitions: [FeedDefinition]) async throws(FeedSyncError) -> Bool {
        let changed: Set<String>?
        do {
            changed = try look()
        } catch {
            if let error = error as? PostgreSQLError, error.isOfConnection { source = nil }
            // The new rows do not fit the file. The next look reads everything again.
            if let error = error as? SQLiteError, error.isConstraint { snapshot = nil }
            throw FeedSyncError(copying: error, path: path)
        }
        guard let changed else { return false }
        let wanted = definitions.filter { $0.search != nil && changed.contains($0.name) }
        if !wanted.isEmpty { try await store.index(wanted) }
        return true
    }

    /// Follows until its task is cancelled.
    ///
    /// - Parameters:
    ///   - definitions: The present definitions of the feeds.
    ///   - report: Receives the reason for a failed query of PostgreSQL, once for each reason.
    package func follow(
        _ definitions: @Sendable () async -> [FeedDefinition], report: @Sendable (FeedSyncError) -> Void
    ) async {
        var lastMessage = ""
        while !Task.isCancelled {
            let feeds = await definitions()
            let began = ContinuousClock.now
            do throws(FeedSyncError) {
                try await look(feeds)
                lastMessage = ""
            } catch {
                if error.message != lastMessage { report(error) }
                lastMessage = error.message
            }
            try? await Task.sleep(for: max(Self.pause, began.duration(to: .now) * Self.share))
        }
    }

    /// - Returns: The feeds of which anything changed; nil if there is no store yet.
    private func look() throws -> Set<String>? {
        let source = try source ?? StoreDatabase(uri: uri)
        self.source = source
        if snapshot == nil, try !ReadingCopy.isThere(source) { return nil }
        // PostgreSQL does not wait until SQLite has committed all rows.
        let (now, changed) = try snapshot == nil ? file.transaction { try read(source) } : read(source)
        snapshot = now
        return changed
    }

    /// - Returns: The snapshot that was read, and the changed feeds.
    private func read(_ source: StoreDatabase) throws -> (String?, Set<String>) {
        try source.connection.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") {
            (try source.connection.scalar("SELECT pg_current_snapshot()"), try update(from: source))
        }
    }

    private func update(from source: StoreDatabase) throws -> Set<String> {
        let gone = try source.connection.scalar(
            "SELECT md5(string_agg(feed || configured_at, ' ' ORDER BY feed)) FROM _gone")
        if let snapshot, gone == self.gone {
            let changes = StoreChanges(source: source, since: snapshot, feeds: feeds, numbers: numbers)
            if let changed = try changes.apply(to: file) {
                guard prunedAt.duration(to: .now) >= pruneInterval else { return changed }
                try PrunedHistory(source: source).delete(from: file)
                prunedAt = .now
                return changed
            }
        }
        (snapshot, self.gone) = (nil, gone)
        // All rows get the numbers that they had.
        numbers = LogNumbers()
        let copy = WorkingCopy(source: source, scope: FeedScope(feeds: feeds), target: file, numbers: numbers)
        _ = try copy.fill(hasHistory ? .all : .recent, block: nil)
        prunedAt = .now
        return Set(try StoredFeed.all(in: file).map(\.name))
    }
}
