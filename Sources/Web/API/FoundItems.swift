internal import FeedSync
internal import Reports
internal import Text

/// Items found by their words.
struct FoundItems: Sendable {
    struct Item: Sendable {
        let item: Listing.Item
        /// The item's title and excerpt, with the words marked; nil if the full-text index did not find it.
        let hit: SearchHit?
    }

    let listing: Listing
    let items: [Item]
    /// True if the items are ranked, false if they are in feed order.
    var isRanked = false
}

/// A search of the stored items of a feed for all words of a text.
///
/// A feed with a full-text index is searched with it, ranked if requested. Otherwise the items are those with the words
/// in the shown columns, in feed order.
struct FeedSearch {
    private let text: SearchText
    private let feed: KnownFeed
    private let served: Served

    init(_ text: SearchText, in feed: KnownFeed, _ served: Served) {
        (self.text, self.feed, self.served) = (text, feed, served)
    }

    /// The items, and their number.
    ///
    /// - Parameter query: The limit, the columns and the place to begin after.
    func found(
        like query: ItemQuery, isRanked: Bool
    ) async throws(FeedSyncError) -> (items: FoundItems, count: Int) {
        guard let store = served.search else { return (FoundItems(listing: Listing(), items: []), 0) }
        let isIndexed = try await store.isSearchable(feed.name)
        var query = query
        if isIndexed {
            query.indexedWords = text
        } else {
            query.words = (text, try await served.shape(of: feed, in: store).rule.columns)
        }
        var whole = query
        whole.after = nil
        let count = try await store.count(whole)
        guard isIndexed, isRanked else {
            let listing = try await store.listing(query)
            let items = listing.items.map { FoundItems.Item(item: $0, hit: nil) }
            return (FoundItems(listing: listing, items: items), count)
        }
        let hits = try await store.hits(Self.query(text, feed.name, served, limit: query.limit))
        var named = ItemQuery(feed: feed.name, limit: hits.count)
        (named.columns, named.keys, named.textLimit) = (query.columns, hits.map(\.key), query.textLimit)
        let listing = try await store.listing(named)
        let byKey = Dictionary(listing.items.map { ($0.key, $0) }) { first, _ in first }
        let items = hits.compactMap { hit in byKey[hit.key].map { FoundItems.Item(item: $0, hit: hit) } }
        // A search with few results also looks inside words, which the index does not count.
        return (FoundItems(listing: listing, items: items, isRanked: true), max(count, items.count))
    }

    /// The best items; nil if the feed does not exist or nothing of it is stored.
    static func listing(
        _ text: SearchText, in name: String, _ served: Served, limit: Int
    ) async throws(FeedSyncError) -> Listing? {
        guard let store = served.search else { return nil }
        if let listing = try await store.found(query(text, name, served, limit: limit), in: name) { return listing }
        guard let query = try await unindexed(text, in: name, served, limit: limit) else { return nil }
        return try await store.listing(query)
    }

    /// The same items as JSON.
    static func listingText(
        _ text: SearchText, in name: String, _ served: Served, limit: Int
    ) async throws(FeedSyncError) -> ListingText? {
        guard let store = served.search else { return nil }
        if let listing = try await store.foundText(query(text, name, served, limit: limit), in: name) { return listing }
        guard let query = try await unindexed(text, in: name, served, limit: limit) else { return nil }
        return try await store.listingText(query)
    }

    /// The query for items of a feed without a full-text index; nil if the feed does not exist.
    private static func unindexed(
        _ text: SearchText, in name: String, _ served: Served, limit: Int
    ) async throws(FeedSyncError) -> ItemQuery? {
        guard let feed = try await served.feed(named: name) else { return nil }
        var query = ItemQuery(feed: feed.name, limit: limit)
        query.byteLimit = ItemQuery.mostBytesOfAnswer
        if let pages = served.pages {
            query.words = (text, try await served.shape(of: feed, in: pages).rule.columns)
        }
        return query
    }

    private static func query(_ text: SearchText, _ name: String, _ served: Served, limit: Int?) -> SearchQuery {
        var search = SearchQuery(text, in: [name], limit: limit)
        search.show[name] = served.configuration?.feed(named: name)?.show
        return search
    }
}

extension Store {
    /// All results of a search.
    func hits(_ query: SearchQuery) throws(FeedSyncError) -> [SearchHit] {
        var hits: [SearchHit] = []
        try search(query) { hit in
            hits.append(hit)
            return true
        }
        return hits
    }
}
