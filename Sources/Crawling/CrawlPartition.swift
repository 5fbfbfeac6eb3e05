/// The partition that a crawl is reading.
package struct CrawlPartition: Sendable, Hashable {
    package let name: String
    /// The number of elements on its pages so far.
    package var elements = 0
    /// The number of elements in it, as the upstream reported last.
    package var total: Int?
    /// True if the upstream reported different totals. An early end does not show a cap then.
    package var hasMoved = false

    package init(name: String, elements: Int = 0, total: Int? = nil) {
        self.name = name
        self.elements = elements
        self.total = total
    }
}

extension CrawlState {
    /// True if the next page begins a partition.
    ///
    /// - Parameter name: The name of its partition; nil without partitions.
    package func begins(_ name: String?) -> Bool { name.map { $0 != partition?.name } ?? false }

    /// Adds a page of a partition to the crawl, whose counts are the sums of its partitions.
    ///
    /// - Parameter name: The partition's name.
    /// - Returns: True if the partition's total fell while it was read.
    package mutating func meet(_ name: String, elements count: Int, total said: Int?, end: PartitionOutcome?) -> Bool {
        if partition?.name != name {
            partition = CrawlPartition(name: name)
            // A half begins with the items of the whole.
            lastKeys = "[]"
        }
        var current = partition ?? CrawlPartition(name: name)
        let hasFallen = if let before = current.total, let said { said < before } else { false }
        if let before = current.total, let said, said != before { current.hasMoved = true }
        current.elements += count
        current.total = said ?? current.total
        partition = current
        switch end {
        case nil, .tooMany?:
            total = finishedTotal.adding(current.total ?? current.elements)
            return hasFallen
        case .cut?:
            // Its items come again, in its halves.
            if !current.hasMoved { cap = min(cap ?? .max, current.elements) }
            elements -= current.elements
        case .capped?, .whole?:
            isCapped = isCapped || end == .capped
            // More items were served than the assumed cap.
            if let cap, current.elements > cap { self.cap = current.elements }
            finishedTotal = finishedTotal.adding(current.total ?? current.elements)
        }
        partition = nil
        total = finishedTotal
        return hasFallen
    }
}

extension Int {
    /// The sum, or the greatest number on overflow: totals come from outside, and many partitions have one.
    fileprivate func adding(_ other: Int) -> Int {
        let (sum, isBeyond) = addingReportingOverflow(other)
        return isBeyond ? .max : sum
    }
}
