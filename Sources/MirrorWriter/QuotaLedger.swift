internal import SQLite

/// The hosts' quotas, for every process that uses the store.
enum QuotaLedger {
    /// Keeps readings, each after the stored one of its quota: responses are stored in any order.
    static func keep(_ readings: [QuotaReading], on connection: Connection) throws {
        for reading in readings {
            let latest = try stored(reading.quota, on: connection).map(reading.later) ?? reading
            try connection.run(
                """
                INSERT OR REPLACE INTO _quota (origin, credential, resource, remaining, reset_at, blocked_until)
                VALUES (?, ?, ?, ?, ?, ?)
                """, .text(latest.origin), Value(latest.credential), .text(latest.resource), Value(latest.remaining),
                Value(latest.resetAt.flatMap { Timestamp(sinceEpoch: $0)?.text }),
                Value(latest.blockedUntil.flatMap { Timestamp(sinceEpoch: $0)?.text }))
        }
    }

    /// The stored reading of a quota.
    static func stored(_ quota: QuotaReading.Quota, on connection: Connection) throws -> QuotaReading? {
        try connection.first(
            """
            SELECT remaining, reset_at, blocked_until FROM _quota WHERE origin = ? AND credential = ? AND resource = ?
            """, [.text(quota.origin), Value(quota.credential), .text(quota.resource)]
        ) { row -> QuotaReading? in
            let second = { row.text(at: $0).flatMap { Timestamp($0) }?.seconds }
            return QuotaReading(
                origin: quota.origin, credential: quota.credential, resource: quota.resource,
                remaining: row.isNull(at: 0) ? nil : row.int64(at: 0), resetAt: second(1), blockedUntil: second(2))
        }
    }

    /// Records the quota that a feed's requests count against.
    static func count(_ feed: String, against quota: QuotaReading.Quota, on connection: Connection) throws {
        try connection.run(
            "UPDATE \(ListTables(of: feed).state) SET quota_origin = ?, quota_credential = ?, resource = ? WHERE feed = ?",
            .text(quota.origin), Value(quota.credential), .text(quota.resource), .text(feed))
    }

    /// Records the host and the credential of a feed's requests. Only a response says which of the host's resources they
    /// count against.
    static func count(_ feed: String, at origin: String, _ credential: Int64, on connection: Connection) throws {
        try connection.run(
            "UPDATE \(ListTables(of: feed).state) SET quota_origin = ?, quota_credential = ? WHERE feed = ?",
            .text(origin), Value(credential), .text(feed))
    }

    /// The time before which the host accepts no request of this feed's kind, in seconds since 1970; nil if it accepts
    /// them.
    static func blockedUntil(
        origin: String, credential: Int64, feed: String, now: String, on connection: Connection
    ) throws -> Int64? {
        // The `+` keeps SQLite from building a table of the two names each time.
        let blocks = try connection.all(
            """
            SELECT blocked_until FROM _quota WHERE origin = ? AND credential = ? AND blocked_until > ?
                AND (+resource = '' OR +resource = (SELECT resource FROM \(ListTables(of: feed).state) WHERE feed = ?))
            """, [.text(origin), Value(credential), .text(now), .text(feed)]
        ) { row in row.text(at: 0).flatMap { Timestamp($0) } }
        // Blocks are rare.
        guard !blocks.isEmpty, let now = Timestamp.milliseconds(of: now) else { return nil }
        let horizon = FeedHistory.horizon(at: now) / 1_000
        return blocks.map(\.seconds).filter { $0 <= horizon }.max()
    }
}

/// The quota of a run's requests: the readings of their responses, and the hosts that accept no request.
///
/// - Isolation: the store's.
package final class RunQuota {
    private let feed: String
    private let transactions: Transactions
    /// The last host that was found to accept requests, and the time at which it is looked up again.
    private var freeHost: (host: FreeHost, until: ContinuousClock.Instant)?
    /// The host that accepts no request of the run, with the credential that it accepts again first; nil if the host
    /// that was looked up last accepts them.
    private var blockedHost: (origin: String, credential: Int64)?

    init(of feed: String, in transactions: Transactions) {
        self.feed = feed
        self.transactions = transactions
    }

    /// A host that accepts requests.
    private struct FreeHost: Equatable {
        let origin: String
        let credentials: [Int64]
        /// The number of this process's quota readings when it was looked up.
        let readings: Int
    }

    /// Records the quota readings of responses, and the quota that the feed's next request counts against. Part of the
    /// caller's transaction.
    func record(_ readings: [QuotaReading]) throws {
        guard let last = readings.last else { return }
        blockedHost = nil
        transactions.quotaReadings.count += 1
        try QuotaLedger.keep(readings, on: transactions.connection)
        try QuotaLedger.count(feed, against: last.nextQuota, on: transactions.connection)
    }

    /// Records the host that accepts no request, for a run that ends without a response of it: the feed is due when the
    /// host accepts requests again. Part of the caller's transaction.
    func recordBlock() throws {
        guard let (origin, credential) = blockedHost else { return }
        try QuotaLedger.count(feed, at: origin, credential, on: transactions.connection)
    }

    /// The times before which a host accepts no request with each of these credentials, in seconds since 1970.
    ///
    /// The store is read again after a second, because of other processes, and after each quota reading of this one.
    package func blockedUntil(_ origin: String, _ credentials: [Int64], now: String) throws -> [Int64?] {
        let host = FreeHost(origin: origin, credentials: credentials, readings: transactions.quotaReadings.count)
        if let known = freeHost, known.host == host, .now < known.until { return credentials.map { _ in nil } }
        let ends = try credentials.map { credential in
            try QuotaLedger.blockedUntil(
                origin: origin, credential: credential, feed: feed, now: now, on: transactions.connection)
        }
        freeHost = ends.allSatisfy { $0 == nil } ? (host, .now + .seconds(1)) : nil
        let blocks = zip(credentials, ends).compactMap { credential, end in end.map { (credential, end: $0) } }
        let first = blocks.count == credentials.count ? blocks.min { $0.end < $1.end } : nil
        blockedHost = first.map { (origin, $0.0) }
        return ends
    }
}

/// The number of quota readings that the open store has recorded, by which a run sees that its last look is outdated.
///
/// - Isolation: the store's.
final class QuotaReadingCount {
    var count = 0
}

extension Transactions {
    var quotaReadings: QuotaReadingCount { attachment(QuotaReadingCount.init) }
}
