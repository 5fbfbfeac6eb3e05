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
