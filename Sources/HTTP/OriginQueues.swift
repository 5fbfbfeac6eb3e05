/// The queue of each origin: a limited number of transfers run at once, in order of arrival.
struct OriginQueues<ID: Equatable> {
    private struct Queue {
        var running = 0
        var waiting: [(id: ID, limit: Int)] = []
    }

    private var queues: [Origin: Queue] = [:]

    /// Puts a transfer at the end of its origin's queue; it may start once fewer than `limit` are under way there.
    mutating func enqueue(_ id: ID, at origin: Origin, limit: Int) {
        queues[origin, default: Queue()].waiting.append((id, max(limit, 1)))
    }

    /// The next transfer that may start at `origin`, which then counts as under way.
    mutating func next(at origin: Origin) -> ID? {
        guard var queue = queues[origin], let first = queue.waiting.first, queue.running < first.limit else {
            return nil
        }
        queue.waiting.removeFirst()
        queue.running += 1
        queues[origin] = queue
        return first.id
    }

    /// A transfer that was under way has ended.
    mutating func finish(at origin: Origin) {
        guard var queue = queues[origin] else { return }
        queue.running = max(queue.running - 1, 0)
        queues[origin] = queue.running == 0 && queue.waiting.isEmpty ? nil : queue
    }

    /// A waiting transfer gives up.
    mutating func withdraw(_ id: ID, from origin: Origin) {
        guard var queue = queues[origin] else { return }
        queue.waiting.removeAll { $0.id == id }
        queues[origin] = queue.running == 0 && queue.waiting.isEmpty ? nil : queue
    }
}
