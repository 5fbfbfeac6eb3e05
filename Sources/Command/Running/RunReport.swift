internal import FeedSync

/// What became of a command on one feed.
struct RunReport: Sendable {
    let feed: String
    let command: String
    /// The run's number; nil if none began.
    var run: Int?
    /// What it did, if it ended well.
    var summary: RunSummary?
    /// Why it did not.
    var error: FeedError?

    init(feed: String, command: String) {
        self.feed = feed
        self.command = command
    }

    var failure: Failure? { error.map { Failure($0, feed: feed) } }

    var code: ExitCode { failure?.code ?? .done }

    /// What the user should hear of although nothing failed.
    var notices: [String] { summary?.notices ?? [] }

    /// The result as people read it; nil for a failure, which is told on stderr.
    func line(_ palette: Palette, nameWidth: Int) -> String? {
        guard let summary else { return nil }
        let padding = String(repeating: " ", count: max(0, nameWidth - feed.count) + 2)
        let count = Figures.count(summary.itemCount, "item")
        let standing = summary.isAtEnd ? "\(count), all there is" : "\(count), more to come"
        return palette.name(feed) + padding + deed(summary, palette) + "; " + standing
    }

    private func deed(_ summary: RunSummary, _ palette: Palette) -> String {
        let figures = summary.figures
        guard summary.outcome != .noMoreData || figures.pages > 0 else {
            return palette.faint("no more data, nothing requested")
        }
        let parts = [
            Figures.count(figures.pages, "page"), Figures.count(figures.requests, "request"),
            Figures.bytes(figures.bytes),
        ]
        return items(summary, palette) + palette.faint(" (\(parts.joined(separator: ", ")))")
    }

    private func items(_ summary: RunSummary, _ palette: Palette) -> String {
        let items = summary.figures.items
        if summary.outcome == .unchanged { return palette.faint("unchanged") }
        let parts = [
            (items.inserted, "new", palette.success), (items.updated, "changed", palette.attention),
            (items.unchanged, "the same", palette.faint), (items.removed, "removed", palette.failure),
        ].filter { $0.0 > 0 }.map { count, word, paint in paint("\(Figures.count(count)) \(word)") }
        return parts.isEmpty ? "no items" : parts.joined(separator: ", ")
    }
}
