/// Elements that were not stored.
package struct SkippedItems: Sendable, Hashable {
    /// The number of elements that are not items or have no key.
    package var count = 0
    package var first: String?
    /// The number of items replaced by another item with the same key, and a description of the first.
    package var sameKey = 0
    package var firstSameKey: String?

    package init(count: Int = 0, sameKey: Int = 0) {
        self.count = count
        self.sameKey = sameKey
    }

    /// Adds the skipped items of another page.
    package mutating func add(_ other: SkippedItems) {
        first = first ?? other.first
        count += other.count
        firstSameKey = firstSameKey ?? other.firstSameKey
        sameKey += other.sameKey
    }
}
