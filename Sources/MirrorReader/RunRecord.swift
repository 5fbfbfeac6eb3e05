/// One command on one feed, from start to outcome: a row of table `run`.
///
/// A time is also nil if the store has an invalid one.
public struct RunRecord: Sendable, Hashable {
    /// The run's number; of the runs of one process, later ones have greater numbers.
    public let id: Int
    /// The feed's name.
    public let feed: String
    /// The command's name.
    public let command: String
    /// The time at which it started.
    public var startedAt: Timestamp? { Timestamp(startedAtText) }
    package let startedAtText: String
    /// The time at which it ended; nil while it is running, or if its process died first.
    public var finishedAt: Timestamp? { finishedAtText.flatMap { Timestamp($0) } }
    package let finishedAtText: String?
    /// Its outcome; nil while `finishedAt` is.
    public let outcome: RunOutcome?
    /// True if its crawl reached its end, undrifted.
    public let isComplete: Bool
    /// True if it was proved that no item is missing.
    public let isVerified: Bool
    /// The reason why the crawl is incomplete; nil if it is complete.
    public let reason: IncompleteReason?
    /// The number of committed pages.
    public let pages: Int
    /// The number of requests, including failed ones.
    public let requests: Int
    /// The number of bytes received, as transferred.
    public let bytes: Int
    /// The counts of its items.
    public let items: ItemCounts
    /// Its error; nil if it did not fail.
    public let error: FeedSyncError?

    init(_ row: RecordRow) throws {
        id = try row.id("id")
        feed = try row.textOrEmpty("feed")
        command = try row.textOrEmpty("command")
        startedAtText = try row.textOrEmpty("started_at")
        finishedAtText = try row.text("finished_at")
        outcome = try row.word("outcome")
        isComplete = try row.flag("complete")
        isVerified = try row.flag("verified")
        reason = try row.word("reason")
        pages = try row.count("pages")
        requests = try row.count("requests")
        bytes = try row.count("bytes")
        items = try row.itemFigures()
        error = try row.text("error").map(FeedSyncError.init(stored:))
    }

    package var fields: JSONFields {
        Self.fields(
            id: id, feed: feed, command: command, startedAt: startedAtText, finishedAt: finishedAtText,
            outcome: outcome,
            isComplete: isComplete, isVerified: isVerified, reason: reason, pages: pages, requests: requests,
            bytes: bytes, items: items, error: error)
    }

    /// The table's columns, of a run that may not have been stored.
    package static func fields(
        id: Int?, feed: String, command: String, startedAt: String? = nil, finishedAt: String? = nil,
        outcome: RunOutcome?, isComplete: Bool = false, isVerified: Bool = false, reason: IncompleteReason? = nil,
        pages: Int = 0, requests: Int = 0, bytes: Int = 0, items: ItemCounts = ItemCounts(), error: FeedSyncError?
    ) -> JSONFields {
        let run: JSONFields = [
            "id": id,
            "feed": feed,
            "command": command,
            "started_at": startedAt,
            "finished_at": finishedAt,
            "outcome": outcome?.rawValue,
            "complete": isComplete,
            "verified": isVerified,
            "reason": reason?.rawValue,
            "pages": pages,
            "requests": requests,
            "bytes": bytes,
        ]
        return run + items.fields + ["error": error]
    }
}

extension RunRecord: JSONRecord {}
