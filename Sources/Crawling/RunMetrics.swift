/// The counts of a run's items.
public struct ItemCounts: Sendable, Hashable {
    /// Items that were not stored before.
    public var inserted = 0
    /// Stored items whose content has changed, or that came back after they were removed.
    public var updated = 0
    /// Stored items whose content is the same.
    public var unchanged = 0
    /// Items that were removed upstream.
    public var removed = 0

    /// Creates counts of 0.
    public init() {}

    /// The columns of the tables `run` and `event`.
    package var fields: JSONFields {
        ["inserted": inserted, "updated": updated, "unchanged": unchanged, "removed": removed]
    }

    package mutating func add(_ other: ItemCounts) {
        inserted += other.inserted
        updated += other.updated
        unchanged += other.unchanged
        removed += other.removed
    }
}

/// The counts of a run.
public struct RunMetrics: Sendable, Hashable {
    /// Committed pages.
    public var pages = 0
    /// Requests, including failed ones.
    public var requests = 0
    /// Bytes received, as transferred.
    public var bytes = 0
    /// The counts of its items.
    public var items = ItemCounts()
    /// Elements that are not items or lack their key.
    public var skipped = 0

    /// Creates counts of 0.
    public init() {}

    /// Adds the counts of another run.
    package mutating func add(_ other: RunMetrics) {
        pages += other.pages
        requests += other.requests
        bytes += other.bytes
        items.add(other.items)
        skipped += other.skipped
    }

    package mutating func add(_ cost: FetchCost) {
        requests += cost.requestCount
        bytes += cost.byteCount
    }
}

/// One line of the event log.
public struct StatusEvent: Sendable, Hashable {
    /// The event's number; later events have greater ones.
    public let id: Int
    /// The time; nil if the store has an invalid one.
    public var at: Timestamp? { Timestamp(atText) }
    package let atText: String
    /// The feed's name.
    public let feed: String
    /// The run's number.
    public let run: Int
    /// The new status.
    public let status: RefreshStatus
    /// The page's number in its crawl, from 1.
    public let page: Int?
    /// The counts of the page's items.
    public let items: ItemCounts
    /// The error, as JSON `{kind, message, http_status, url}`.
    package let error: String?

    package init(
        id: Int, at: String, feed: String, run: Int, status: RefreshStatus, page: Int?, items: ItemCounts,
        error: String?
    ) {
        self.id = id
        atText = at
        self.feed = feed
        self.run = run
        self.status = status
        self.page = page
        self.items = items
        self.error = error
    }

    /// The line in the form of `feedsync events --json`.
    package var fields: JSONFields {
        let event: JSONFields = [
            "id": id, "at": atText, "feed": feed, "run": run, "status": status.rawValue, "page": page,
        ]
        return event + items.fields + ["error": error.map(JSONDocument.init)]
    }
}

extension StatusEvent: JSONRecord {}
