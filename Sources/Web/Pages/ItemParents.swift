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

    fileprivate init(
        of items: [Listing.Item], in parent: KnownFeed, _ site: Site, _ store: Store, _ served: Served
    ) async throws(FeedSyncError) {
        feed = parent.name
        keys = try await store.parentKeys(of: items.map(\.key), in: parent.name)
        let shape = try await site.shape(of: parent, in: store, served)
        var rest = Set(keys.values)[...]
        var titles: [String: String] = [:]
        while !rest.isEmpty {
            var query = ListingQuery(feed: parent.name, limit: Self.most)
            (query.keys, query.includesRemoved, query.columns) = (Array(rest.prefix(Self.most)), true, shape.columns)
            rest = rest.dropFirst(Self.most)
            let listing = try await store.listing(query)
            for item in listing.items { titles[item.key] = listing.text(shape.rule.title, of: item) }
        }
        self.titles = titles
    }
}

extension Site {
    /// The lists that belong to an item, of feeds with a list for each row of its feed.
    func lists(
        of item: Listing.Item, in feed: String, _ served: Served
    ) async throws(FeedSyncError) -> [FeedRecord] {
        let feeds = served.configuration?.feeds.filter { $0.forEach?.feed == feed } ?? []
        guard !feeds.isEmpty, let store = served.pages else { return [] }
        var lists: [FeedRecord] = []
        for feed in feeds {
            if let list = try await store.part(of: feed.name, parentKey: item.key) { lists.append(list) }
        }
        return lists
    }

    /// The parent rows of items; nil for a feed with one list.
    func parents(
        of items: [Listing.Item], of feed: KnownFeed, in store: Store?, _ served: Served
    ) async throws(FeedSyncError) -> ItemParents? {
        guard let name = feed.definition?.forEach?.feed, let store, let parent = try await self.feed(name, served)
        else {
            return nil
        }
        return try await ItemParents(of: items, in: parent, self, store, served)
    }
}
