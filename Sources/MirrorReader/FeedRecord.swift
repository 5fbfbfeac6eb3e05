/// The store's data on one feed: its row of table `feed`.
///
/// A time is also nil if the store has an invalid one.
public struct FeedRecord: Sendable, Hashable {
    /// The feed's name.
    public let name: String
    /// The view that shows its items; nil if the definition names none.
    public let model: String?
    /// The URL of its pages, without the query.
    public let url: String
    /// The status of the last event.
    public let status: RefreshStatus
    /// True if the upstream has no further page.
    public let noMoreData: Bool
    /// The next request, in a form that people would write; nil before the first page and at the end.
    public let nextPage: String?
    /// The number of crawls that have changed it.
    public let generation: Int
    /// The number of its rows that the upstream has.
    public let itemCount: Int
    /// True if the last crawl reached its end, undrifted.
    public let isComplete: Bool
    /// True if it was proved that no item is missing.
    public let isVerified: Bool
    /// The time at which its first page was last stored or found unchanged.
    public var reloadedAt: Timestamp? { reloadedAtText.flatMap { Timestamp($0) } }
    package let reloadedAtText: String?
    /// The time at which a sync last succeeded.
    public var syncedAt: Timestamp? { syncedAtText.flatMap { Timestamp($0) } }
    package let syncedAtText: String?
    /// The time of the last crawl of every page.
    public var fullAt: Timestamp? { fullAtText.flatMap { Timestamp($0) } }
    package let fullAtText: String?
    /// The time at which the next sync is due.
    public var nextDueAt: Timestamp? { nextDueAtText.flatMap { Timestamp($0) } }
    let nextDueAtText: String?
    /// The error of the last run; nil if it did not fail.
    public let error: FeedSyncError?

    init(_ row: RecordRow) throws {
        name = try row.textOrEmpty("name")
        model = try row.text("model")
        url = try row.textOrEmpty("url")
        status = try row.word("status") ?? .none
        noMoreData = try row.flag("no_more_data")
        nextPage = try row.text("next_page")
        generation = try row.count("generation")
        itemCount = try row.count("item_count")
        isComplete = try row.flag("complete")
        isVerified = try row.flag("verified")
        reloadedAtText = try row.text("reloaded_at")
        syncedAtText = try row.text("synced_at")
        fullAtText = try row.text("full_at")
        nextDueAtText = try row.text("next_due_at")
        error = try row.text("error").map(FeedSyncError.init(stored:))
    }

    /// The row of a feed that was never loaded.
    package init(name: String, model: String?, url: String) {
        self.name = name
        self.model = model
        self.url = url
        (status, noMoreData, nextPage, error) = (.none, false, nil, nil)
        (generation, itemCount, isComplete, isVerified) = (0, 0, false, false)
        (reloadedAtText, syncedAtText, fullAtText, nextDueAtText) = (nil, nil, nil, nil)
    }

    /// The table's columns.
    package var fields: JSONFields {
        [
            "name": name,
            "model": model,
            "url": url,
            "status": status.rawValue,
            "no_more_data": noMoreData,
            "next_page": nextPage,
            "generation": generation,
            "item_count": itemCount,
            "complete": isComplete,
            "verified": isVerified,
            "reloaded_at": reloadedAtText,
            "synced_at": syncedAtText,
            "full_at": fullAtText,
            "next_due_at": nextDueAtText,
            "error": error,
        ]
    }
}

extension FeedRecord: JSONRecord {}
