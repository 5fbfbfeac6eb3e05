/// The partition of a feed that a crawl is in the midst of.
package struct CrawlPartition: Sendable, Hashable {
    package let name: String
    /// The elements of its pages so far.
    package var elements = 0
    /// The elements there are in it, as the upstream said last.
    package var total: Int?
    /// Whether the upstream said another total before: an end that came too soon is no cap then.
    package var hasMoved = false

    package init(name: String, elements: Int = 0, total: Int? = nil, hasMoved: Bool = false) {
        self.name = name
        self.elements = elements
        self.total = total
        self.hasMoved = hasMoved
    }
}

/// What the store has to know of the partition that a page belongs to.
package struct PagePartition: Sendable, Hashable {
    /// The page cursor that the page was asked for with.
    package let asked: PageCursor
    /// The partition's name.
    package let name: String

    package init(asked: PageCursor, name: String) {
        self.asked = asked
        self.name = name
    }
}

extension CrawlState {
    /// Whether the next page begins a partition.
    package func begins(_ part: PagePartition?) -> Bool { part.map { $0.name != self.part?.name } ?? false }

    /// Takes note of a page of a partition: the crawl's figures are the sums of its partitions'.
    ///
    /// - Returns: Whether the partition's total fell while it was read.
    package mutating func meet(_ part: PagePartition, elements count: Int, total said: Int?, end: PartitionOutcome?)
        -> Bool
    {
        if self.part?.name != part.name {
            self.part = CrawlPartition(name: part.name)
            // A half begins with what the whole had.
            lastKeys = "[]"
        }
        var current = self.part ?? CrawlPartition(name: part.name)
        let hasFallen = if let before = current.total, let said { said < before } else { false }
        if let before = current.total, let said, said != before { current.hasMoved = true }
        current.elements += count
        current.total = said ?? current.total
        self.part = current
        switch end {
        case nil, .tooMany?:
            total = finishedTotal.adding(current.total ?? current.elements)
            return hasFallen
        case .cut?:
            // What has come of it comes again, in its halves.
            if !current.hasMoved { cap = min(cap ?? .max, current.elements) }
            elements -= current.elements
        case .capped?, .whole?:
            isCapped = isCapped || end == .capped
            // More was served than what was taken for all that is.
            if let cap, current.elements > cap { self.cap = current.elements }
            finishedTotal = finishedTotal.adding(current.total ?? current.elements)
        }
        self.part = nil
        total = finishedTotal
        return hasFallen
    }
}

extension Int {
    /// The sum, or the greatest number where it is beyond that: totals come from outside, and many partitions have one.
    fileprivate func adding(_ other: Int) -> Int {
        let (sum, isBeyond) = addingReportingOverflow(other)
        return isBeyond ? .max : sum
    }
}
