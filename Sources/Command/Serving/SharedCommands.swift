internal import FeedSync
internal import Fleet
internal import Web

/// Commands that `serve` is sent for a store in PostgreSQL. Each claims its feed's host there, as a command in a shell
/// does; those for feeds of one host share the claim.
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
        var users = 0
    }

    private struct ClaimedFeeds: Sendable {
        let store: ClaimedStore
        let mirror: FeedMirror
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
        let claimed = try await begin(group.name, definition.name, configuration, isUrgent: command == .reload)
        let outcome = await perform(command, on: definition, in: claimed.mirror)
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
        count += 1
        return try ClaimedStore(
            uri: uri, name: "\(ProcessName.own) (serve)", configuration: configuration, names: names,
            path: "\(folder)/command-\(count).db")
    }

    private func perform(
        _ command: RequestCommand, on definition: FeedDefinition, in mirror: FeedMirror
    ) async -> Result<RunSummary, FeedSyncError> {
        let outcome: Result<RunSummary, FeedSyncError>
        do throws(FeedSyncError) {
            outcome = .success(try await mirror.feed(definition).perform(command))
        } catch {
            outcome = .failure(error)
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
    ) async throws(FeedSyncError) -> ClaimedFeeds {
        var claim = claims[group] ?? OpenClaim(opening: opening(feed, configuration, isUrgent: isUrgent))
        claim.users += 1
        claims[group] = claim
        switch await claim.opening.value {
        case .success(let claimed): return claimed
        case .failure(let error):
            // Others that waited for the same claim may have begun another one since.
            if claims[group]?.opening == claim.opening { claims[group] = nil }
            throw error
        }
    }

    private func opening(
        _ feed: String, _ configuration: Configuration?, isUrgent: Bool
    ) -> Task<Result<ClaimedFeeds, FeedSyncError>, Never> {
        let options = options
        return Task {
            do throws(FeedSyncError) {
                let claimed = try claimedStore(of: [feed], in: configuration)
                let store = try await claimed.open(wait: max(options.wait, Self.leastWait), isUrgent: isUrgent)
                return .success(ClaimedFeeds(store: claimed, mirror: FeedMirror(store, options: options)))
            } catch {
                return .failure(error)
            }
        }
    }

    /// A command has ended; the last one lets go.
    ///
    /// - Returns: The reason for which something was not stored; nil if all was.
    private func end(_ group: String) async -> FeedSyncError? {
        claims[group]?.users -= 1
        guard let claim = claims[group], claim.users <= 0 else { return nil }
        claims[group] = nil
        guard case .success(let claimed) = await claim.opening.value else { return nil }
        await claimed.mirror.close()
        return await claimed.store.close()
    }

    func close() async {
        isClosed = true
        for claim in claims.values {
            guard case .success(let claimed) = await claim.opening.value else { continue }
            await claimed.mirror.close()
            _ = await claimed.store.close()
        }
    }
}
