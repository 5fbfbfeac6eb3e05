/// The items of a feed to read, with their columns and their order.
package struct ItemQuery: Sendable {
    /// The feed's name.
    package var feed: String
    /// The columns' names; nil for all.
    package var columns: [String]?
    /// The section's name, where `.some(nil)` are the items without one; nil for all sections.
    package var section: String??
    /// A condition in SQL.
    package var condition: String?
    /// Only items that were stored or changed at this time or later, as the store writes times.
    package var since: String?
    /// The time whose items are read, as the store writes times; nil for those of now.
    package var time: String?
    /// Columns that sort the items; none for feed order.
    package var order: [Order] = []
    /// The maximum number of items; nil for all.
    package var limit: Int?
    /// True to include removed items.
    package var includesRemoved = false

    package typealias Order = ItemOrder

    package init(feed: String) {
        self.feed = feed
    }
}

/// A column that items are sorted by.
public struct ItemOrder: Sendable, Hashable {
    /// The column's name.
    public let column: String
    /// True if the greatest value comes first.
    public let isDescending: Bool

    /// An order by a column; in ascending order if nothing else is said.
    public init(column: String, isDescending: Bool = false) {
        self.column = column
        self.isDescending = isDescending
    }
}
