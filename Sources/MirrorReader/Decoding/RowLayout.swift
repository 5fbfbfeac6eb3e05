/// The property of a struct for each column of a table; made once for all rows.
struct RowLayout: Sendable {
    /// The model's columns, then those that every feed has.
    let names: [String]
    /// The model's columns that hold JSON text.
    private let isJSON: [Bool]
    private let indexes: [String: Int]

    init(_ columns: [RowColumn]) {
        names = columns.map(\.name) + PlaceColumn.allCases.map(\.rawValue)
        isJSON = columns.map { $0.type == .json }
        indexes = Dictionary(
            names.enumerated().map { ($1, $0) } + names.enumerated().map { ($1.camelCased, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The index of a property's column.
    func index(_ property: String) -> Int? { indexes[property] }

    /// The name of a property's column; the property's own if it has none.
    func column(_ property: String) -> String { index(property).map { names[$0] } ?? property }

    func value(at index: Int, of row: StoredRow) -> DecodedValue {
        let stored = stored(at: index, of: row)
        if index < isJSON.count, isJSON[index], case .text(let text) = stored, let json = try? JSONValue(parsing: text)
        {
            return .jsonColumn(text, json)
        }
        return .column(stored)
    }

    func stored(at index: Int, of row: StoredRow) -> StoredValue {
        index < row.values.count ? row.values[index] : row[PlaceColumn.allCases[index - row.values.count]]
    }
}

/// Named values: a row or a JSON object.
protocol DecodedMembers {
    /// The stored names.
    var names: [String] { get }
    /// The value of a property's column; nil if it has none.
    func value(_ property: String) -> DecodedValue?
}

/// A row as named values.
struct RowMembers: DecodedMembers {
    let layout: RowLayout
    let row: StoredRow

    var names: [String] { layout.names }

    func value(_ property: String) -> DecodedValue? {
        layout.index(property).map { layout.value(at: $0, of: row) }
    }

    func stored(_ column: String) -> StoredValue? {
        layout.index(column).map { layout.stored(at: $0, of: row) }
    }
}

/// A JSON object as named values.
struct JSONMembers: DecodedMembers {
    private let members: JSONObject
    private let camelCased: [String: JSONValue]

    init(_ members: JSONObject) {
        self.members = members
        // Of names with the same camel case, the first one in order, so that every run finds the same one.
        camelCased = Dictionary(
            members.sorted { $0.name < $1.name }.map { ($0.name.camelCased, $0.value) },
            uniquingKeysWith: { first, _ in first })
    }

    var names: [String] { members.names.sorted() }

    func value(_ property: String) -> DecodedValue? {
        (members[property] ?? camelCased[property]).map(DecodedValue.json)
    }
}

extension String {
    /// `full_name` as `fullName`; leading underscores stay.
    var camelCased: String {
        guard unicodeScalars.contains("_") else { return self }
        let front = prefix { $0 == "_" }
        let words = dropFirst(front.count).split(separator: "_")
        return words.dropFirst().reduce(front + (words.first ?? "")) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
            .description
    }
}
