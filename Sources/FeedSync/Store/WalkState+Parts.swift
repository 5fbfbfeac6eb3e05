internal import SQLite

/// The part of a feed that a walk is in the midst of.
struct WalkPart: Sendable, Hashable {
    let name: String
    /// The elements of its pages so far.
    var elements = 0
    /// The elements there are in it, as the upstream said last.
    var total: Int?
    /// Whether the upstream said another total before: an end that came too soon is no cap then.
    var hasMoved = false
}

/// What the store has to know of the part that a page belongs to.
struct PagePart: Sendable, Hashable {
    /// The continuation that the page was asked for with.
    let asked: Continuation
    /// The part's name.
    let name: String
}

extension WalkState {
    /// Whether the next page begins a part.
    func begins(_ part: PagePart?) -> Bool { part.map { $0.name != self.part?.name } ?? false }

    /// Takes note of a page of a part: the walk's figures are the sums of its parts'.
    ///
    /// - Returns: Whether the part's total fell while it was read.
    mutating func meet(_ part: PagePart, elements count: Int, total said: Int?, end: PartEnd?) -> Bool {
        if self.part?.name != part.name {
            self.part = WalkPart(name: part.name)
            // A half begins with what the whole had.
            lastKeys = "[]"
        }
        var current = self.part ?? WalkPart(name: part.name)
        let hasFallen = if let before = current.total, let said { said < before } else { false }
        if let before = current.total, let said, said != before { current.hasMoved = true }
        current.elements += count
        current.total = said ?? current.total
        self.part = current
        switch end {
        case nil, .tooMany?:
            total = finishedTotal + (current.total ?? current.elements)
            return hasFallen
        case .cut?:
            // What has come of it comes again, in its halves.
            if !current.hasMoved { cap = min(cap ?? .max, current.elements) }
            elements -= current.elements
        case .capped?, .whole?:
            isCapped = isCapped || end == .capped
            // More was served than what was taken for all that is.
            if let cap, current.elements > cap { self.cap = current.elements }
            finishedTotal += current.total ?? current.elements
        }
        self.part = nil
        total = finishedTotal
        return hasFallen
    }
}

extension Store {
    /// Reads where a walk over a feed in parts stands.
    func loadParts(of walk: inout WalkState) throws {
        try connection.rows(
            "SELECT doubtful, part, part_elements, part_total, capped, cap FROM _walk WHERE id = ?", [Value(walk.id)]
        ) { row in
            walk.isDoubtful = row.int64(at: 0) == 1
            walk.part = row.text(at: 1).map { name in
                let total = row.isNull(at: 3) ? nil : Int(row.int64(at: 3))
                return WalkPart(name: name, elements: Int(row.int64(at: 2)), total: total)
            }
            walk.isCapped = row.int64(at: 4) == 1
            walk.cap = row.isNull(at: 5) ? nil : Int(row.int64(at: 5))
        }
        walk.finishedTotal = (walk.total ?? 0) - (walk.part.map { $0.total ?? $0.elements } ?? 0)
    }
}
