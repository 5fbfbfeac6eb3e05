/// What a page of a split feed tells of its part.
enum PartitionOutcome: Sendable, Hashable {
    /// The part has more items than the upstream serves: the page is not for the mirror, its halves are.
    case tooMany
    /// The upstream ended it where there is more; its halves come next, with what was stored of it in them.
    case cut
    /// A single value has more items than the upstream serves: they cannot all be had.
    case capped
    /// All of it has come.
    case whole
}

extension PartitionScheme {
    /// Where a crawl goes on behind a page of a part.
    ///
    /// | the page | what follows |
    /// | --- | --- |
    /// | the part's first, and its total is more than the cap | the newer half, without this page |
    /// | leads on | the next page of the part |
    /// | ends the part before its total, after full pages, or at the cap | the newer half |
    /// | the same, and the part is a single value | the next older part; the crawl is not complete |
    /// | ends the part | the next older part |
    ///
    /// - Parameters:
    ///   - end: What the pagination says of it.
    ///   - place: Which page.
    ///   - facts: What came; of the crawl, what belongs to the part.
    ///   - total: The items that the part has, as the upstream says; nil where it does not.
    ///   - learned: How many items of a part the upstream was seen to serve.
    ///   - now: In seconds since 1970.
    func following(
        _ end: NextPage, at place: PartitionCursor, _ facts: PaginationInput, total: Int?, cap learned: Int?, now: Int64
    ) -> NextPage {
        let part = place.part
        let cap = cap ?? learned
        let count = facts.crawlElementCount
        if place.page == nil, let cap, let total, total > cap, let halves = blocks.halves(of: part) {
            // What lies ahead of now has no items.
            let isAhead = halves.newer.from > newestValue(at: now)
            return end.going(to: start(of: isAhead ? halves.older : halves.newer), .tooMany)
        }
        let isFull = cap.map { count >= $0 } ?? false
        // What was learned may be too little: a part that cannot be halved is read as far as it leads.
        let mayBeMore = self.cap == nil && part.isSingle
        if let next = end.next, !isFull || mayBeMore || total.map({ count < $0 }) == false {
            return end.going(to: cursor(PartitionCursor(part: part, page: next)), nil)
        }
        let isShort = total.map { $0 > count } ?? isFull
        guard isShort else { return end.going(to: older(than: part, count, cap), .whole) }
        // A total that is a little too large is no cap: pages that a cap cuts off are full ones.
        let looksCapped = isFull || (self.cap == nil && facts.hasFullPagesOnly)
        guard looksCapped, let halves = blocks.halves(of: part) else {
            return end.going(to: older(than: part, count, cap), .capped)
        }
        let isAhead = halves.newer.from > newestValue(at: now)
        return end.going(to: start(of: isAhead ? halves.older : halves.newer), .cut)
    }

    /// Tells of an upstream that passes over the qualifier: it would serve every part alike.
    ///
    /// - Parameter value: What the page's last item has at `path`.
    /// - Throws: `PagingError` if the item is not of the part.
    func check(_ value: JSONScalar?, isOf part: Partition, secrets: Secrets) throws(PagingError) {
        guard let number = unit.value(of: value) else {
            throw PagingError(
                "`\(path)` of the page's last item is \(value?.shown(secrets) ?? "missing"), not a \(unit.rawValue): "
                    + "it is unclear whether the item belongs to the partition \(name(part))")
        }
        guard number >= part.from - unit.tolerance, number <= part.to + unit.tolerance else {
            let names = qualifiers.map { "`\($0.parameter)`" }.joined(separator: " and ")
            throw PagingError(
                "the page for \(name(part)) ends with an item whose `\(path)` is \(value?.shown(secrets) ?? ""): "
                    + "the upstream seems to ignore what `split` puts into the query parameter \(names)")
        }
    }

    private func start(of part: Partition?) -> PageCursor? {
        part.map { cursor(PartitionCursor(part: $0, page: nil)) }
    }

    private func older(than part: Partition, _ count: Int, _ cap: Int?) -> PageCursor? {
        start(of: blocks.next(after: part, count: count, cap: cap))
    }
}

extension NextPage {
    fileprivate func going(to next: PageCursor?, _ part: PartitionOutcome?) -> NextPage {
        NextPage(next: next, total: total, notice: notice, part: part)
    }
}
