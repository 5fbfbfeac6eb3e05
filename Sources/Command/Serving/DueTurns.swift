internal import FeedSync

/// The feeds that are due in a server, and the next one to sync.
///
/// A feed comes after the one that it has lists for. Feeds of idle hosts come first, and the last place is theirs: a
/// host that is slow holds up no other.
struct DueTurns {
    private let most: Int
    private var waiting: [FeedDefinition] = []
    private var running: [FeedDefinition] = []

    /// - Parameter most: The number of feeds at a time, at least 1.
    init(atOnce most: Int) { self.most = most }

    /// True if no feed is being synced.
    var isIdle: Bool { running.isEmpty }

    /// Replaces the feeds that wait.
    ///
    /// - Parameter due: The feeds that are due, in their order; those that are being synced may be among them.
    mutating func wait(_ due: [FeedDefinition]) {
        waiting = due.filter { feed in !running.contains { $0.name == feed.name } }
    }

    /// Takes the next feed; nil if none may begin.
    mutating func next() -> FeedDefinition? {
        guard running.count < most else { return nil }
        let hosts = Set(running.map(\.url.host))
        let above = Set((waiting + running).map(\.name))
        let free = waiting.indices.filter { !above.contains(waiting[$0].forEach?.feed ?? "") }
        let mayShare = running.count < most - 1
        guard let index = free.first(where: { !hosts.contains(waiting[$0].url.host) }) ?? (mayShare ? free.first : nil)
        else { return nil }
        let feed = waiting.remove(at: index)
        running.append(feed)
        return feed
    }

    /// The sync of a feed has ended.
    mutating func end(_ feed: FeedDefinition) { running.removeAll { $0.name == feed.name } }
}
