/// One part of a split feed: the values from one to another, both of them in it.
package struct Partition: Sendable, Hashable {
    package let from: Int
    package let to: Int

    package init(from: Int, to: Int) {
        self.from = from
        self.to = to
    }

    /// Whether it holds but one value, and cannot be halved.
    package var isSingle: Bool { from == to }
}

/// How the values of a split feed fall into parts.
///
/// Parts are blocks of 1, 2, 4, … values, counted from the first: halving one gives two others, and a block is the same
/// whichever day it is asked for. So the requests of a feed stay the same from crawl to crawl, and with them what is known
/// of their pages.
package struct FeedBlocks: Sendable, Hashable {
    /// The first value of all.
    package let first: Int
    /// The last value of all; nil where it is now.
    package let last: Int?

    package init(first: Int, last: Int?) {
        self.first = first
        self.last = last
    }

    /// The part that a crawl begins with: the newest.
    ///
    /// - Parameters:
    ///   - now: The newest value that there can be.
    ///   - known: The part that the crawl before began with; it is widened until `now` is in it.
    package func newest(now: Int, known: Partition?) -> Partition {
        let now = max(first, min(now, last ?? now))
        var from = first
        var width = 1
        if let known {
            (from, width) = (known.from, self.width(of: known))
        }
        while from > now || from + (width - 1) < now {
            width *= 2
            from = first + (from - first) / width * width
        }
        return part(from, width)
    }

    /// A part's two halves; nil for a single value.
    package func halves(of part: Partition) -> (older: Partition, newer: Partition)? {
        guard !part.isSingle else { return nil }
        let half = width(of: part) / 2
        return (Partition(from: part.from, to: part.from + half - 1), self.part(part.from + half, half))
    }

    /// The part to go on with behind a finished one, towards the older; nil behind the last.
    ///
    /// - Parameters:
    ///   - count: The elements of the finished part.
    ///   - cap: How many a part may have: where twice as many would do, the next one is wider.
    package func next(after part: Partition, count: Int, cap: Int?) -> Partition? {
        let distance = part.from - first
        guard distance > 0 else { return nil }
        // The widest block that ends there.
        let widest = distance & -distance
        var width = min(self.width(of: part), widest)
        var expected = max(count, 0)
        while width < widest, cap.map({ expected <= $0 / 2 }) ?? true {
            width *= 2
            expected = min(expected, .max / 2) * 2
        }
        return Partition(from: part.from - width, to: part.from - 1)
    }

    /// Whether a part is one of these: a page cursor may be another feed's, or nobody's.
    package func holds(_ part: Partition) -> Bool {
        part.from >= first && part.to >= part.from && part.to <= 2 * PartitionUnit.furthest
            && (part.from - first) % width(of: part) == 0
    }

    private func part(_ from: Int, _ width: Int) -> Partition {
        Partition(from: from, to: min(from + (width - 1), last ?? .max))
    }

    /// The values of its block: the last one may end behind the last value.
    private func width(of part: Partition) -> Int {
        var width = 1
        while width - 1 < part.to - part.from { width *= 2 }
        return width
    }
}
