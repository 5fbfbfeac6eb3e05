internal import FeedSync
internal import Fleet
internal import Web

/// The served form of a store in PostgreSQL: a file that follows it.
struct SharedServing: Sendable {
    let folder: TemporaryFolder
    private let copy: FollowingCopy
    private let console: Console

    /// Has the server show a copy of the store, if that is in PostgreSQL, and send commands to it.
    ///
    /// - Throws: `Failure` with exit code 64 if the server is to sync it, 73 if it cannot be read.
    init?(_ session: Session, _ settings: inout WebSettings) async throws(Failure) {
        let configuration = try session.configurationIfAny()
        guard let uri = session.sharedStore(configuration) else { return nil }
        guard !session.invocation.has(.dueSync) else {
            throw .usage("the store is in PostgreSQL, which serve does not sync", advice: "feedsync work  # syncs it")
        }
        let folder = try TemporaryFolder(session.environment, for: "serve")
        let path = "\(folder.path)/store.db"
        let copy = try await session.reading { () async throws(FeedSyncError) in
            let copy = try await FollowingCopy(path: path, uri: uri, feeds: nil, hasHistory: false)
            try await copy.look(configuration?.feeds ?? [])
            return copy
        }
        settings.storePath = { _ in path }
        settings.runner = SharedCommands(
            uri: uri, folder: folder.path, options: settings.options, copy: copy, reportHook: settings.reportHook)
        (self.folder, self.copy, console) = (folder, copy, session.console)
    }

    /// Shows what others store, until its task is cancelled.
    func follow(_ feeds: @Sendable () async -> [FeedDefinition]) async {
        await copy.follow(feeds) { console.reportBriefly(Failure($0), always: true) }
    }
}
