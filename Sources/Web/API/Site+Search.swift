internal import FeedSync
internal import Reports
internal import Text

/// Items that were found by their words.
struct FoundItems: Sendable {
    struct Item: Sendable {
        let item: Listing.Item
        /// What it is called and a part of its text, with the words marked; nil where the full-text index did not find it.
        let hit: SearchHit?
    }

    let listing: Listing
    let items: [Item]
}

extension Site {
    /// The items of a feed that have all words of a text: by its full-text index, the best first; where it has none, those
    /// that have them in the columns that are shown, in feed order.
    ///
    /// - Parameter isMarked: Whether it is to be told where the words are.
    func found(
        _ text: SearchText, in feed: KnownFeed, _ served: Served, limit: Int, isMarked: Bool = true
    ) async throws(FeedSyncError) -> FoundItems {
        guard let store = served.search, let pages = served.pages else {
            return FoundItems(listing: Listing(), items: [])
        }
        guard try await store.isSearchable(feed.name) else {
            var query = ListingQuery(feed: feed.name, limit: limit)
            let shape = try await shape(of: feed, in: pages, served)
            query.words = (text, shape.rule.columns)
            let listing = try await store.listing(query)
            return FoundItems(listing: listing, items: listing.items.map { FoundItems.Item(item: $0, hit: nil) })
        }
        var query = SearchQuery(text, in: [feed.name], limit: limit)
        query.wantsTexts = isMarked
        if let show = feed.definition?.show { query.show[feed.name] = show }
        let hits = try await store.hits(query)
        var rows = ListingQuery(feed: feed.name, limit: hits.count)
        rows.keys = hits.map(\.key)
        let listing = try await store.listing(rows)
        let byKey = Dictionary(listing.items.map { ($0.key, $0) }) { first, _ in first }
        let items = hits.compactMap { hit in byKey[hit.key].map { FoundItems.Item(item: $0, hit: hit) } }
        return FoundItems(listing: listing, items: items)
    }
}

extension Store {
    /// What a search gives, all at once.
    func hits(_ query: SearchQuery) throws(FeedSyncError) -> [SearchHit] {
        var hits: [SearchHit] = []
        try search(query) { hit in
            hits.append(hit)
            return true
        }
        return hits
    }
}
