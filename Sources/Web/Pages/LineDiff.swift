/// The lines that differ between two texts, with those that both have.
struct LineDiff: Sendable, Hashable {
    enum Kind: String, Sendable {
        case same = " "
        case removed = "-"
        case added = "+"
    }

    struct Line: Sendable, Hashable {
        let kind: Kind
        let text: String
    }

    let lines: [Line]

    /// More lines than this are compared as a whole: the work grows with their number and that of their differences.
    private static let most = 2_000

    init(from old: String, to new: String) {
        let (old, new) = (Self.lines(of: old), Self.lines(of: new))
        guard old.count <= Self.most, new.count <= Self.most else {
            lines = old.map { Line(kind: .removed, text: $0) } + new.map { Line(kind: .added, text: $0) }
            return
        }
        let changes = new.difference(from: old)
        var (removals, insertions) = (changes.removals[...], changes.insertions[...])
        var (left, right) = (0, 0)
        var lines: [Line] = []
        while left < old.count || right < new.count {
            if case .remove(left, let text, _)? = removals.first {
                lines.append(Line(kind: .removed, text: text))
                removals.removeFirst()
                left += 1
            } else if case .insert(right, let text, _)? = insertions.first {
                lines.append(Line(kind: .added, text: text))
                insertions.removeFirst()
                right += 1
            } else {
                lines.append(Line(kind: .same, text: old[left]))
                (left, right) = (left + 1, right + 1)
            }
        }
        self.lines = lines
    }

    /// True if both texts have the same lines.
    var isEmpty: Bool { lines.allSatisfy { $0.kind == .same } }

    /// The lines, each behind its mark.
    var text: String { lines.map { "\($0.kind.rawValue) \($0.text)\n" }.joined() }

    /// Forms send line breaks of their own, and what is typed may end with some.
    private static func lines(of text: String) -> [String] {
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }
}
