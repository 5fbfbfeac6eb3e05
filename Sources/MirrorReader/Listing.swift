/// Some items of a feed, in feed order, as a page of a list shows them.
package struct Listing: Sendable {
    /// An item with its key.
    package struct Item: Sendable, Hashable {
        /// The key as JSON: a value, or an array of several.
        package let key: String
        /// Its row; the values are in the order of the listing's `columns`.
        package let row: StoredRow
        /// Its JSON as received, if it was requested and is kept.
        package let raw: String?

        /// Its place in the feed.
        package var place: Place { Place(generation: Int64(row.generation), position: Int64(row.position)) }
    }

    /// The model's columns; empty while no page is stored.
    package internal(set) var columns: [RowColumn] = []
    /// The items.
    package internal(set) var items: [Item] = []
    /// True if further items follow these.
    package internal(set) var hasMore = false
    /// The columns of the rows from which it is made.
    var selection: RowSelection?
    /// The bytes of the values, where the query limits them.
    var byteCount = 0

    /// Creates an empty listing.
    package init() {}

    /// Creates a listing of items that are not stored.
    ///
    /// - Parameter rows: The values of each, in the order of the columns.
    package init(columns: [RowColumn], unstored rows: [[StoredValue]]) {
        self.columns = columns
        items = rows.enumerated().map { place, values in
            Item(key: "\(place)", row: StoredRow(unstored: values, position: place), raw: nil)
        }
    }
}
