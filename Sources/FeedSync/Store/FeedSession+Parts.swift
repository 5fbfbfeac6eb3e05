internal import SQLite

/// What a split feed's walk has come to, for pages that are asked for once more.
extension FeedSession {
    /// The elements of the pages before one of the walk that are of the same part, as they were met last; 0 for a feed that
    /// is not split.
    func partElements(beforePage number: Int) throws -> Int {
        guard shape.definition.split != nil, let part = SplitRule.partName(in: try continuation(ofPage: number))
        else { return 0 }
        let elements = try connection.int64(
            """
            SELECT sum((
                SELECT n.elements FROM _page n
                WHERE n.feed = p.feed AND n.request = p.request AND n.credential = p.credential ORDER BY n.id DESC LIMIT 1))
            FROM _walk_page w JOIN _page p ON p.id = w.page
            WHERE w.walk = ? AND w.number < ? AND (w.asked = ? OR substr(w.asked, 1, ?) = ?)
            """, Value(state.walk?.id), Value(number), Value(part), Value(part.count + 1), Value(part + ","))
        return Int(elements ?? 0)
    }

    /// Whether a page's part ends elsewhere by now than the walk found, so that some of it was never asked for.
    func outgrows(_ number: Int, _ end: PageEnd) throws -> Bool {
        guard shape.definition.split != nil else { return false }
        return switch end.part {
        case .tooMany: true
        case .capped: !(state.walk?.isCapped ?? false)
        case .cut: try !isHalved(number)
        case .whole: false
        // It leads on: so it did, if the walk's next page is of the same part.
        case nil: try partName(number) != partName(number + 1)
        }
    }

    private func partName(_ number: Int) throws -> String? {
        SplitRule.partName(in: try continuation(ofPage: number))
    }

    /// Whether the walk has asked for a half, or less, of the part that one of its pages is of.
    private func isHalved(_ number: Int) throws -> Bool {
        guard let split = shape.definition.split else { return false }
        let part = { (asked: Continuation?) in
            SplitRule.partName(in: asked).flatMap { split.part(named: $0[...]) }
        }
        guard let whole = part(try continuation(ofPage: number)) else { return false }
        var isHalved = false
        try connection.rows("SELECT asked FROM _walk_page WHERE walk = ?", [Value(state.walk?.id)]) { row in
            guard let other = part(row.text(at: 0).map(Continuation.init)), other != whole else { return }
            isHalved = isHalved || (other.from >= whole.from && other.to <= whole.to)
        }
        return isHalved
    }
}
