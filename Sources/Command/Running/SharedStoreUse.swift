internal import Concurrency
internal import FeedSync
internal import Fleet
internal import HTTP
internal import PostgreSQLStore

/// A command's use of a store in PostgreSQL: a working file with a part of the store, which is deleted when the command
/// ends.
final class SharedStoreUse: Sendable {
    private let state = Lock(State())

    private struct State: Sendable {
        var folder: TemporaryFolder?
        var claimed: ClaimedStore?
        var following: Task<Void, Never>?
        /// The store whose views for new tables are not made yet; nil if they are.
        var owed: String?
    }

    /// The commands that write a store in PostgreSQL. Those that a person waits for ask the owner of a feed to let go,
    /// and some need no items.
    private static let writing: Set = ["reload", "more", "sync", "reset", "rekey", "prune", "rename", "remove"]
    private static let urgent: Set = ["reload", "reset", "rekey", "prune", "rename", "remove"]
    private static let itemless: Set = ["reset", "rename", "remove"]
    /// The commands that read states, with the latest history or without, and those that read all of the feeds that
    /// they name.
    private static let reading: [String: ReadingCopy.Extent] = [
        "status": .summary, "feeds": .summary, "plan": .summary, "sync": .summary, "remove": .summary,
        "explain": .states,
        "doctor": .states, "show": .all,
        "events": .all, "changes": .all, "search": .all, "backup": .all,
    ]
    /// The commands that need no store, or open it themselves.
    private static let others: Set = ["work", "serve", "store", "path", "check", "add", "presets", "sql"]

    /// - Throws: `Failure` for a command that needs a file.
    static func check(_ invocation: Invocation, _ code: ExitCode) throws(Failure) {
        let name = invocation.command.name
        let known = writing.union(reading.keys).union(others)
        let option = [Option.ack, .repair].first { invocation.has($0) }
        guard known.contains(name), option == nil else {
            let words = [name, option?.written].compactMap(\.self).joined(separator: " ")
            throw Failure(
                code, ["the store is in PostgreSQL, and `\(words)` needs a file"],
                advice: "feedsync store copy URI FILE makes a file of it; see feedsync help work")
        }
    }

    /// The feeds that the command works on, claimed until `end`.
    ///
    /// - Parameters:
    ///   - names: The configuration may lack some of them.
    ///   - groups: The configuration's groups, if they are known.
    /// - Throws: `Failure` with exit codes 73 and 75.
    func open(
        _ uri: String, for session: Session, _ configuration: Configuration?, feeds names: [String],
        of groups: [FeedGroup]? = nil
    ) async throws(Failure) -> Store {
        let path = try path(session)
        let command = session.invocation.command.name
        let wait = try session.invocation.duration(.wait) ?? .zero
        return try await session.reading { () async throws(FeedSyncError) in
            let feeds = configuration?.feeds ?? []
            let configured = Set(feeds.map(\.name)).intersection(names)
            let claimed = try ClaimedStore(
                uri: uri, name: "\(ProcessName.own) (\(command))", feeds: feeds,
                groups: groups ?? FeedGroup.all(of: feeds), names: configured,
                others: names.filter { !configured.contains($0) }, path: path,
                keep: configuration?.retention ?? .standard)
            // libcurl is loaded while PostgreSQL is busy with the claims. If that fails, the first request says why.
            async let loading: Void? = try? CurlLibrary.load()
            let store = try await claimed.open(
                wait: wait, isUrgent: Self.urgent.contains(command), hasItems: !Self.itemless.contains(command))
            _ = await loading
            state.withLock { $0.claimed = claimed }
            return store
        }
    }

    /// Deletes columns of a feed that is claimed.
    ///
    /// - Throws: `Failure` with exit codes 73 and 78.
    func dropColumns(_ names: [String], of feed: String, for session: Session) async throws(Failure) {
        let claimed = state.withLock { $0.claimed }
        try await session.reading { () async throws(FeedSyncError) in
            try await claimed?.dropColumns(names, of: feed)
        }
    }

    /// True if PostgreSQL has refused the data of one feed for good. The store takes nothing of the others then.
    func hasRefusedFeed() async -> Bool { await state.withLock { $0.claimed }?.hasRefusedFeed ?? false }

    /// The stored data of the feeds in the operands, for a command that reads; nil if nothing was stored yet.
    ///
    /// - Throws: `Failure` with exit code 73.
    func read(
        _ uri: String, for session: Session, _ configuration: Configuration?
    ) async throws(Failure) -> Store? {
        let path = try path(session)
        if session.invocation.command.name == "backup" { return try await copy(uri, to: path, for: session) }
        let readsPlans = ["plan", "sync"].contains(session.invocation.command.name)
        let isSearch = session.invocation.command.name == "search"
        let words = isSearch ? session.invocation.values[.feed] ?? [] : session.invocation.operands
        let isOfAll = words.isEmpty || words.contains { $0.contains("*") || $0.contains("?") }
        let feeds = isOfAll ? nil : words.map { FeedPart.feed(ofPart: $0) ?? $0 }
        // The lists that come next are those of rows of another feed.
        let extent =
            readsPlans && configuration?.feeds.contains { $0.forEach != nil } != false
            ? .states : Self.reading[session.invocation.command.name] ?? .all
        let searched = isSearch ? configuration?.feeds ?? [] : []
        guard session.invocation.has(.follow) else {
            return try await session.reading { () async throws(FeedSyncError) in
                try await ReadingCopy.open(uri: uri, feeds: feeds, extent: extent, searched: searched, path: path)
            }
        }
        return try await session.reading { () async throws(FeedSyncError) in
            let copy = try await FollowingCopy(path: path, uri: uri, feeds: feeds, extent: .whole)
            try await copy.look([])
            let following = Task {
                await copy.follow({ [] }) { session.console.reportBriefly(Failure($0), always: true) }
            }
            state.withLock { $0.following = following }
            return try await Store(path: path, options: Store.Options(access: .readOnly))
        }
    }

    /// A whole copy of the store, for a backup.
    ///
    /// - Throws: `Failure` with exit code 73.
    private func copy(_ uri: String, to path: String, for session: Session) async throws(Failure) -> Store {
        try await session.reading { () async throws(FeedSyncError) in
            _ = try await StoreCopy.copy(from: .postgreSQL(uri), to: .file(path))
            return try await Store(path: path, options: Store.Options(access: .readOnly))
        }
    }

    /// Commits the rest, and releases the feeds.
    ///
    /// - Parameter isLast: False if the command opens the store again: views of new tables are made at its end.
    /// - Throws: `Failure` if something was not stored.
    func end(isLast: Bool = true) async throws(Failure) {
        let used = state.withLock { state in
            defer { state = State(owed: isLast ? nil : state.claimed.map(\.uri) ?? state.owed) }
            return state
        }
        var failure = await used.claimed?.close(makesViews: isLast)
        if isLast, used.claimed == nil, let uri = used.owed {
            do throws(FeedSyncError) { try await ClaimedStore.makeViews(uri: uri) } catch { failure = error }
        }
        used.following?.cancel()
        await used.following?.value
        used.folder?.remove()
        if let failure { throw Failure(failure) }
    }

    private func path(_ session: Session) throws(Failure) -> String {
        let folder = try TemporaryFolder(session.environment, for: session.invocation.command.name)
        state.withLock { $0.folder = folder }
        return "\(folder.path)/store.db"
    }
}

extension Session {
    /// The name of the store for people: a path, or a URI without a password.
    func storeName(_ configuration: Configuration?) -> String? {
        (sharedStore(configuration) ?? storePath(configuration)).map { StoreAddress($0).shown }
    }

    /// The URI of the store in PostgreSQL; nil if it is a file.
    func sharedStore(_ configuration: Configuration?) -> String? {
        guard let named = namedStore else { return configuration?.sharedStore }
        if case .postgreSQL(let uri) = StoreAddress(named) { return uri }
        return nil
    }
}
