/// What a page that is asked for again tells, beside the page as it was met.
package enum PageComparison: Int, Sendable, Hashable, Comparable {
    /// It is as it was.
    case same
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

    package static func < (one: PageComparison, other: PageComparison) -> Bool { one.rawValue < other.rawValue }

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
