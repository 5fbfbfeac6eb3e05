import SeededGenerator
import Testing

@testable import Command

@Suite struct JobQueueTests {
    @Test("Jobs start in order, but one of an idle host before one that would wait for its turn")
    func order() {
        var queue = JobQueue(["a1", "a2", "b1", "a3", "b2"]) { String($0.prefix(1)) }
        #expect(queue.next()?.job == "a1")
        #expect(queue.next()?.job == "b1")
        #expect(queue.next()?.job == "a2")
        queue.end(at: "b")
        #expect(queue.next()?.job == "b2")
        queue.end(at: "a")
        // A job of the host is still running.
        #expect(queue.next()?.job == "a3")
        #expect(queue.next() == nil)
    }

    @Test(
        "Each job starts once, and none waits for a busy host while its own is idle",
        arguments: 0..<32 as Range<UInt64>)
    func arbitrary(_ seed: UInt64) {
        var random = SeededGenerator(seed)
        let jobs = (0..<50).map { ($0, "host \(random.next() % 7)") }
        var queue = JobQueue(jobs) { $0.1 }
        var waiting = jobs
        var running: [(Int, String)] = []
        var begun: [Int] = []
        while !waiting.isEmpty {
            if running.count == 4 { queue.end(at: running.remove(at: Int(random.next() % 4)).1) }
            let busy = Set(running.map(\.1))
            let expected = waiting.first { !busy.contains($0.1) } ?? waiting[0]
            guard let (job, host) = queue.next() else { break }
            #expect(job.0 == expected.0, "seed \(seed)")
            #expect(host == job.1)
            waiting.removeAll { $0.0 == job.0 }
            running.append(job)
            begun.append(job.0)
        }
        #expect(begun.sorted() == Array(0..<50), "seed \(seed)")
    }
}
