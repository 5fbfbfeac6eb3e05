package import SQLite

/// Numbers that feedsync itself wrote: counts, places, totals. Row ids and the items' own values are not among them.
///
/// A store may be changed by hand, and arithmetic with the largest possible number would trap. Within these bounds,
/// thousands of such numbers can be added.
extension Statement {
    /// The largest magnitude that a number of ours may have.
    private static var furthest: Int64 { 1 << 50 }

    /// A number of ours, limited to the bounds.
    package func number(at index: Int) -> Int64 { min(max(int64(at: index), -Self.furthest), Self.furthest) }

    /// A number of ours that counts something: at least 0.
    package func count(at index: Int) -> Int { Int(clamping: max(number(at: index), 0)) }

    /// The same; nil for NULL.
    package func countIfAny(at index: Int) -> Int? { isNull(at: index) ? nil : count(at: index) }

    /// A place, from two neighbouring columns.
    package func place(at index: Int) -> Place { Place(generation: number(at: index), position: number(at: index + 1)) }
}

extension Connection {
    /// The first column of the first row, as a count of ours; 0 if there is no row.
    package func count(_ sql: String, _ values: Value...) throws -> Int {
        try first(sql, values) { $0.count(at: 0) } ?? 0
    }
}
