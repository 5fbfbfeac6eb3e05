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

    /// More lines than this are compared as a whole: the work grows with the product of their numbers.
    private static let most = 2_000

    init(from old: String, to new: String) {
        let (old, new) = (Self.lines(of: old), Self.lines(of: new))
        guard old.count <= Self.most, new.count <= Self.most else {
            lines = old.map { Line(kind: .removed, text: $0) } + new.map { Line(kind: .added, text: $0) }
            return
        }
        // The lengths of the longest common lines of what is left of both.
        var common = [[Int]](repeating: [Int](repeating: 0, count: new.count + 1), count: old.count + 1)
        for left in old.indices.reversed() {
            for right in new.indices.reversed() {
                common[left][right] =
                    old[left] == new[right]
                    ? common[left + 1][right + 1] + 1 : max(common[left + 1][right], common[left][right + 1])
            }
        }
        var (left, right) = (0, 0)
        var lines: [Line] = []
        while left < old.count || right < new.count {
            if left < old.count, right < new.count, old[left] == new[right] {
                lines.append(Line(kind: .same, text: old[left]))
                (left, right) = (left + 1, right + 1)
            } else if right == new.count || left < old.count && common[left + 1][right] >= common[left][right + 1] {
                lines.append(Line(kind: .removed, text: old[left]))
                left += 1
            } else {
                lines.append(Line(kind: .added, text: new[right]))
                right += 1
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
