/// What to tell of a walk that came to less than it was for.
struct WalkNotices {
    /// The parts that had more than the upstream serves, although they cannot be halved.
    private var parts: [String] = []
    private var hasItems = false

    /// Takes note of a page that came.
    mutating func note(_ page: LoadedPage) {
        // A page that is as it was stored has told what it has to tell.
        if case .decoded(let decoded) = page.content, decoded.keys != "[]" { hasItems = true }
        guard page.end.part == .capped, let part = SplitRule.partName(in: page.page.continuation) else { return }
        parts.append(part)
    }

    /// The notices; none for a walk that was served all, and met an item that moves the watermark.
    ///
    /// - Parameter seen: How many items the upstream has served.
    func texts(_ walk: WalkState?, seen: Int, of feed: FeedDefinition) -> [String] {
        guard let walk else { return [] }
        return [cap(walk, seen: seen, isSplit: feed.split != nil), watermark(walk, feed.sync)].compactMap(\.self)
    }

    /// Of an upstream that does not serve all that it has; none where no total tells.
    private func cap(_ walk: WalkState, seen: Int, isSplit: Bool) -> String? {
        guard walk.reason == .cap, let total = walk.total, total > seen else { return nil }
        let figures = "the upstream served \(seen) of the \(total) items that it says there are"
        guard let part = parts.first else {
            return figures + (isSplit ? "" : ": narrow the query, or have it asked for in parts with `split`")
        }
        let which = parts.count == 1 ? "the part \(part) has" : "\(parts.count) parts, such as \(part), have"
        return "\(figures): \(which) more than it serves at once, and cannot be halved; narrow the query"
    }

    /// Of items that do not say how far they reach.
    private func watermark(_ walk: WalkState, _ rule: SyncRule) -> String? {
        guard case .since(let rule) = rule, hasItems, walk.furthest == nil else { return nil }
        return "no item that came has a time or a whole number at `\(rule.path)`: `\(rule.parameter)` stays as it was, "
            + "and each sync asks for the same again; correct `from` in the feed's `sync`"
    }
}
