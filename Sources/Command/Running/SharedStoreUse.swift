internal import Concurrency
internal import FeedSync
internal import Fleet
internal import HTTP
internal import Platform
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

    /// - Throws: `Failure` for a command that needs a file.
    static func check(_ invocation: Invocation, _ code: ExitCode) throws(Failure) {
        let option = [Option.ack, .repair].first { invocation.has($0) }
        guard invocation.command.store != .file, option == nil else {
            let words = [invocation.command.name, option?.written].compactMap(\.self).joined(separator: " ")
            throw Failure(
                code, ["the store is in PostgreSQL, and `\(words)` needs a file"],
                advice: "feedsync store copy URI FILE  # makes a file of it; see feedsync help work")
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
        let command = session.invocation.command
        var (isUrgent, needsItems) = (false, true)
        if case .writes(let urgent, let items) = command.store { (isUrgent, needsItems) = (urgent, items) }
        let wait = try session.invocation.duration(.wait) ?? .zero
        return try await session.reading { () async throws(FeedSyncError) in
            let claimed = try ClaimedStore(
                uri: uri, name: "\(ProcessName.own) (\(command.name))", configuration: configuration, groups: groups,
                names: names, path: path)
            // libcurl is loaded while PostgreSQL is busy with the claims. If that fails, the first request says why.
            async let loading: Void? = try? CurlLibrary.load()
            let store = try await claimed.open(wait: wait, isUrgent: isUrgent, hasItems: needsItems)
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
        try await session.read(try await claimed?.dropColumns(names, of: feed))
    }

    /// True if PostgreSQL has refused the data of one feed for good. The store takes nothing of the others then.
    func hasRefusedFeed() async -> Bool { await state.withLock { $0.claimed }?.hasRefusedFeed ?? false }

    /// The stored data of feeds, for a command that reads; nil if nothing was stored yet.
    ///
    /// - Parameters:
    ///   - names: Their names and patterns; none for all feeds.
    ///   - searched: The feeds that get a full-text index, if their definitions ask for one.
    /// - Throws: `Failure` with exit code 73.
    func read(
        _ extent: CopyExtent, of names: [String], searched: [FeedDefinition], in uri: String,
        for session: Session
    ) async throws(Failure) -> Store? {
        let path = try path(session)
        let isOfAll = names.isEmpty || names.contains { $0.contains("*") || $0.contains("?") }
        let feeds = isOfAll ? nil : names.map { FeedPart.feed(ofPart: $0) ?? $0 }
        guard session.invocation.has(.follow) else {
            return try await session.read(
                try await ReadingCopy.open(uri: uri, feeds: feeds, extent: extent, searched: searched, path: path))
        }
        return try await session.reading { () async throws(FeedSyncError) in
            let copy = try await FollowingCopy(path: path, uri: uri, feeds: feeds, hasHistory: true)
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
    func copy(_ uri: String, for session: Session) async throws(Failure) -> Store {
        let path = try path(session)
        return try await session.reading { () async throws(FeedSyncError) in
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

/// The name of this process for others: the machine and the process id.
enum ProcessName {
    static var own: String {
        var bytes = [CChar](repeating: 0, count: 256)
        gethostname(&bytes, bytes.count - 1)
        let host = bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        return "\(String(decoding: host, as: UTF8.self)) \(getpid())"
    }
}
