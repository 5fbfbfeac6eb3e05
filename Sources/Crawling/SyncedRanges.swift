/// A range of stored pages that are known to follow one another.
package struct SyncedRange: Sendable, Hashable {
    /// The end of a range.
    package enum End: Sendable, Hashable {
        /// The list continues at this page cursor, which was not read yet.
        case open(PageCursor)
        /// The list ends here; the reason tells why it may be incomplete.
        case last(IncompleteReason?)
    }

    /// The crawls whose pages are in it. The first one continues at the range's end.
    package var crawls: [Int64]
    /// The generations whose rows are in it.
    var generations: Set<Int64>
    /// The place of its first row; nil if unknown.
    package var first: Place?
    package var end: End
    /// True if it was proved that no item is missing in it.
    package var isVerified = false
    /// The numbers of pages, of the crawl at the range's end, after which the list may have moved unnoticed, because
    /// another command fetched the next page.
    package var loosePages: [Int] = []
    /// True if new items are added at the end of the list, not at its head.
    package var growsAtEnd = false
    /// The number of runs in a row that failed at the range's end.
    var failures = 0
    /// True if a sync must read the range again, and not join it, because its page cursor no longer works or the list
    /// moved during the crawl.
    package var isLost = false

    /// The crawl that continues at the range's end.
    package var crawl: Int64 { crawls.first ?? 0 }

    /// True if a later crawl continues from one of its pages, or requests one again.
    var needsPages: Bool { cursor != nil || !loosePages.isEmpty || growsAtEnd }

    /// The page cursor to continue with; nil at the end of the list.
    package var cursor: PageCursor? { if case .open(let cursor) = end { cursor } else { nil } }
}

/// The ranges of a list, from the head. There may be unread pages between them.
package struct SyncedRanges: Sendable, Hashable {
    package private(set) var ranges: [SyncedRange]

    package init(ranges: [SyncedRange] = []) {
        self.ranges = ranges
    }

    /// True if no range is stored that could be joined.
    package var isEmpty: Bool { ranges.isEmpty }

    /// True if one range holds the list from its head to its end.
    package var isWhole: Bool {
        guard ranges.count == 1, case .last = ranges[0].end else { return false }
        return true
    }

    /// The reason why the list may have more than its whole range; nil if there is none, or if the range is not whole.
    package var reason: IncompleteReason? {
        guard isWhole, case .last(let reason) = ranges[0].end else { return nil }
        return reason
    }

    /// The first range from the head that is open at its end.
    package var openRange: SyncedRange? { ranges.first { $0.cursor != nil } }

    /// The range that continues with this crawl.
    package subscript(crawl: Int64) -> SyncedRange? { ranges.first { $0.crawl == crawl } }

    /// The range with rows of this generation.
    package func range(ofGeneration generation: Int64) -> SyncedRange? {
        ranges.first { $0.generations.contains(generation) }
    }

    /// The range with pages of this crawl.
    package func range(ofPagesOf crawl: Int64) -> SyncedRange? { ranges.first { $0.crawls.contains(crawl) } }

    /// Begins a range at the head with a crawl's first page.
    mutating func begin(_ crawl: Int64, generation: Int64?, next: SyncedRange.End) {
        ranges.removeAll { $0.crawls == [crawl] }
        let first = generation.map { Place(generation: $0, position: 0) }
        ranges.insert(
            SyncedRange(crawls: [crawl], generations: Set([generation].compactMap(\.self)), first: first, end: next),
            at: 0)
    }

    /// Extends a crawl's range at its end.
    mutating func extend(_ crawl: Int64, generation: Int64?, next: SyncedRange.End) {
        guard let index = ranges.firstIndex(where: { $0.crawl == crawl }) else { return }
        ranges[index].end = next
        ranges[index].failures = 0
        ranges[index].isLost = false
        guard let generation else { return }
        ranges[index].generations.insert(generation)
        if ranges[index].first == nil, index == 0 { ranges[index].first = Place(generation: generation, position: 0) }
    }

    /// Joins a crawl's range with another one that it met. The joined range continues where the other one ends. The
    /// crawl has read the pages between them.
    ///
    /// - Parameters:
    ///   - isHeader: True if the crawl met the range with its first page.
    ///   - isDirect: True if no unproved border lies between them.
    mutating func join(_ crawl: Int64, with other: SyncedRange, isHeader: Bool = true, isDirect: Bool = true) {
        guard let index = ranges.firstIndex(where: { $0.crawl == crawl }),
            let target = ranges.firstIndex(where: { $0.crawl == other.crawl }), target > index
        else { return }
        let head = ranges[index]
        var joined = ranges[target]
        // A first page that only met rows in place adds nothing; pages without rows above them do.
        if !head.generations.isEmpty || !isHeader {
            joined.crawls += head.crawls.filter { !joined.crawls.contains($0) }
        }
        joined.generations.formUnion(head.generations)
        joined.isVerified = joined.isVerified && isDirect
        // The next sync reads pages again that may have others between them.
        joined.isLost = joined.isLost || !head.loosePages.isEmpty
        joined.first = head.generations.isEmpty ? joined.first : head.first ?? joined.first
        ranges.replaceSubrange(index...target, with: [joined])
    }

    /// Ends the list with a crawl's range. Ranges after it are no longer in the list.
    mutating func end(_ crawl: Int64, _ reason: IncompleteReason?, isVerified: Bool = false) {
        guard let index = ranges.firstIndex(where: { $0.crawl == crawl }) else { return }
        ranges[index].end = .last(reason)
        ranges[index].isVerified = isVerified
        ranges.removeSubrange((index + 1)...)
    }

    /// Moves the beginning of a range past rows at its top that were written elsewhere.
    package mutating func takeTop(at place: Place, count: Int64) {
        for index in ranges.indices where ranges[index].first == place {
            ranges[index].first = Place(generation: place.generation, position: place.position + count)
        }
    }

    /// Changes the range of a crawl.
    package mutating func update(_ crawl: Int64, _ change: (inout SyncedRange) -> Void) {
        guard let index = ranges.firstIndex(where: { $0.crawl == crawl }) else { return }
        change(&ranges[index])
    }

    /// A list with one range from the head to the end.
    static func whole(_ range: SyncedRange) -> SyncedRanges { SyncedRanges(ranges: [range]) }
}
