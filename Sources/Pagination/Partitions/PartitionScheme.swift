package import JSON
package import Text

/// The partitions of a feed whose upstream serves only a limited number of items for each request.
package struct PartitionScheme: Sendable, Hashable {
    /// The query parameter that selects a partition.
    package struct Qualifier: Sendable, Hashable {
        /// The parameter; one that has a value in the feed's own request keeps it, with the qualifier behind it.
        package let parameter: String
        /// The text with `{from}` and `{to}`, the first and the last value of the partition, or `{end}`, the one behind
        /// it.
        package let template: String

        package init(parameter: String, template: String) {
            self.parameter = parameter
            self.template = template
        }
    }

    /// The qualifiers, in order.
    package let qualifiers: [Qualifier]
    /// The path of the value that decides an item's partition.
    package let path: Path
    /// The unit of the values.
    package let unit: PartitionUnit
    /// The path of the number of items in the partition; nil if the pagination has it.
    package let total: Path?
    /// The number of items that the upstream serves for one request; nil to learn it.
    package let cap: Int?
    /// The first and the last value.
    package let blocks: FeedBlocks

    /// A rule.
    package init(
        qualifiers: [Qualifier], path: Path, unit: PartitionUnit, total: Path?, cap: Int?, blocks: FeedBlocks
    ) {
        self.qualifiers = qualifiers
        self.path = path
        self.unit = unit
        self.total = total
        self.cap = cap
        self.blocks = blocks
    }

    /// The rule and its members on one line, equal for equal rules.
    package var canonicalText: String {
        let qualifiers = qualifiers.map { "\($0.parameter) \($0.template)" }.joined(separator: " ")
        let last = blocks.last.map { " to \($0)" } ?? ""
        return "partition \(unit.rawValue) \(path) from \(blocks.first)\(last) \(qualifiers)"
            + blocks.canonicalText + (total.map { " total \($0)" } ?? "") + (cap.map { " cap \($0)" } ?? "")
    }
}

/// The position of a crawl over a feed's partitions: a page of one of them.
///
/// As text it is `2024-01-01..2024-06-30` for a partition's first page, and `2024-01-01..2024-06-30, 3` for another
/// one.
package struct PartitionCursor: Sendable, Hashable {
    package let partition: Partition
    /// The page of the partition; nil for its first.
    package let page: PageCursor?
}

extension PartitionScheme {
    private static let separator = ", "

    /// The partition's name: the values that it goes from and to.
    package func name(_ partition: Partition) -> String { "\(unit.text(partition.from))..\(unit.text(partition.to))" }

    /// The partition's name in the text of a page cursor; nil where there is none.
    package static func partitionName(in cursor: PageCursor?) -> String? {
        cursor.map { String($0.text[..<($0.text.firstRange(of: separator)?.lowerBound ?? $0.text.endIndex)]) }
    }

    /// The page cursor that leads to a place.
    package func cursor(_ place: PartitionCursor) -> PageCursor {
        PageCursor(name(place.partition) + (place.page.map { Self.separator + $0.text } ?? ""))
    }

    /// The place that a page cursor leads to.
    ///
    /// - Throws: `PagingError` if it leads to none of this rule's.
    package func place(of cursor: PageCursor) throws(PagingError) -> PartitionCursor {
        let text = cursor.text
        let separator = text.firstRange(of: Self.separator)
        guard let partition = partition(named: text[..<(separator?.lowerBound ?? text.endIndex)]) else {
            throw PagingError("the page cursor `\(cursor)` does not begin with a partition of the feed")
        }
        return PartitionCursor(partition: partition, page: separator.map { PageCursor(String(text[$0.upperBound...])) })
    }

    /// The partition of that name; nil where the rule has none.
    package func partition(named name: Substring) -> Partition? {
        guard let dots = name.firstRange(of: ".."), let from = unit.value(of: String(name[..<dots.lowerBound])),
            let to = unit.value(of: String(name[dots.upperBound...]))
        else { return nil }
        let partition = Partition(from: from, to: to)
        return blocks.holds(partition) ? partition : nil
    }

    /// True if a crawl may have left a partition before its last page: its half follows, or it has a single value and
    /// was read up to the cap. The decision depended on the number of items read by then.
    package func isCut(_ page: PageCursor?, before next: PageCursor?) -> Bool {
        guard let page = page.flatMap({ try? place(of: $0) }) else { return false }
        guard !page.partition.isSingle else { return page.page != nil }
        guard let next = next.flatMap({ try? place(of: $0) })?.partition else { return false }
        return next.from >= page.partition.from && next.to <= page.partition.to
    }

    /// The first page that a crawl asks for.
    ///
    /// - Parameters:
    ///   - second: Now, in seconds since 1970.
    ///   - known: The name of the partition that the crawl before began with.
    package func start(at second: Int64, known: String?) -> PageCursor {
        let newest = blocks.newest(now: newestValue(at: second), known: known.flatMap { partition(named: $0[...]) })
        return cursor(PartitionCursor(partition: newest, page: nil))
    }

    /// The newest value to request: none in the future, which some upstreams refuse.
    ///
    /// If an upstream's day begins before that of UTC, its newest items come with a later sync.
    package func newestValue(at second: Int64) -> Int {
        unit.value(at: second) ?? blocks.last ?? blocks.first
    }

    /// The feed's request, for one partition, or for as much of it as is not in the future.
    ///
    /// - Parameter second: Now, in seconds since 1970.
    package func request(for partition: Partition, base: PageRequest, at second: Int64) -> PageRequest {
        let to = max(partition.from, min(partition.to, newestValue(at: second)))
        var request = base
        for qualifier in qualifiers {
            let text = qualifier.template.replacing("{from}", with: unit.text(partition.from))
                .replacing("{to}", with: unit.text(to)).replacing("{end}", with: unit.text(to + 1))
            let own = base.text(of: qualifier.parameter) ?? ""
            request.set(qualifier.parameter, to: own.isEmpty ? text : "\(own) \(text)")
        }
        return request
    }
}

extension PageRequest {
    /// A parameter's value; nil if it is no text.
    fileprivate func text(of name: String) -> String? {
        guard let body else { return query.first { $0.name == name }?.value }
        return if case .string(let text)? = body.value(at: Self.place(of: name)) { text } else { nil }
    }
}

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
        if place.page == nil, let cap, let total, total >= cap, let half = newerHalf(of: partition, now: now) {
            return end.going(to: start(of: half), .tooMany)
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
        guard looksCapped, let half = newerHalf(of: partition, now: now) else {
            return end.going(to: older(than: partition, count, cap), .capped)
        }
        return end.going(to: start(of: half), .cut)
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
            let names = qualifiers.map(\.parameter).inBackticks()
            throw PagingError(
                "the page for \(name(partition)) ends with an item whose `\(path)` is \(value?.shown(secrets) ?? ""): "
                    + "the upstream seems to ignore what `partition` puts into the query parameter \(names)")
        }
    }

    /// The half to ask for first; the time ahead of now has no items.
    private func newerHalf(of partition: Partition, now: Int64) -> Partition? {
        blocks.halves(of: partition).map { $0.newer.from > newestValue(at: now) ? $0.older : $0.newer }
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
        var end = NextPage(next: next, total: total, notice: notice, partitionOutcome: outcome)
        end.isDoubtful = isDoubtful
        // The sign explains the rest of the partition, which is read in another way or cannot be had; on a page that
        // leads on, it says that items were left out.
        if outcome == nil || outcome == .cut || outcome == .capped { end.sign = sign }
        return end
    }
}
