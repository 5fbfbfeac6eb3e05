internal import Concurrency
internal import HTTP

/// A feed with a list for each row of another: a command goes to the list of each row.
extension SyncEngine {
    /// How many lists in a row of one host may fail to be reached before its others are left for the next run.
    private static let mostUnreachable = 3
    /// How many rows are read together.
    private static let readTogether = 32

    /// Sends a command to each list that it concerns, the most urgent first, and sums up what came of it. A list that fails
    /// does not keep the others from going on.
    ///
    /// - Parameter isDueOnly: Whether a sync leaves out the lists that are not due.
    /// - Throws: what ended the run, or else why the first list failed.
    func executeParts(
        _ command: RequestCommand, of rule: ForEachRule, isDueOnly: Bool
    ) async throws(FeedSyncError) -> RunSummary {
        let held: FeedLock
        let opening: Store.PartsOpening
        do throws(FeedSyncError) {
            held = try await takeLock(command, on: definition)
            let choice: Store.PartChoice =
                command == .sync ? isDueOnly ? .due : .all : command == .reload ? .all : .open
            opening = try await store.openParts(
                definition, rule, choice, lock: held, command: command.name, now: now())
        } catch {
            // That a word names no part says nothing of the feed.
            if error.kind == .configuration, rule.only == nil {
                try? await store.logFailure(error, of: definition, command: command.name, now: now())
            }
            throw error
        }
        defer { withExtendedLifetime(held) {} }
        var results = PartsResults()
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
        let (count, isComplete) = try await store.closeParts(
            definition, rule, run: opening.run, isSync: command == .sync, outcome: outcome, figures: results.figures,
            error: failure, now: now())
        if let failure { throw failure }
        return RunSummary(
            run: opening.run, outcome: outcome, figures: results.figures, isAtEnd: isComplete || outcome == .noMoreData,
            reason: isComplete ? nil : .cutOff, itemCount: count, expectedCount: nil, seenCount: count,
            notices: results.summary + (opening.rowCount == 0 ? ["`\(rule.feed)` has no rows to ask for yet"] : []))
    }

    /// The list of one row, as it is asked for. Never changes; a class because it is handed on, and a definition is large.
    final class List: Sendable {
        let part: FeedPart
        let definition: FeedDefinition
        /// What tells whether the row changed.
        let seen: FeedPart.KeyValue?
        let host: String
        /// What its definition has in common with those of the feed's other lists.
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

    /// What came of a list's turn.
    private enum ListEnd: Sendable {
        case done(RunSummary)
        /// It is as it was, which is stored with others.
        case unchanged(RunMetrics)
        /// A run has to find out how it stands.
        case open(EarlyPage?)
        /// It has to be asked for again.
        case heldBack
        /// The upstream has no such list any more.
        case gone(removed: Int)
        case failed(FeedSyncError)
    }

    /// A list that waits for its turn, with the page that came already.
    private final class WaitingList: Sendable {
        let list: List
        let early: EarlyPage?

        init(_ list: List, early: EarlyPage? = nil) {
            self.list = list
            self.early = early
        }
    }

    /// Whether a request for a list may wait at the host for the one before: not where a rule tells what a response means, as
    /// the next request is sent by then, and not where its access token may have expired by its turn.
    private var mayLookAhead: Bool {
        let needsToken = if case .oauth2 = definition.authentication { true } else { false }
        return !needsToken && !definition.responses.contains(where: \.doubtsSuccess)
    }

    /// Sends a command to lists, several at a time as far as their hosts allow.
    ///
    /// - Returns: What ended the run before all were asked.
    private func askLists(
        _ command: RequestCommand, _ opening: Store.PartsOpening, _ results: inout PartsResults
    ) async -> FeedSyncError? {
        var rest = 0..<opening.count
        var queue = ListQueue<WaitingList>(perHost: definition.pagination.prefetch, mayLookAhead: mayLookAhead)
        var end: FeedSyncError?
        // Known once a run has looked whether the feed's table is as the definition has it.
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
                    // Before a list was run there was nothing to compare with.
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
                    // The host is gone, and not one of its lists.
                    if results.unreachable[list.host, default: 0] >= Self.mostUnreachable {
                        results.noteUnused(queue.close(list.host).compactMap(\.early?.cost))
                    }
                }
            }
        }
        results.noteUnused(queue.close().compactMap(\.early?.cost))
        return end
    }

    /// The list of a part's row; nil if the row's values make no valid request, which is noted.
    ///
    /// - Parameter common: What the lists' definitions have in common; made with the first one.
    /// - Throws: what concerns the other lists, too.
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

    /// Does what a list's turn is for.
    ///
    /// - Parameter findings: What was found of the feed; nil until a run on a list has found out.
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

    /// Sends a command to one list.
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
                    // Of a list that has a first page, only a page is missing.
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
    /// Whether other lists of the feed may go well.
    fileprivate var concernsOneList: Bool {
        switch kind {
        case .cancelled, .interrupted, .limited, .store, .bug, .configuration: false
        case .locked, .undecodable, .unfollowable, .unreachable, .rejected, .refused: true
        }
    }
}

extension SyncRule {
    /// Whether a sync finds out what is gone.
    fileprivate var mayRemove: Bool {
        switch self {
        case .all, .auto: true
        default: false
        }
    }
}
