package import Feeds
internal import PostgreSQL

/// Why PostgreSQL did not take a commit. Nothing of the working file is stored any more.
package struct CommitFailure: Sendable {
    package let error: FeedSyncError
    /// Whether it refused what a feed has, and would again: a row is too large, or breaks a constraint of somebody else's.
    package let isOfFeed: Bool

    /// - Parameter group: What errors call the feeds.
    init(_ error: any Error, group: String) {
        switch error {
        // What the check of the fence divides by.
        case let error as PostgreSQLError where error.code == "22012":
            self.error = FeedSyncError(
                .locked, "another worker works on \(group) now; nothing more was stored", advice: "run it again later")
            isOfFeed = false
        case let error as PostgreSQLError:
            self.error = FeedSyncError(copying: error, path: group)
            isOfFeed = error.isOfData
        default:
            self.error = FeedSyncError(copying: error, path: "the working copy of \(group)")
            isOfFeed = error is CopyProblem
        }
    }
}
