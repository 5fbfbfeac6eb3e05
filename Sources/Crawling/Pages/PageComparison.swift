/// The result of comparing a page that was requested again with the page as it was met.
package enum PageComparison: Sendable, Hashable, Comparable {
    /// The page is unchanged.
    case same
    /// The page has its earlier items in their order. Some of their values have changed, and are stored now.
    case revised
    /// The page shows its earlier items, or those before them, unchanged and in the same order, the given number of
    /// items further down: items came to the head of the list. Nothing of it has to be stored. `isLast` is true if no
    /// page follows it now.
    case shifted(by: Int, isLast: Bool)
    /// The page is as a later crawl stored it, so the items that this crawl met on it are on other pages now. `isLast`
    /// is true if no page follows it.
    case overtaken(isLast: Bool)
    /// The page has changed and is stored now. Nothing lies between it and the next one.
    case changed
    /// The page shows only items met before, from the previous page on. Its earlier last items are on the next page.
    case pushedDown
    /// Items moved up to it from later pages. Items that moved past the crawl are stored now.
    case movedUp
    /// Its last item was not met: other items may lie between it and the items that were.
    case detached
    /// The page leads to other pages than before: the crawl did not follow the list's present way.
    case outgrown

    /// True if the page has its earlier items in their order: nothing has come to it or gone from it.
    package var hasSameItems: Bool { self <= .revised }

    package static func < (one: PageComparison, other: PageComparison) -> Bool { one.gravity < other.gravity }

    private var gravity: Int {
        switch self {
        case .same: 0
        case .revised: 1
        case .shifted, .overtaken: 2
        case .changed: 3
        case .pushedDown: 4
        case .movedUp: 5
        case .detached: 6
        case .outgrown: 7
        }
    }

    /// The number of items by which a page has shifted down; nil if it differs in another way.
    ///
    /// - Parameters:
    ///   - places: The place in the list where each of its items was met first, from 0; nil for new items.
    ///   - first: The place of the item that the page began with.
    package static func shift(_ places: [Int?], from first: Int?) -> Int? {
        guard let first else { return nil }
        let old = Array(places.drop { $0 == nil })
        guard let head = old.first ?? nil, head <= first else { return nil }
        // New items are above all others, or there are none.
        guard old.count == places.count || head == 0 else { return nil }
        let isInOrder = old.enumerated().allSatisfy { $1 == head + $0 }
        return isInOrder ? first - head + (places.count - old.count) : nil
    }

    /// Compares a page that has changed.
    ///
    /// - Parameters:
    ///   - lastMetAt: The place in the list of the page on which the crawl first met this page's last item; nil if it
    ///     was not met.
    ///   - place: The place of the page itself.
    ///   - isLast: True if no page follows it now.
    ///   - isEmpty: True if it has no items.
    ///   - isStored: True if its last item is in a synced range.
    package init(lastMetAt met: Int?, at place: Int, isLast: Bool, isEmpty: Bool, isStored: Bool) {
        self =
            if isEmpty {
                .changed
            } else if let met {
                met > place ? .movedUp : met == place || isLast ? .changed : .pushedDown
            } else {
                isLast || isStored ? .movedUp : .detached
            }
    }
}

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
