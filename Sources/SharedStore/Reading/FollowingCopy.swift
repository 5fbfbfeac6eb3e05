internal import Concurrency
package import Feeds
internal import MirrorStore
internal import PostgreSQL
internal import SQLite

/// A store in PostgreSQL in a file that follows it, for those who look at it as long as they like.
///
/// - Isolation: an actor on a thread of its own, because libpq and SQLite block. Who reads the file has other connections to it.
package actor FollowingCopy {
    private let executor: ThreadExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The file's path.
    package nonisolated let path: String
    /// What made the file, and keeps its full-text indexes.
    private let store: Store
    private let file: SQLite.Connection
    private let uri: String
    private let feeds: [String]?
    private let extent: Extent
    private var numbers = LogNumbers()
    private var source: PostgreSQLStore?
    /// What PostgreSQL had when it was looked at last; nil before the first time.
    private var snapshot: String?

    /// How much of the history the file has from the beginning.
    package enum Extent: Sendable {
        /// Of each feed the latest runs.
        case latest
        /// All of it.
        case whole
    }

    /// How often PostgreSQL is asked what is new, and how much of the time that may take.
    private static let pause = Duration.milliseconds(250)
    private static let share = 4

    /// Makes the file.
    ///
    /// - Parameters:
    ///   - path: Where no file is yet.
    ///   - feeds: The feeds that are wanted; nil for all, also those that come.
    /// - Throws: `FeedSyncError` of kind `store`.
    package init(path: String, uri: String, feeds: [String]?, extent: Extent) async throws(FeedSyncError) {
        self.path = path
        self.uri = uri
        self.feeds = feeds
        self.extent = extent
        guard let executor = ThreadExecutor() else {
            throw FeedSyncError(.store, "no thread can be started for the store", advice: "see `ulimit -u`")
        }
        self.executor = executor
        // What is lost with the machine is read again.
        var options = Store.Options()
        options.isScratch = true
        store = try await Store(path: path, options: options)
        do throws(SQLiteError) {
            // Triggers write full-text indexes only where the schema is trusted: it is ours.
            file = try SQLite.Connection(
                path: path, access: .readWrite, busyTimeout: .milliseconds(5_000), trustsSchema: true)
            try file.execute("PRAGMA synchronous = OFF")
        } catch {
            throw FeedSyncError(copying: error, path: path)
        }
    }

    /// Brings the file up to date.
    ///
    /// - Parameter definitions: Of the feeds, for their full-text indexes.
    /// - Returns: Whether there is a store in PostgreSQL.
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
    ///   - definitions: Of the feeds, as they are now.
    ///   - report: Is told why PostgreSQL could not be asked, once for each reason.
    package func follow(
        _ definitions: @Sendable () async -> [FeedDefinition], report: @Sendable (FeedSyncError) -> Void
    ) async {
        var told = ""
        while !Task.isCancelled {
            let feeds = await definitions()
            let began = ContinuousClock.now
            do throws(FeedSyncError) {
                try await look(feeds)
                told = ""
            } catch {
                if error.message != told { report(error) }
                told = error.message
            }
            try? await Task.sleep(for: max(Self.pause, began.duration(to: .now) * Self.share))
        }
    }

    /// - Returns: The feeds of which anything changed; nil if there is no store yet.
    private func look() throws -> Set<String>? {
        let source = try source ?? PostgreSQLStore(uri: uri)
        self.source = source
        if snapshot == nil, try !ReadingCopy.isThere(source) { return nil }
        // PostgreSQL does not wait until SQLite has committed all rows.
        let (now, changed) = try snapshot == nil ? file.transaction { try read(source) } : read(source)
        snapshot = now
        return changed
    }

    /// - Returns: What PostgreSQL had, and the feeds of which anything changed.
    private func read(_ source: PostgreSQLStore) throws -> (String?, Set<String>) {
        try source.connection.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") {
            (try source.connection.scalar("SELECT pg_current_snapshot()"), try update(from: source))
        }
    }

    private func update(from source: PostgreSQLStore) throws -> Set<String> {
        if let snapshot {
            return try StoreChanges(source: source, since: snapshot, feeds: feeds, numbers: numbers).apply(to: file)
        }
        // All rows get the numbers that they had.
        numbers = LogNumbers()
        let copy = WorkingCopy(source: source, scope: FeedScope(feeds: feeds), target: file, numbers: numbers)
        _ = try copy.fill(extent == .whole ? .all : .recent, block: nil)
        return Set(try StoredFeed.all(in: file).map(\.name))
    }
}
