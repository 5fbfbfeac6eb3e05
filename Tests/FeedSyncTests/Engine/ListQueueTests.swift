import SeededGenerator
import Testing

@testable import FeedSync

@Suite("The lists that are next") struct ListQueueTests {
    @Test("Come in order, as far as their hosts have room")
    func order() {
        var queue = ListQueue<String>(perHost: 2)
        for list in ["a1", "a2", "a3", "b1"] { queue.add(list, host: String(list.prefix(1))) }
        #expect([queue.next(), queue.next(), queue.next(), queue.next()] == ["a1", "a2", "b1", nil])
        #expect(queue.runningCount == 3)
        queue.end(at: "a")
        #expect(queue.next() == "a3" && queue.next() == nil)
    }

    @Test("A host that is closed has no further one")
    func closed() {
        var queue = ListQueue<String>(perHost: 1)
        for list in ["a1", "a2", "b1"] { queue.add(list, host: String(list.prefix(1))) }
        #expect(queue.next() == "a1")
        queue.close("a")
        queue.end(at: "a")
        queue.add("a3", host: "a")
        #expect(queue.next() == "b1" && queue.next() == nil)
        queue.end(at: "b")
        queue.end(at: "b")
        #expect(queue.runningCount == 0)
    }

    @Test("Each runs once, none of a host more than may, and there is an end to those that wait")
    func arbitrary() {
        let seed = UInt64.random(in: 0...(.max))
        var random = SeededGenerator(seed)
        var queue = ListQueue<(number: Int, host: String)>(perHost: 3)
        var (added, running, seen): (Int, [String], [Int]) = (0, [], [])
        while seen.count < 500 || !running.isEmpty {
            while added < 500, queue.hasRoom {
                let host = "host \(random.next() % 5)"
                queue.add((added, host), host: host)
                added += 1
            }
            if running.count < 8, let next = queue.next() {
                seen.append(next.number)
                running.append(next.host)
                #expect(running.count { $0 == next.host } <= 3, "seed \(seed)")
            } else {
                queue.end(at: running.remove(at: Int.random(in: running.indices, using: &random)))
            }
            #expect(queue.runningCount == running.count, "seed \(seed)")
        }
        #expect(seen.sorted() == Array(0..<500), "seed \(seed)")
    }
}
