// The lines between the two marks are README.md's sample, to the letter: a test compares them.
// README begins
import FeedSync

struct Repository: Decodable, Sendable {
    let fullName: String
    let stars: Int
    let topics: [String]
}

func mostStarred(_ definition: FeedDefinition, in path: String) async throws -> [Repository] {
    let mirror = try await FeedMirror(path: path)
    let feed = try await mirror.feed(definition)
    feed.requestCommand.send(.reload)
    for await state in feed.state {
        print(state.status)  // none, beginHeader, endHeader
        if let error = state.error { throw error }
        if !state.isRunning { break }
    }
    for try await repositories in feed.items(as: Repository.self, limit: 3) {
        return repositories  // without it, the loop gets the items again after each change
    }
    return []
}
// README ends
