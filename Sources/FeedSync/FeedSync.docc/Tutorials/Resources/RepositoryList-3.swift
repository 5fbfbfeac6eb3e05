import FeedSync

/// A list with pull to reload and scroll for more.
final class RepositoryList: Sendable {
    /// The state of the view above and below the rows.
    struct Edges: Sendable, Equatable {
        let isReloading: Bool
        let isLoadingMore: Bool
        let isAtEnd: Bool
        let message: String?
    }

    private let feed: SyncEngine

    init(_ definition: FeedDefinition, in mirror: FeedMirror) async throws(FeedSyncError) {
        feed = try await mirror.feed(definition)
    }

    /// The rows that are stored, and all of them again after each page.
    var rows: some AsyncSequence<[Repository], FeedSyncError> & Sendable { feed.items() }

    var edges: some AsyncSequence<Edges, Never> & Sendable {
        feed.state.map { state in
            Edges(
                isReloading: state.status == .beginHeader, isLoadingMore: state.status == .beginFooter,
                isAtEnd: state.status == .noMoreData, message: state.error?.message)
        }
    }
}
