/// The numbers that events and changes have in a copy that is only read: they grow in the order of commits, across all feeds.
///
/// In PostgreSQL, each worker numbers what it stores by itself. A number follows from the transaction, so that a later copy of the
/// same store gives the same ones, but for what was committed at the same moment.
final class LogNumbers {
    private var last: Int64 = 0

    /// So many rows of one transaction have numbers before those of the next one.
    private static let room: Int64 = 1_024
    /// What leaves room to count on.
    private static let latest: Int64 = 1 << 52

    /// The next number.
    ///
    /// - Parameter transaction: In which the row was stored.
    func next(in transaction: Int64) -> Int64 {
        last = max(last + 1, min(max(transaction, 0), Self.latest) * Self.room)
        return last
    }
}
