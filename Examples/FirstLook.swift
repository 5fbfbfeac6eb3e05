import FeedSync

/// Reloads a feed, and shows its first ten rows now and after each change, on the caller's actor.
nonisolated(nonsending) func follow(
    _ definition: FeedDefinition, in mirror: FeedMirror, show: ([Repository]) -> Void
) async throws {
    let feed = try await mirror.feed(definition)
    feed.requestCommand.send(.reload)
    for try await repositories in feed.items(as: Repository.self, limit: 10) {
        show(repositories)
    }
}
