package import Feeds

/// Feeds that one worker works on at a time: those of one host, and what hangs together by `for_each`.
///
/// So that a host gets one request at a time however many workers there are, and its quota is one worker's to keep.
package struct FeedGroup: Sendable, Hashable {
    /// The first of its hosts in alphabetical order.
    package let name: String
    /// Its feeds, in the configuration's order.
    package let feeds: [String]

    /// A group by the feeds that it has.
    package init(name: String, feeds: [String]) {
        self.name = name
        self.feeds = feeds
    }

    /// The groups of a configuration's feeds.
    package static func all(of feeds: [FeedDefinition]) -> [FeedGroup] {
        // Each feed with a host and its parents; groups that share any are one.
        var groupOf: [String: Int] = [:]
        var members: [Int: Set<String>] = [:]
        for (index, feed) in feeds.enumerated() {
            let own = ["feed \(feed.name)", "host \(feed.url.host)"] + (feed.forEach.map { ["feed \($0.feed)"] } ?? [])
            let joined = Set(own.compactMap { groupOf[$0] })
            let all = joined.reduce(into: Set(own)) { $0.formUnion(members.removeValue(forKey: $1) ?? []) }
            members[index] = all
            for member in all { groupOf[member] = index }
        }
        return members.sorted { $0.key < $1.key }.compactMap { _, members in
            let own = feeds.map(\.name).filter { members.contains("feed \($0)") }
            guard !own.isEmpty, let host = members.filter({ $0.hasPrefix("host ") }).min() else { return nil }
            return FeedGroup(name: String(host.dropFirst(5)), feeds: own)
        }
    }
}
