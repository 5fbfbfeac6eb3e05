/// Collects the notices of a run: those of its pages, and those of a crawl that got less than it was meant to get.
struct RunNotices {
    private var texts: [String] = []
    /// The notice of a first page that has moved for good.
    private(set) var moved: (address: String, text: String)?
    /// The skipped items by request, because a run requests some pages twice.
    private var skipped: [String: SkippedItems] = [:]
    /// The partitions with more items than the upstream serves that could not be halved.
    private var cappedPartitions: [String] = []
    private var hasItems = false
    /// The number of texts that were too much for a column's pattern, by column.
    private var untried: [String: Int] = [:]

    /// Records a page.
    mutating func note(_ page: LoadedPage, of feed: FeedDefinition) {
        if let notice = page.end.notice, !texts.contains(notice) { texts.append(notice) }
        moved = moved ?? page.movedNotice(of: feed)
        if page.content.skipped != SkippedItems() { skipped[page.page.identity] = page.content.skipped }
        // An unchanged page has already reported its notices.
        if let decoded = page.content.decoded {
            if decoded.keys != "[]" { hasItems = true }
            untried.merge(decoded.untried, uniquingKeysWith: +)
        }
        guard page.end.partitionOutcome == .capped, let name = PartitionScheme.partitionName(in: page.page.cursor)
        else { return }
        cappedPartitions.append(name)
    }

    mutating func add(_ notice: String) { texts.append(notice) }

    /// Adds the notice of a list that is not in the order of the values by which `keyset` goes on.
    mutating func add(outOfOrder feed: FeedDefinition) {
        let paths = feed.pagination.itemPaths.inBackticks()
        add(
            "the last item of a page does not come next by \(paths): the list is not in that order, "
                + "and items may be passed over; correct `from` in the feed's `pagination`, or ask for that order")
    }

    /// Adds the notice of a token for changes that the upstream calls too old.
    mutating func add(unknownToken error: FeedSyncError) {
        add("the upstream no longer knows the token of the last sync, so every page was read: \(error.message)")
    }

    /// Adds the notice of rows that were not met and are kept, because the run could not check them.
    mutating func add(keptBy rules: CrawlRules) {
        let kept = "rows that the list may have no more are kept"
        if rules.keepsUnmetRows {
            add("\(kept): with more requests, a run can check them")
        } else if rules.hasUnclearRows {
            add("\(kept): other items moved or came twice; a later sync can tell")
        }
    }

    /// Adds the notice of rows that are kept behind the end of the list.
    ///
    /// - Parameters:
    ///   - answer: The answer to the request for the page to which the list led on before.
    ///   - pages: The number of pages of the list.
    mutating func add(behindEnd answer: Completeness.BehindEnd, pages: Int, of feed: String) {
        let end = "the list seems to end on page \(pages)"
        let items = "\(end), but the page that came next before still has items: rows behind the end are kept"
        switch answer {
        case .items(.none):
            add(
                "\(items). If the API leads to the next page in another way now, correct `pagination`; "
                    + "if the list does end there, `feedsync reset \(feed)` and two syncs remove them")
        case .items: add("\(items) for now")
        case .unknown, .nothing:
            add("\(end), and the page that came next before cannot be read: rows behind the end are kept for now")
        }
    }

    /// Adds the notice of rows that are no longer on the only page of a list with an unknown way on.
    mutating func add(keptBehindPage count: Int) {
        guard count > 0 else { return }
        let rows = count == 1 ? "1 row that has left the page is" : "\(count) rows that have left the page are"
        add("\(rows) kept, for the list may go on behind it: if it is the whole list, write `pagination: none`")
    }

    /// All notices.
    ///
    /// - Parameters:
    ///   - columns: The notices about columns of the feed's table.
    ///   - seen: The number of items that the upstream has served.
    ///   - hasOnePage: True if no other page was asked for than the first.
    func all(
        _ columns: [String], _ crawl: CrawlState?, seen: Int, hasOnePage: Bool, of feed: FeedDefinition
    ) -> [String] {
        texts + columns + ofSkippedItems + ofCrawl(crawl, seen: seen, hasOnePage: hasOnePage, of: feed)
    }

    /// The notices about skipped items: one sentence for each kind.
    private var ofSkippedItems: [String] {
        var all = SkippedItems()
        for (_, skipped) in skipped.sorted(by: { $0.key < $1.key }) { all.add(skipped) }
        func items(_ count: Int) -> String { count == 1 ? "1 item was" : "\(count) items were" }
        var notices: [String] = []
        if all.count > 0 {
            notices.append("\(items(all.count)) skipped" + (all.first.map { ": \($0)" } ?? ", as before"))
        }
        if all.sameKey > 0 {
            let first = all.firstSameKey.map { ": \($0)" } ?? ", as before"
            notices.append(
                "\(items(all.sameKey)) lost, because different items of a page have the same key\(first); "
                    + "give the feed a `key` that tells them apart")
        }
        return notices
    }

    /// None if the upstream served everything and an item moved the watermark.
    private func ofCrawl(
        _ crawl: CrawlState?, seen: Int, hasOnePage: Bool, of feed: FeedDefinition
    ) -> [String] {
        let patterns = untried.sorted { $0.key < $1.key }.map { column, count in
            "\(count.counted("text")) of `\(column)` stayed as they came: too long or too slow for `replace`"
        }
        guard let crawl else { return patterns }
        return patterns
            + [
                cap(crawl, seen: seen, hasOnePage: hasOnePage, feed.partitioning),
                watermark(crawl, feed.sync), sharedValues(crawl, feed), repeats(crawl, feed),
            ].compactMap(\.self)
    }

    /// The notice for items that came again, in place of others.
    private func repeats(_ crawl: CrawlState, _ feed: FeedDefinition) -> String? {
        guard crawl.reason == .drift, crawl.repeats > 0 else { return nil }
        // The halves of a partition repeat its items, too.
        let items = feed.partitioning == nil ? crawl.repeats.counted("item") : "items"
        return "\(items) came again on later pages, so others may be on none: if the list has no fixed order, "
            + "ask for one in `query`, such as `sort: id`; if items share their key, correct `key`"
    }

    /// The notice for `keyset` over values that do not identify items.
    private func sharedValues(_ crawl: CrawlState, _ feed: FeedDefinition) -> String? {
        guard crawl.sharesValues else { return nil }
        let paths = feed.pagination.itemPaths.inBackticks()
        return "several items have the same value of \(paths), and a page may begin behind all of them: "
            + "what it passes over is neither stored nor removed; name a value that identifies an item, "
            + "or several that do so together, with `from` in the feed's `pagination`"
    }

    /// The notice for an upstream that does not serve all its items; nil if no total shows that.
    private func cap(_ crawl: CrawlState, seen: Int, hasOnePage: Bool, _ partitioning: PartitionScheme?) -> String? {
        guard crawl.reason == .cap, let total = crawl.total, total > seen else { return nil }
        let figures = "the upstream served \(seen) of the \(total) items that it reports"
        guard let first = cappedPartitions.first else {
            guard partitioning == nil else { return figures }
            guard !hasOnePage else {
                return "\(figures), and no page but the first was asked for: say how the list goes on with `pagination`"
            }
            return "\(figures): narrow the query, or divide the feed with `partition`"
        }
        let count = cappedPartitions.count
        let which = count == 1 ? "the partition \(first) has" : "\(count) partitions, such as \(first), have"
        let more = "\(figures): \(which) more items than it serves at once"
        return partitioning?.cap != nil
            ? "\(more) and cannot be halved; narrow the query"
            : "\(more): set `cap` in `partition` to the number that it serves, or narrow the query"
    }

    /// The notice for items without a value that moves the watermark.
    private func watermark(_ crawl: CrawlState, _ rule: SyncRule) -> String? {
        if case .delta(let rule) = rule, hasItems, crawl.furthest == nil {
            return
                "no page has a token at \(rule.source): each sync reads every page; correct `token` in the feed's `sync`"
        }
        guard case .since(let rule) = rule, let path = rule.path, hasItems, crawl.furthest == nil else { return nil }
        return "no item has a time or a whole number at `\(path)`: `\(rule.parameter ?? "since")` cannot advance, "
            + "and each sync fetches the same items again; correct `from` in the feed's `sync`"
    }
}
