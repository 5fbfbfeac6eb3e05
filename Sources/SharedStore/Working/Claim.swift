/// A worker's right to work on a group.
package struct Claim: Sendable, Hashable {
    package let group: FeedGroup
    /// What each commit is checked by.
    package let fence: Int64
    /// How many commits the group had when it was claimed.
    package let version: Int64
}
