internal import FeedSync
internal import HTTP
internal import Reports

/// Syncs feeds in one store, several at a time, with the outcome of each printed when it ends.
struct SyncBatch {
    let session: Session
    let request: SyncRequest
    let budget: RequestBudget
    let progress: FeedsProgress
    /// The width of the longest name of a feed.
    let nameWidth: Int
    let runner: FeedRunner
    /// True if feeds whose data the store did not take are tried again, so that their failures are not shown yet.
    let triesAgain: Bool

    private var console: Console { session.console }
    private var isJSON: Bool { session.invocation.has(.json) }

    /// Syncs the feeds level by level.
    ///
    /// - Returns: The outcomes by the feeds' names, without the feeds that were not begun.
    func run(_ feeds: [FeedDefinition]) async -> [String: RunReport] {
        var reports: [String: RunReport] = [:]
        for level in SyncOrder.levels(feeds) {
            reports.merge(await sync(level)) { first, _ in first }
        }
        return reports
    }

    /// Syncs feeds in parallel; only this task prints, so that the lines of a feed stay together.
    private func sync(_ feeds: [FeedDefinition]) async -> [String: RunReport] {
        var queue = JobQueue(feeds) { $0.url.host }
        var reports: [String: RunReport] = [:]
        let indices = Dictionary(feeds.enumerated().map { ($1.name, $0) }) { first, _ in first }
        let showsLines = !console.isQuiet && !isJSON
        await queue.perform(atOnce: request.jobs, on: runner.store.executor) {
            budget.spent == nil
        } begin: { feed in
            progress.begin(feed.name)
        } _: { [console, request, runner] feed in
            let line = ProgressLine(feed: feed.name, console: console, isShown: feeds.count == 1)
            return await runner.run("sync", on: feed, progress: line) { engine throws(FeedSyncError) in
                try await request.isDueOnly ? engine.syncDue() : engine.perform(.sync)
            }
        } end: { report in
            progress.end(report.feed)
            let limit = report.isCutOff(by: budget) ? budget.spent : nil
            let reach = limit == nil ? nil : await LoadingReach(of: report.feed, in: runner.store)
            var state: StateRow?
            if showsLines, report.summary != nil {
                let known = KnownFeed(definition: indices[report.feed].map { feeds[$0] }, record: nil)
                // Nil if the store cannot be read.
                state = try? await session.states(of: [known], in: runner.store).first
            }
            show(report, limit: limit.map(request.words), reach: reach, state: state)
            reports[report.feed] = report
        }
        progress.erase()
        return reports
    }

    /// - Parameters:
    ///   - limit: The limit that cut it off, as on the command line; nil where none did.
    ///   - reach: The feed's reach by then.
    ///   - state: The feed's state after a sync that ended well.
    private func show(_ report: RunReport, limit: String?, reach: LoadingReach?, state: StateRow?) {
        defer { report.hookFailure.map(console.reportFeedFailure) }
        if let limit, let reach {
            guard !isJSON else { return }
            let padding = String(repeating: " ", count: max(0, nameWidth - report.feed.count) + 2)
            console.print(console.palette.name(report.feed) + padding + reach.text(stoppedAt: limit))
            return
        }
        let isCutOff = limit != nil
        if !isJSON, let line = report.line(console.palette, nameWidth: nameWidth, state: state) {
            console.print(line)
        }
        // Data that the store did not take is reported at the end.
        guard !report.isUnstored || !triesAgain else { return }
        for notice in report.notices { console.note("\(report.feed): note: \(notice)") }
        guard let failure = report.failure, !isCutOff else { return }
        console.reportFeedFailure(failure)
    }
}

extension RunReport {
    /// True if the store did not take what came.
    var isUnstored: Bool { error?.kind == .store }

    /// True if it stopped because a limit was reached, which is not a failure.
    func isCutOff(by budget: RequestBudget?) -> Bool {
        error?.kind == .cancelled && budget?.spent != nil && !Task.isCancelled
    }
}
