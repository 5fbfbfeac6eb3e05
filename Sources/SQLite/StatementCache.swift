/// Compiled statements by their text.
///
/// They are found by the length of the text: to hash all of it costs more than to run many a statement, and to make the
/// type of a dictionary costs a tenth of the time in which a process starts.
struct StatementCache {
    /// The number of statements kept. One more clears the cache, because so many texts are not fixed ones.
    private static let limit = 128
    private static let bucketCount = 64

    private var buckets: [[(length: Int, sql: String, statement: Statement)]] = Array(repeating: [], count: bucketCount)
    private var count = 0

    /// The statement of this text.
    subscript(sql: String) -> Statement? {
        let length = sql.utf8.count
        for kept in buckets[length % Self.bucketCount] where kept.length == length && kept.sql == sql {
            return kept.statement
        }
        return nil
    }

    /// Keeps a statement of which there is none yet.
    mutating func add(_ statement: Statement, _ sql: String) {
        if count >= Self.limit { self = StatementCache() }
        let length = sql.utf8.count
        buckets[length % Self.bucketCount].append((length, sql, statement))
        count += 1
    }
}
