/// The reason why a crawl is incomplete.
public enum IncompleteReason: String, Sendable, Hashable, CaseIterable {
    /// It ended before the last page; or the list ended where it had more before, and the next sync looks again.
    case cutOff = "cut_off"
    /// A page failed.
    case failed
    /// The upstream has more items, but serves no further page.
    case cap
    /// The definition allows no more pages.
    case maxPages = "max_pages"
    /// Items could not be stored.
    case leftOut = "left_out"
    /// Different items of one page had the same key.
    case sameKey = "same_key"
    /// The upstream itself reported that it did not return everything.
    case upstreamIncomplete = "upstream_incomplete"
    /// The list moved during the crawl, and that could not be repaired.
    case drift

    /// True if the crawl met all items that a similar crawl could meet, so that the next sync need not read through
    /// them.
    package var leavesSyncedRange: Bool { [.cap, .maxPages, .leftOut, .sameKey].contains(self) }
}
