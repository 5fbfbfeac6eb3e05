extension CrawlRules {
    /// Pages that are asked for again, one after the other.
    struct Round {
        let all: [PageOfCrawl]
        var left: [PageOfCrawl]
        let number: Int
        var worst = PageComparison.same
        /// How many items further down its last page showed the list.
        var shift = 0

        init(_ all: [PageOfCrawl], number: Int) { (self.all, left, self.number) = (all, all, number) }

        /// What a page tells beside those above it: a list that shifts down only never goes up again.
        mutating func settled(_ result: PageComparison) -> PageComparison {
            if case .overtaken = result { return result }
            let by = if case .shifted(let by, _) = result { by } else { 0 }
            // After a change only what every page shows counts: what this one pushed down may stand where nobody looked.
            if number > 1, by > 0 { return .pushedDown }
            guard result < .changed else { return result }
            defer { shift = by }
            return by < shift ? .changed : result
        }
    }
}
