/// The order in which feeds are synced.
package enum SyncOrder {
    /// The feeds that are due: those never synced first, then the one that has been due longest.
    ///
    /// - Parameters:
    ///   - histories: By the feeds' names.
    ///   - now: In milliseconds since 1970.
    package static func due(
        _ feeds: [FeedDefinition], _ histories: [String: FeedHistory], at now: Int64
    ) -> [FeedDefinition] {
        due(feeds, Planner.plans(of: feeds, histories), at: now)
    }

    /// The feeds whose plans, in the same order, say that they are due.
    package static func due(_ feeds: [FeedDefinition], _ plans: [Plan], at now: Int64) -> [FeedDefinition] {
        zip(feeds, plans).filter { $0.1.isDue(at: now) }.sorted { ($0.1.dueAt ?? .min) < ($1.1.dueAt ?? .min) }
            .map(\.0)
    }

    /// The feeds level by level: a feed with a list for each row of another comes after that one, because the rows of
    /// the feed above show which lists there are.
    package static func levels(_ feeds: [FeedDefinition]) -> [[FeedDefinition]] {
        let depths = Set(feeds.map(\.depth)).sorted()
        // Most configurations have one level, and definitions are large.
        guard depths.count > 1 else { return feeds.isEmpty ? [] : [feeds] }
        return depths.map { depth in feeds.filter { $0.depth == depth } }
    }
}

extension FeedDefinition {
    /// The number of feeds above it.
    fileprivate var depth: Int { forEach?.depth ?? 0 }
}

extension Planner {
    /// The plans of feeds, in their order.
    ///
    /// - Parameter histories: By the feeds' names.
    package static func plans(of feeds: [FeedDefinition], _ histories: [String: FeedHistory]) -> [Plan] {
        feeds.map { plan(histories[$0.name] ?? FeedHistory(feed: $0.name), of: $0) }
    }
}
