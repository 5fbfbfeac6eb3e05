internal import FeedSync
internal import Reports

/// The outcome of a command on one feed.
struct RunReport: Sendable {
    let feed: String
    let command: String
    /// The run's number; nil if none started.
    var run: Int?
    /// The summary of a successful run.
    var summary: RunSummary?
    /// The error of a failed run.
    var error: FeedSyncError?
    /// The error of delivering the changes.
    var hookError: FeedSyncError?
    /// The pages that it committed before it failed.
    private(set) var pagesBefore = 0
    /// The stored part of a failed run, if any.
    private(set) var gain: String?

    var failure: Failure? { error.map { Failure($0, feed: feed) } }

    /// The failure of the feed's `on_change`, if any.
    var hookFailure: Failure? { hookError.map { Failure($0, feed: feed) } }

    var code: ExitCode { failure?.code ?? .done }

    /// The exit codes of the run's steps, the sync first.
    var codes: [ExitCode] { [code, hookFailure?.code ?? .done] }

    /// Notes for the user, beside the result or the failure.
    var notices: [String] {
        if let summary { return summary.notices }
        return gain.map { ["\($0) before it \(error?.kind == .cancelled ? "was stopped" : "failed")"] } ?? []
    }

    /// Records the findings about a failed run.
    mutating func follow(_ findings: RunWatch.Findings) {
        run = findings.run
        pagesBefore = findings.pages
        let parts = NumberFormat.counts([(findings.inserted, "new"), (findings.updated, "changed")])
        if !parts.isEmpty { gain = parts.joined(separator: ", ") }
    }

    /// The result as people read it; nil for a failure, which is printed on stderr.
    ///
    /// - Parameter row: The feed's state after it; nil where that is not known.
    func line(_ palette: Palette, nameWidth: Int, state row: StateRow? = nil) -> String? {
        guard let summary else { return nil }
        let padding = String(repeating: " ", count: max(0, nameWidth - feed.count) + 2)
        let count = NumberFormat.count(summary.itemCount, "item")
        return palette.name(feed) + padding + deed(summary, palette) + "; \(count), \(ending(summary, row))"
    }

    /// The state of the feed after the run: its state after a sync, or the existence of further pages after another
    /// command.
    private func ending(_ summary: RunSummary, _ row: StateRow?) -> String {
        if command == "sync", let row { return row.textAfterSync }
        guard let reason = summary.reason, ![.cutOff, .failed].contains(reason) else {
            return summary.isAtEnd ? "all pages fetched" : "more pages available"
        }
        return reason.words(seen: summary.seenCount, expected: summary.expectedCount)
    }

    private func deed(_ summary: RunSummary, _ palette: Palette) -> String {
        let figures = summary.figures
        guard summary.outcome != .noMoreData || figures.pages > 0 else {
            return palette.faint("no further pages, nothing requested")
        }
        let parts = [
            NumberFormat.count(figures.pages, "page"), NumberFormat.count(figures.requests, "request"),
            NumberFormat.bytes(figures.bytes),
        ]
        return items(summary, palette) + palette.faint(" (\(parts.joined(separator: ", ")))")
    }

    private func items(_ summary: RunSummary, _ palette: Palette) -> String {
        let items = summary.figures.items
        if summary.outcome == .unchanged { return palette.faint("unchanged") }
        let parts = [
            (items.inserted, "new", palette.success), (items.updated, "changed", palette.attention),
            (items.unchanged, "unchanged", palette.faint), (items.removed, "removed", palette.failure),
        ].filter { $0.0 > 0 }.map { count, word, paint in paint("\(NumberFormat.count(count)) \(word)") }
        return parts.isEmpty ? "no items" : parts.joined(separator: ", ")
    }

    /// The width of the longest name, for the lines of several feeds.
    static func nameWidth(of feeds: [FeedDefinition]) -> Int { feeds.map(\.name.count).max() ?? 0 }

    /// The run as stored; if none started, or the store cannot be read, the known part of it.
    func json(from store: Store) async -> String {
        if let run, let record = try? await store.runs(of: feed, limit: 10).first(where: { $0.id == run }) {
            return record.result
        }
        return RunRecord.fields(id: run, feed: feed, command: command, outcome: outcome, error: error).result
    }

    private var outcome: RunOutcome? {
        guard let error else { return summary?.outcome ?? .ok }
        // No run was started.
        return error.kind == .locked ? nil : RunOutcome(error)
    }
}

/// JSON documents made of others.
enum JSONLines {
    /// An array with one element per line.
    static func array(_ elements: [String]) -> String {
        elements.isEmpty ? "[]" : "[\n" + elements.joined(separator: ",\n") + "\n]"
    }
}
