/// The requests of pages that are under way before it is their turn, in the order of the pages.
struct PrefetchQueue {
    /// One of them.
    struct Entry {
        let cursor: PageCursor
        let page: PreparedPage
        /// Where its response comes.
        let response: PendingFetch
        let task: Task<Void, Never>
        /// Whether the page was the last one when it was stored.
        let isLast: Bool
    }

    private var entries: [Entry] = []
    /// Requests that were on the wire, perhaps, when they were dropped.
    private var dropped: [PendingFetch] = []

    /// How many there are.
    var count: Int { entries.count }

    /// Whether a further one would lie behind the page that was the last when it was stored.
    var reachEnd: Bool { entries.last?.isLast ?? false }

    /// The page whose turn it is, if it has been asked for.
    func next(_ cursor: PageCursor?) -> PreparedPage? {
        guard let first = entries.first, first.cursor == cursor else { return nil }
        return first.page
    }

    /// Adds the request of the page behind the others.
    mutating func add(_ entry: Entry) { entries.append(entry) }

    /// The request of the page whose turn it is. Where another page was expected all are dropped, and there is none.
    mutating func take(_ cursor: PageCursor?) -> Entry? {
        guard let first = entries.first, first.cursor == cursor else {
            drop()
            return nil
        }
        return entries.removeFirst()
    }

    /// Drops what is not of these pages, the next one first: a page has told that others come. False if there was any.
    mutating func keep(_ wanted: [PageCursor]) -> Bool {
        let common = zip(entries, wanted).prefix { $0.cursor == $1 }.count
        for entry in Array(entries[common...]) { cancel(entry) }
        defer { entries.removeSubrange(common...) }
        return common == entries.count
    }

    /// Ends all of them.
    mutating func drop() {
        for entry in entries { cancel(entry) }
        entries = []
    }

    /// The requests that were dropped since: the upstream has seen them all the same.
    mutating func takeDropped() -> [PendingFetch] {
        defer { dropped = [] }
        return dropped
    }

    private mutating func cancel(_ entry: Entry) {
        entry.task.cancel()
        dropped.append(entry.response)
    }
}
