/// A partition of a feed: the values from one to another, including both.
package struct Partition: Sendable, Hashable {
    package let from: Int
    package let to: Int

    /// True if it has a single value, and cannot be halved.
    package var isSingle: Bool { from == to }
}

/// The division of a partitioned feed's values into partitions.
///
/// Partitions are blocks of 1, 2, 4, … values, counted from the first: half of a block is a block, and a block is the
/// same on any day. The requests of a feed therefore stay the same from crawl to crawl, and the stored knowledge of
/// their pages stays valid.
package struct FeedBlocks: Sendable, Hashable {
    /// The first value of all.
    package let first: Int
    /// The last value of all; nil where it is now.
    package let last: Int?
    /// The largest number of values in a partition, a power of two; nil for any number.
    private let widest: Int?

    /// - Parameter widest: The most values that the upstream takes in one request; nil for any number.
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
    ///   - known: The partition that the crawl before began with; it is widened until `now` is in it, or the next one
    ///     that has it is taken where it may not be wider.
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

    /// The partition after a finished one, towards older values; nil after the last.
    ///
    /// - Parameters:
    ///   - count: The elements of the finished partition.
    ///   - cap: The most elements in a partition: if twice as many would fit, the next one is wider.
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

    /// The settings that change its partitions; empty if they may have any width.
    package var canonicalText: String { widest.map { " widest \($0)" } ?? "" }

    /// True if the partition belongs to this scheme. A stored cursor may not.
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
