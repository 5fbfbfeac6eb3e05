import Concurrency
import SeededGenerator
import Testing

@Suite("A queue in order of arrival") struct FIFOQueueTests {
    @Test("Elements come in the order in which they were added, however many wait")
    func order() {
        let seed = UInt64.random(in: 0...(.max))
        var random = SeededGenerator(seed)
        var queue = FIFOQueue<Int>()
        var (added, taken) = (0, 0)
        for _ in 0..<200 {
            for _ in 0..<Int.random(in: 0...100, using: &random) {
                queue.append(added)
                added += 1
            }
            for _ in 0..<Int.random(in: 0...100, using: &random) where taken < added {
                #expect(queue.popFirst() == taken, "seed \(seed)")
                taken += 1
            }
            #expect(queue.isEmpty == (taken == added))
        }
        while taken < added {
            #expect(queue.popFirst() == taken)
            taken += 1
        }
        #expect(queue.popFirst() == nil)
    }

    private final class Count { var value = 0 }

    /// An element that counts those in memory.
    private final class Element {
        let living: Count

        init(_ living: Count) {
            self.living = living
            living.value += 1
        }

        deinit { living.value -= 1 }
    }

    @Test("A queue that is never empty does not keep what was taken from it")
    func neverEmpty() {
        let living = Count()
        var queue = FIFOQueue<Element>()
        for _ in 0..<10 { queue.append(Element(living)) }
        for _ in 0..<10_000 {
            queue.append(Element(living))
            _ = queue.popFirst()
            #expect(living.value <= 100)
        }
    }
}
