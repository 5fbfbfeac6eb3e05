import Concurrency
import Foundation
import HTTP
import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync
@testable import Upstream

/// Plays a history, and finds the first thing that the mirror says or does wrong.
private struct HistoryPlayer {
    private let bench: EngineBench
    private let list: Lock<PlayedList>
    private let running = Lock<Task<RunSummary?, Never>?>(nil)
    /// The runs after which a row that stood all the time was missing or stale, with these rows.
    private var unmet: [String: Set<String>] = [:]
    private var removed: Set<String> = []
    private(set) var log: [String] = []

    /// The first fault of a history, with the requests up to it; nil if it goes well.
    static func fault(of history: ListHistory) async throws -> String? {
        var player = try await HistoryPlayer(history)
        guard let fault = try await player.play(history) else { return nil }
        return "\(fault)\n\(player.log.joined(separator: "\n"))"
    }

    private init(_ history: ListHistory) async throws {
        bench = try await EngineBench(
            [], members: "sync: {mode: \(history.mode)}", paging: history.paging,
            columns: "items: items\nkey: id\ncolumns: {id: id, value: value}")
        let list = Lock(PlayedList(history))
        self.list = list
        bench.server.route("/things") { [running] request in
            let (response, isStopDue) = list.withLock { list in (list.answer(request), list.isStopDue) }
            if isStopDue { running.withLock { $0 }?.cancel() }
            return response
        }
    }

    private mutating func play(_ history: ListHistory) async throws -> String? {
        for run in history.runs {
            // A second page that equals the first is a parameter that is not heeded, which is an error.
            if history.end == .repeatsLast, list.withLock({ $0.pageCount }) < 3 { return nil }
            if let fault = try await sync(run) { return fault }
        }
        if history.end == .repeatsLast, list.withLock({ $0.pageCount }) < 2 { return nil }
        var faults: [String] = []
        // A list of which only the head is promised is read as a whole a day later.
        for attempt in 0..<6 {
            let isLater = attempt > 1
            if let fault = try await sync(nil, later: isLater ? Int64(attempt) * 90_000 : 0) { return fault }
            guard isLater || history.mode == "all" else { continue }
            faults = try restFaults(history)
            if faults.isEmpty, attempt > 1 { break }
        }
        if let fault = faults.first { return "at rest: \(fault)" }
        if let fault = try await sync(nil, later: 6 * 90_000) { return fault }
        let (requests, pages) = list.withLock { ($0.requests, $0.pageCount) }
        return requests > pages + 6 ? "at rest: \(requests) requests for \(pages) pages" : nil
    }

    private func restFaults(_ history: ListHistory) throws -> [String] {
        let wanted = list.withLock { $0.texts }
        let live = try rows("_removed_at IS NULL ORDER BY _generation DESC, _position")
        var faults: [String] = []
        if Set(live) != Set(wanted) { faults.append("\(live) is not \(wanted)") }
        if history.mode != "new", live != wanted { faults.append("the order \(live) is not \(wanted)") }
        let feed = try bench.feed("item_count, complete")
        if feed != "\(wanted.count)|1" { faults.append("item_count, complete are \(feed)") }
        return faults
    }

    /// The rows, as `id|value`.
    private func rows(_ condition: String) throws -> [String] {
        try bench.query("SELECT id, value FROM things WHERE \(condition)")
    }

    private mutating func sync(_ run: ListHistory.Run?, later seconds: Int64 = 0) async throws -> String? {
        list.withLock { $0.begin(run) }
        var options = EngineBench.options
        if let budget = run?.budget {
            options.client = Client(userAgent: "feedsync-tests", budget: RequestBudget(requests: budget))
        }
        let now = WallClock.system.milliseconds + seconds * 1000
        options.wallClock = WallClock { now }
        let engine = try await bench.another(options: options)
        let task = running.withLock { running in
            let task = Task { try? await engine.perform(.sync) }
            running = task
            return task
        }
        _ = await task.value
        let (standing, isTruncated, requests) = list.withLock { ($0.standing, $0.isTruncated, $0.log) }
        let last =
            try bench.query("SELECT id, complete, verified, reason FROM run ORDER BY id DESC LIMIT 1").first ?? ""
        let words = last.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        log += ["sync \(words.dropFirst())"] + requests
        return try fault(words, standing: standing, isTruncated: isTruncated)
    }

    /// The conditions that hold after each sync.
    private mutating func fault(_ run: [String], standing: Set<String>, isTruncated: Bool) throws -> String? {
        guard run.count == 4 else { return "there is no run" }
        let missing = try standing.subtracting(rows("_removed_at IS NULL"))
        if !missing.isEmpty { unmet[run[0]] = missing }
        for id in try bench.query("SELECT id FROM run WHERE verified = 1") {
            if let rows = unmet[id] { return "run \(id) is verified without \(rows.sorted())" }
        }
        let gone = try Set(rows("_removed_at IS NOT NULL"))
        let wrong = gone.subtracting(removed).intersection(standing)
        removed = gone
        if !wrong.isEmpty { return "\(wrong.sorted()) were removed and are there" }
        return isTruncated && run[1] == "1" ? "complete although each page says that it is not" : nil
    }
}

/// A short run of these is in the suite. `HISTORY_FIRST_SEED` and `HISTORY_SEEDS` choose the seeds, and so play one that
/// failed again.
@Suite("A list with any history")
struct ListHistoryTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seeds = environment["HISTORY_SEEDS"].flatMap { UInt64($0) } ?? 40
    private static let first = environment["HISTORY_FIRST_SEED"].flatMap { UInt64($0) } ?? 1

    @Test(
        "No crawl is verified with a row missing, no row is removed that stands, and a list at rest is mirrored as it is"
    )
    func histories() async throws {
        for seed in Self.first..<Self.first + Self.seeds {
            guard var fault = try await HistoryPlayer.fault(of: ListHistory(seed: seed)) else { continue }
            var history = ListHistory(seed: seed)
            (history, fault) = try await shortest(history, fault)
            Issue.record("seed \(seed): \(fault)\n\(history)")
        }
    }

    /// The shortest history that goes wrong, as far as leaving out one thing after the other finds it.
    private func shortest(_ history: ListHistory, _ fault: String) async throws -> (ListHistory, String) {
        for candidate in history.shorter {
            if let fault = try await HistoryPlayer.fault(of: candidate) { return try await shortest(candidate, fault) }
        }
        return (history, fault)
    }

    @Test(
        "Histories that once went wrong go well",
        arguments: [
            // A full crawl in mode `auto` was cut, and the next run went on without its older pages: what moved up was gone.
            ListHistory(
                .link, "auto", size: 1, count: 7, isTagged: true, total: .header,
                runs: [
                    .init(changes: [(1, .insert(0))]), .init(budget: 4),
                    .init(changes: [(7, .move(31, to: 54)), (1, .insert(0)), (1, .remove(2))]),
                ]),
            // A first load was cut, and an item moved up from a page of it to one that the next run had read already.
            ListHistory(
                .link, "all", size: 5, count: 30, isTagged: true,
                runs: [
                    .init(changes: [(1, .remove(30)), (1, .insert(0))], budget: 5),
                    .init(changes: [(8, .insert(0)), (5, .move(34, to: 19)), (8, .remove(50))]),
                ]),
            // The older pages were read again, and an item that came twice on them was not seen as one that had moved.
            ListHistory(
                .page, "all", size: 3, count: 18, isTagged: true,
                runs: [.init(budget: 6), .init(changes: [(8, .move(60, to: 46)), (4, .remove(43))])]),
            // A run had too few requests to read the earlier pages again, and an item had moved to one of them.
            ListHistory(
                .nextURL, "all", size: 1, count: 4, isTagged: true,
                runs: [
                    .init(changes: [(1, .insert(0))]), .init(budget: 4),
                    .init(changes: [(1, .move(39, to: 56))], budget: 8),
                ]),
            // The neighbour of an item moved to the top, and the item up to a page between that had been read before.
            ListHistory(
                .cursorOfOffset, "all", size: 1, count: 5, isTagged: true,
                runs: [
                    .init(changes: [(1, .insert(0))]),
                    .init(changes: [(5, .remove(3)), (1, .insert(0)), (1, .toTop(31))]),
                ]),
            ListHistory(
                .cursorOfOffset, "auto", size: 1, count: 7, isTagged: true,
                runs: [.init(changes: [(1, .remove(2))]), .init(changes: [(3, .remove(1)), (1, .toTop(37))])]),
            // An item moved up between the two reads of its page, past the page before it.
            ListHistory(
                .cursorOfOffset, "auto", size: 2, count: 12, isTagged: true,
                runs: [
                    .init(), .init(changes: [(1, .remove(55))]), .init(changes: [(4, .remove(24))], budget: 4),
                    .init(changes: [(1, .insert(0)), (9, .remove(58))]),
                ]),
            // A crawl that was cut had seen a page change, and the next one found it as that one left it.
            ListHistory(
                .keyset, "auto", size: 5, count: 26, isTagged: true,
                runs: [.init(changes: [(6, .alter(17))], stops: 7), .init(), .init(budget: 6)]),
            // A list lost an item of its first page, and was not continued at its end any more.
            ListHistory(
                .keyset, "new", size: 2, count: 14,
                runs: [
                    .init(changes: [(1, .remove(7))]), .init(changes: [(2, .remove(52))], stops: 2), .init(),
                    .init(changes: [(1, .insert(0))]),
                ]),
            // Pages that were requested out of order hid a row that had moved.
            ListHistory(
                .offset, "auto", size: 2, count: 11, isTagged: true, end: .notFound, prefetch: 3,
                runs: [
                    .init(changes: [(4, .insert(3)), (3, .move(56, to: 48))]),
                    .init(changes: [(4, .insert(0))], budget: 8), .init(fails: 8),
                ]),
            // A row moved up to the pages that were read before a cut, while the list was loaded for the first time.
            ListHistory(
                .cursorOfOffset, "auto", size: 2, count: 14, isTagged: true,
                runs: [
                    .init(budget: 5), .init(changes: [(1, .insert(0))], budget: 4),
                    .init(changes: [(2, .insert(0)), (1, .move(12, to: 36))]),
                ]),
            // An item moved to the top, and was a new one for the crawl that was to prove the one before.
            ListHistory(
                .offset, "auto", size: 2, count: 3, hasLimit: true, prefetch: 3,
                runs: [.init(changes: [(2, .toTop(50)), (1, .insert(0))], budget: 5)]),
            // An item that came again at an unchanged head told that another one had moved up past the crawl.
            ListHistory(
                .cursorOfOffset, "auto", size: 2, count: 7,
                runs: [
                    .init(changes: [(1, .remove(14))]),
                    .init(changes: [(1, .insert(0)), (4, .move(34, to: 23))]),
                ]),
            // An item moved to the top while the pages of an earlier run were read again.
            ListHistory(
                .offset, "all", size: 5, count: 21, hasLimit: true,
                runs: [.init(budget: 4), .init(changes: [(6, .toTop(12))])]),
            // A list lost an item while it was loaded, and gained one at its end: the total was that of the first page.
            ListHistory(
                .keyset, "new", size: 5, count: 16, isTagged: true, total: .body,
                runs: [.init(changes: [(4, .remove(60))]), .init(changes: [(1, .insert(0))])]),
            // An item of the older pages moved down to pages that the run had read before it read those again.
            ListHistory(
                .link, "all", size: 2, count: 14,
                runs: [
                    .init(changes: [(1, .insert(53))]), .init(budget: 5),
                    .init(changes: [(1, .move(4, to: 29)), (5, .move(46, to: 56)), (1, .toTop(14))]),
                ]),
            // An ascending list shrank to one page, and grew at its end.
            ListHistory(
                .keyset, "new", size: 1, count: 2,
                runs: [.init(), .init(changes: [(1, .remove(0))]), .init(changes: [(1, .insert(0))])]),
            // As many items came at the end as went, so the total was the same.
            ListHistory(
                .keyset, "new", size: 3, count: 10, isTagged: true, total: .header,
                runs: [.init(), .init(changes: [(1, .insert(0)), (1, .remove(41))])]),
            // A stored page was confirmed by a 304, and its row had just been met on the page before it.
            ListHistory(
                .offset, "auto", size: 3, count: 13, isTagged: true, hasLimit: true, sign: .incomplete,
                runs: [.init(budget: 5), .init(changes: [(1, .remove(0))]), .init()]),
        ])
    func once(_ history: ListHistory) async throws {
        let fault = try await HistoryPlayer.fault(of: history)
        #expect(fault == nil)
    }
}
