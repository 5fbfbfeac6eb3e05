internal import SQLite

/// Some items of a feed as JSON objects with the table's column names, in feed order, for programs.
///
/// Values are written as SQLite has them, converted only to JSON.
package struct ListingText: Sendable {
    private var bytes = [UInt8(ascii: "[")]
    /// The end of each item but the last.
    private var itemEnds: [Int] = []
    /// The last item's place in the feed; nil without items.
    package private(set) var lastPlace: Place?
    /// The number of items.
    package private(set) var count = 0
    /// True if further items follow these.
    package internal(set) var hasMore = false
    private var selection: RowSelection?
    /// The text before each value, for all columns in one text.
    private var names: [UInt8] = []
    private var ends: [Int] = []
    /// The types of the columns, including those that every feed has.
    private var types: [ColumnType?] = []

    /// Creates an empty listing.
    package init() {}

    /// True if nothing of the feed is stored.
    package var isOfNothing: Bool { selection == nil }

    /// An array of the items, and a line feed.
    package var document: [UInt8] { bytes + Array("]\n".utf8) }

    /// Each item in a line of its own.
    package var lines: [UInt8] {
        guard count > 0 else { return [] }
        // JSON that an upstream sent may have line breaks; in JSON they stand between tokens alone.
        var lines = bytes.map { $0 == 10 || $0 == 13 ? UInt8(ascii: " ") : $0 }
        for end in itemEnds { (lines[end], lines[end + 1]) = (UInt8(ascii: " "), 10) }
        return lines.dropFirst() + [10]
    }
}

extension ListingText: ListingResult {
    var isFull: Bool { bytes.count >= selection?.byteLimit ?? ItemQuery.mostBytesOfAnswer }

    mutating func begin(_ selection: RowSelection) {
        self.selection = selection
        let own = PlaceColumn.allCases
        types = selection.columns.map(\.type) + own.map { _ in nil }
        for name in selection.columns.map(\.name) + own.map(\.rawValue) {
            names.append(UInt8(ascii: names.isEmpty ? "{" : ","))
            JSONText.append(name, to: &names)
            names.append(UInt8(ascii: ":"))
            ends.append(names.count)
        }
    }

    mutating func take(_ row: Statement) {
        guard let selection else { return }
        count += 1
        if lastPlace != nil {
            itemEnds.append(bytes.count)
            bytes.append(contentsOf: Self.separator)
        }
        names.withUnsafeBufferPointer { names in
            var before = 0
            for index in ends.indices {
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: names[before..<ends[index]]))
                before = ends[index]
                append(row, at: index)
            }
        }
        bytes.append(UInt8(ascii: "}"))
        lastPlace = selection.place(of: row)
    }

    private mutating func append(_ row: Statement, at index: Int) {
        switch (row.storageClass(at: index), types[index]) {
        case (.text, .json), (.integer, .boolean), (.real, _), (.blob, _):
            let column = RowColumn(name: "", type: types[index])
            bytes.append(contentsOf: column.json(StoredValue(row.value(at: index))).utf8)
        case (.text, _): row.withBytes(at: index) { JSONText.append(utf8: $0, to: &bytes) }
        case (.integer, _):
            var digits = String(row.int64(at: index))
            digits.withUTF8 { bytes.append(contentsOf: $0) }
        case (.null, _): bytes.append(contentsOf: Self.null)
        }
    }

    private static let separator = Array(",\n".utf8)
    private static let null = Array("null".utf8)
}
