internal import SQLite

/// The numbers that feedsync itself wrote: counts, places, totals. Rows' ids and the items' own values are not of them.
///
/// Somebody may have changed the store by hand, and what is worked out from the last number there is would trap. Within
/// these bounds, thousands of such numbers can be added up.
extension Statement {
    /// The furthest from 0 that a number of ours is taken to be.
    private static var furthest: Int64 { 1 << 50 }

    /// A number of ours, held within the bounds.
    func number(at index: Int) -> Int64 { min(max(int64(at: index), -Self.furthest), Self.furthest) }

    /// A number of ours that counts something: 0 at least.
    func count(at index: Int) -> Int { Int(clamping: max(number(at: index), 0)) }

    /// The same; nil for NULL.
    func countIfAny(at index: Int) -> Int? { isNull(at: index) ? nil : count(at: index) }

    /// A place, from two columns that stand side by side.
    func place(at index: Int) -> Place { Place(generation: number(at: index), position: number(at: index + 1)) }
}

extension Connection {
    /// The first column of the first row, as a count of ours; 0 if there is no row.
    func count(_ sql: String, _ values: Value...) throws -> Int {
        var count = 0
        try rows(sql, values) { row in count = row.count(at: 0) }
        return count
    }
}
