internal import Editing
internal import FeedSync
internal import Fleet
internal import Reports

extension Command {
    /// `remove NAME`
    static let remove = Command(
        name: "remove", operands: "FEED", count: 1...1, options: [.data, .yes],
        store: .writes(isUrgent: true, needsItems: false),
        summary: "Remove a feed from the configuration; its items stay",
        explanation: """
            Removes the feed's lines from the configuration file, with the comments inside them. Comments
            above the feed stay, and so does the rest of the file. Prints the lines, unless they hold a
            credential, so that they can be pasted back. The items stay in the store; the
            command prints how to delete them.

            With --data, also deletes the items, the history and everything else that the store has of the
            feed. It asks first, unless --yes is given. This also works for a feed that is only in the store.
            """,
        example: "feedsync remove swift-repos"
    ) { session throws(Failure) in
        let name = session.invocation.operands[0]
        let lines = try session.lines(of: name)
        let removal = try editing(try FeedRemoval(of: lines))
        if session.invocation.has(.data) { return try await session.removeData(of: lines, removal) }
        let undo = try editing(try removal.perform())
        try await session.report(removed: name, from: lines.file, undo)
        return .done
    }
}

extension Session {
    fileprivate func report(
        removed name: String, from file: ConfigurationFile, _ undo: FeedRemoval.Undo
    ) async throws(Failure) {
        let kept = try await keptItems(of: name)
        if invocation.has(.json) {
            return print(result: ["feed": name, "file": file.path, "item_count": kept?.count ?? 0])
        }
        console.print("\(console.palette.name(name))  removed from \(file.path)")
        for line in undo.source ?? [] { console.comment(console.errorPalette.faint(line)) }
        if let comment = undo.commentLine {
            console.note("\(name): note: kept the comment above it (\(file.path):\(comment))")
        }
        guard let kept else { return }
        console.note(
            "\(name): note: kept its \(NumberFormat.count(kept.count, "item")) in \(kept.store); to delete them:")
        console.comment("  \(console.errorPalette.hint("feedsync remove \(name) --data\(invocation.storeOptions)"))")
    }

    /// `remove NAME --data`: removes a feed from the configuration, and all that the store has of it.
    fileprivate func removeData(of lines: FeedLines, _ removal: FeedRemoval) async throws(Failure) -> ExitCode {
        let (name, file) = (lines.feed, lines.file)
        let text = try file.contents()
        let editor = try configuring(try ConfigurationEditor(text, file: file.path))
        // The feed goes; errors in the file do not matter here, unless they hide where the store is.
        let configuration = (try? configurationIfAny()) ?? nil
        guard storePath(configuration) != nil || sharedStore(configuration) != nil else {
            _ = try self.configuration()
            return .done
        }
        let store = try await self.store(configuration, changing: [name])
        let records = try await read(try await store?.feeds()) ?? []
        let record = records.first { $0.name == name }
        let isConfigured = editor.names.contains(name)
        guard isConfigured || record != nil else {
            throw .unknown(
                "feed", name, among: editor.names + records.map(\.name), advice: "feedsync status  # lists them")
        }
        let count = record?.itemCount ?? 0
        guard try isSure(of: "delete \(name), with \(NumberFormat.count(count, "item")) and its history?") else {
            console.note("\(name): nothing was deleted")
            return .done
        }
        let lock = try await reading { () async throws(FeedSyncError) -> FeedLock? in
            guard let store else { return nil }
            if let lock = try await store.lock(storedFeed: name, for: "remove") { return lock }
            return try await store.lock(entering: configuration?.feed(named: name), for: "remove")
        }
        // The file comes first: if the process ends in between, the feed is no longer synced, and the same command
        // deletes the rest.
        let comment = isConfigured ? try editing(try removal.perform()).commentLine : nil
        if let store, let lock { try await read(try await store.delete(name, lock: lock)) }
        if invocation.has(.json) {
            print(result: ["feed": name, "file": file.path, "deleted": count])
            return .done
        }
        let from = isConfigured ? "removed from \(file.path), " : ""
        console.print("\(console.palette.name(name))  \(from)\(NumberFormat.count(count, "item")) deleted")
        if let comment { console.note("\(name): note: kept the comment above it (\(file.path):\(comment))") }
        return .done
    }

    /// The stored items of a removed feed; nil if there are none, or they cannot be read.
    private func keptItems(of name: String) async throws(Failure) -> (count: Int, store: String)? {
        // The feed is removed; other errors in the file do not matter here.
        let configuration = (try? configurationIfAny()) ?? nil
        guard let path = storePath(configuration), let store = try? await storeIfAny(configuration, reading: .summary),
            let record = try? await store.feed(named: name), record.itemCount > 0
        else { return nil }
        return (record.itemCount, path)
    }
}
