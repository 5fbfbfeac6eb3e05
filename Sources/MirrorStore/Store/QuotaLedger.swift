internal import SQLite

/// What hosts said of their quotas, for every process that uses the store.
enum QuotaLedger {
    /// Keeps the last word on each quota. Part of the transaction that it is called in.
    static func record(_ readings: [QuotaReading], for feed: String, on connection: Connection) throws {
        for reading in readings {
            try connection.run(
                """
                INSERT INTO _quota (origin, credential, resource, remaining, reset_at, blocked_until)
                VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET remaining = excluded.remaining, reset_at = excluded.reset_at,
                    blocked_until = excluded.blocked_until
                """, .text(reading.origin), Value(reading.credential), .text(reading.resource),
                Value(reading.remaining),
                Value(reading.resetAt.flatMap { Timestamp(sinceEpoch: $0)?.text }),
                Value(reading.blockedUntil.flatMap { Timestamp(sinceEpoch: $0)?.text }))
        }
        if let last = readings.last {
            try connection.run(
                "UPDATE _feed SET quota_origin = ?, quota_credential = ?, resource = ? WHERE feed = ?",
                .text(last.origin), Value(last.credential), .text(last.resource), .text(feed))
        }
    }

    /// Until when the host wants no request of this feed's kind, in seconds since 1970; nil if it takes them.
    static func blockedUntil(
        origin: String, credential: Int64, feed: String, now: String, on connection: Connection
    ) throws -> Int64? {
        let horizon = Timestamp.milliseconds(of: now).flatMap {
            Timestamp(milliseconds: FeedHistory.horizon(at: $0))?.text
        }
        // The plus keeps SQLite from making a table of the two names each time.
        let text = try connection.scalar(
            """
            SELECT max(blocked_until) FROM _quota WHERE origin = ? AND credential = ? AND blocked_until > ?
                AND blocked_until <= ? AND (+resource = '' OR +resource = (SELECT resource FROM _feed WHERE feed = ?))
            """, .text(origin), Value(credential), .text(now), Value(horizon), .text(feed))?.text
        guard let text else { return nil }
        return Timestamp(text)?.seconds
    }
}
