package import FeedSync

/// Another name for a feed, in the configuration and in the store.
package struct FeedRenaming: Sendable {
    private let lines: FeedLines
    private let name: String

    /// - Throws: `EditingError` of `words` if a feed of another file has a list for each of the feed's rows.
    package init(of lines: FeedLines, to name: String) throws(EditingError) {
        (self.lines, self.name) = (lines, name)
        try lines.checkNoLists(
            besides: lines.file.path, advice: "write both feeds into one file, then rename it")
    }

    /// Renames the feed.
    ///
    /// - Parameter store: The store, for writing; nil if nothing was stored yet.
    /// - Returns: True if the store had the feed.
    /// - Throws: `EditingError`: `words` for a feed that is not there, or a name that is taken or invalid; of the
    ///   feed if another process works on it.
    package func perform(in store: Store?) async throws(EditingError) -> Bool {
        let feed = lines.feed
        let isInFile = try await isUnfinished(in: store)
        if !isInFile { _ = try text(with: try lines.text()) }
        let stored = try await storing(try await store?.lock(storedFeed: feed, for: "rename"))
        var lock = stored
        if stored == nil {
            lock = try await storing(try await store?.lock(entering: lines.definition, for: "rename"))
        }
        guard let store, let lock else {
            try lines.edit { text throws(EditingError) in try self.text(with: text) }
            return false
        }
        // Neither the file nor the store can come first: if only one of them had the new name when the process ended,
        // the next sync would find no feed of the other's name, and begin an empty one. So the store first records the
        // new name; then the file gets it, in one step; then the store. A run that finds the new name in the file
        // finishes the rename, one that finds the old name continues with that: either way with all stored data.
        if !isInFile {
            try await storing(try await store.announceRename(of: feed, to: name, lock: lock))
            do throws(EditingError) {
                try lines.edit { text throws(EditingError) in try self.text(with: text) }
            } catch {
                try? await store.withdrawRename(of: feed)
                throw error
            }
        }
        try await storing(try await store.renameFeed(feed, to: name, lock: lock))
        return stored != nil
    }

    /// The text of the file with the new name.
    private func text(with text: [UInt8]) throws(EditingError) -> [UInt8] {
        let editor = try lines.editor(of: text)
        guard !editor.names.contains(name) else {
            throw .words("feed \(name) already exists in \(lines.file.path)", advice: "choose another name")
        }
        let new = try configuring(try editor.renaming(lines.feed, to: name))
        do throws(ConfigurationError) {
            _ = try lines.parsed(new)
        } catch {
            throw .words(error.diagnostics.first?.problem ?? "", advice: "choose another name")
        }
        return new
    }

    /// True if an earlier rename ended when the file had the new name, and the store did not.
    private func isUnfinished(in store: Store?) async throws(EditingError) -> Bool {
        guard let store, lines.definition == nil, lines.feeds.contains(where: { $0.name == name }) else { return false }
        return try await storing(try await store.isBeingRenamed(lines.feed, to: name))
    }
}
