/// Compares the head of a list, read again, with the list as the crawl met it.
///
/// New items at the head push others down, and hide nothing. If an item left the head, later ones moved up, and some
/// may have moved past the crawl.
package struct HeadComparison: Sendable, Hashable {
    /// The number of items of the list that were seen again, in order from the first.
    private var seen = 0
    /// True while the last known item was further down than the expected one.
    package private(set) var hasMovedUp = false

    package init() {}

    /// Takes a page of the head.
    ///
    /// - Parameter places: The place in the list where each of its items was met first, from 0; nil for new ones.
    package mutating func take(_ places: [Int?]) {
        for case let place? in places where place >= seen {
            // An item that moved to the top comes before the others.
            hasMovedUp = place > seen
            if place == seen { seen += 1 }
        }
    }
}
