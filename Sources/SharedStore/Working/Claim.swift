/// A worker's right to work on a group.
package struct Claim: Sendable, Hashable {
    package let group: FeedGroup
    /// What each commit is checked by.
    let fence: Int64
    /// How many commits the group had when it was claimed.
    let version: Int64
}

extension [Claim] {
    /// What errors call the feeds.
    var nameOfFeeds: String {
        let names = map(\.group.name)
        return names.prefix(3).joined(separator: ", ") + (names.count > 3 ? " and others" : "")
    }
}
