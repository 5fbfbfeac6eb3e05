package import Feeds
package import StoreFile

/// The files of a worker, one for each claimed group.
///
/// A file whose group has not been changed by others is used again; any other one is filled again.
package actor WorkingStores {
    private let pool: ConnectionPool
    private let folder: String
    private let keep: Retention
    private var files: [String: WorkingFile] = [:]
    private var count = 0
    /// The times at which each group's history was last pruned.
    private var prunedAt: [String: ContinuousClock.Instant] = [:]
    private var pace = ViewPace()

    /// The number of files that stay open for the next claim of their group.
    private static let mostKept = 64
    /// The interval for deleting history that is older than `keep`.
    private static let pruning = Duration.seconds(12 * 3_600)

    /// The most connections of a worker's jobs together; one more gives its signs of life.
    private static let connections = 3

    /// Files in a folder of the worker's own.
    ///
    /// - Parameters:
    ///   - jobs: The most groups at a time.
    ///   - keep: The time for which runs and events are kept.
    package init(uri: String, folder: String, jobs: Int, keep: Retention) {
        pool = ConnectionPool(uri: uri, limit: Self.connections, jobs: jobs)
        self.folder = folder
        self.keep = keep
    }

    /// The group's part of the store, to be worked on until `end(_:)`.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    package func begin(_ claim: Claim) async throws(FeedSyncError) -> Store {
        let name = claim.group.name
        if let file = files[name], file.progress.version == claim.version, try await !file.isShort() {
            try await file.attach(to: pool, claims: [claim])
            return file.store
        }
        files.removeValue(forKey: name)?.remove()
        count += 1
        let file = try await WorkingFile(path: "\(folder)/\(count).db", pool: pool, keep: keep) { [claim] }
        files[name] = file
        return file.store
    }

    /// True if nothing of the claim's group can be stored any more.
    package func hasFailed(_ claim: Claim) -> Bool { files[claim.group.name]?.progress.failure != nil }

    /// Commits the rest, and releases the group.
    ///
    /// - Returns: The error of a failed commit; nil if none failed.
    package func end(_ claim: Claim) async -> CommitFailure? {
        let name = claim.group.name
        guard let file = files[name] else { return nil }
        let isOld = prunedAt[name].map { $0.duration(to: .now) > Self.pruning } ?? true
        let refreshesViews = pace.mayBegin(at: .now)
        let (failure, viewTime) = await file.detach(keep: isOld ? keep : nil, refreshesViews: refreshesViews)
        if refreshesViews { pace.ended(at: .now, after: viewTime) }
        if isOld, failure == nil { prunedAt[name] = .now }
        if failure != nil || files.count > Self.mostKept { files.removeValue(forKey: name)?.remove() }
        return failure
    }

    /// Removes the files that are open for a next claim.
    package func close() {
        for file in files.values { file.remove() }
        files = [:]
        pool.close()
    }

    /// Makes the views that are owed.
    ///
    /// - Parameter isLast: True if nothing follows that could make them.
    /// - Throws: `FeedSyncError` of kind `store`.
    package func refreshViews(isLast: Bool = false) async throws(FeedSyncError) {
        guard pace.isOwed else { return }
        let began = ContinuousClock.now
        guard pace.mayBegin(at: began) || isLast else { return }
        defer { pace.ended(at: .now, after: began.duration(to: .now)) }
        try await ViewRefresh().run(pool)
    }
}
