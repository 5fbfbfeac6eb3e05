package import Feeds
internal import MirrorWriter
internal import PostgreSQL
internal import PostgreSQLStore
package import StoreFile

/// A file with the content of a store in PostgreSQL, for a command that reads.
package enum ReadingCopy {
    /// Fills a new file, and opens it for reading.
    ///
    /// - Parameters:
    ///   - feeds: The feeds that are wanted; nil for all.
    ///   - searched: The feeds that get a full-text index, if their definitions ask for one.
    ///   - path: Of the file, which is not there yet.
    /// - Returns: Nil if there is no store in PostgreSQL yet.
    /// - Throws: `FeedSyncError` of kind `store`.
    package static func open(
        uri: String, feeds: [String]?, extent: CopyExtent, searched: [FeedDefinition] = [], path: String
    ) async throws(FeedSyncError) -> Store? {
        var options = Store.Options()
        options.isScratch = true
        let store = try await Store(path: path, options: options)
        let hasStore = try await store.copying(called: path) { target in
            let source = try StoreDatabase(uri: uri)
            guard try Self.isThere(source) else { return false }
            let copy = WorkingCopy(
                source: source, scope: FeedScope(feeds: feeds), target: target, numbers: LogNumbers())
            _ = try copy.fill(extent, block: nil)
            return true
        }
        guard hasStore else { return nil }
        try await store.index(searched)
        return try await Store(path: path, options: Store.Options(access: .readOnly))
    }

    /// True if there is a readable store.
    ///
    /// - Throws: `CopyProblem` if an older feedsync made it.
    static func isThere(_ source: StoreDatabase) throws -> Bool {
        guard try source.exists() else { return false }
        guard try source.pending().isEmpty else {
            throw CopyProblem.refused(
                "the store was made by an older feedsync", advice: "start feedsync work, which brings it up to date")
        }
        return true
    }
}
