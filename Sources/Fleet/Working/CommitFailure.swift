package import Feeds
internal import PostgreSQL
internal import PostgreSQLStore

/// A commit that PostgreSQL refused. The working file stores nothing any more.
package struct CommitFailure: Sendable {
    package let error: FeedSyncError
    /// True if it refused a feed's data for good: a row is too large or breaks a user's constraint, or a long-running
    /// reader prevents a change of the table.
    package let isOfFeed: Bool

    /// The text by which the check of the fence fails, in PostgreSQL's error.
    static let lostClaim = "feedsync: the claim was lost"
    /// The text by which the check fails where a newer feedsync has changed the store.
    static let newerStore = "feedsync: the store is newer"

    /// - Parameters:
    ///   - group: The name of the feeds in errors.
    ///   - isOfFeed: False where the rows of feeds are stored already.
    init(_ error: any Error, group: String, isOfFeed: Bool = true) {
        switch error {
        case let error as PostgreSQLError where error.message.contains(Self.lostClaim):
            self.error = FeedSyncError(
                .locked, "another worker works on \(group) now; nothing more was stored", advice: "run it again later")
            self.isOfFeed = false
        case let error as PostgreSQLError where error.message.contains(Self.newerStore):
            self.error = FeedSyncError(
                .store, "a newer feedsync has changed the store of \(group); nothing more was stored",
                advice: "use that feedsync, or a newer one")
            self.isOfFeed = false
        case let error as PostgreSQLError:
            self.error = FeedSyncError(copying: error, path: group)
            self.isOfFeed = isOfFeed && (error.isOfData || error.isLocked)
        default:
            self.error = FeedSyncError(copying: error, path: "the working copy of \(group)")
            self.isOfFeed = isOfFeed && error is CopyProblem
        }
    }
}
