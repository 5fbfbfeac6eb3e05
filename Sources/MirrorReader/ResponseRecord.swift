internal import SQLite

/// The response at which a feed's run failed last.
package struct ResponseRecord: Sendable, JSONRecord {
    package let feed: String
    /// The time at which the run failed.
    package let at: String
    package let run: Int
    package let error: FeedSyncError
    package let response: FailedResponse

    package var fields: JSONFields {
        [
            "feed": feed,
            "at": at,
            "run": run,
            "error": error,
            "url": response.url,
            "http_status": response.status,
            "headers": response.headers,
            "body": response.body,
            "byte_count": response.byteCount,
        ]
    }
}

extension ResponseRecord {
    init(_ row: RecordRow) throws {
        feed = try row.textOrEmpty("feed")
        at = try row.textOrEmpty("at")
        run = try row.id("run")
        error = FeedSyncError(stored: try row.textOrEmpty("error"))
        response = FailedResponse(
            status: try row.count("http_status"), url: try row.textOrEmpty("url"),
            headers: Self.headers(try row.textOrEmpty("headers")), body: try row.textOrEmpty("body"),
            byteCount: try row.count("byte_count"))
    }

    private static func headers(_ text: String) -> [NamedValue] {
        let fields = try? JSONValue(parsing: text).elements
        return (fields ?? []).compactMap { field in
            guard let name = field.members?["name"]?.text, let value = field.members?["value"]?.text else { return nil }
            return NamedValue(name: name, value: value)
        }
    }
}

extension Store {
    /// The response at which a feed's run failed last; nil if there was none, or if it is older than the kept history.
    package func failedResponse(of feed: String) throws(FeedSyncError) -> ResponseRecord? {
        try records("SELECT * FROM _response WHERE feed = ?", [.text(feed)], read: ResponseRecord.init).first
    }
}
