internal import FeedSync
internal import Fleet
internal import HTTP
internal import PostgreSQL
internal import Reports

/// The runs of `sync`: the named feeds, or all, several at a time, with the outcome of each printed when it ends.
///
/// A file has all feeds. In PostgreSQL, they are claimed batch by batch.
struct SyncRuns {
    private let session: Session
    private let configuration: Configuration
    private let request: SyncRequest
    private let budget: RequestBudget
    private let options: EngineOptions
    private let progress: FeedsProgress
    private let nameWidth: Int
    /// The feeds that are wanted, in their order.
    private var feeds: [FeedDefinition]
    private var reports: [String: RunReport] = [:]
    /// The runs as stored, by their feeds, for `--json`.
    private var documents: [String: String] = [:]
    /// The feeds whose last runs were all cut off by a limit of the command line before they stored anything.
    private var stuck: Set<String> = []
    /// The exit codes of batches and feeds that could not be claimed, or whose claims could not be released in order.
    private var claimCodes: [ExitCode] = []

    /// Finds the feeds that are wanted.
    ///
    /// - Throws: `Failure` if no feed can be tried at all.
    init(_ session: Session) throws(Failure) {
        self.session = session
        request = try SyncRequest(session.invocation)
        configuration = try session.configuration()
        budget = RequestBudget(requests: request.maxRequests, time: request.maxTime)
        var options = try session.engineOptions(folder: configuration.folder, budget: budget)
        if let deadline = budget.deadline {
            options.clock = DeadlineClock(deadline: deadline)
            SilentServer.end(at: deadline)
        }
        self.options = options
        feeds =
            session.invocation.operands.isEmpty
            ? configuration.feeds : try session.feeds(of: configuration, partsToo: true)
        nameWidth = RunReport.nameWidth(of: feeds)
        progress = FeedsProgress(total: feeds.count, console: session.console)
    }

    private var console: Console { session.console }

    /// Syncs the feeds, and prints the outcomes.
    ///
    /// - Throws: `Failure` if the store cannot be opened.
    mutating func perform() async throws(Failure) -> ExitCode {
        if session.sharedStore(configuration) == nil {
            let store = try await session.storeForWriting(configuration, feeds)
            if request.isDueOnly { feeds = try await due(feeds, in: store, saysWhen: true) }
            await sync(feeds, in: store, triesAgain: false)
        } else {
            try await syncBatches()
        }
        if session.invocation.has(.json) {
            console.print(json: JSONLines.array(feeds.compactMap { documents[$0.name] }))
        }
        return code()
    }

    /// Syncs the feeds of a store in PostgreSQL.
    ///
    /// - Throws: `Failure` if the feeds of the only batch cannot be claimed, or the store cannot be used at first.
    private mutating func syncBatches() async throws(Failure) {
        if request.isDueOnly { feeds = await dueInSharedStore() }
        let groups = FeedGroup.all(of: configuration.feeds)
        let batches = FeedGroup.batches(of: feeds, in: groups)
        for (index, batch) in batches.enumerated() {
            // After Ctrl-C, or when a limit is reached, no further batch is claimed.
            guard !Task.isCancelled, budget.spent == nil else { break }
            do throws(Failure) {
                try await sync(batch: batch, groups)
            } catch {
                // Other hosts may be free. A store that cannot be used any more ends the command, after what was synced.
                let isBusy = error.code == .tryLater
                guard batches.count > 1, isBusy || index > 0 else { throw error }
                console.reportFeedFailure(error)
                claimCodes.append(error.code)
                guard isBusy else { return }
            }
            guard index < batches.count - 1 else { return }
            do throws(Failure) { try await session.shared.end(isLast: false) } catch {
                claimCodes.append(error.code)
                // Data of a feed that PostgreSQL did not take were reported with that feed.
                let isReported = batch.contains { reports[$0.name]?.isUnstored == true }
                if !isReported { console.reportFeedFailure(error) }
            }
        }
    }

    /// Syncs one batch. If PostgreSQL refuses the data of one feed, each of the others is synced by itself.
    ///
    /// - Throws: `Failure` if the feeds cannot be claimed.
    private mutating func sync(batch: [FeedDefinition], _ groups: [FeedGroup]) async throws(Failure) {
        let store = try await session.storeForWriting(configuration, batch, of: groups)
        var batch = batch
        if request.isDueOnly {
            // Another process may have synced some of them meanwhile.
            let due = try await due(batch, in: store, saysWhen: false)
            let others = Set(batch.map(\.name)).subtracting(due.map(\.name))
            feeds.removeAll { others.contains($0.name) }
            batch = due
        }
        let triesAgain = feeds.count > 1
        await sync(batch, in: store, triesAgain: triesAgain)
        guard triesAgain else { return }
        let unstored = SyncOrder.levels(batch).joined().filter { reports[$0.name]?.isUnstored ?? true }
        if !unstored.isEmpty, await session.shared.hasRefusedFeed() {
            // The data of one feed was refused, and the others failed with it.
            for feed in unstored where !Task.isCancelled && budget.spent == nil {
                do throws(Failure) { try await session.shared.end(isLast: false) } catch {}
                do throws(Failure) {
                    let store = try await session.storeForWriting(configuration, [feed], of: groups)
                    await sync([feed], in: store, triesAgain: true)
                } catch {
                    // The feeds that were not stored are reported all the same.
                    console.reportFeedFailure(error)
                    claimCodes.append(error.code)
                    break
                }
            }
        }
        batch.compactMap { reports[$0.name] }.filter(\.isUnstored).compactMap(\.failure)
            .forEach(console.reportFeedFailure)
    }

    /// Syncs feeds in one store, and keeps the outcomes.
    private mutating func sync(_ feeds: [FeedDefinition], in store: Store, triesAgain: Bool) async {
        options.client.run(on: store.executor)
        let batch = SyncBatch(
            session: session, request: request, budget: budget, progress: progress, nameWidth: nameWidth,
            runner: FeedRunner(console: console, store: store, options: options), triesAgain: triesAgain)
        let reports = await batch.run(feeds)
        self.reports.merge(reports) { _, last in last }
        for (feed, report) in reports where isJSON { documents[feed] = await report.json(from: store) }
        for (feed, report) in reports where report.isCutOff(by: budget) {
            if await isStuck(feed, in: store) { stuck.insert(feed) }
        }
    }

    private var isJSON: Bool { session.invocation.has(.json) }

    /// The number of runs in a row without progress after which that is reported, even with `--quiet`.
    private static let mostRunsWithoutProgress = 3

    /// True if the feed's last runs were all cut off by a limit of the command line before they stored anything.
    private func isStuck(_ feed: String, in store: Store) async -> Bool {
        guard let record = try? await store.feed(named: feed), !record.isComplete,
            let runs = try? await store.runs(of: feed, limit: Self.mostRunsWithoutProgress),
            runs.count == Self.mostRunsWithoutProgress
        else { return false }
        let areFruitless = runs.allSatisfy { run in
            run.outcome == .cancelled && run.pages <= 1 && run.items.inserted == 0
                && run.items.updated == 0
        }
        guard areFruitless else { return false }
        console.reportBriefly(
            Failure(
                .tryLater, ["\(feed): \(runs.count) runs in a row were cut off before they got any further"],
                advice: "give it more requests or time"), always: true)
        return true
    }

    /// The exit code; the limit that was reached is noted.
    private func code() -> ExitCode {
        let codes = feeds.compactMap { reports[$0.name] }.flatMap { report in
            let isStuck = stuck.contains(report.feed)
            return report.isCutOff(by: budget)
                ? [isStuck ? .tryLater : .done] + report.codes.dropFirst() : report.codes
        }
        let code = (codes + claimCodes).combined
        let cutOff = feeds.count { reports[$0.name]?.isCutOff(by: budget) ?? !Task.isCancelled }
        guard let limit = budget.spent, cutOff > 0 else { return code }
        console.note(
            "note: \(request.words(for: limit)): \(NumberFormat.count(cutOff)) of \(NumberFormat.count(feeds.count, "feed")) "
                + "not finished; the next sync continues")
        // If nothing at all could be done, the next run with these limits would do no better.
        let isFruitless = reports.values.allSatisfy { $0.isCutOff(by: budget) && $0.pagesBefore == 0 }
        return code == .done && isFruitless ? .tryLater : code
    }

    /// The feeds that are due: those never synced first, then the one that has been due longest.
    ///
    /// - Parameter saysWhen: True to note when the next one is due, if none is.
    /// - Throws: `Failure` if the store cannot be read.
    private func due(
        _ feeds: [FeedDefinition], in store: Store, saysWhen: Bool
    ) async throws(Failure) -> [FeedDefinition] {
        let now = WallClock.system.milliseconds
        let plans = try await session.plans(of: feeds, in: store)
        let due = SyncOrder.due(feeds, plans, at: now)
        if saysWhen, due.isEmpty, let next = plans.compactMap(\.dueAt).min() {
            let time = RelativeTime.until(next, now: now)
            console.note(
                "nothing is due for another \(time); feedsync plan\(session.invocation.storeOptions) shows why")
        }
        return due
    }

    /// The feeds that are due by the states in PostgreSQL. Only those are claimed.
    private func dueInSharedStore() async -> [FeedDefinition] {
        var due = feeds
        do throws(Failure) {
            if let store = try await session.storeIfAny(configuration, reading: .summary) {
                due = try await self.due(feeds, in: store, saysWhen: true)
            }
        } catch {
            // The claim reports why they cannot be read, or brings an older store up to date.
        }
        // Nothing was claimed. This removes the file with the states.
        do throws(Failure) { try await session.shared.end(isLast: false) } catch {}
        return due
    }
}

/// The continuous clock for work with a deadline: a sleep that would pass the deadline ends
/// there, with an error.
private struct DeadlineClock: Clock {
    /// The end of the permitted time.
    let deadline: ContinuousClock.Instant

    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { ContinuousClock().minimumResolution }

    /// Sleeps until that time.
    ///
    /// - Throws: `CancellationError` if that is after the deadline, once the deadline is reached; and when the task is
    ///   cancelled.
    func sleep(until time: ContinuousClock.Instant, tolerance: Duration?) async throws {
        try await ContinuousClock().sleep(until: min(time, deadline), tolerance: tolerance)
        if time > deadline { throw CancellationError() }
    }
}
