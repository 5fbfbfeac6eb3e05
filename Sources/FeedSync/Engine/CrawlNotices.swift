/// What to tell of a crawl that came to less than it was for.
struct CrawlNotices {
    /// The parts that had more than the upstream serves, although they cannot be halved.
    private var parts: [String] = []
    private var hasItems = false

    /// Takes note of a page that came.
    mutating func note(_ page: LoadedPage) {
        // A page that is as it was stored has told what it has to tell.
        if case .decoded(let decoded) = page.content, decoded.keys != "[]" { hasItems = true }
        guard page.end.part == .capped, let part = PartitionScheme.partitionName(in: page.page.cursor) else { return }
        parts.append(part)
    }

    /// The notices; none for a crawl that was served all, and met an item that moves the watermark.
    ///
    /// - Parameter seen: How many items the upstream has served.
    func texts(_ crawl: CrawlState?, seen: Int, of feed: FeedDefinition) -> [String] {
        guard let crawl else { return [] }
        return [cap(crawl, seen: seen, isPartitioned: feed.partitioning != nil), watermark(crawl, feed.sync)]
            .compactMap(
                \.self)
    }

    /// Of an upstream that does not serve all that it has; none where no total tells.
    private func cap(_ crawl: CrawlState, seen: Int, isPartitioned: Bool) -> String? {
        guard crawl.reason == .cap, let total = crawl.total, total > seen else { return nil }
        let figures = "the upstream served \(seen) of the \(total) items that it reports"
        guard let part = parts.first else {
            return figures + (isPartitioned ? "" : ": narrow the query, or divide the feed with `partition`")
        }
        let which = parts.count == 1 ? "the partition \(part) has" : "\(parts.count) partitions, such as \(part), have"
        return "\(figures): \(which) more items than it serves at once and cannot be halved; narrow the query"
    }

    /// Of items that do not say how far they reach.
    private func watermark(_ crawl: CrawlState, _ rule: SyncRule) -> String? {
        guard case .since(let rule) = rule, hasItems, crawl.furthest == nil else { return nil }
        return "no item has a time or a whole number at `\(rule.path)`: `\(rule.parameter)` cannot advance, "
            + "and each sync fetches the same items again; correct `from` in the feed's `sync`"
    }
}
