internal import SQLite

/// The columns of a listing's row: the model's, those of every feed, the key's, and perhaps the raw item.
struct ListingLayout {
    /// The model's columns.
    let columns: [RowColumn]
    /// The names of the key's columns.
    let key: [String]
    let hasRaw: Bool

    /// The names of all columns, in their order.
    var names: [String] {
        columns.map(\.name) + PlaceColumn.allCases.map(\.rawValue) + key + (hasRaw ? ["_raw"] : [])
    }

    private var keyStart: Int { columns.count + PlaceColumn.allCases.count }

    /// The key as JSON.
    func key(of row: Statement) -> String { RowKey.text(row, from: keyStart, count: key.count) }

    /// The item's place in the feed.
    func place(of row: Statement) -> Place { row.place(at: columns.count + 1) }

    /// The item's JSON as received; nil if it was not requested, or is not kept.
    func raw(of row: Statement) -> String? { hasRaw ? row.text(at: keyStart + key.count) : nil }
}

/// A result made from the rows of a listing.
protocol ListingResult: Sendable {
    /// Creates an empty result.
    init()

    /// True if further items follow these.
    var hasMore: Bool { get set }

    /// Receives the columns of the rows, before the first one.
    mutating func begin(_ layout: ListingLayout)

    /// Takes a row.
    mutating func take(_ row: Statement)
}

extension Listing: ListingResult {
    mutating func begin(_ layout: ListingLayout) {
        self.layout = layout
        columns = layout.columns
    }

    mutating func take(_ row: Statement) {
        guard let layout else { return }
        items.append(
            Item(
                key: layout.key(of: row), row: StoredRow(row, columnCount: columns.count), raw: layout.raw(of: row)))
    }
}
