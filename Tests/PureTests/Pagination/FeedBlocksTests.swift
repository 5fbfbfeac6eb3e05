import SeededGenerator
import Testing

@testable import Pagination

@Suite("The blocks of a partitioned feed")
struct FeedBlocksTests {
    @Test("The blocks of a feed cover every value once, however full they are", arguments: 1...200)
    func cover(seed: UInt64) {
        var random = SeededGenerator(seed)
        let first = Int.random(in: -1000...1000, using: &random)
        let last = first + Int.random(in: 0...5000, using: &random)
        let widest = Bool.random(using: &random) ? Int.random(in: 1...500, using: &random) : nil
        let blocks = FeedBlocks(first: first, last: Bool.random(using: &random) ? last : nil, widest: widest)
        var part: Partition? = blocks.newest(now: last, known: nil)
        var below = (part?.to ?? 0) + 1
        #expect(below > last)
        while var current = part {
            while Bool.random(using: &random), let halves = blocks.halves(of: current) { current = halves.newer }
            #expect(current.to == below - 1 && blocks.holds(current), "seed \(seed): \(current)")
            #expect(current.to - current.from < widest ?? .max, "seed \(seed): \(current)")
            below = current.from
            part = blocks.next(after: current, count: Int.random(in: 0...1000, using: &random), cap: 1000)
        }
        #expect(below == first, "seed \(seed)")
    }

    @Test("The blocks of a crawl begin where the crawl before began, as long as now is in it")
    func known() {
        let blocks = FeedBlocks(first: 0, last: nil)
        let part = Partition(from: 96, to: 127)
        #expect(blocks.newest(now: 100, known: part) == part)
        #expect(blocks.newest(now: 127, known: part) == part)
        #expect(blocks.newest(now: 128, known: part) == Partition(from: 0, to: 255))
    }

    @Test(
        "Blocks widen where there is little, up to the next border",
        arguments: [(0, 0..<96), (10, 64..<96), (51, 80..<96), (99, 80..<96)])
    func widening(count: Int, next: Range<Int>) {
        let blocks = FeedBlocks(first: 0, last: nil)
        let part = blocks.next(after: Partition(from: 96, to: 111), count: count, cap: 100)
        // 96 is a multiple of 32: no wider block ends there.
        let expected = next.lowerBound == 0 ? 64 : next.lowerBound
        #expect(part == Partition(from: expected, to: 95))
    }

    @Test("Blocks at the ends of 64 bits make no sum that is too large")
    func extremes() {
        let most = PartitionUnit.furthest
        let blocks = FeedBlocks(first: -most, last: most)
        var part = blocks.newest(now: .max, known: nil)
        #expect(part == Partition(from: -most, to: most))
        while let halves = blocks.halves(of: part) { part = halves.newer }
        #expect(part == Partition(from: most, to: most))
        #expect(blocks.next(after: part, count: 5, cap: 1) != nil)
        // Without a cap the next part is as wide as may be, however many items that would be.
        #expect(
            FeedBlocks(first: -most, last: nil).next(after: Partition(from: 0, to: 0), count: 10, cap: nil)
                == Partition(from: -most, to: -1))
    }
}
