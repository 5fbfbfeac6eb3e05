import Testing

@testable import Crawling
@testable import Feeds

@Suite struct SyncOrderTests {
    private static let now: Int64 = 1_795_000_000_000

    /// A feed below others.
    private static func feed(_ name: String, below ancestors: [String] = []) throws -> FeedDefinition {
        var feed = try FeedDefinition.parse(name: name, yaml: "url: https://example.com/\(name)\nkey: id\n")
        guard let parent = ancestors.first else { return feed }
        feed.forEach = ForEachRule(feed: parent, condition: nil, when: nil)
        feed.forEach?.ancestors = Array(ancestors.dropFirst())
        return feed
    }

    /// A history of a feed that is due so long after the present.
    private static func history(of feed: String, dueIn milliseconds: Int64) -> FeedHistory {
        var history = FeedHistory(feed: feed)
        history.lastSyncStartedAt = now - 86_400_000
        history.lastSyncEndedAt = history.lastSyncStartedAt
        history.nextDueAt = now + milliseconds
        return history
    }

    @Test("The feed that has been due longest comes first, after those never synced; one that is not due is left out")
    func longestDueFirst() throws {
        let feeds = try ["later", "just", "long", "never"].map { try Self.feed($0) }
        let histories = ["later": 60_000, "just": -1, "long": -60_000].map { Self.history(of: $0, dueIn: $1) }
        let byName = Dictionary(uniqueKeysWithValues: histories.map { ($0.feed, $0) })
        #expect(SyncOrder.due(feeds, byName, at: Self.now).map(\.name) == ["never", "long", "just"])
    }

    @Test("A paused feed is never due, neither as a new one nor when its time has come")
    func paused() throws {
        let feeds = try ["new", "late"].map {
            try FeedDefinition.parse(name: $0, yaml: "url: https://example.com/\($0)\nkey: id\npaused: true\n")
        }
        let histories = ["late": Self.history(of: "late", dueIn: -86_400_000)]
        #expect(SyncOrder.due(feeds, histories, at: Self.now).isEmpty)
        let plan = Planner.plans(of: feeds, histories)[1]
        #expect(plan.isPaused)
        #expect(plan.dueText == nil)
        #expect(plan.terms.map(\.name) == [.paused])
    }

    @Test("A feed comes after the feeds above it, and keeps its place among those of its level")
    func parentsFirst() throws {
        let feeds = try [
            Self.feed("comments", below: ["issues", "repositories"]), Self.feed("issues", below: ["repositories"]),
            Self.feed("repositories"), Self.feed("tags", below: ["repositories"]), Self.feed("news"),
        ]
        let levels = SyncOrder.levels(feeds).map { $0.map(\.name) }
        #expect(levels == [["repositories", "news"], ["issues", "tags"], ["comments"]])
    }
}
