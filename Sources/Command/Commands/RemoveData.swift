internal import Editing
internal import FeedSync
internal import Reports

extension Session {
    /// `remove NAME --data`: removes a feed from the configuration, and all that the store has of it.
    func removeData(of lines: FeedLines, _ removal: FeedRemoval) async throws(Failure) -> ExitCode {
        let (name, file) = (lines.feed, lines.file)
        let editor = try configuring { [text = try file.contents()] () throws(ConfigurationError) in
            try ConfigurationEditor(text, file: file.path)
        }
        // The feed goes; errors in the file do not matter here, unless they hide where the store is.
        let configuration = (try? configurationIfAny()) ?? nil
        guard storePath(configuration) != nil || sharedStore(configuration) != nil else {
            _ = try self.configuration()
            return .done
        }
        let store = try await self.store(configuration, changing: [name])
        let records = try await reading { () async throws(FeedSyncError) in try await store?.feeds() } ?? []
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
        let comment =
            isConfigured ? try editing { () throws(EditingError) in try removal.perform() }.commentLine : nil
        if let store, let lock {
            try await reading { () async throws(FeedSyncError) in try await store.delete(name, lock: lock) }
        }
        if invocation.has(.json) {
            print(result: ["feed": name, "file": file.path, "deleted": count])
            return .done
        }
        let from = isConfigured ? "removed from \(file.path), " : ""
        console.print("\(console.palette.name(name))  \(from)\(NumberFormat.count(count, "item")) deleted")
        if let comment { console.note("\(name): note: kept the comment above it (\(file.path):\(comment))") }
        return .done
    }
}
