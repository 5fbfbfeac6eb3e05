/// The place of a row in its feed: newer generations first, then by position.
package struct Place: Hashable, Sendable {
    package var generation: Int64
    package var position: Int64

    package init(generation: Int64, position: Int64) {
        self.generation = generation
        self.position = position
    }

    /// True if it comes before `other` in feed order.
    package func precedes(_ other: Place) -> Bool {
        generation == other.generation ? position < other.position : generation > other.generation
    }
}
