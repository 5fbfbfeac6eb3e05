package import Feeds
internal import PostgreSQL

/// Why PostgreSQL did not take a commit. Nothing of the working file is stored any more.
package struct CommitFailure: Sendable {
    package let error: FeedSyncError
    /// Whether it refused a feed's data, and would do so again: a row is too large or breaks a constraint of the user's, or
    /// somebody reads the table for long and keeps it from being changed.
    package let isOfFeed: Bool

    /// What the check of the fence fails with, in the words of PostgreSQL's error.
    static let lostClaim = "feedsync: the claim was lost"

    /// - Parameters:
    ///   - group: What errors call the feeds.
    ///   - isOfFeed: False where the rows of feeds are stored already.
    init(_ error: any Error, group: String, isOfFeed: Bool = true) {
        switch error {
        case let error as PostgreSQLError where error.message.contains(Self.lostClaim):
            self.error = FeedSyncError(
                .locked, "another worker works on \(group) now; nothing more was stored", advice: "run it again later")
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
