internal import FeedSync

extension Command {
    /// `rename FEED NAME`
    static let rename = Command(
        "rename", operands: "FEED NAME", count: 2...2,
        summary: "Give a feed another name, in the configuration and in the store",
        explanation: """
            Changes the feed's name in the configuration file, where nothing else changes, and in the store: its
            table, its history, and where it stands. The next sync costs what it would have cost before.
            Views of your own follow the table. Feeds in the same file that have a list for each of its rows
            follow it, too. Not while another process is working on the feed.
            """,
        example: "feedsync rename things old-things"
    ) { session throws(Failure) in
        let (feed, name) = (session.invocation.operands[0], session.invocation.operands[1])
        let configuration = try session.configuration()
        guard let file = try session.configurationFile(of: feed) else { return .done }
        try session.checkNoLists(
            of: feed, in: configuration, besides: file.path, advice: "write both feeds into one file, then rename it")
        let store = try await session.existingStore(configuration)
        let change = FeedRenaming(feed: feed, name: name, file: file, environment: session.environment)
        let isInFile = try await session.isUnfinished(change, in: configuration, store)
        if !isInFile { _ = try change.text(with: try file.contents()) }
        let lock = try await session.reading { () async throws(FeedSyncError) -> FeedLock? in
            guard let store else { return nil }
            return try await store.lock(storedFeed: feed, for: "rename")
        }
        guard let store, let lock else {
            try file.edit { text throws(Failure) in try change.text(with: text) }
            session.report(change, isStored: false)
            return .done
        }
        // Neither the file nor the store can come first: if only one of them had the new name when the process ended,
        // the next sync would find no feed of the other's name, and begin an empty one. So the store first records the
        // new name; then the file gets it, in one step; then the store. A run that finds the new name in the file
        // finishes the rename, one that finds the old name continues with that: either way with all stored data.
        if !isInFile {
            try await session.reading { () async throws(FeedSyncError) in
                try await store.announceRename(of: feed, to: name, lock: lock)
            }
            do throws(Failure) {
                try file.edit { text throws(Failure) in try change.text(with: text) }
            } catch {
                try? await store.withdrawRename(of: feed)
                throw error
            }
        }
        try await session.reading { () async throws(FeedSyncError) in
            try await store.renameFeed(feed, to: name, lock: lock)
        }
        session.report(change, isStored: true)
        return .done
    }
}

/// Another name for a feed.
private struct FeedRenaming: Sendable {
    let feed: String
    let name: String
    let file: ConfigurationFile
    let environment: [String: String]

    /// The text of the file with the new name.
    ///
    /// - Throws: `Failure` with exit code 64 for a feed that is not there, or a name that is taken or invalid.
    func text(with text: [UInt8]) throws(Failure) -> [UInt8] {
        let editor = try configuring { () throws(ConfigurationError) in
            try ConfigurationEditor(text, file: file.path)
        }
        guard editor.names.contains(feed) else {
            throw .unknown("feed", feed, among: editor.names, advice: "feedsync feeds lists those of \(file.path)")
        }
        guard !editor.names.contains(name) else {
            throw .usage("feed \(name) already exists in \(file.path)", advice: "choose another name")
        }
        let new = try configuring { () throws(ConfigurationError) in
            try editor.renaming(feed, to: name)
        }
        do throws(ConfigurationError) {
            _ = try Configuration.parse(
                new, file: file.path, environment: environment, allowsCommands: file.mayRunCommands)
        } catch {
            throw .usage(error.diagnostics.first?.problem ?? "", advice: "choose another name")
        }
        return new
    }
}

extension Session {
    /// True if an earlier command ended when the file had the new name, and the store did not.
    fileprivate func isUnfinished(
        _ change: FeedRenaming, in configuration: Configuration, _ store: Store?
    ) async throws(Failure) -> Bool {
        guard configuration.feed(named: change.feed) == nil, configuration.feed(named: change.name) != nil else {
            return false
        }
        guard let store else { return false }
        return try await reading { () async throws(FeedSyncError) in
            try await store.isBeingRenamed(change.feed, to: change.name)
        }
    }

    fileprivate func report(_ change: FeedRenaming, isStored: Bool) {
        if invocation.has(.json) {
            let document: JSONFields = [
                "feed": change.feed, "name": change.name, "file": change.file.path, "is_stored": isStored,
            ]
            return print(result: document)
        }
        console.print("\(console.palette.name(change.feed))  renamed to \(console.palette.name(change.name))")
    }
}
