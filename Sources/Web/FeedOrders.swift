internal import Concurrency
internal import FeedSync

/// A cache of the last feed orders, so that a page of a long list costs no more than its rows.
final class FeedOrders: Sendable {
    struct Key: Hashable, Sendable {
        let feed: String
        /// The number of the opened file.
        let version: Int
        /// The store that read it, because each connection numbers its snapshots itself.
        let store: ObjectIdentifier
    }

    private let orders = Lock<[Key: FeedOrder]>([:])
    /// The maximum number of feeds whose orders are kept.
    private static let most = 20

    func order(_ key: Key) -> FeedOrder? { orders.withLock { $0[key] } }

    func keep(_ order: FeedOrder?, _ key: Key) {
        orders.withLock { orders in
            if orders[key] == nil, orders.count >= Self.most { orders = [:] }
            orders[key] = order
        }
    }
}

extension Served {
    /// Lists items in feed order.
    ///
    /// - Throws: `FeedSyncError`.
    func listing(_ query: ItemQuery, of store: Store) async throws(FeedSyncError) -> Listing {
        let key = FeedOrders.Key(feed: query.feed, version: version, store: ObjectIdentifier(store))
        let (listing, order) = try await store.listing(query, knowing: orders.order(key))
        orders.keep(order, key)
        return listing
    }

    /// The same list as JSON.
    ///
    /// - Throws: `FeedSyncError`.
    func listingText(_ query: ItemQuery, of store: Store) async throws(FeedSyncError) -> ListingText {
        let key = FeedOrders.Key(feed: query.feed, version: version, store: ObjectIdentifier(store))
        let (listing, order) = try await store.listingText(query, knowing: orders.order(key))
        orders.keep(order, key)
        return listing
    }
}
