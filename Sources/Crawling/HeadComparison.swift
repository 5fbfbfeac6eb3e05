/// Compares the head of a list that is read again with the list as the crawl met it.
///
/// Items that came above others push them down, and hide nothing. Where one of them went, later ones moved up, and some may
/// have moved past the crawl.
package struct HeadComparison: Sendable, Hashable {
    /// The items of the list that were seen again, one behind the other from the first on.
    private var seen = 0
    /// True while the last known item stood further down than the one that should come.
    package private(set) var hasMovedUp = false

    package init() {}

    /// Takes a page of the head.
    ///
    /// - Parameter places: The place in the list where each of its items was met first, from 0; nil for new ones.
    package mutating func take(_ places: [Int?]) {
        for case let place? in places where place >= seen {
            // One that moved to the top stands before the others.
            hasMovedUp = place > seen
            if place == seen { seen += 1 }
        }
    }
}
