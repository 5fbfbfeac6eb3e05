internal import Concurrency
internal import HTTP

/// A feed with a list for each row of another: a command goes to the lists of all rows.
extension SyncEngine {
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
    func executeParts(
        _ command: RequestCommand, of rule: ForEachRule, isDueOnly: Bool
    ) async throws(FeedSyncError) -> RunSummary {
        let held: FeedLock
        let opening: Store.PartsOpening
        do throws(FeedSyncError) {
            held = try await takeLock(command, on: definition)
            let choice: PartChoice =
                command == .sync ? isDueOnly ? .due : .all : command == .reload ? .all : .open
            opening = try await store.openParts(
                definition, rule, choice, lock: held, command: command.name, now: now())
        } catch {
            // A key that names no part is not a failure of the feed.
            if error.kind == .configuration, rule.only == nil {
                try? await store.logFailure(error, of: definition, command: command.name, now: now())
            }
            throw error
        }
        defer { withExtendedLifetime(held) {} }
        opening.events.forEach(publish(of: definition))
        var results = PartsResults()
        results.noteRemoved(opening.removed)
        var end = await askLists(command, opening, &results)
        do throws(FeedSyncError) { try await store.finishConfirmed() } catch { end = end ?? error }
        let failure = end ?? results.failure(of: opening.count)
        let outcome: RunOutcome =
            switch end?.kind {
            case nil where opening.count == 0 && command != .sync && command != .reload: .noMoreData
            case nil:
                results.failures > 0 && results.failures == results.asked
                    ? .failed : results.hasChanged ? .ok : .unchanged
            case .cancelled: .cancelled
            case .limited: .limited
            default: .failed
            }
        let (count, isComplete, reason) = try await store.closeParts(
            definition, rule, run: opening.run, isSync: command == .sync, outcome: outcome, figures: results.figures,
            error: failure, now: now())
        if let failure { throw failure }
        return RunSummary(
            run: opening.run, outcome: outcome, figures: results.figures, isAtEnd: isComplete || outcome == .noMoreData,
            reason: reason, itemCount: count, expectedCount: nil, seenCount: count,
            notices: results.summary + (opening.rowCount == 0 ? ["`\(rule.feed)` has no rows to ask for yet"] : []))
    }

    /// The list of one row, ready to be requested. Immutable. A class, because it is passed on and a definition is
    /// large.
    final class List: Sendable {
        let part: FeedPart
        let definition: FeedDefinition
        /// The value that shows if the row has changed.
        let seen: FeedPart.KeyValue?
        let host: String
        /// The lines that all lists' definitions have in common.
        let common: FeedDefinition.CommonLines

        init(
            part: FeedPart, definition: FeedDefinition, seen: FeedPart.KeyValue?, common: FeedDefinition.CommonLines
        ) {
            self.part = part
            self.definition = definition
            self.seen = seen
            self.common = common
            host = definition.url.host
        }
    }

    /// The result of a list's turn.
    private enum ListEnd: Sendable {
        case done(RunSummary)
        /// The list is unchanged; this is stored together with others.
        case unchanged(RunMetrics)
        /// A run has to read the list.
        case open(EarlyPage?)
        /// The list has to be requested again.
        case heldBack
        /// The upstream no longer has the list.
        case gone(removed: Int)
        case failed(FeedSyncError)
    }

    /// A list that waits for its turn, with the page that was already fetched.
    private final class WaitingList: Sendable {
        let list: List
        let early: EarlyPage?

        init(_ list: List, early: EarlyPage? = nil) {
            self.list = list
            self.early = early
        }
    }

    /// True if a request for a list may wait at the host for the previous one. False if a rule reads success from the
    /// body, because the next request has been sent by then, and if its access token may have expired by its turn.
    private var mayLookAhead: Bool {
        let needsToken = definition.authentication?.needsToken == true
        return !needsToken && !definition.responses.contains(where: \.doubtsSuccess)
    }

    /// Sends a command to lists, several at a time as far as their hosts allow.
    ///
    /// - Returns: The error that ended the run before all lists were requested.
    private func askLists(
        _ command: RequestCommand, _ opening: Store.PartsOpening, _ results: inout PartsResults
    ) async -> FeedSyncError? {
        var rest = 0..<opening.count
        var queue = ListQueue<WaitingList>(perHost: definition.pagination.prefetch, mayLookAhead: mayLookAhead)
        var end: FeedSyncError?
        // Known once a run has compared the feed's table with the definition.
        var findings: Findings?
        var common: FeedDefinition.CommonLines?
        await withTaskGroup(of: (ListQueue<WaitingList>.Turn, ListEnd).self) { group in
            while true {
                while end == nil {
                    guard !Task.isCancelled else {
                        end = .cancelled
                        break
                    }
                    if let turn = queue.next() {
                        group.addTask(executorPreference: store.executor) { [self, findings] in
                            (turn, await self.take(turn, command, findings))
                        }
                        continue
                    }
                    guard queue.hasRoom, !rest.isEmpty else { break }
                    let places = rest.prefix(Self.readTogether)
                    rest = rest.dropFirst(places.count)
                    do throws(FeedSyncError) {
                        for (part, row, seen) in try await store.parts(places, of: definition, in: opening) {
                            guard let list = try list(of: part, row, seen: seen, &common, &results) else { continue }
                            queue.add(WaitingList(list), host: list.host)
                        }
                    } catch {
                        end = error
                    }
                }
                guard let (turn, outcome) = await group.next() else { break }
                let list = turn.list.list
                queue.end(turn.errand, at: list.host)
                switch outcome {
                case .done(let summary):
                    results.note(summary, of: list.definition.name, at: list.host)
                    findings = (try? await store.findings(of: definition.name)) ?? Findings()
                    // Before a list was run, there is no stored state to compare with.
                    queue.mayLook = command == .sync
                case .unchanged(let figures): results.noteUnchanged(figures, at: list.host)
                case .open(let page):
                    queue.putBack(turn, as: WaitingList(list, early: page), isOpen: true, host: list.host)
                case .heldBack: queue.putBack(turn, as: turn.list, isOpen: false, host: list.host)
                case .gone(let removed): results.noteGone(removed: removed, at: list.host)
                case .failed(let error):
                    guard error.concernsOneList else {
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
        _ results: inout PartsResults
    ) throws(FeedSyncError) -> List? {
        do throws(FeedSyncError) {
            let definition = try definition.part(for: row)
            let lines = common ?? definition.commonLines(salt: store.salt)
            common = lines
            return List(part: part, definition: definition, seen: seen, common: lines)
        } catch {
            guard error.concernsOneList else { throw error }
            results.note(error, of: FeedPart.name(of: part.feed, key: part.key.map(\.value)), at: nil)
            return nil
        }
    }

    /// Performs a list's turn.
    ///
    /// - Parameter findings: The feed's discovered settings; nil until a run on a list has read them.
    private func take(
        _ turn: ListQueue<WaitingList>.Turn, _ command: RequestCommand, _ findings: Findings?
    ) async -> ListEnd {
        let (list, early) = (turn.list.list, turn.list.early)
        switch turn.errand {
        case .run: return await run(command, list, early, gate: turn.gate)
        case .look:
            do throws(FeedSyncError) {
                switch try await look(at: list, findings ?? Findings(), gate: turn.gate, isAhead: turn.isAhead) {
                case .unchanged(let figures): return .unchanged(figures)
                case .heldBack: return .heldBack
                case .open(let page): return .open(page)
                }
            } catch {
                return .failed(error)
            }
        }
    }

    /// Runs a command on one list.
    private func run(
        _ command: RequestCommand, _ list: List, _ early: EarlyPage?, gate: CircuitBreaker
    ) async -> ListEnd {
        do throws(FeedSyncError) {
            do throws(FeedSyncError) {
                let summary = try await execute(command, on: list.definition, early: early, gate: gate)
                if command == .sync { try await store.keepSeen(list.seen, of: list.part) }
                return .done(summary)
            } catch {
                guard error.concernsOneList, [404, 410].contains(error.httpStatus),
                    // If the list has a first page, only a later page is missing.
                    try await store.events(of: list.definition.name, last: 1).last?.status == .endHeader
                else { throw error }
                guard command == .sync else { return .gone(removed: 0) }
                guard definition.sync.mayRemove,
                    let run = try await store.runs(of: list.definition.name, limit: 1).first?.id
                else { throw error }
                let removed = try await store.markListGone(list.part, definition, run: run, now: now())
                try await store.keepSeen(list.seen, of: list.part)
                return .gone(removed: removed)
            }
        } catch {
            return .failed(error)
        }
    }
}

extension FeedSyncError {
    /// True if other lists of the feed may still succeed.
    fileprivate var concernsOneList: Bool {
        switch kind {
        case .cancelled, .interrupted, .limited, .store, .bug, .configuration: false
        case .locked, .undecodable, .unfollowable, .unreachable, .rejected, .refused: true
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
