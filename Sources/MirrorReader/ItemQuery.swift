package import Text

/// The items of a feed to read, with their columns and their order.
package struct ItemQuery: Sendable {
    /// The feed's name.
    package var feed: String
    /// The columns' names; nil for all. A listing has the model's columns among them, in the model's order.
    package var columns: [String]?
    /// The section's name, where `.some(nil)` are the items without one; nil for all sections.
    package var section: String??
    /// A condition in SQL.
    package var condition: String?
    /// Only items that were stored or changed at this time or later, as the store writes times.
    package var since: String?
    /// The time whose items are read, as the store writes times; nil for those of now.
    package var time: String?
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
    /// Columns that sort the items, before feed order.
    package var order: [ItemOrder] = []
    /// The number of items to pass over.
    package var offset = 0
    /// The maximum number of items; nil for all.
    package var limit: Int?
    /// The most characters of a text in a listing; nil for all. A key is never cut.
    package var textLimit: Int?
    /// The number of bytes at which a listing takes no further item. Without it, one as JSON ends as an answer does,
    /// and any other has all items.
    package var byteLimit: Int?
    /// True to include the item's JSON as received in a listing.
    package var wantsRaw = false
    /// True to include removed items.
    package var includesRemoved = false

    /// The number of bytes at which an answer for programs ends, with the rest to come.
    package static let mostBytesOfAnswer = 16 << 20

    package init(feed: String, limit: Int? = nil) {
        (self.feed, self.limit) = (feed, limit)
    }

    /// The maximum number of items of a listing, in a range that SQLite takes.
    var mostListed: Int { max(0, min(limit ?? .max, Int(Int32.max))) }

    /// True if the items follow each other in the feed's order, from a place or a section's beginning on.
    var isInFeedOrder: Bool {
        condition == nil && since == nil && time == nil && words == nil && indexedWords == nil && keys == nil
            && filters.isEmpty && order.isEmpty && offset == 0 && !includesRemoved
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
