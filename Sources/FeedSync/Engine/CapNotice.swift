/// What to tell of an upstream that does not serve all that it has.
struct CapNotice {
    /// The parts that had more than the upstream serves, although they cannot be halved.
    private var parts: [String] = []

    /// Takes note of a page that came.
    mutating func note(_ page: LoadedPage) {
        guard page.end.part == .capped, let part = SplitRule.partName(in: page.page.continuation) else { return }
        parts.append(part)
    }

    /// The notice; none for a walk that was served all, or of which no total tells.
    func texts(_ walk: WalkState?, isSplit: Bool) -> [String] {
        guard let walk, walk.reason == .cap, let total = walk.total, total > walk.elements else { return [] }
        let figures = "the upstream served \(walk.elements) of the \(total) items that it says there are"
        guard let part = parts.first else {
            return [figures + (isSplit ? "" : ": narrow the query, or have it asked for in parts with `split`")]
        }
        let which = parts.count == 1 ? "the part \(part) has" : "\(parts.count) parts, such as \(part), have"
        return ["\(figures): \(which) more than it serves at once, and cannot be halved; narrow the query"]
    }
}
