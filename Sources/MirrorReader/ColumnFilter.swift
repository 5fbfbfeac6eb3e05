internal import SQLite

/// A condition on a column, as a person writes it: `stars > 100`, `created_at 2026-11`, `name ~ swift`.
public struct ColumnFilter: Sendable, Hashable {
    /// The comparison of the column with the value.
    public enum Comparison: String, Sendable, CaseIterable {
        /// At least the value.
        case atLeast = ">="
        /// At most the value.
        case atMost = "<="
        /// Another value, or none.
        case unequal = "!="
        /// More than the value.
        case above = ">"
        /// Less than the value.
        case below = "<"
        /// The value.
        case equal = "="
        /// A part of the text, whatever its case.
        case contains = "~"
    }

    /// The column's name.
    public let column: String
    /// The comparison.
    public let comparison: Comparison
    /// The value as text. In a column of times, a year, a day or a second means all of it, in UTC unless a zone is
    /// named. So does a month, a day or a second in a column of texts, as far as the texts begin with it. An empty text
    /// means NULL.
    public let value: String

    /// A condition such as `ColumnFilter("stars", .above, "100")`.
    public init(_ column: String, _ comparison: Comparison, _ value: String) {
        (self.column, self.comparison, self.value) = (column, comparison, value)
    }

    /// Reads a filter; nil if it does not begin with a column's name and a comparison or a space.
    ///
    /// - Parameter columns: The names of the columns, of which the longest that fits is meant.
    package init?(_ text: String, columns: some Sequence<String>) {
        let text = text.drop { $0 == " " }
        let name = columns.filter { text.hasPrefix($0) }.max { $0.utf8.count < $1.utf8.count }
        guard let name, text.utf8.count <= 1_000 else { return nil }
        let rest = text.dropFirst(name.count)
        let words = rest.drop { $0 == " " }
        let comparison = Comparison.allCases.first { words.hasPrefix($0.rawValue) }
        guard comparison != nil || rest.hasPrefix(" ") && !words.isEmpty else { return nil }
        var value = words.dropFirst(comparison?.rawValue.count ?? 0).drop { $0 == " " }
        while value.hasSuffix(" ") { value.removeLast() }
        self.init(name, comparison ?? .equal, String(value))
    }

    /// The filter as it is written.
    package var text: String { "\(column) \(comparison.rawValue) \(value)" }

    /// The condition in SQL with its values.
    func sql(_ type: ColumnType?) throws -> (text: String, values: [Value]) {
        let name = try SQL.identifier(column)
        if comparison == .contains { return ("_has_text(\(name), ?)", [.text(value)]) }
        if value.isEmpty {
            return ("\(name) IS \(comparison == .unequal ? "NOT " : "")NULL", [])
        }
        if type == .boolean, let truth = Self.truth(value) { return Self.compared(name, comparison, .integer(truth)) }
        if type == .timestamp {
            return Self.period(name, comparison, Timestamp.storedBeginning(of: value) ?? value)
        }
        // A column of texts or without a type has times, too, as the upstream writes them.
        if type == nil || type == .text, Self.isMonth(value) { return Self.period(name, comparison, value) }
        // Any text is above any number, which nobody means.
        if type != .text, type != .json, let number = Self.number(value) {
            let (text, values) = Self.compared(name, comparison, number)
            // A text, or none, is another value.
            guard comparison != .unequal else { return (text, values) }
            return ("(\(text) AND typeof(\(name)) IN ('integer', 'real'))", values)
        }
        return Self.compared(name, comparison, .text(value))
    }

    private static func compared(
        _ name: String, _ comparison: Comparison, _ value: Value
    ) -> (text: String, values: [Value]) {
        // NULL is not equal to anything, too.
        let word = comparison == .unequal ? "IS NOT" : comparison.rawValue
        return ("\(name) \(word) ?", [value])
    }

    /// A time means the whole year, month, day, hour, minute or second, as far as it is written.
    private static func period(
        _ name: String, _ comparison: Comparison, _ value: String
    ) -> (text: String, values: [Value]) {
        let (first, behind) = (Value.text(value), Value.text(value + "\u{10FFFF}"))
        return switch comparison {
        case .equal, .contains: ("(\(name) >= ? AND \(name) < ?)", [first, behind])
        case .unequal: ("(\(name) < ? OR \(name) >= ? OR \(name) IS NULL)", [first, behind])
        case .above: ("\(name) >= ?", [behind])
        case .atLeast: ("\(name) >= ?", [first])
        case .below: ("\(name) < ?", [first])
        case .atMost: ("\(name) < ?", [behind])
        }
    }

    /// True if a text begins with a year and a month, as in 2026-11.
    private static func isMonth(_ text: String) -> Bool {
        let parts = text.utf8.prefix(7).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return parts.map(\.count) == [4, 2] && parts.joined().allSatisfy(digits.contains)
            && [nil, UInt8(ascii: "-")].contains(text.utf8.dropFirst(7).first)
    }

    private static func truth(_ text: String) -> Int64? {
        switch text.lowercased() {
        case "yes", "true", "1": 1
        case "no", "false", "0": 0
        default: nil
        }
    }

    private static func number(_ text: String) -> Value? {
        if let integer = Int64(text) { return .integer(integer) }
        guard let real = Double(text), real.isFinite else { return nil }
        return .real(real)
    }
}

/// The most frequent values of a column, with their numbers of items.
package struct Facet: Sendable {
    package let column: RowColumn
    package let values: [(value: StoredValue, count: Int)]
}

extension Store {
    /// The values of those columns that have few, each among the items that a query matches.
    package func facets(_ query: ItemQuery, of names: [String], most: Int) throws(FeedSyncError) -> [Facet] {
        try storing {
            guard let source = try FeedRows(query.feed, at: query.time, on: connection),
                let conditions = try source.conditions(query)
            else { return [] }
            var facets: [Facet] = []
            for column in source.columns where names.contains(column.name) {
                let name = try SQL.identifier(column.name)
                let found = try connection.all(
                    "SELECT \(name), count(*) FROM \(source.table)\(conditions.sql) GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?",
                    conditions.values + [Value(most + 1)]
                ) { row in (value: StoredValue(row.value(at: 0)), count: row.count(at: 1)) }
                if (2...most).contains(found.count) { facets.append(Facet(column: column, values: found)) }
            }
            return facets
        }
    }
}
