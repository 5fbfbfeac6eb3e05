/// One partition of a feed: the values from one to another, both of them in it.
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

/// How the values of a partitioned feed fall into partitions.
///
/// Partitions are blocks of 1, 2, 4, … values, counted from the first: halving one gives two others, and a block is the same
/// whichever day it is asked for. So the requests of a feed stay the same from crawl to crawl, and with them what is known
/// of their pages.
package struct FeedBlocks: Sendable, Hashable {
    /// The first value of all.
    package let first: Int
    /// The last value of all; nil where it is now.
    package let last: Int?
    /// How many values a partition may have, a power of two; nil for any number.
    private let widest: Int?

    /// - Parameter widest: How many values the upstream takes in one request; nil for any number.
    package init(first: Int, last: Int?, widest: Int? = nil) {
        self.first = first
        self.last = last
        // The greatest power of two that is not above it.
        self.widest = widest.map { 1 << (Int.bitWidth - 1 - max($0, 1).leadingZeroBitCount) }
    }

    /// The partition that a crawl begins with: the newest.
    ///
    /// - Parameters:
    ///   - now: The newest value that there can be.
    ///   - known: The partition that the crawl before began with; it is widened until `now` is in it, or the next one that
    ///     has it is taken where it may not be wider.
    package func newest(now: Int, known: Partition?) -> Partition {
        let now = max(first, min(now, last ?? PartitionUnit.furthest))
        var from = first
        var width = 1
        if let known {
            (from, width) = (known.from, self.width(of: known))
        }
        while from > now || from + (width - 1) < now {
            if let widest, width >= widest {
                from = first + (now - first) / width * width
                break
            }
            width *= 2
            from = first + (from - first) / width * width
        }
        return partition(from, width)
    }

    /// A partition's two halves; nil for a single value.
    package func halves(of partition: Partition) -> (older: Partition, newer: Partition)? {
        guard !partition.isSingle else { return nil }
        let half = width(of: partition) / 2
        return (
            Partition(from: partition.from, to: partition.from + half - 1), self.partition(partition.from + half, half)
        )
    }

    /// The partition to go on with behind a finished one, towards the older; nil behind the last.
    ///
    /// - Parameters:
    ///   - count: The elements of the finished partition.
    ///   - cap: How many a partition may have: where twice as many would do, the next one is wider.
    package func next(after partition: Partition, count: Int, cap: Int?) -> Partition? {
        let distance = partition.from - first
        guard distance > 0 else { return nil }
        // The widest block that ends there.
        let widest = min(distance & -distance, widest ?? .max)
        var width = min(self.width(of: partition), widest)
        var expected = max(count, 0)
        while width < widest, cap.map({ expected <= $0 / 2 }) ?? true {
            width *= 2
            expected = min(expected, .max / 2) * 2
        }
        return Partition(from: partition.from - width, to: partition.from - 1)
    }

    /// What makes its partitions others; nothing where they may have any width.
    package var canonicalText: String { widest.map { " widest \($0)" } ?? "" }

    /// Whether a partition is one of these: a page cursor may be another feed's, or nobody's.
    package func holds(_ partition: Partition) -> Bool {
        partition.from >= first && partition.to >= partition.from && partition.to <= 2 * PartitionUnit.furthest
            && (partition.from - first) % width(of: partition) == 0
            && width(of: partition) <= widest ?? .max
    }

    private func partition(_ from: Int, _ width: Int) -> Partition {
        Partition(from: from, to: min(from + (width - 1), last ?? .max))
    }

    /// The values of its block: the last one may end behind the last value.
    private func width(of partition: Partition) -> Int {
        var width = 1
        while width - 1 < partition.to - partition.from { width *= 2 }
        return width
    }
}
