/// The reason for which a crawl is not complete.
public enum IncompleteReason: String, Sendable, Hashable, CaseIterable {
    /// It ended before the last page.
    case cutOff = "cut_off"
    /// A page failed.
    case failed
    /// The upstream serves no further page, and has more.
    case cap
    /// The definition wants no more pages.
    case maxPages = "max_pages"
    /// Items could not be stored.
    case skipped = "left_out"
    /// Different items of one page had the same key.
    case sameKey = "same_key"
    /// The upstream said itself that it did not give all.
    case upstreamIncomplete = "upstream_incomplete"
    /// The list moved during the crawl, and that could not be repaired.
    case drift

    /// True if the crawl met all items that another one like it could meet, so that the next sync need not read through
    /// it.
    package var leavesSyncedRange: Bool { [.cap, .maxPages, .skipped, .sameKey].contains(self) }
}
