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
