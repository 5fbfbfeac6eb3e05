// What stands between the two marks is README.md's sample, to the letter: a test sees to it.
// README begins
import FeedSync

struct Repository: Decodable, Sendable {
    let fullName: String
    let stars: Int
    let topics: [String]
}

func mostStarred(_ feed: FeedDefinition, in store: Store) async throws -> [Repository] {
    let engine = try await SyncEngine(feed: feed, store: store)
    engine.requestCommand.send(.reload)
    for await status in engine.refreshStatus {
        print(status)  // none, beginHeader, endHeader
        if status == .endHeader { break }
    }
    for await sections in engine.sections {
        return try await sections.first?.items(as: Repository.self, limit: 3) ?? []
    }
    return []
}
// README ends
