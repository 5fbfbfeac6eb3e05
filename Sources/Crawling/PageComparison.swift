/// What a page that is asked for again tells, beside the page as it was met.
package enum PageComparison: Sendable, Hashable, Comparable {
    /// It is as it was.
    case same
    /// It shows what stood on it and before it, as it was and in the same order, that many items further down: items
    /// came to the head of the list. Nothing of it has to be stored. `isLast` says whether no page follows it now.
    case shifted(by: Int, isLast: Bool)
    /// It is as a later crawl stored it, so the items that this crawl met on it are on other pages now. `isLast` says
    /// whether no page follows it.
    case overtaken(isLast: Bool)
    /// It is another one, which is stored now, and nothing lies between it and the next one.
    case changed
    /// It shows only what was met before, from the page before on: what stood at its end stands on the next page.
    case pushedDown
    /// Items moved up to it from later pages: what moved past the crawl is stored now.
    case movedUp
    /// Its last item was met nowhere: others may lie between it and what was met.
    case detached
    /// It leads to others than it did: the crawl did not go where the list goes now.
    case outgrown

    package static func < (one: PageComparison, other: PageComparison) -> Bool { one.gravity < other.gravity }

    private var gravity: Int {
        switch self {
        case .same: 0
        case .shifted, .overtaken: 1
        case .changed: 2
        case .pushedDown: 3
        case .movedUp: 4
        case .detached: 5
        case .outgrown: 6
        }
    }

    /// How many items further down a page shows the list than it did; nil where it shows anything else.
    ///
    /// - Parameters:
    ///   - places: Where in the list each of its items was met first, from 0; nil for new ones.
    ///   - first: The same of the item that the page began with.
    package static func shift(_ places: [Int?], from first: Int?) -> Int? {
        guard let first else { return nil }
        let old = Array(places.drop { $0 == nil })
        guard let head = old.first ?? nil, head <= first else { return nil }
        // New items stand above all others, or not at all.
        guard old.count == places.count || head == 0 else { return nil }
        let isInOrder = old.enumerated().allSatisfy { $1 == head + $0 }
        return isInOrder ? first - head + (places.count - old.count) : nil
    }

    /// Compares a page that is not as it was.
    ///
    /// - Parameters:
    ///   - lastMetAt: Where in the crawl the page's last item was met first: the place of that page in the list; nil if
    ///     it was not met.
    ///   - place: The place of the page itself.
    ///   - isLast: Whether no page follows it now.
    ///   - isEmpty: Whether it has no items.
    ///   - isStored: Whether its last item stands in a synced range.
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
