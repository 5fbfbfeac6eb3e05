/// The future events, the earliest first; of one moment, in the order of addition.
struct EventQueue<Event> {
    private var heap: [(time: Int64, order: Int, event: Event)] = []
    private var count = 0

    /// Adds an event at a time.
    mutating func add(_ event: Event, at time: Int64) {
        heap.append((time, count, event))
        count += 1
        var index = heap.count - 1
        while index > 0, isEarlier(index, (index - 1) / 2) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// The next event and its time; nil where there is none.
    mutating func next() -> (time: Int64, event: Event)? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        return (first.time, first.event)
    }

    private mutating func sink() {
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && isEarlier(child, least) {
                least = child
            }
            guard least != index else { return }
            heap.swapAt(index, least)
            index = least
        }
    }

    private func isEarlier(_ left: Int, _ right: Int) -> Bool {
        (heap[left].time, heap[left].order) < (heap[right].time, heap[right].order)
    }
}
