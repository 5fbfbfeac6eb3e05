/// One part of a split feed: the values from one to another, both of them in it.
struct FeedPart: Sendable, Hashable {
    let from: Int
    let to: Int

    /// Whether it holds but one value, and cannot be halved.
    var isSingle: Bool { from == to }
}

/// How the values of a split feed fall into parts.
///
/// Parts are blocks of 1, 2, 4, … values, counted from the first: halving one gives two others, and a block is the same
/// whichever day it is asked for. So the requests of a feed stay the same from walk to walk, and with them what is known
/// of their pages.
struct FeedBlocks: Sendable, Hashable {
    /// The first value of all.
    let first: Int
    /// The last value of all; nil where it is now.
    let last: Int?

    /// The part that a walk begins with: the newest.
    ///
    /// - Parameters:
    ///   - now: The newest value that there can be.
    ///   - known: The part that the walk before began with; it is widened until `now` is in it.
    func newest(now: Int, known: FeedPart?) -> FeedPart {
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
    func halves(of part: FeedPart) -> (older: FeedPart, newer: FeedPart)? {
        guard !part.isSingle else { return nil }
        let half = width(of: part) / 2
        return (FeedPart(from: part.from, to: part.from + half - 1), self.part(part.from + half, half))
    }

    /// The part to go on with behind a finished one, towards the older; nil behind the last.
    ///
    /// - Parameters:
    ///   - count: The elements of the finished part.
    ///   - cap: How many a part may have: where twice as many would do, the next one is wider.
    func next(after part: FeedPart, count: Int, cap: Int?) -> FeedPart? {
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
        return FeedPart(from: part.from - width, to: part.from - 1)
    }

    /// Whether a part is one of these: a continuation may be another feed's, or nobody's.
    func holds(_ part: FeedPart) -> Bool {
        part.from >= first && part.to >= part.from && part.to <= 2 * SplitUnit.furthest
            && (part.from - first) % width(of: part) == 0
    }

    private func part(_ from: Int, _ width: Int) -> FeedPart {
        FeedPart(from: from, to: min(from + (width - 1), last ?? .max))
    }

    /// The values of its block: the last one may end behind the last value.
    private func width(of part: FeedPart) -> Int {
        var width = 1
        while width - 1 < part.to - part.from { width *= 2 }
        return width
    }
}
