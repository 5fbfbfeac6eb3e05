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

    /// A column that items are sorted by.
    package struct Order: Sendable {
        package let column: String
        package let isDescending: Bool

        package init(column: String, isDescending: Bool) {
            self.column = column
            self.isDescending = isDescending
        }
    }

    package init(feed: String) {
        self.feed = feed
    }
}
