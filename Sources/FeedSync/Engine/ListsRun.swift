internal import Concurrency
internal import HTTP

/// A command on a feed with a list for each row of another: it goes to the lists of all rows.
///
/// A list that has not changed since its last sync takes one request, and many such lists are stored together.
struct ListsRun: Sendable {
    let engine: SyncEngine
    let command: RequestCommand
    let rule: ForEachRule

    private var definition: FeedDefinition { engine.definition }
    private var store: Store { engine.store }

    /// The number of lists of one host in a row that may be unreachable before its other lists are left to the next
    /// run.
    private static let mostUnreachable = 3
    /// The number of rows that are read together.
    private static let readTogether = 32

    /// Sends a command to each list that it concerns, the most urgent first, and sums up the results. A failed list
    /// does not stop the others.
    ///
    /// - Parameter isDueOnly: True if a sync leaves out the lists that are not due.
    /// - Throws: The error that ended the run, or the error of the first failed list.
    func perform(isDueOnly: Bool) async throws(FeedSyncError) -> RunSummary {
        let held: FeedLock
        let opening: Store.PartsOpening
        do throws(FeedSyncError) {
            held = try await engine.takeLock(command, on: definition)
            let choice: PartChoice =
                command == .sync ? isDueOnly ? .due : .all : command == .reload ? .all : .open
            opening = try await store.openParts(
                definition, rule, choice, lock: held, command: command.name, now: engine.now())
        } catch {
            // A key that names no part is not a failure of the feed.
            if error.kind == .configuration, rule.only == nil {
                try? await store.logFailure(error, of: definition, command: command.name, now: engine.now())
            }
            throw error
        }
        defer { withExtendedLifetime(held) {} }
        opening.events.forEach(engine.publish(of: definition))
        var results = ListsResults()
        results.noteRemoved(opening.removed)
        var end = await askLists(opening, &results)
        do throws(FeedSyncError) { try await store.finishConfirmed(of: definition.name) } catch { end = end ?? error }
        let failure = end ?? results.failure(of: opening.count)
        let isNothingOpen = opening.count == 0 && command != .sync && command != .reload
        let outcome = end.map(RunOutcome.init) ?? (isNothingOpen ? .noMoreData : results.outcome)
        let (count, isComplete, reason) = try await store.closeParts(
            definition, rule, run: opening.run, isSync: command == .sync, outcome: outcome, metrics: results.metrics,
            error: failure, now: engine.now())
        if let failure { throw failure }
        return RunSummary(
            run: opening.run, outcome: outcome, figures: results.metrics, isAtEnd: isComplete || outcome == .noMoreData,
            reason: reason, itemCount: count, expectedCount: nil, seenCount: count,
            notices: results.summary + (opening.rowCount == 0 ? ["`\(rule.feed)` has no rows to ask for yet"] : []))
    }

    /// The list of one row, ready to be requested. Immutable. A class, because it is passed on and a definition is
    /// large.
    private final class List: Sendable {
        let part: FeedPart
        let definition: FeedDefinition
        /// The value that shows if the row has changed.
        let seen: FeedPart.KeyValue?
        let host: String
        /// The lines that all lists' definitions have in common.
        let common: FeedDefinition.CommonLines
        /// Its first page, if it was already fetched.
        let early: PageFetch?

        init(
            part: FeedPart, definition: FeedDefinition, seen: FeedPart.KeyValue?, common: FeedDefinition.CommonLines,
            early: PageFetch? = nil
        ) {
            self.part = part
            self.definition = definition
            self.seen = seen
            self.common = common
            self.early = early
            host = definition.url.host
        }

        func beginning(with page: PageFetch?) -> List {
            List(part: part, definition: definition, seen: seen, common: common, early: page)
        }
    }

    /// The result of a list's turn.
    private enum ListEnd: Sendable {
        case done(RunSummary)
        /// The list was checked. If it is unchanged, that is stored together with other lists.
        case looked(SettledListCheck.End)
        /// The upstream no longer has the list; nil if its items stay until it is gone again. With the requests of its
        /// run.
        case gone(removed: Int?, RunMetrics)
        case failed(FeedSyncError)
    }

    /// Sends a command to lists, several at a time as far as their hosts allow.
    ///
    /// - Returns: The error that ended the run before all lists were requested.
    private func askLists(_ opening: Store.PartsOpening, _ results: inout ListsResults) async -> FeedSyncError? {
        var rest = 0..<opening.count
        var queue = ListQueue<List>(perHost: definition.pagination.prefetch, mayLookAhead: definition.mayRequestAhead)
        var end: FeedSyncError?
        // Known once a run has compared the feed's table with the definition.
        var findings: Findings?
        var common: FeedDefinition.CommonLines?
        await withTaskGroup(of: (ListQueue<List>.Turn, ListEnd).self) { group in
            while true {
                while end == nil {
                    guard !Task.isCancelled else {
                        end = .cancelled
                        break
                    }
                    if let turn = queue.next() {
                        group.addTask(executorPreference: store.executor) { [self, findings] in
                            (turn, await self.take(turn, findings))
                        }
                        continue
                    }
                    guard queue.hasRoom, !rest.isEmpty else { break }
                    let places = rest.prefix(Self.readTogether)
                    rest = rest.dropFirst(places.count)
                    do throws(FeedSyncError) {
                        for (part, row, seen) in try await store.parts(places, in: opening) {
                            guard let list = try list(of: part, row, seen: seen, &common, &results) else { continue }
                            queue.add(list, host: list.host)
                        }
                    } catch {
                        end = error
                    }
                }
                guard let (turn, outcome) = await group.next() else { break }
                let list = turn.list
                queue.end(turn.errand, at: list.host)
                switch outcome {
                case .done(let summary):
                    results.note(summary, of: list.definition.name, at: list.host)
                    findings = (try? await store.findings(of: definition.name)) ?? Findings()
                    // Before a list was run, there is no stored state to compare with.
                    queue.mayLook = command == .sync
                case .looked(.unchanged(let confirmed)): results.noteReached(confirmed.metrics, at: list.host)
                case .looked(.open(let page)):
                    queue.putBack(turn, as: list.beginning(with: page), isOpen: true, host: list.host)
                case .looked(.heldBack): queue.putBack(turn, as: list, isOpen: false, host: list.host)
                case .gone(let removed, let metrics):
                    results.noteGone(list.definition.name, removed: removed, metrics, at: list.host)
                case .failed(let error):
                    guard error.kind.isOfOneList else {
                        end = end ?? error
                        continue
                    }
                    results.note(error, of: list.definition.name, at: list.host)
                    // The host is unreachable, not just one of its lists.
                    if results.unreachable[list.host, default: 0] >= Self.mostUnreachable {
                        results.noteUnused(queue.close(list.host).compactMap(\.early?.cost))
                    }
                }
            }
        }
        results.noteUnused(queue.close().compactMap(\.early?.cost))
        return end
    }

    /// The list of a row; nil if the row's values make no valid request, which is recorded as a failure.
    ///
    /// - Parameter common: The common lines of the lists' definitions, made with the first list.
    /// - Throws: An error that concerns the other lists too.
    private func list(
        of part: FeedPart, _ row: ParentRow, seen: FeedPart.KeyValue?, _ common: inout FeedDefinition.CommonLines?,
        _ results: inout ListsResults
    ) throws(FeedSyncError) -> List? {
        do throws(FeedSyncError) {
            let definition = try definition.part(for: row)
            let lines = common ?? definition.commonLines(salt: store.salt)
            common = lines
            return List(part: part, definition: definition, seen: seen, common: lines)
        } catch {
            guard error.kind.isOfOneList else { throw error }
            results.note(error, of: part.name, at: nil)
            return nil
        }
    }

    /// Performs a list's turn.
    ///
    /// - Parameter findings: The feed's discovered settings; nil until a run on a list has read them.
    private func take(_ turn: ListQueue<List>.Turn, _ findings: Findings?) async -> ListEnd {
        switch turn.errand {
        case .run: return await run(turn.list, gate: turn.gate)
        case .look:
            do throws(FeedSyncError) {
                return .looked(
                    try await look(at: turn.list, findings ?? Findings(), gate: turn.gate, isAhead: turn.isAhead))
            } catch {
                return .failed(error)
            }
        }
    }

    /// Requests the only page of a list that has not changed since its last sync.
    ///
    /// - Parameters:
    ///   - findings: The discovered settings of the feed.
    ///   - gate: Shut if the response speaks against more requests to the host.
    ///   - isAhead: True if the request waits for a previous one at the host, and is held back if the gate is shut
    ///     first.
    /// - Throws: `FeedSyncError` of kind `cancelled`, `store`.
    private func look(
        at list: List, _ findings: Findings, gate: CircuitBreaker, isAhead: Bool
    ) async throws(FeedSyncError) -> SettledListCheck.End {
        let source = ConfirmedList.Source.list(list.part, seen: list.seen)
        guard let definition = try? list.definition.settled(by: findings),
            let check = SettledListCheck(of: definition, source, by: engine)
        else { return .open(nil) }
        let fingerprint = list.definition.fingerprint(salt: store.salt, common: list.common)
        let end = try await check.perform(stored: fingerprint, gate: gate, isAhead: isAhead)
        if case .unchanged(let confirmed) = end { try await store.confirm(confirmed) }
        return end
    }

    /// Runs the command on one list.
    private func run(_ list: List, gate: CircuitBreaker) async -> ListEnd {
        do throws(FeedSyncError) {
            do throws(FeedSyncError) {
                let summary = try await engine.execute(command, on: list.definition, early: list.early, gate: gate)
                if command == .sync { try await store.keepSeen(list.seen, of: list.part) }
                return .done(summary)
            } catch {
                guard error.kind.isOfOneList, [404, 410].contains(error.httpStatus),
                    // If the list has a first page, only a later page is missing.
                    try await store.events(of: list.definition.name, last: 1).last?.status == .endHeader
                else { throw error }
                guard let run = try await store.runs(of: list.definition.name, limit: 1).first else { throw error }
                var metrics = RunMetrics()
                (metrics.requests, metrics.bytes) = (run.requests, run.bytes)
                guard command == .sync else { return .gone(removed: 0, metrics) }
                guard definition.sync.mayRemove else { throw error }
                let removed = try await store.markListGone(
                    list.part, definition, isForGood: error.httpStatus == 410, run: run.id, now: engine.now())
                // A list that is to be asked for again is not up to date with its row.
                if removed != nil { try await store.keepSeen(list.seen, of: list.part) }
                return .gone(removed: removed, metrics)
            }
        } catch {
            return .failed(error)
        }
    }
}

extension SyncRule {
    /// True if a sync finds removed items.
    fileprivate var mayRemove: Bool {
        switch self {
        case .all, .auto: true
        default: false
        }
    }
}
