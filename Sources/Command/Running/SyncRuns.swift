internal import FeedSync
internal import HTTP
internal import PostgreSQL
internal import Reports

/// The options of `sync`.
struct SyncRequest: Sendable {
    let isDueOnly: Bool
    /// The number of feeds to sync at once.
    let jobs: Int
    /// True if the feeds whose data the store did not take are tried again one by one: PostgreSQL refuses all of them for
    /// the data of one.
    var triesAgain = false
    let maxTime: Duration?
    let maxRequests: Int?

    /// Reads them from the command line.
    ///
    /// - Throws: `Failure` with exit code 64.
    init(_ invocation: Invocation) throws(Failure) {
        isDueOnly = invocation.has(.due)
        jobs = min(try invocation.count(.jobs) ?? 4, 256)
        maxTime = try invocation.duration(.maxTime)
        maxRequests = try invocation.count(.maxRequests)
    }

    /// The limit as written on the command line.
    func words(for limit: RequestBudget.Limit) -> String {
        switch limit {
        case .time: "\(Option.maxTime.written) \(maxTime.map(DurationText.text) ?? "")"
        case .requests: "\(Option.maxRequests.written) \(maxRequests ?? 0)"
        }
    }
}

/// The runs of `sync`: the named feeds, or all, several at a time, with the outcome of each printed when it ends.
struct SyncRuns {
    private let session: Session
    private let configuration: Configuration
    private let request: SyncRequest
    private let budget: RequestBudget
    private let options: EngineOptions
    private var feeds: [FeedDefinition]
    private var store: Store

    /// Opens the store, and finds the feeds that are wanted.
    ///
    /// - Throws: `Failure` if no feed can be tried at all.
    init(_ session: Session) async throws(Failure) {
        self.session = session
        var request = try SyncRequest(session.invocation)
        configuration = try session.configuration()
        budget = RequestBudget(requests: request.maxRequests, time: request.maxTime)
        var options = try session.engineOptions(folder: configuration.folder, budget: budget)
        if let deadline = budget.deadline {
            options.clock = DeadlineClock(deadline: deadline)
            SilentServer.end(at: deadline)
        }
        feeds =
            session.invocation.operands.isEmpty
            ? configuration.feeds : try session.feeds(of: configuration, partsToo: true)
        store = try await session.storeForWriting(configuration, feeds)
        options.client.run(on: store.executor)
        if request.isDueOnly { feeds = try await Self.due(feeds, in: store, session) }
        request.triesAgain = session.sharedStore(configuration) != nil && feeds.count > 1
        (self.request, self.options) = (request, options)
    }

    private var console: Console { session.console }
    private var isJSON: Bool { session.invocation.has(.json) }

    /// Syncs the feeds, and prints the outcomes.
    ///
    /// - Throws: `Failure` where the store is opened again and cannot be.
    mutating func perform() async throws(Failure) -> ExitCode {
        var reports: [String: RunReport] = [:]
        for level in SyncOrder.levels(feeds) {
            var own = await sync(level)
            if request.triesAgain, await session.shared.hasRefusedFeed() {
                // The data of one feed was refused, and the others failed with it. Each is tried alone.
                for feed in level where own[feed.name]?.isUnstored ?? true && !Task.isCancelled {
                    do throws(Failure) { try await session.shared.end() } catch {}
                    store = try await session.storeForWriting(configuration, [feed])
                    options.client.run(on: store.executor)
                    let report = await sync([feed])
                    own.merge(report) { _, last in last }
                }
            }
            reports.merge(own) { first, _ in first }
        }
        if request.triesAgain {
            feeds.compactMap { reports[$0.name] }.filter(\.isUnstored).compactMap(\.failure).forEach(tell)
        }
        if isJSON {
            var documents: [String] = []
            for feed in feeds {
                if let report = reports[feed.name] { documents.append(await report.json(from: store)) }
            }
            console.print(json: JSONLines.array(documents))
        }
        let stuck = await stuckFeeds(reports)
        let codes = feeds.compactMap { reports[$0.name] }.flatMap { report in
            let isStuck = stuck.contains(report.feed)
            return report.isCutOff(by: budget)
                ? [isStuck ? .tryLater : .done] + report.codes.dropFirst() : report.codes
        }
        let code = codes.combined
        let cutOff = feeds.count { reports[$0.name]?.isCutOff(by: budget) ?? !Task.isCancelled }
        guard let limit = budget.spent, cutOff > 0 else { return code }
        console.note(
            "note: \(request.words(for: limit)): \(NumberFormat.count(cutOff)) of \(NumberFormat.count(feeds.count, "feed")) "
                + "not finished; the next sync continues")
        // If nothing at all could be done, the next run with these limits would do no better.
        let isFruitless = reports.values.allSatisfy { $0.isCutOff(by: budget) && $0.pagesBefore == 0 }
        return code == .done && isFruitless ? .tryLater : code
    }

    /// The number of runs in a row without progress after which that is reported, even with `--quiet`.
    private static let mostRunsWithoutProgress = 3

    /// The feeds whose last runs were all cut off by a limit of the command line before they stored anything.
    private func stuckFeeds(_ reports: [String: RunReport]) async -> Set<String> {
        var stuck: Set<String> = []
        for (feed, report) in reports where report.isCutOff(by: budget) {
            guard let record = try? await store.feed(named: feed), !record.isComplete,
                let runs = try? await store.runs(of: feed, limit: Self.mostRunsWithoutProgress),
                runs.count == Self.mostRunsWithoutProgress
            else { continue }
            let areFruitless = runs.allSatisfy { run in
                run.outcome == .cancelled && run.pages <= 1 && run.items.inserted == 0
                    && run.items.updated == 0
            }
            guard areFruitless else { continue }
            stuck.insert(feed)
            console.reportBriefly(
                Failure(
                    .tryLater, ["\(feed): \(runs.count) runs in a row were cut off before they got any further"],
                    advice: "give it more requests or time"), always: true)
        }
        return stuck
    }

    /// The feeds that are due: those never synced first, then the one that has been due longest.
    private static func due(
        _ feeds: [FeedDefinition], in store: Store, _ session: Session
    ) async throws(Failure) -> [FeedDefinition] {
        let now = WallClock.system.milliseconds
        let plans = try await session.plans(of: feeds, in: store)
        let due = SyncOrder.due(feeds, plans, at: now)
        if due.isEmpty, let next = plans.compactMap(\.dueAt).min() {
            session.console.note(
                "nothing is due for another \(RelativeTime.until(next, now: now)); feedsync plan shows why")
        }
        return due
    }

    /// Syncs feeds in parallel; only this task prints, so that the lines of a feed stay together.
    private func sync(_ feeds: [FeedDefinition]) async -> [String: RunReport] {
        var queue = JobQueue(feeds) { $0.url.host }
        var reports: [String: RunReport] = [:]
        let progress = FeedsProgress(total: feeds.count, console: console)
        let indices = Dictionary(feeds.enumerated().map { ($1.name, $0) }) { first, _ in first }
        let showsLines = !console.isQuiet && !isJSON
        let runner = FeedRunner(console: console, store: store, options: options)
        await withTaskGroup(of: (RunReport, String).self) { group in
            func begin() {
                // After Ctrl-C, or when a limit is reached, no further feed is started.
                guard !Task.isCancelled, budget.spent == nil, let (feed, host) = queue.next() else { return }
                progress.begin(feed.name)
                group.addTask { [console, request] in
                    let line = ProgressLine(feed: feed.name, console: console, isShown: feeds.count == 1)
                    let report = await runner.run("sync", on: feed, progress: line) {
                        engine throws(FeedSyncError) in
                        try await request.isDueOnly ? engine.syncDue() : engine.perform(.sync)
                    }
                    return (report, host)
                }
            }
            for _ in 0..<request.jobs { begin() }
            for await (report, host) in group {
                queue.end(at: host)
                progress.end(report.feed)
                let limit = report.isCutOff(by: budget) ? budget.spent : nil
                let reach = limit == nil ? nil : await LoadingReach(of: report.feed, in: store)
                let known = KnownFeed(definition: indices[report.feed].map { feeds[$0] }, record: nil)
                // Nil if the store cannot be read.
                let state =
                    showsLines && report.summary != nil ? try? await session.states(of: [known], in: store).first : nil
                show(report, limit: limit.map(request.words), reach: reach, state: state)
                reports[report.feed] = report
                begin()
            }
        }
        progress.erase()
        return reports
    }

    /// - Parameters:
    ///   - limit: The limit that cut it off, as on the command line; nil where none did.
    ///   - reach: How far the feed came by then.
    ///   - state: The feed's state after a sync that ended well.
    private func show(_ report: RunReport, limit: String?, reach: LoadingReach?, state: StateRow?) {
        let width = RunReport.nameWidth(of: feeds)
        defer { report.hookFailure.map(tell) }
        if let limit, let reach {
            guard !isJSON else { return }
            let padding = String(repeating: " ", count: max(0, width - report.feed.count) + 2)
            console.print(console.palette.name(report.feed) + padding + reach.text(stoppedAt: limit))
            return
        }
        let isCutOff = limit != nil
        if !isJSON, let line = report.line(console.palette, nameWidth: width, state: state) {
            console.print(line)
        }
        // Data that the store did not take is reported at the end.
        guard !report.isUnstored || !request.triesAgain else { return }
        for notice in report.notices { console.note("\(report.feed): note: \(notice)") }
        guard let failure = report.failure, !isCutOff else { return }
        tell(failure)
    }

    private func tell(_ failure: Failure) {
        if console.isQuiet { console.reportBriefly(failure) } else { console.report(failure) }
    }
}

extension RunReport {
    /// True if the store did not take what came.
    fileprivate var isUnstored: Bool { error?.kind == .store }

    /// True if it stopped because a limit was reached, which is not a failure.
    fileprivate func isCutOff(by budget: RequestBudget?) -> Bool {
        error?.kind == .cancelled && budget?.spent != nil && !Task.isCancelled
    }
}
