/// The numbers of events and changes in a read-only copy: they grow in the order of commits, across all feeds.
///
/// In PostgreSQL, each worker numbers its own rows. A number here is computed from the transaction, so that a later
/// copy of the same store gives the same ones, except for rows committed at the same moment.
final class LogNumbers {
    /// The last number of each log.
    private var last: [String: Int64] = [:]

    /// The number of a transaction's rows that get numbers before those of the next one.
    private static let room: Int64 = 1_024
    /// The largest number that leaves room for later ones.
    private static let latest: Int64 = 1 << 52

    /// The next number.
    ///
    /// - Parameters:
    ///   - transaction: In which the row was stored.
    ///   - log: The table of the row.
    func next(in transaction: Int64, of log: String) -> Int64 {
        let next = max((last[log] ?? 0) + 1, min(max(transaction, 0), Self.latest) * Self.room)
        last[log] = next
        return next
    }
}
