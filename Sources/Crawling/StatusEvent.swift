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
