/// A titled group of a feed's items, in feed order.
public struct Section: Sendable {
    /// The feed's name.
    public let feed: String
    /// The section's name; nil for items without one.
    public let name: String?
    /// Its place among the feed's sections, from 0.
    public let position: Int
    /// How many items of it the upstream has.
    public let itemCount: Int
    let store: Store
}

extension Store {
    /// The feed's sections in feed order.
    ///
    /// - Throws: `FeedError` of kind `store`.
    public func sections(of feed: String) throws(FeedError) -> [Section] { [] }
}
