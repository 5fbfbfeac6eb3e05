package import MirrorStore
internal import PostgreSQL

/// What a store in PostgreSQL has, in a file, for a command that reads.
package enum ReadingCopy {
    /// Fills a new file, and opens it for reading.
    ///
    /// - Parameters:
    ///   - feeds: The feeds that are wanted; nil for all.
    ///   - hasItems: Whether their items and their whole history are wanted, too.
    ///   - path: Of the file, which is not there yet.
    /// - Returns: Nil if there is no store in PostgreSQL yet.
    /// - Throws: `FeedSyncError` of kind `store`.
    package static func open(
        uri: String, feeds: [String]?, hasItems: Bool, path: String
    ) async throws(FeedSyncError) -> Store? {
        let isThere = try await Store(path: path).copying { target throws(FeedSyncError) in
            do {
                let source = PostgreSQLStore(connection: try PostgreSQL.Connection(uri: uri))
                guard try source.exists() else { return false }
                guard try source.pending().isEmpty else {
                    throw CopyProblem.refused(
                        "the store was made by an older feedsync",
                        advice: "start feedsync work, which brings it up to date")
                }
                let names = try feeds ?? source.connection.query("SELECT name FROM feed").compactMap { $0[0] }
                let copy = WorkingCopy(source: source, scope: FeedScope(feeds: names), target: target)
                _ = try copy.fill(hasItems ? .all : .states, block: nil)
                return true
            } catch {
                throw FeedSyncError(copying: error, path: path)
            }
        }
        return isThere ? try await Store(path: path, options: Store.Options(access: .readOnly)) : nil
    }
}
