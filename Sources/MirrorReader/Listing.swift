package import Text

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
    /// The layout of the rows from which it is made.
    var layout: ListingLayout?

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

/// The items to list.
package struct ListingQuery: Sendable {
    /// The feed's name.
    package let feed: String
    /// The names of the requested columns; nil for all.
    package var columns: Set<String>?
    /// The section's name, where `.some(nil)` are the items without one; nil for all sections.
    package var section: String??
    /// Only items after this place.
    package var after: Place?
    /// Only items that have each of these words in one of the columns.
    package var words: (text: SearchText, columns: [String])?
    /// Only items that have all these words, by the feed's full-text index.
    package var indexedWords: SearchText?
    /// Only the items of these keys, each as JSON.
    package var keys: [String]?
    /// Only items that fulfil each of these.
    package var filters: [ColumnFilter] = []
    /// The columns that sort the items, before feed order.
    package var order: [ItemQuery.Order] = []
    /// The number of items to pass over.
    package var offset = 0
    /// The maximum number of items.
    package var limit: Int
    /// The most characters of a text; nil for all. A key is never cut.
    package var textLimit: Int?
    /// True to include the item's JSON as received.
    package var wantsRaw = false
    /// True to include removed items.
    package var includesRemoved = false

    package init(feed: String, limit: Int) {
        (self.feed, self.limit) = (feed, limit)
    }
}
