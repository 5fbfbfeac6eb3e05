/// Consecutive rows that the crawl met in the same order on one of its pages.
package struct MetPlaces: Sendable, Hashable {
    package let first: Place
    package private(set) var count: Int64
    package let page: Int

    package init(_ first: Place, count: Int64 = 1, page: Int) {
        self.first = first
        self.count = count
        self.page = page
    }

    /// The crawl of the page; 0 for the current one.
    package var crawl: Int64 = 0

    /// True if a row at the place is one of them.
    package func contains(_ place: Place) -> Bool {
        place.generation == first.generation && (first.position..<first.position + count).contains(place.position)
    }

    /// Adds rows that follow these; false if they do not.
    package mutating func extend(by other: MetPlaces) -> Bool {
        guard other.page == page, other.first.generation == first.generation,
            other.first.position == first.position + count
        else { return false }
        count += other.count
        return true
    }
}

extension MetPlaces {
    /// The places of one page as JSON; nil if there are none.
    package static func json(_ places: [MetPlaces]) -> String? {
        guard !places.isEmpty else { return nil }
        let texts = places.map { "[\($0.first.generation),\($0.first.position),\($0.count)]" }
        return "[\(texts.joined(separator: ","))]"
    }

    /// Reads the output of `json`.
    package static func read(_ json: String?, page: Int, crawl: Int64) -> [MetPlaces] {
        guard let json, case .array(let places)? = try? JSONValue(parsing: json) else { return [] }
        return places.compactMap { place in
            guard case .array(let numbers) = place else { return nil }
            let values = numbers.compactMap(\.integer)
            guard values.count == 3 else { return nil }
            var met = MetPlaces(Place(generation: values[0], position: values[1]), count: values[2], page: page)
            met.crawl = crawl
            return met
        }
    }
}
