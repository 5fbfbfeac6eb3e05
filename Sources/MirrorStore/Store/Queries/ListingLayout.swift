internal import SQLite

/// What is in a row of a listing: the model's columns, those that every feed has, the key's, and perhaps the raw item.
struct ListingLayout {
    /// The model's columns.
    let columns: [RowColumn]
    /// The names of the columns that make the key.
    let key: [String]
    let hasRaw: Bool

    /// The names of all, in their order.
    var names: [String] {
        columns.map(\.name) + PlaceColumn.allCases.map(\.rawValue) + key + (hasRaw ? ["_raw"] : [])
    }

    private var keyStart: Int { columns.count + PlaceColumn.allCases.count }

    /// The key as JSON.
    func key(of row: Statement) -> String { RowKey.text(row, from: keyStart, count: key.count) }

    /// Where the item stands in its feed.
    func place(of row: Statement) -> Place { row.place(at: columns.count + 1) }

    /// The item's JSON as it was received; nil where it was not asked for, or is not kept.
    func raw(of row: Statement) -> String? { hasRaw ? row.text(at: keyStart + key.count) : nil }
}

/// What is made of the rows of a listing.
protocol ListingResult: Sendable {
    /// One of nothing.
    init()

    /// Whether further items follow these.
    var hasMore: Bool { get set }

    /// Takes note of what is in a row, before the first one.
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
