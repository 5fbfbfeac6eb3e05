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

/// Places gathered into ranges of positions; consecutive places make one.
package struct PlaceRanges: Sendable {
    package private(set) var ranges: [(generation: Int64, positions: Range<Int64>)] = []

    /// Creates an empty collection.
    package init() {}

    /// Adds a number of places, beginning with this one.
    package mutating func insert(_ place: Place, count: Int64) {
        ranges.append((place.generation, place.position..<place.position + count))
    }

    /// Adds a place.
    package mutating func insert(_ place: Place) {
        if let last = ranges.last, last.generation == place.generation {
            if last.positions.contains(place.position) { return }
            if last.positions.upperBound == place.position {
                ranges[ranges.count - 1].positions = last.positions.lowerBound..<place.position + 1
                return
            }
        }
        ranges.append((place.generation, place.position..<place.position + 1))
    }
}
