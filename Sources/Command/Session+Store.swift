internal import FeedSync
internal import Platform
internal import Reports

extension Session {
    /// The store, for reading; nil if nothing was stored yet.
    ///
    /// - Throws: `Failure` with exit code 73 if it cannot be opened.
    func storeIfAny(_ configuration: Configuration?) async throws(Failure) -> Store? {
        if let uri = sharedStore(configuration) {
            return try await shared.read(uri, for: self, configuration)
        }
        guard let path = storePath(configuration) else { return nil }
        // A store that cannot be reached is not one that is not there.
        guard access(path, F_OK) == 0 || errno != ENOENT else {
            // One that was named is expected to be there.
            if invocation.has(.store) { throw .noStore(at: path) }
            return nil
        }
        return try await reading { () async throws(FeedSyncError) in
            try await Store(path: path, options: readOptions)
        }
    }

    /// A command that ends at once reads no further when it is interrupted.
    private var readOptions: Store.Options {
        var options = Store.Options(access: .readOnly)
        options.heedsWorkLimits = !invocation.command.endsGracefully
        return options
    }

    /// The store, for writing; nil if nothing was stored yet.
    ///
    /// - Throws: `Failure` with exit code 73 if it cannot be opened.
    func existingStore(_ configuration: Configuration?) async throws(Failure) -> Store? {
        guard let path = storePath(configuration), access(path, F_OK) == 0 || errno != ENOENT else { return nil }
        let options =
            configuration.map { Store.Options(access: .existing, keep: $0.retention) } ?? .init(access: .existing)
        return try await reading { () async throws(FeedSyncError) in
            try await Store(path: path, options: options)
        }
    }

    /// The store with feeds that the command changes; nil if nothing was stored yet. In PostgreSQL they are claimed, so
    /// that no worker changes them until the command ends.
    ///
    /// - Parameter feeds: Their names. The configuration may lack some of them.
    /// - Throws: `Failure` with exit code 73 if it cannot be opened, or 75 if a worker does not let go of a feed.
    func store(
        _ configuration: Configuration?, changing feeds: [String]
    ) async throws(Failure) -> Store? {
        guard let uri = sharedStore(configuration) else { return try await existingStore(configuration) }
        return try await shared.open(uri, for: self, configuration, feeds: feeds)
    }

    /// The store, opened again if it was opened in a mode that hides later writes.
    ///
    /// - Throws: `Failure` with exit code 73 if it cannot be opened.
    func current(_ store: Store) async throws(Failure) -> Store {
        guard store.reading?.followsFile == false else { return store }
        let path = store.path
        return try await reading { () async throws(FeedSyncError) in
            try await Store(path: path, options: readOptions)
        }
    }

    /// The configuration; it may be missing only if the store is named.
    ///
    /// - Throws: `Failure` with exit code 78.
    func configurationForReading() throws(Failure) -> Configuration? {
        if invocation.has(.store), !invocation.has(.config) {
            // A user who names a store may read it, even beside another user's ./feedsync.yaml.
            do throws(Failure) { _ = try configurationFile() } catch { return nil }
        }
        let configuration = try configurationIfAny()
        if configuration == nil, storePath(nil) == nil { return try self.configuration() }
        return configuration
    }

    /// Runs `body`, which reads the store.
    ///
    /// - Throws: `Failure` for the store's error.
    func reading<Result>(_ body: () async throws(FeedSyncError) -> Result) async throws(Failure) -> Result {
        do throws(FeedSyncError) { return try await body() } catch { throw Failure(error) }
    }

    /// The feeds that are configured or stored, configured ones first, with their records.
    ///
    /// - Parameters:
    ///   - names: The names of those that are wanted; none for all. By default the operands.
    ///   - includesRemoved: Whether feeds that the configuration no longer has are among them.
    /// - Throws: `Failure` with exit code 64 for an unknown feed.
    func knownFeeds(
        _ configuration: Configuration?, _ store: Store?, names: [String]? = nil, includesRemoved: Bool = true
    ) async throws(Failure) -> [KnownFeed] {
        var records: [FeedRecord] = []
        if let store { records = try await reading { () async throws(FeedSyncError) in try await store.feeds() } }
        let definitions = configuration?.feeds ?? []
        if configuration != nil, !includesRemoved {
            let names = Set(definitions.map(\.name))
            records.removeAll { !names.contains($0.name) }
        }
        let all = KnownFeed.all(definitions, records)
        let names = names ?? invocation.operands
        guard !names.isEmpty else { return all }
        var parts: [KnownFeed] = []
        for name in names {
            guard let part = try await knownPart(named: name, configuration, store) else { continue }
            parts.append(part)
        }
        let others = names.filter { !Set(parts.map(\.name)).contains($0) }
        let (matching, unknown) = NamePattern.names(others, among: all.map(\.name))
        if let unknown {
            throw .unknown("feed", unknown, among: all.map(\.name), advice: "feedsync status  # lists them")
        }
        let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
        return matching.compactMap { byName[$0] } + parts
    }

    /// The feed, or the list that an operand names.
    ///
    /// - Throws: `Failure` with exit code 64 for a list that was never requested.
    func named(_ feed: FeedDefinition, in store: Store?) async throws(Failure) -> FeedDefinition {
        guard let name = feed.forEach?.only else { return feed }
        let part = try await reading { () async throws(FeedSyncError) in try await store?.part(named: name, of: feed) }
        if let part = part.flatMap(\.self) { return part }
        throw Failure(
            .usage, ["no list `\(name)` was asked for yet"],
            advice: "feedsync sql 'SELECT name FROM feed_part'  # lists those that were")
    }

    /// The part of a feed that has a list for each row of another; nil where the name is that of none.
    private func knownPart(
        named name: String, _ configuration: Configuration?, _ store: Store?
    ) async throws(Failure) -> KnownFeed? {
        guard let store, let owner = FeedPart.feed(ofPart: name), let feed = configuration?.feed(named: owner) else {
            return nil
        }
        return try await reading { () async throws(FeedSyncError) in
            guard let record = try await store.feed(named: name) else { return nil }
            return KnownFeed(definition: try await store.part(named: name, of: feed), record: record)
        }
    }
}

extension Session {
    /// The state of each feed.
    ///
    /// - Throws: `Failure` where the store cannot be read.
    func states(of feeds: [KnownFeed], in store: Store?) async throws(Failure) -> [StateRow] {
        try await reading { () async throws(FeedSyncError) in try await StateRow.rows(of: feeds, in: store) }
    }
}

extension Store {
    /// True if an older feedsync wrote the store, and an updated copy of it is read.
    nonisolated var isReadFromCopy: Bool { reading?.isCopy == true }

    /// - Throws: `Failure` with exit code 73 if the store cannot be followed, because it is read from a copy.
    nonisolated func checkFollowing() throws(Failure) {
        guard isReadFromCopy else { return }
        throw Failure(
            .store, ["\(path) was written by an older feedsync, and cannot be followed"],
            advice: "run feedsync sync once, which brings it up to date")
    }
}
