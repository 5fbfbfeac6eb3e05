internal import Concurrency
internal import Platform
internal import PostgreSQL
internal import PostgreSQLStore
internal import SQLite
internal import StoreFile
internal import Time

/// A SQLite file with the feeds of some claims, whose commits are made in PostgreSQL first.
struct WorkingFile: Sendable {
    let path: String
    let store: Store
    let numbers: NumberBlock
    let progress: WriteThrough.Progress

    /// Only PostgreSQL's content counts: a file that a crash leaves is not used again.
    private static func options(keep: Retention = Retention(.zero)) -> Store.Options {
        var options = Store.Options(keep: keep)
        options.isScratch = true
        return options
    }

    /// Creates a file, fills it from PostgreSQL, and attaches it.
    ///
    /// - Parameters:
    ///   - pool: The connections of the worker's jobs.
    ///   - feeds: The claimed feeds that are worked on; nil for all of them.
    ///   - extent: The rows that are needed.
    ///   - claims: Awaited after the file and a connection of its own are ready, because both are slow.
    /// - Throws: `FeedSyncError` of kind `store`; the error of `claims`.
    init(
        path: String, pool: ConnectionPool, keep: Retention, feeds: [String]? = nil,
        extent: CopyExtent = .recent,
        claims: @escaping @Sendable () async throws -> [Claim]
    ) async throws(FeedSyncError) {
        let filled = Lock<(numbers: NumberBlock, progress: WriteThrough.Progress)?>(nil)
        store = try await Store(path: path, options: Self.options(keep: keep)) { file in
            do {
                // SQLite reads its whole schema whenever a table is made. That of ten thousand feeds has 6 MB, more
                // than the cache holds by default: https://sqlite.org/pragma.html#pragma_cache_size
                try file.execute("PRAGMA cache_size = -16384")
                let taken = try pool.take()
                let source = taken.store
                let claims = try await claims()
                let numbers = try NumberBlock(of: source.connection)
                let scope = FeedScope(feeds: feeds ?? claims.flatMap(\.group.feeds))
                let copy = WorkingCopy(source: source, scope: scope, target: file)
                let versions = try copy.fill(extent, groups: claims.map(\.group.name), block: numbers)
                let progress = WriteThrough.Progress(version: versions.max() ?? 0)
                file.companion = try WriteThrough(
                    file, to: pool, taken: taken, claims: claims, feeds: feeds, hasItems: extent != .states,
                    progress: progress)
                filled.withLock { $0 = (numbers, progress) }
            } catch {
                throw FeedSyncError(copying: error, path: path)
            }
        }
        guard let (numbers, progress) = filled.withLock(\.self) else {
            throw FeedSyncError(.store, "\(path) was not filled")
        }
        self.path = path
        self.numbers = numbers
        self.progress = progress
    }

    /// Has the file's commits made in PostgreSQL from now on.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    func attach(to pool: ConnectionPool, claims: [Claim]) async throws(FeedSyncError) {
        let progress = progress
        try await store.copying(called: claims.nameOfFeeds) { connection in
            connection.companion = try WriteThrough(connection, to: pool, claims: claims, progress: progress)
        }
    }

    /// Commits the rest, and nothing from now on.
    ///
    /// - Parameters:
    ///   - keep: The times for which history in PostgreSQL is kept; nil to leave it alone now.
    ///   - refreshesViews: True to make the views again, if tables have come.
    /// - Returns: The error of a failed commit, now or before, nil if none failed; and the time that the views took.
    func detach(
        keep: Retention?, refreshesViews: Bool
    ) async -> (failure: CommitFailure?, viewTime: Duration) {
        let (path, progress) = (path, progress)
        var viewTime = Duration.zero
        do throws(FeedSyncError) {
            viewTime = try await store.copying { connection throws(FeedSyncError) in
                defer { connection.companion = nil }
                let writing = connection.companion as? WriteThrough
                let group = writing?.name ?? path
                do { try connection.transaction {} } catch {
                    progress.fail(CommitFailure(error, group: group))
                    return .zero
                }
                let began = ContinuousClock.now
                do {
                    if refreshesViews { try writing?.refreshViews() }
                    let viewTime = began.duration(to: .now)
                    if let keep { try writing?.prune(keep, now: WallClock.system.seconds) }
                    return viewTime
                } catch {
                    progress.fail(CommitFailure(error, group: group, isOfFeed: false))
                    return began.duration(to: .now)
                }
            }
        } catch {
            progress.fail(CommitFailure(error, group: path, isOfFeed: false))
        }
        return (progress.failure, viewTime)
    }

    /// Deletes columns of a feed from PostgreSQL.
    ///
    /// - Throws: `FeedSyncError` of kind `configuration` if something of the user's own depends on one, or `store`.
    func dropColumns(_ names: [String], of feed: String) async throws(FeedSyncError) {
        try await store.copying(called: feed) { connection in
            guard let writing = connection.companion as? WriteThrough,
                let stored = try StoredFeed.all(in: connection).first(where: { $0.name == feed })
            else { return }
            do {
                try writing.dropColumns(names, of: stored)
            } catch let error as PostgreSQLError where error.code == "2BP01" {
                throw FeedSyncError(
                    .configuration, "a column of \(feed) cannot be dropped: \(error.message)",
                    advice: "drop the view or the like of your own that uses it, and run the same command again")
            }
        }
    }

    /// True if it should get another block of ids.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    func isShort() async throws(FeedSyncError) -> Bool {
        let numbers = numbers
        return try await store.copying(called: path) { try numbers.isShort(in: $0) }
    }

    /// Deletes the file. Processes that have it open can read it until they close it.
    func remove() { Self.remove(path) }

    static func remove(_ path: String) {
        for end in ["", "-wal", "-shm", "-lock"] { unlink(path + end) }
    }
}
