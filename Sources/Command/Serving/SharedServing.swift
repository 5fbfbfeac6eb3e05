internal import Concurrency
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

/// Commands that `serve` is sent for a store in PostgreSQL. Each claims its feed's host there, as a command in a shell
/// does. Those for feeds of one host share the claim, and each feed has a working file of its own: a host may have
/// thousands of feeds, and a command needs the rows of one.
actor SharedCommands: CommandRunner {
    private let uri: String
    private let folder: String
    private let options: EngineOptions
    private let copy: FollowingCopy
    private let reportHook: @Sendable (FeedSyncError, String) -> Void
    private var claims: [String: OpenClaim] = [:]
    private var count = 0
    private var isClosed = false

    /// Feeds that were claimed, and how many commands work on them.
    private struct OpenClaim {
        let opening: Task<Result<ClaimedFeeds, FeedSyncError>, Never>
        var files: [OpenFile]
        var users = 0
    }

    private struct ClaimedFeeds: Sendable {
        let store: ClaimedStore
        /// The mirror of the feed for which they were claimed.
        let mirror: FeedMirror
    }

    /// A working file of a claim.
    private struct OpenFile {
        /// A feed, and those that it is connected to by `for_each`.
        let feeds: [String]
        let opening: Task<Result<FeedMirror, FeedSyncError>, Never>
    }

    /// A command waits at least so long for a claim: the command before it may be about to let go.
    private static let leastWait = Duration.seconds(2)

    /// - Parameters:
    ///   - folder: For files.
    ///   - copy: The copy that the server shows.
    ///   - reportHook: Reports an error that kept the changes of a feed from its `on_change`.
    init(
        uri: String, folder: String, options: EngineOptions, copy: FollowingCopy,
        reportHook: @escaping @Sendable (FeedSyncError, String) -> Void
    ) {
        (self.uri, self.folder, self.options, self.copy) = (uri, folder, options, copy)
        self.reportHook = reportHook
    }

    func run(
        _ command: RequestCommand, on definition: FeedDefinition, of configuration: Configuration?
    ) async throws(FeedSyncError) -> RunSummary {
        let group = FeedGroup.all(of: configuration?.feeds ?? []).first { $0.feeds.contains(definition.name) }
        guard let group, !isClosed else { throw FeedSyncError(.cancelled, "the server ends") }
        let mirror = try await begin(group.name, definition.name, configuration, isUrgent: command == .reload)
        let outcome = await perform(command, on: definition, in: mirror)
        let failure = await end(group.name)
        // The follower tries again, and reports a failure.
        _ = try? await copy.look(configuration?.feeds ?? [])
        if case .success = outcome, let failure { throw failure }
        return try outcome.get()
    }

    func change<Result: Sendable>(
        _ names: [String], of configuration: Configuration?, _ change: @Sendable (Store) async -> Result
    ) async throws(FeedSyncError) -> Result {
        guard !isClosed else { throw FeedSyncError(.cancelled, "the server ends") }
        let claimed = try claimedStore(of: names, in: configuration)
        let store = try await claimed.open(wait: max(options.wait, Self.leastWait), isUrgent: true)
        let result = await change(store)
        if let failure = await claimed.close() { throw failure }
        _ = try? await copy.look(configuration?.feeds ?? [])
        return result
    }

    /// A store in a file of its own, not yet open.
    private func claimedStore(
        of names: [String], in configuration: Configuration?
    ) throws(FeedSyncError) -> ClaimedStore {
        try ClaimedStore(
            uri: uri, name: "\(ProcessName.own) (serve)", configuration: configuration, names: names, path: newPath())
    }

    private func newPath() -> String {
        count += 1
        return "\(folder)/command-\(count).db"
    }

    private func perform(
        _ command: RequestCommand, on definition: FeedDefinition, in mirror: FeedMirror
    ) async -> Result<RunSummary, FeedSyncError> {
        let outcome = await Result { () async throws(FeedSyncError) in
            try await mirror.feed(definition).perform(command)
        }
        var error: FeedSyncError?
        if case .failure(let failure) = outcome { error = failure }
        if let delivery = ChangeDelivery(of: definition, in: mirror.store, options: options),
            let failure = await delivery.deliver(after: error)
        {
            reportHook(failure, definition.name)
        }
        return outcome
    }

    private func begin(
        _ group: String, _ feed: String, _ configuration: Configuration?, isUrgent: Bool
    ) async throws(FeedSyncError) -> FeedMirror {
        var claim = claims[group] ?? opened(for: feed, configuration, isUrgent: isUrgent)
        let file = try file(with: feed, configuration, in: &claim)
        claim.users += 1
        claims[group] = claim
        switch await file.opening.value {
        case .success(let mirror): return mirror
        case .failure(let error):
            if case .success = await claim.opening.value {
                claims[group]?.files.removeAll { $0.opening == file.opening }
                _ = await end(group)
            } else if claims[group]?.opening == claim.opening {
                // Others that waited for the same claim may have begun another one since.
                claims[group] = nil
            }
            throw error
        }
    }

    /// A claim that is being made, with the file of the feed.
    private func opened(for feed: String, _ configuration: Configuration?, isUrgent: Bool) -> OpenClaim {
        let options = options
        let opening = Task {
            await Result { () async throws(FeedSyncError) in
                let claimed = try claimedStore(of: [feed], in: configuration)
                let store = try await claimed.open(wait: max(options.wait, Self.leastWait), isUrgent: isUrgent)
                return ClaimedFeeds(store: claimed, mirror: FeedMirror(store, options: options))
            }
        }
        let mirror = Task { await opening.value.map(\.mirror) }
        let file = OpenFile(feeds: Self.connected(to: feed, configuration), opening: mirror)
        return OpenClaim(opening: opening, files: [file])
    }

    /// The file of a claim that has the feed; another one is opened if there is none.
    ///
    /// - Throws: `FeedSyncError` of kind `locked` if another file has a feed that this one is connected to by now: two
    ///   files with the same rows would overwrite each other's.
    private func file(
        with feed: String, _ configuration: Configuration?, in claim: inout OpenClaim
    ) throws(FeedSyncError) -> OpenFile {
        if let known = claim.files.first(where: { $0.feeds.contains(feed) }) { return known }
        let feeds = Self.connected(to: feed, configuration)
        if let other = claim.files.flatMap(\.feeds).first(where: feeds.contains) {
            throw FeedSyncError(
                .locked, "another command works on \(other), to which \(feed) is connected",
                advice: "wait until it has ended")
        }
        let (claiming, path, options) = (claim.opening, newPath(), options)
        let opening = Task {
            await Result { () async throws(FeedSyncError) in
                FeedMirror(try await claiming.value.get().store.open(feeds, path: path), options: options)
            }
        }
        let file = OpenFile(feeds: feeds, opening: opening)
        claim.files.append(file)
        return file
    }

    private static func connected(to feed: String, _ configuration: Configuration?) -> [String] {
        ClaimedStore.connected(to: [feed], among: configuration?.feeds ?? [])
    }

    /// A command has ended; the last one lets go.
    ///
    /// - Returns: The reason for which something was not stored; nil if all was.
    private func end(_ group: String) async -> FeedSyncError? {
        claims[group]?.users -= 1
        guard let claim = claims[group], claim.users <= 0 else { return nil }
        claims[group] = nil
        return await close(claim)
    }

    private func close(_ claim: OpenClaim) async -> FeedSyncError? {
        guard case .success(let claimed) = await claim.opening.value else { return nil }
        for file in claim.files {
            if case .success(let mirror) = await file.opening.value { await mirror.close() }
        }
        return await claimed.store.close()
    }

    func close() async {
        isClosed = true
        for claim in claims.values { _ = await close(claim) }
    }
}
