internal import SQLite

extension FailedResponse {
    /// Keeps the response in place of the previous one.
    func keep(
        at now: String, run: Int64, error: FeedSyncError, of feed: String,
        on connection: Connection
    ) throws {
        try connection.run(
            """
            INSERT OR REPLACE INTO _response (feed, at, run, error, url, http_status, headers, body, byte_count)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, .text(feed), .text(now), .integer(run), .text(error.json), .text(url),
            Value(status), .text(headers.json), .text(body), Value(byteCount))
    }
}
