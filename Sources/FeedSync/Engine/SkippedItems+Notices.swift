extension SkippedItems {
    /// The notices about the skipped items of a run: one sentence for each kind.
    static func notices(of pages: [String: SkippedItems]) -> [String] {
        var all = SkippedItems()
        for (_, skipped) in pages.sorted(by: { $0.key < $1.key }) { all.add(skipped) }
        return all.notices
    }

    private var notices: [String] {
        var notices: [String] = []
        if count > 0 {
            notices.append("\(Self.items(count)) skipped" + (first.map { ": \($0)" } ?? ", as before"))
        }
        if sameKey > 0 {
            let first = firstSameKey.map { ": \($0)" } ?? ", as before"
            notices.append(
                "\(Self.items(sameKey)) lost, because different items of a page have the same key\(first); "
                    + "give the feed a `key` that tells them apart")
        }
        return notices
    }

    private static func items(_ count: Int) -> String { count == 1 ? "1 item was" : "\(count) items were" }
}
