internal import FeedSync
internal import Reports

/// The rows of a parent that the items of a feed belong to, for a feed with a list for each of them.
struct ItemParents: Sendable {
    /// The parent.
    let feed: String
    /// The keys of their rows, by the items' keys.
    private let keys: [String: String]
    /// What the rows are called, by their keys.
    private let titles: [String: String]

    /// What a row is called that an item belongs to, and where its page is; nil where it is not known.
    func parent(of item: Listing.Item) -> (title: String, link: Link)? {
        guard let key = keys[item.key] else { return nil }
        return (Shown.text(titles[key] ?? key, most: 80), Link.own("item", feed, query: [("key", key)]))
    }

    /// How many rows are asked for at a time: SQLite bounds how long a condition may be.
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
    /// The lists that an item has in feeds with a list for each row of its feed.
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

    /// The rows that items belong to; nil for a feed with one list.
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
