package import JSON
package import Text

/// The outcome of a page for its partition.
package enum PartitionOutcome: Sendable, Hashable {
    /// The partition has more items than the upstream serves: the page is not for the mirror, its halves are.
    case tooMany
    /// The upstream ended the partition early; its halves come next and contain its stored items.
    case cut
    /// A single value has more items than the upstream serves: they cannot all be had.
    case capped
    /// All of it has come.
    case whole
}

extension PartitionScheme {
    /// The continuation of a crawl after a page of a partition.
    ///
    /// | the page | what follows |
    /// | --- | --- |
    /// | the partition's first, and its total is the cap or more: it may count no further | the newer half, without this page |
    /// | leads on | the next page of the partition |
    /// | ends the partition before its total or with a sign of more, after full pages, or at the cap | the newer half |
    /// | the same, and the partition is a single value | the next older partition; the crawl is not complete |
    /// | ends the partition | the next older partition |
    ///
    /// - Parameters:
    ///   - end: The paginator's continuation after the page.
    ///   - place: The page.
    ///   - input: The page's content; of the crawl, the partition's share.
    ///   - total: The number of items in the partition, if the upstream states it.
    ///   - learned: The largest number of items of a partition that the upstream has served.
    ///   - now: In seconds since 1970.
    package func following(
        _ end: NextPage, at place: PartitionCursor, _ input: PaginationInput, total: Int?, cap learned: Int?, now: Int64
    ) -> NextPage {
        let partition = place.partition
        let cap = cap ?? learned
        let count = input.crawlElementCount
        if place.page == nil, let cap, let total, total >= cap, let halves = blocks.halves(of: partition) {
            // The time ahead of now has no items.
            let isAhead = halves.newer.from > newestValue(at: now)
            return end.going(to: start(of: isAhead ? halves.older : halves.newer), .tooMany)
        }
        let isFull = cap.map { count >= $0 } ?? false
        // The learned cap may be too low, so a partition that cannot be halved is read as far as it leads.
        let mayBeMore = self.cap == nil && partition.isSingle
        if let next = end.next, !isFull || mayBeMore || total.map({ count < $0 }) == false {
            return end.going(to: cursor(PartitionCursor(partition: partition, page: next)), nil)
        }
        let isShort = end.sign != nil || total.map { $0 > count } ?? isFull
        guard isShort else { return end.going(to: older(than: partition, count, cap), .whole) }
        // A total that is a little too large is no cap: pages that a cap cuts off are full ones.
        let looksCapped = isFull || (self.cap == nil && input.hasFullPagesOnly)
        guard looksCapped, let halves = blocks.halves(of: partition) else {
            return end.going(to: older(than: partition, count, cap), .capped)
        }
        let isAhead = halves.newer.from > newestValue(at: now)
        return end.going(to: start(of: isAhead ? halves.older : halves.newer), .cut)
    }

    /// Tells of an upstream that passes over the qualifier: it would serve every partition alike.
    ///
    /// - Parameter value: The value of the page's last item at `path`.
    /// - Throws: `PagingError` if the item is not of the partition.
    package func check(_ value: JSONScalar?, isOf partition: Partition, secrets: Secrets) throws(PagingError) {
        guard let number = unit.value(of: value) else {
            throw PagingError(
                "`\(path)` of the page's last item is \(value?.shown(secrets) ?? "missing"), not a \(unit.rawValue): "
                    + "it is unclear whether the item belongs to the partition \(name(partition))")
        }
        guard number >= partition.from - unit.tolerance, number <= partition.to + unit.tolerance else {
            let names = qualifiers.map { "`\($0.parameter)`" }.joined(separator: " and ")
            throw PagingError(
                "the page for \(name(partition)) ends with an item whose `\(path)` is \(value?.shown(secrets) ?? ""): "
                    + "the upstream seems to ignore what `partition` puts into the query parameter \(names)")
        }
    }

    private func start(of partition: Partition?) -> PageCursor? {
        partition.map { cursor(PartitionCursor(partition: $0, page: nil)) }
    }

    private func older(than partition: Partition, _ count: Int, _ cap: Int?) -> PageCursor? {
        start(of: blocks.next(after: partition, count: count, cap: cap))
    }
}

extension NextPage {
    fileprivate func going(to next: PageCursor?, _ outcome: PartitionOutcome?) -> NextPage {
        var end = NextPage(next: next, total: total, notice: notice, part: outcome)
        end.isDoubtful = isDoubtful
        // The sign explains the rest of the partition, which is read in another way or cannot be had; on a page that
        // leads on, it says that items were left out.
        if outcome == nil || outcome == .cut || outcome == .capped { end.sign = sign }
        return end
    }
}
