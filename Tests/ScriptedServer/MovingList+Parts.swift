internal import HTTPServer

extension MovingList {
    /// The partitions of a list, which serves the first `cap` items of each request.
    struct Parts: Sendable {
        /// The last value of a partition; the first is 0.
        static let last = 255

        /// The number of items served for one request; full pages.
        let cap: Int
        /// True if the definition states it.
        let saysCap: Bool
        /// True if later pages are refused, false if they are empty.
        let refuses: Bool
        /// The number of values over which items are spread at random.
        let spread: Int
        /// The number of changes with the same value, if it rises.
        let pace: Int

        init(perPage: Int, hasTotals: Bool, using generator: inout some RandomNumberGenerator) {
            cap = perPage * Int.random(in: 2...4, using: &generator)
            // The number alone shows that there is more if there are no totals.
            saysCap = !hasTotals || Bool.random(using: &generator)
            refuses = Bool.random(using: &generator)
            spread = [2, 4, 16, Self.last + 1].randomElement(using: &generator) ?? 2
            pace = Int.random(in: 1...6, using: &generator)
        }

        /// The values that a request asks for; nil for one that says none.
        func range(_ request: ServerRequest) -> ClosedRange<Int>? {
            guard let query = request.parameter("q"), query.hasPrefix("things n:") else { return nil }
            let ends = query.dropFirst(9).split(separator: ".").compactMap { Int($0) }
            return ends.count == 2 && ends[0] <= ends[1] ? ends[0]...ends[1] : nil
        }
    }

    /// The members of a definition that the partitions need.
    var partitionedDefinition: String {
        guard let parts else { return "" }
        return """

            query: {q: things}
            partition:
              query: {q: "n:{from}..{to}"}
              by: number
              path: part
              from: 0
              to: \(Parts.last)
            """ + (parts.saysCap ? "\n  cap: \(parts.cap)" : "") + (hasTotals ? "\n  total: total" : "")
    }

    /// The value that decides an item's partition, when it is added or changes.
    mutating func part(of item: Item) -> Int {
        guard let parts else { return 0 }
        if style.goesByID { return min(item.id / parts.pace, Parts.last) }
        // Items that come to the head are of the newest partition.
        if mode == .new { return min(item.serial / parts.pace, Parts.last) }
        return random(0...parts.spread - 1)
    }

    /// Comes to rest: items that cannot be stored are removed, and no single value has more items than a request can
    /// get.
    package mutating func rest() {
        isMoving = false
        move()
        if hasBroken { items.removeAll(where: \.isNull) }
        guard let parts else { return }
        // Without a total, as many as are served may not be all.
        let most = hasTotals ? parts.cap : parts.cap - 1
        var counts: [Int: Int] = [:]
        var surplus: Set<Int> = []
        for item in ordered {
            counts[item.part, default: 0] += 1
            if counts[item.part, default: 0] > most { surplus.insert(item.id) }
        }
        items.removeAll { surplus.contains($0.id) }
    }
}
