/// The prefetched requests, in the order of their pages.
struct PrefetchQueue {
    /// One prefetched request.
    struct Entry {
        let cursor: PageCursor
        let page: PreparedPage
        /// Receives the response.
        let response: PendingFetch
        let task: Task<Void, Never>
        /// True if the page was the last one when it was stored.
        let isLast: Bool
    }

    private var entries: [Entry] = []
    /// Dropped requests that may have been sent.
    private var dropped: [PendingFetch] = []

    /// The number of prefetched requests.
    var count: Int { entries.count }

    /// True if another request would go beyond the page that was the last one when it was stored.
    var reachEnd: Bool { entries.last?.isLast ?? false }

    /// The given page, if its request is the first of the queue.
    func next(_ cursor: PageCursor?) -> PreparedPage? {
        guard let first = entries.first, first.cursor == cursor else { return nil }
        return first.page
    }

    /// Adds the request of the page after the others.
    mutating func add(_ entry: Entry) { entries.append(entry) }

    /// Takes the request of the given page from the queue. If the queue begins with another page, drops all and returns
    /// nil.
    mutating func take(_ cursor: PageCursor?) -> Entry? {
        guard let first = entries.first, first.cursor == cursor else {
            drop()
            return nil
        }
        return entries.removeFirst()
    }

    /// Drops the requests for other pages than these, which begin with the next one. False if any was dropped.
    mutating func keep(_ wanted: [PageCursor]) -> Bool {
        let common = zip(entries, wanted).prefix { $0.cursor == $1 }.count
        for entry in Array(entries[common...]) { cancel(entry) }
        defer { entries.removeSubrange(common...) }
        return common == entries.count
    }

    /// Drops all requests.
    mutating func drop() {
        for entry in entries { cancel(entry) }
        entries = []
    }

    /// Takes the requests dropped since the last call. The upstream may have seen them all the same.
    mutating func takeDropped() -> [PendingFetch] {
        defer { dropped = [] }
        return dropped
    }

    private mutating func cancel(_ entry: Entry) {
        entry.task.cancel()
        dropped.append(entry.response)
    }
}
