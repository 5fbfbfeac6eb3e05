internal import SQLite

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

    /// The section as a JSON object with the view's column names.
    public var json: String {
        var object = JSONObjectText()
        object.add("feed", feed)
        object.add("name", name)
        object.add("position", position)
        object.add("item_count", itemCount)
        return object.text
    }
}

extension Store {
    /// The feed's sections in feed order; a feed that groups nothing has one, without a name.
    ///
    /// - Throws: `FeedError` of kind `store`.
    public func sections(of feed: String) throws(FeedError) -> [Section] {
        try records("SELECT * FROM section WHERE feed = ? ORDER BY position", [.text(feed)]) { row in
            Section(
                feed: try row.requiredText("feed"), name: try row.text("name"), position: try row.count("position"),
                itemCount: try row.count("item_count"), store: self)
        }
    }
}
