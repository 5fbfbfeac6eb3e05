package import Feeds
internal import MirrorWriter
internal import Text

/// Feeds on which one worker works at a time: those of one host, and those connected by `for_each`.
///
/// A host therefore gets one request at a time from any number of workers, and one worker keeps its quota.
package struct FeedGroup: Sendable, Hashable {
    /// The first of its hosts in alphabetical order.
    package let name: String
    /// Its feeds, in the configuration's order.
    package let feeds: [String]
    /// A hash of the feeds' definitions.
    package let definitions: String
    /// The feeds among them that are paused, and so never due.
    let paused: Set<String>

    /// A group by the feeds that it has.
    package init(name: String, feeds: [String], definitions: String = "", paused: Set<String> = []) {
        self.name = name
        self.feeds = feeds
        self.definitions = definitions
        self.paused = paused
    }

    /// A feed that the store may have, and the configuration does not: a group of its own, while a command works on it.
    static func stored(_ feed: String) -> FeedGroup { FeedGroup(name: storedPrefix + feed, feeds: [feed]) }

    /// The start of the names of such groups, which no host's name has.
    static let storedPrefix = "feed "

    /// The groups of a configuration's feeds.
    package static func all(of feeds: [FeedDefinition]) -> [FeedGroup] {
        // Feeds that share a host, or are a feed and its parent, are of one group. Each points to an earlier feed of
        // its group, or to itself: there may be a million feeds.
        var earlier = Array(feeds.indices)
        func first(_ feed: Int) -> Int {
            var feed = feed
            while earlier[feed] != feed {
                earlier[feed] = earlier[earlier[feed]]
                feed = earlier[feed]
            }
            return feed
        }
        var known: [String: Int] = [:]
        for (index, feed) in feeds.enumerated() {
            let parent = feed.forEach.map { ["feed \($0.feed)"] } ?? []
            for mark in ["feed \(feed.name)", "host \(feed.url.host)"] + parent {
                let (one, other) = (first(index), first(known[mark] ?? index))
                earlier[max(one, other)] = min(one, other)
                known[mark] = min(one, other)
            }
        }
        var groups: [Int: (names: [String], host: String, definitions: FNV1a, paused: Set<String>)] = [:]
        for (index, feed) in feeds.enumerated() {
            let (group, host) = (first(index), feed.url.host)
            var known = groups[group] ?? ([], host, FNV1a(), [])
            known.names.append(feed.name)
            if feed.isPaused { known.paused.insert(feed.name) }
            known.host = min(known.host, host)
            known.definitions.add(feed.fingerprint(salt: feed.name).utf8)
            groups[group] = known
        }
        return groups.sorted { $0.key < $1.key }.map { group in
            FeedGroup(
                name: group.value.host, feeds: group.value.names, definitions: group.value.definitions.digits,
                paused: group.value.paused)
        }
    }

    /// The most feeds of a batch. SQLite looks through its whole schema whenever a table is made, and a file has the
    /// tables of one batch.
    package static let batchSize = 500

    /// Feeds in batches, one after another, so that a claim lasts no longer than its batch.
    ///
    /// Feeds of one group come in one batch, or in several if the group is larger than a batch. The groups are in the
    /// order of their first feeds, and the feeds of a batch in the order that they have here.
    ///
    /// - Parameter groups: All groups of the configuration.
    package static func batches(
        of feeds: [FeedDefinition], in groups: [FeedGroup], size: Int = batchSize
    ) -> [[FeedDefinition]] {
        var groupOfFeed: [String: Int] = [:]
        for (index, group) in groups.enumerated() {
            for feed in group.feeds { groupOfFeed[feed] = index }
        }
        // A feed comes after the one whose rows show its lists, in whatever batch that is.
        let feeds = SyncOrder.levels(feeds).flatMap(\.self)
        var order: [Int?] = []
        var members: [Int?: [Int]] = [:]
        for (index, feed) in feeds.enumerated() {
            let group = groupOfFeed[feed.name]
            if members[group] == nil { order.append(group) }
            members[group, default: []].append(index)
        }
        var batches: [[Int]] = []
        for group in order {
            let indices = members[group] ?? []
            for start in stride(from: 0, to: indices.count, by: size) {
                let some = indices[start..<min(start + size, indices.count)]
                if let last = batches.last, last.count + some.count <= size {
                    batches[batches.count - 1] += some
                } else {
                    batches.append(Array(some))
                }
            }
        }
        return batches.map { batch in batch.sorted().map { feeds[$0] } }
    }
}
