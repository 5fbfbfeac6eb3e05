/// Stored pages that are known to follow one another.
package struct SyncedRange: Sendable, Hashable {
    /// Where the list goes on behind the range.
    package enum End: Sendable, Hashable {
        /// At this page cursor: what is there was not read yet.
        case open(PageCursor)
        /// Nowhere: it is the end of the list; with the reason why that may not be all there is.
        case last(IncompleteReason?)
    }

    /// The crawls whose pages are in it, the last one first: that one goes on at the range's end.
    package var crawls: [Int64]
    /// The generations whose rows are in it.
    var generations: Set<Int64>
    /// Where its first row stands; nil where that is not known.
    package var first: Place?
    package var end: End
    /// Whether it was proved that no item is missing in it.
    package var isVerified = false
    /// The numbers of pages, of the crawl at the range's end, behind which the list may have moved unseen: the next one
    /// was fetched by another command.
    package var loosePages: [Int] = []
    /// Whether new items come to the end of the list, and not to its head.
    package var growsAtEnd = false
    /// How many runs in a row failed at the end.
    var failures = 0
    /// Whether a sync must read the range again, because its page cursor no longer works or the list moved during the crawl.
    package var isLost = false

    /// True if a page of a sync may join it, so that what follows is taken for read.
    package var mayBeJoined: Bool { !isLost }

    /// The crawl that goes on at the range's end.
    package var crawl: Int64 { crawls.first ?? 0 }

    /// True if a later crawl goes on from one of its pages, or asks for one again.
    package var needsPages: Bool { cursor != nil || !loosePages.isEmpty || growsAtEnd }

    /// Where to go on; nil at the end of the list.
    package var cursor: PageCursor? { if case .open(let cursor) = end { cursor } else { nil } }
}

/// The ranges of a list, from the head. Between two of them may be pages that nobody has read.
package struct SyncedRanges: Sendable, Hashable {
    package private(set) var ranges: [SyncedRange]

    package init(ranges: [SyncedRange] = []) {
        self.ranges = ranges
    }

    /// Whether nothing is stored yet, or nothing that can be joined.
    package var isEmpty: Bool { ranges.isEmpty }

    /// Whether one range holds the list from its head to its end.
    package var isWhole: Bool {
        guard ranges.count == 1, case .last = ranges[0].end else { return false }
        return true
    }

    /// Why the list may have more than its whole range; nil where it is all, or where the range is not whole.
    package var reason: IncompleteReason? {
        guard isWhole, case .last(let reason) = ranges[0].end else { return nil }
        return reason
    }

    /// The first range from the head that is open at its end.
    package var open: SyncedRange? { ranges.first { $0.cursor != nil } }

    /// The range that goes on with this crawl.
    package subscript(crawl: Int64) -> SyncedRange? { ranges.first { $0.crawl == crawl } }

    /// The range that has a row of this generation.
    package func range(ofGeneration generation: Int64) -> SyncedRange? {
        ranges.first { $0.generations.contains(generation) }
    }

    /// The range that has a page of this crawl.
    package func range(ofPagesOf crawl: Int64) -> SyncedRange? { ranges.first { $0.crawls.contains(crawl) } }

    /// A crawl read its first page: it is the range at the head.
    mutating func begin(_ crawl: Int64, generation: Int64?, next: SyncedRange.End) {
        ranges.removeAll { $0.crawls == [crawl] }
        let first = generation.map { Place(generation: $0, position: 0) }
        ranges.insert(
            SyncedRange(crawls: [crawl], generations: Set([generation].compactMap(\.self)), first: first, end: next),
            at: 0)
    }

    /// A crawl went on at the end of its range.
    mutating func extend(_ crawl: Int64, generation: Int64?, next: SyncedRange.End) {
        guard let index = ranges.firstIndex(where: { $0.crawl == crawl }) else { return }
        ranges[index].end = next
        ranges[index].failures = 0
        ranges[index].isLost = false
        guard let generation else { return }
        ranges[index].generations.insert(generation)
        if ranges[index].first == nil, index == 0 { ranges[index].first = Place(generation: generation, position: 0) }
    }

    /// The range of a crawl meets another one: they are one, which goes on where the other one ends. What lies between
    /// them was read by the crawl.
    ///
    /// - Parameters:
    ///   - isHeader: Whether it meets it with its first page.
    ///   - isDirect: Whether no border lies between them that nobody proved.
    mutating func join(_ crawl: Int64, with other: SyncedRange, isHeader: Bool = true, isDirect: Bool = true) {
        guard let index = ranges.firstIndex(where: { $0.crawl == crawl }),
            let target = ranges.firstIndex(where: { $0.crawl == other.crawl }), target > index
        else { return }
        let head = ranges[index]
        var joined = ranges[target]
        // A first page that only met rows in their places adds nothing; pages without rows above them do.
        if !head.generations.isEmpty || !isHeader {
            joined.crawls += head.crawls.filter { !joined.crawls.contains($0) }
        }
        joined.generations.formUnion(head.generations)
        joined.isVerified = joined.isVerified && isDirect
        // Pages that may have others between them are read again by the next sync.
        joined.isLost = joined.isLost || !head.loosePages.isEmpty
        joined.first = head.generations.isEmpty ? joined.first : head.first ?? joined.first
        ranges.replaceSubrange(index...target, with: [joined])
    }

    /// A crawl reached the end of the list: what stands behind it is not in the list any more.
    mutating func end(_ crawl: Int64, _ reason: IncompleteReason?, isVerified: Bool = false) {
        guard let index = ranges.firstIndex(where: { $0.crawl == crawl }) else { return }
        ranges[index].end = .last(reason)
        ranges[index].isVerified = isVerified
        ranges.removeSubrange((index + 1)...)
    }

    /// Rows at the top of a range were written elsewhere: it begins behind them.
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

    /// Drops the range of a crawl: its rows stay, and the next sync reads through them.
    mutating func drop(_ crawl: Int64) { ranges.removeAll { $0.crawl == crawl } }

    /// One range, from the head to the end.
    static func whole(_ range: SyncedRange) -> SyncedRanges { SyncedRanges(ranges: [range]) }
}
