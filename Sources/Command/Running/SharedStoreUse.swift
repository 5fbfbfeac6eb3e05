internal import Concurrency
internal import FeedSync
internal import SharedStore

/// What a command does with a store in PostgreSQL: it works on a file that has a part of it, which goes when the command
/// ends.
final class SharedStoreUse: Sendable {
    private let state = Lock<(folder: TemporaryFolder?, claimed: ClaimedStore?)>((nil, nil))

    /// The commands that write a store in PostgreSQL.
    private static let writing: Set = ["reload", "more", "sync"]
    /// Those that read states and the latest history, and those that read all of the feeds that they name.
    private static let reading: Set = ["status", "plan", "explain", "feeds", "doctor"]
    private static let readingItems: Set = ["show", "events", "changes"]
    /// Those that need no store, or take care of it themselves.
    private static let others: Set = ["work", "store", "path", "check", "add", "presets"]

    /// - Throws: `Failure` for a command that needs a file.
    static func check(_ invocation: Invocation, _ code: ExitCode) throws(Failure) {
        let name = invocation.command.name
        let known = writing.union(reading).union(readingItems).union(others)
        let option = [Option.follow, .repair].first { invocation.has($0) }
        guard known.contains(name), option == nil else {
            let words = [name, option?.written].compactMap(\.self).joined(separator: " ")
            throw Failure(
                code, ["the store is in PostgreSQL, and `\(words)` needs a file"],
                advice: "feedsync store copy URI FILE makes a file of it; see feedsync help work")
        }
    }

    /// The feeds that the command works on, claimed until `end`.
    ///
    /// - Throws: `Failure` with exit codes 73 and 75.
    func open(
        _ uri: String, for session: Session, _ configuration: Configuration, feeds: [FeedDefinition]
    ) async throws(Failure) -> Store {
        let path = try path(session)
        let command = session.invocation.command.name
        let wait = try session.invocation.duration(.wait) ?? .zero
        return try await session.reading { () async throws(FeedSyncError) in
            let claimed = try ClaimedStore(
                uri: uri, name: "\(ProcessName.own) (\(command))", feeds: configuration.feeds,
                names: Set(feeds.map(\.name)), path: path, keep: configuration.keep)
            let store = try await claimed.open(wait: wait, isUrgent: command == "reload")
            state.withLock { $0.claimed = claimed }
            return store
        }
    }

    /// What there is of the feeds that the operands name, for a command that reads; nil if nothing was stored yet.
    ///
    /// - Throws: `Failure` with exit code 73.
    func read(_ uri: String, for session: Session) async throws(Failure) -> Store? {
        let path = try path(session)
        let words = session.invocation.operands
        let isOfAll = words.isEmpty || words.contains { $0.contains("*") || $0.contains("?") }
        let feeds = isOfAll ? nil : words.map { FeedPart.feed(ofPart: $0) ?? $0 }
        let hasItems = Self.readingItems.contains(session.invocation.command.name)
        return try await session.reading { () async throws(FeedSyncError) in
            try await ReadingCopy.open(uri: uri, feeds: feeds, hasItems: hasItems, path: path)
        }
    }

    /// Commits what is left, and lets go of the feeds.
    ///
    /// - Throws: `Failure` where something was not stored.
    func end() async throws(Failure) {
        let (folder, claimed) = state.withLock { state in
            defer { state = (nil, nil) }
            return state
        }
        let failure = await claimed?.close()
        folder?.remove()
        if let failure { throw Failure(failure) }
    }

    private func path(_ session: Session) throws(Failure) -> String {
        let folder = try TemporaryFolder(session.environment, for: session.invocation.command.name)
        state.withLock { $0.folder = folder }
        return "\(folder.path)/store.db"
    }
}

extension Session {
    /// What the store is called in what people read: a path, or a URI without a password.
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
