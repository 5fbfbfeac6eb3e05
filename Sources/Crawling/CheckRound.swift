extension CrawlRules {
    /// One round of checks: pages that are requested again, one after the other.
    struct CheckRound {
        let all: [PageOfCrawl]
        var left: [PageOfCrawl]
        let number: Int
        var worst = PageComparison.same
        /// The number of items by which the last page had shifted down.
        var shift = 0

        init(_ all: [PageOfCrawl], number: Int) { (self.all, left, self.number) = (all, all, number) }

        /// The result of a page in the light of the pages above it: in a list that only shifts down, the shift never
        /// decreases.
        mutating func settled(_ result: PageComparison) -> PageComparison {
            if case .overtaken = result { return result }
            let by = if case .shifted(let by, _) = result { by } else { 0 }
            // After a change, only items that a page shows count: items that this page pushed down may be on pages not
            // checked.
            if number > 1, by > 0 { return .pushedDown }
            guard result < .changed else { return result }
            defer { shift = by }
            return by < shift ? .changed : result
        }
    }
}
