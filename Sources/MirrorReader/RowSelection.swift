internal import SQLite

/// The SELECT of columns of a feed's rows, without conditions: named columns, those that every feed has, the key's, and
/// the raw item.
struct RowSelection: Sendable {
    /// The named columns.
    let columns: [RowColumn]
    /// The columns that every feed has.
    private let placeColumns: [PlaceColumn]
    /// The names of the key's columns.
    let key: [String]
    private let hasRaw: Bool
    /// The number of bytes at which a listing takes no further item; nil for any.
    var byteLimit: Int?
    /// The statement, without conditions.
    let sql: String

    /// - Parameters:
    ///   - table: The table's name in SQL.
    ///   - textLimit: The most characters of a named column's text; nil for all.
    init(
        _ columns: [RowColumn], hasPlace: Bool, key: [String], hasRaw: Bool, textLimit: Int?, from table: String
    ) throws {
        placeColumns = hasPlace ? PlaceColumn.allCases : []
        (self.columns, self.key, self.hasRaw) = (columns, key, hasRaw)
        var parts = try columns.map { column in
            let name = try SQL.identifier(column.name)
            // One text of megabytes takes as much as a page of others.
            guard let textLimit else { return name }
            return "CASE typeof(\(name)) WHEN 'text' THEN substr(\(name), 1, \(textLimit)) ELSE \(name) END"
        }
        parts += try (placeColumns.map(\.rawValue) + key).map { try SQL.identifier($0) }
        if hasRaw { parts.append("_raw") }
        sql = "SELECT \(parts.isEmpty ? "NULL" : parts.joined(separator: ", ")) FROM \(table)"
    }

    private var keyStart: Int { columns.count + placeColumns.count }

    /// The values of the named columns.
    func values(of row: Statement) -> [StoredValue] { columns.indices.map { StoredValue(row.value(at: $0)) } }

    /// The key as JSON.
    func key(of row: Statement) -> String { RowKey.text(row, from: keyStart, count: key.count) }

    /// The key in the form of the store's logs.
    func loggedKey(of row: Statement) -> Value {
        key.count == 1 ? row.value(at: keyStart) : .text(self.key(of: row))
    }

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

    /// True if it has so many bytes that it takes no further row.
    var isFull: Bool { get }

    /// Receives the columns of the rows, before the first one.
    mutating func begin(_ selection: RowSelection)

    /// Takes a row.
    mutating func take(_ row: Statement)
}

extension Listing: ListingResult {
    var isFull: Bool { selection?.byteLimit.map { byteCount >= $0 } ?? false }

    mutating func begin(_ selection: RowSelection) {
        self.selection = selection
        columns = selection.columns
    }

    mutating func take(_ row: Statement) {
        guard let selection else { return }
        let item = Item(
            key: selection.key(of: row), row: StoredRow(row, columnCount: columns.count), raw: selection.raw(of: row))
        items.append(item)
        if selection.byteLimit != nil { byteCount += item.row.values.reduce(0) { $0 + $1.byteCount } }
    }
}

extension StoredValue {
    /// The number of bytes of its text, or about as many.
    fileprivate var byteCount: Int {
        switch self {
        case .null, .integer, .real: 8
        case .text(let text): text.utf8.count
        case .blob(let bytes): bytes.count * 2
        }
    }
}
