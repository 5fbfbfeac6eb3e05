internal import Concurrency
package import Feeds
package import StoreFile

/// Feeds of a store in PostgreSQL that one command works on, in a file, from `open` to `close`. More commands may join it
/// with other feeds of the same groups, in files of their own.
package actor ClaimedStore {
    package nonisolated let uri: String
    private let path: String
    private let keep: Retention
    private let worker: Worker
    private var claims: [Claim] = []
    private var files: [WorkingFile] = []
    private var pulse: Task<Void, Never>?
    /// The names of groups that only this command needs.
    private let passing: Set<String>
    /// The feeds to copy: of the others of their hosts, nothing is needed.
    private let copied: [String]

    /// The time for which a reload waits for the worker that has its feed and was asked to release it.
    private static let urgentWait = Duration.seconds(15)
    private static let pause = Duration.milliseconds(200)

    /// - Parameters:
    ///   - name: The command's name for others.
    ///   - configuration: Nil if there is none that can be used.
    ///   - groups: The configuration's groups, if they are known.
    ///   - names: The feeds that the command works on. Those of their hosts are claimed with them. The configuration may
    ///     lack some that the store has.
    ///   - path: Of the file, which is not there yet.
    /// - Throws: `FeedSyncError` of kind `store`.
    package init(
        uri: String, name: String, configuration: Configuration?, groups: [FeedGroup]? = nil, names: [String],
        path: String
    ) throws(FeedSyncError) {
        self.uri = uri
        self.path = path
        keep = configuration?.retention ?? .standard
        let feeds = configuration?.feeds ?? []
        let configured = Set(feeds.map(\.name)).intersection(names)
        let others = names.filter { !configured.contains($0) }
        let groups = (groups ?? FeedGroup.all(of: feeds)).filter { !configured.isDisjoint(with: $0.feeds) }
        let stored = others.map(FeedGroup.stored)
        passing = Set(stored.map(\.name))
        copied = Self.connected(to: configured, among: feeds) + others
        let file = feeds.first { configured.contains($0.name) }?.position.file ?? ""
        let layout = GroupLayout(groups + stored, asOf: configuration?.changedAt ?? 0, file: file)
        worker = try Worker(uri: uri, name: name, groups: layout, takesOver: false)
    }

    /// The feeds, with those that they have lists for and those that have lists for them.
    package static func connected(to names: Set<String>, among feeds: [FeedDefinition]) -> [String] {
        let pairs = feeds.compactMap { feed in feed.forEach.map { [feed.name, $0.feed] } }
        var connected = names
        var count = 0
        while connected.count > count {
            count = connected.count
            for pair in pairs where !connected.isDisjoint(with: pair) { connected.formUnion(pair) }
        }
        return connected.sorted()
    }

    /// Claims the feeds, and reads their part of the store.
    ///
    /// - Parameters:
    ///   - hasItems: False if the command needs no items.
    ///   - wait: The time to wait for other owners.
    ///   - isUrgent: True to ask them to release the feeds.
    /// - Throws: `FeedSyncError` of kinds `locked`, `store`.
    package func open(wait: Duration, isUrgent: Bool, hasItems: Bool = true) async throws(FeedSyncError) -> Store {
        // PostgreSQL has work to do for the claims; the file is made meanwhile.
        let claiming = Task { try await claim(wait: wait, isUrgent: isUrgent) }
        let (path, keep, copied) = (path, keep, copied)
        let pool = ConnectionPool(uri: uri, limit: 2, jobs: 1)
        let made = await withTaskCancellationHandler {
            await Result { () async throws(FeedSyncError) in
                try await WorkingFile(
                    path: path, pool: pool, keep: keep, feeds: copied, extent: hasItems ? .recent : .states
                ) { try await claiming.value }
            }
        } onCancel: {
            claiming.cancel()
        }
        do throws(FeedSyncError) {
            let file = try made.get()
            files.append(file)
            return file.store
        } catch {
            // It may be the claims that failed. If not, they are no longer wanted.
            claiming.cancel()
            _ = await claiming.result
            _ = await close()
            WorkingFile.remove(path)
            throw error
        }
    }

    /// Reads more feeds of the claimed groups, into a file of their own. Each commit checks the same claims.
    ///
    /// - Parameters:
    ///   - feeds: Feeds that no file has yet, with those that they are connected to.
    ///   - path: Of the file, which is not there yet.
    /// - Throws: `FeedSyncError` of kind `store`.
    package func open(_ feeds: [String], path: String) async throws(FeedSyncError) -> Store {
        let (claims, pool) = (claims, ConnectionPool(uri: uri, limit: 2, jobs: 1))
        do throws(FeedSyncError) {
            let file = try await WorkingFile(path: path, pool: pool, keep: keep, feeds: feeds) { claims }
            files.append(file)
            return file.store
        } catch {
            WorkingFile.remove(path)
            throw error
        }
    }

    /// Claims the feeds, and keeps them.
    private func claim(wait: Duration, isUrgent: Bool) async throws(FeedSyncError) -> [Claim] {
        let deadline = ContinuousClock.now + (isUrgent ? max(wait, Self.urgentWait) : wait)
        while true {
            switch try await worker.claimAll(isUrgent: isUrgent) {
            case .success(let claims):
                self.claims = claims
                pulse = Task { [worker] in
                    while !Task.isCancelled {
                        guard (try? await Task.sleep(for: Worker.pulse)) != nil else { return }
                        _ = try? await worker.live()
                    }
                }
                return claims
            case .failure(let holder):
                guard .now < deadline, !Task.isCancelled else {
                    throw FeedSyncError(
                        .locked, "\(holder.name) works on the feeds of \(holder.group)",
                        advice: "wait for it with --wait 1m")
                }
                try? await Task.sleep(for: Self.pause)
            }
        }
    }

    /// True if PostgreSQL has refused the data of one feed for good. The store takes nothing of the others then.
    package var hasRefusedFeed: Bool { files.contains { $0.progress.failure?.isOfFeed ?? false } }

    /// Deletes columns of a feed from PostgreSQL. Nothing else can be done with the store afterwards.
    ///
    /// - Throws: `FeedSyncError` of kind `configuration` if something of the user's own depends on one, or `store`.
    package func dropColumns(_ names: [String], of feed: String) async throws(FeedSyncError) {
        for file in files { try await file.dropColumns(names, of: feed) }
    }

    /// Commits the rest, and releases the feeds.
    ///
    /// - Parameter makesViews: False if the views of new tables are made later, by `makeViews`.
    /// - Returns: The reason for which something was not stored; nil if all was.
    package func close(makesViews: Bool = true) async -> FeedSyncError? {
        var failure: FeedSyncError?
        for file in files {
            let failed = await file.detach(keep: nil, refreshesViews: makesViews).failure?.error
            failure = failure ?? failed
            file.remove()
        }
        files = []
        pulse?.cancel()
        for claim in claims { await worker.release(claim, forgets: passing.contains(claim.group.name)) }
        claims = []
        await worker.end()
        return failure
    }

    /// Makes the views of a store that are owed.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    package static func makeViews(uri: String) async throws(FeedSyncError) {
        try await ViewRefresh().run(ConnectionPool(uri: uri, limit: 1, jobs: 1))
    }
}
