import FeedSync

/// A list with pull to reload and scroll for more.
final class RepositoryList: Sendable {
    private let feed: SyncEngine

    init(_ definition: FeedDefinition, in mirror: FeedMirror) async throws(FeedSyncError) {
        feed = try await mirror.feed(definition)
    }

    /// The rows that are stored, and all of them again after each page.
    var rows: some AsyncSequence<[Repository], FeedSyncError> & Sendable { feed.items() }
}
