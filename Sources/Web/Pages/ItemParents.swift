internal import FeedSync
internal import Reports

/// The parent rows of items, for a feed with a list for each row of its parent.
struct ItemParents: Sendable {
    /// The parent's name.
    let feed: String
    /// The keys of the parent rows, by the items' keys.
    private let keys: [String: String]
    /// The titles of the parent rows, by their keys.
    private let titles: [String: String]

    /// The title and the page of an item's parent row; nil if unknown.
    func parent(of item: Listing.Item) -> (title: String, link: Link)? {
        guard let key = keys[item.key] else { return nil }
        return (Shown.text(titles[key] ?? key, most: 80), Link.own("item", feed, query: [("key", key)]))
    }

    /// The number of rows in one query, because SQLite limits the length of a condition.
    private static let most = 100

    /// Reads the parent rows of items; nil for a feed with one list.
    init?(
        of items: [Listing.Item], of feed: KnownFeed, in store: Store?, _ served: Served
    ) async throws(FeedSyncError) {
        guard let name = feed.definition?.forEach?.feed, let store, let parent = try await served.feed(named: name)
        else { return nil }
        self.feed = parent.name
        keys = try await store.parentKeys(of: items.map(\.key), in: parent.name)
        let shape = try await served.shape(of: parent, in: store)
        var rest = Set(keys.values)[...]
        var titles: [String: String] = [:]
        while !rest.isEmpty {
            var query = ItemQuery(feed: parent.name, limit: Self.most)
            (query.keys, query.includesRemoved, query.columns) = (Array(rest.prefix(Self.most)), true, shape.columns)
            rest = rest.dropFirst(Self.most)
            let listing = try await store.listing(query)
            for item in listing.items { titles[item.key] = listing.text(shape.rule.title, of: item) }
        }
        self.titles = titles
    }
}
