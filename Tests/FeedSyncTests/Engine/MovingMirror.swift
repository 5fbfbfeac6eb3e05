import Concurrency
import Foundation
import HTTP
import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync
@testable import Upstream

/// A mirror of a list that moves and fails, and the conditions that must always hold.
final class MovingMirror {
    private let name: String
    private let mode: MovingList.Mode
    private let list: Lock<MovingList>
    private let bench: EngineBench
    private let hasTimeouts: Bool
    private let isProvable: Bool
    private let isInPartitions: Bool
    private let stop = Lock<(afterRequests: Int, run: Task<RunSummary?, Never>?)>((0, nil))
    private var everStored: Set<String> = []
    private(set) var isTrue = true
    /// The number of requests that a run may make; nil for any number.
    private let budget: Int?
    /// The list's last change before the crawl began that is under way.
    private var crawlBegan = 0

    private static let client = Client(userAgent: "feedsync-tests")

    init(_ start: MovingList, _ name: String) async throws {
        self.name = name
        mode = start.mode
        isProvable = start.isProvable
        isInPartitions = start.isInPartitions
        var start = start
        hasTimeouts = start.random(0...11) == 0
        budget = start.random(0...2) == 0 ? start.random(3...10) : nil
        bench = try await EngineBench(
            members: hasTimeouts ? "timeout: 80ms" : "", paging: "", columns: start.definition,
            retries: start.random(0...1))
        let gate = bench.server.gate()
        if hasTimeouts { start.stall = { gate.wait() } }
        list = Lock(start)
        bench.server.route("/things") { [list, stop] request in
            let due = stop.withLock { stop -> Task<RunSummary?, Never>? in
                stop.afterRequests -= 1
                return stop.afterRequests == 0 ? stop.run : nil
            }
            due?.cancel()
            return list.withLock { $0.answer(request) }
        }
    }

    /// A few commands while the list moves and fails; some are stopped, some are another process's.
    func move() async throws {
        var engine = try await bench.another(options: Self.options(budget))
        list.withLock { list in
            if list.random(0...5) == 0 { list.failsFrom = list.random(1...12) }
        }
        for _ in 0..<random(1...6) {
            if budget != nil || random(0...2) == 0 { engine = try await bench.another(options: Self.options(budget)) }
            let command: RequestCommand =
                switch random(0...9) {
                case 0: .reload
                case 1: .nextPages(random(1...3))
                case 2: .allPages
                default: .sync
                }
            let before = list.withLock { list in
                list.isMoving = true
                return list.lastSerial
            }
            let wasUnderWay = try bench.query("SELECT ranges LIKE '%\"round\"%' FROM _feed") == ["1"]
            let alive = everStored.isEmpty ? [] : try rows("_removed_at IS NULL")
            let count = random(0...2) == 0 ? random(1...8) : 0
            let run = stop.withLock { [engine] stop in
                let run = Task { try? await engine.perform(command) }
                stop = (count, run)
                return run
            }
            list.withLock { $0.note("\(command)") }
            let summary = await run.value
            try note(summary)
            list.withLock { $0.isMoving = false }
            if !wasUnderWay { crawlBegan = before }
            try examine(alive: alive, quietSince: crawlBegan, "\(command)")
            // Items that a crawl of several runs met may have changed since; without a proof some may be missing.
            let isVerified = try bench.feed("verified") == "1"
            if command == .sync, let summary, summary.reason == nil, mode != .since,
                isVerified
            {
                let unmet = list.withLock { $0.quiet(since: crawlBegan) }.subtracting(try rows("_removed_at IS NULL"))
                expect(
                    unmet.isEmpty, "a sync says \(isVerified ? "verified" : "complete") and did not meet \(unmet)")
            }
            if summary != nil, try bench.feed("complete") == "1" {
                let run = try bench.query("SELECT complete, reason FROM run ORDER BY id DESC LIMIT 1")
                expect(command != .sync || run == ["1|"], "a feed is as complete as its run, not \(run)")
            }
        }
        list.withLock { $0.rest() }
    }

    /// Syncs until one is complete, and checks that the mirror keeps its mode's promise.
    func rest() async throws {
        stop.withLock { $0 = (0, nil) }
        let definition = try EngineBench.definition(
            "url: \(bench.server.url)/things\n\(list.withLock { $0.definition })\nretries: 0\n")
        // A crawl without a proof may have missed items, which the next full crawl finds.
        var later: Int64 = 0
        var engine = try await bench.another(definition, options: Self.options(budget, later: later))
        // A run reads the head, and goes on from there. What is gone is asked for again, and an odd end looked at once
        // more. What could not be stored by the crawl that is under way makes it incomplete, and another one follows.
        // Of a partitioned list nobody knows how many requests it takes.
        let pages = list.withLock(\.pageCount)
        let crawls = list.withLock(\.hasBroken) ? 3 : 2
        let most = budget.map { (pages + $0 - 3) / ($0 - 2) * crawls + 4 } ?? 4
        var summary: RunSummary?
        var ends: [String] = []
        // A crawl that goes on behind a cut may find another list before it, and an end that comes too soon is believed
        // when it comes again.
        let mayLeaveOut = list.withLock(\.mayLeaveOut)
        let mayMiscount = list.withLock(\.mayMiscount)
        let isDone = { (summary: RunSummary?) in
            summary.map { $0.reason == nil || mayLeaveOut && $0.reason == .leftOut } ?? false
        }
        // A crawl that began while the list moved may keep what went since: the one behind it does not.
        var done = 0
        while try done < 2 || later == 0 && bench.feed("verified") != "1", ends.count < (budget == nil ? 10 : 200) {
            if later == 0, done >= 2 || (budget == nil || mayMiscount) && ends.count == 4 {
                (later, done) = (90_000, min(done, 1))
            }
            if budget != nil || later > 0 {
                engine = try await bench.another(definition, options: Self.options(budget, later: later))
            }
            list.withLock { $0.note(later == 0 ? "sync at rest" : "sync at rest, a day later") }
            do throws(FeedSyncError) {
                summary = try await engine.perform(.sync)
                ends.append(summary?.reason?.rawValue ?? "complete")
            } catch {
                summary = nil
                ends.append("\(error)")
            }
            try note(summary)
            try examine(alive: [], quietSince: 0, "sync at rest")
            done += isDone(summary) ? 1 : 0
            if done == 0, mode != .since, budget != nil, !mayMiscount, !list.withLock(\.isInPartitions) {
                expect(ends.count < most, "\(pages) pages on a budget of \(budget ?? 0) are not complete after \(ends)")
            }
        }
        expect(isDone(summary), "no sync was complete: \(ends)")
        expect(try summary?.reason != nil || bench.feed("complete") == "1", "the feed is not complete")
        let listed = list.withLock { $0.listed }
        let live = try texts("_removed_at IS NULL ORDER BY _generation DESC, _position")
        // A run with too few requests keeps the rows that the list has no more, because it does not see the whole list.
        // It spends three at the end, and up to four on pages behind it.
        let seesAll = list.withLock(\.isInPartitions) || budget.map { $0 >= pages + 7 } ?? true
        if mode == .all, seesAll {
            expect(live == listed, "\(live) is not \(listed)")
            expect(try bench.feed("item_count") == "\(listed.count)", "the count is wrong")
        } else {
            let missing = Set(listed).subtracting(live)
            expect(missing.isEmpty, "\(missing) of \(listed) are missing in \(live)")
        }
        if list.withLock(\.grows) { try examineMembers() }
        expect(try bench.query("PRAGMA integrity_check") == ["ok"], "the store is broken")
    }

    private var columns: Set<String> {
        get throws { Set(try bench.query("SELECT json_extract(value, '$.name') FROM _feed, json_each(columns)")) }
    }

    /// Members that came later are stored. Members that an item has no longer stay as they were.
    private func examineMembers() throws {
        let columns = try columns
        for value in MovingList.valuesWithMember {
            let wanted = list.withLock { $0.ids(withValue: value) }
            let column = "m\(value)"
            let found = Set(
                columns.contains(column)
                    ? try bench.query("SELECT id FROM things WHERE \(column) = id AND _removed_at IS NULL") : [])
            expect(
                found.isSuperset(of: wanted),
                "`\(column)` is of \(found.sorted()), and should be of \(wanted.sorted())")
        }
    }

    /// The conditions that hold after every command.
    private func examine(alive: Set<String>, quietSince serial: Int, _ command: String) throws {
        let ids = Set(try bench.query("SELECT id FROM things"))
        expect(ids.isSuperset(of: everStored), "\(command): rows were lost: \(everStored.subtracting(ids))")
        everStored = ids
        let fault = grammarFault(try bench.log)
        expect(fault == nil, "\(command): \(fault ?? "")")
        let quiet = list.withLock { $0.quiet(since: serial) }
        // Of a list that allows no proof an item that moved unseen looks as if it were gone, until the next crawl.
        let gone = isProvable ? alive.intersection(quiet).intersection(try rows("_removed_at IS NOT NULL")) : []
        expect(gone.isEmpty, "\(command): \(gone) were marked as gone although nothing happened to them")
        let count = try bench.query("SELECT count(*) FROM things WHERE _removed_at IS NULL")
        expect(count == [try bench.feed("item_count")], "\(command): the count is wrong")
    }

    private func rows(_ condition: String) throws -> Set<String> { Set(try texts(condition)) }

    /// The rows, as `id|value`.
    private func texts(_ condition: String) throws -> [String] {
        // Before there are items, there is nothing to tell the columns from.
        try columns.contains("value") ? bench.query("SELECT id, value FROM things WHERE \(condition)") : []
    }

    private func random(_ range: ClosedRange<Int>) -> Int { list.withLock { $0.random(range) } }

    private func expect(_ condition: Bool, _ message: @autoclosure () throws -> String) rethrows {
        // The first fault explains the others.
        guard !condition, isTrue else { return }
        isTrue = false
        let text = try message()
        let runs =
            (try? bench.query("SELECT id, command, outcome, complete, reason, pages FROM run ORDER BY id DESC LIMIT 12"))
            ?? []
        let crawls =
            (try? bench.query(
                "SELECT id, mode, generation, complete, reason, elements, total, capped, cap FROM _crawl ORDER BY id DESC LIMIT 12"
            ))
            ?? []
        Issue.record(
            """
            \(name): \(text)
            runs: \(runs.joined(separator: ", "))
            crawls: \(crawls.joined(separator: ", "))
            ranges: \((try? bench.query("SELECT ranges FROM _feed")) ?? [])
            definition: \(list.withLock { $0.definition })
            history: \(budget.map { "at most \($0) requests a run" } ?? "")
            \(list.withLock { $0.history.suffix(120).joined(separator: "\n") })
            """)
    }

    private func note(_ summary: RunSummary?) throws {
        let end = summary.map { $0.reason?.rawValue ?? "complete" } ?? "failed"
        let ranges = try bench.query("SELECT coalesce(ranges, '') FROM _feed").joined()
        let verified = try bench.feed("verified") == "1" ? ", verified" : ""
        list.withLock { $0.note("    \(end)\(verified) \(ranges)") }
    }

    /// An engine whose waits take no time, and that has its own time of day.
    private static func options(_ budget: Int?, later seconds: Int64 = 0) -> EngineOptions {
        let budgeted = budget.map {
            Client(userAgent: "feedsync-tests", budget: RequestBudget(requests: $0))
        }
        var options = EngineOptions(client: budgeted ?? client)
        let clock = RecordingClock()
        let start = WallClock.system.milliseconds
        options.clock = clock
        options.wallClock = WallClock { start + (clock.now.offset.components.seconds + seconds) * 1000 + 1000 }
        options.random = { 0.5 }
        return options
    }
}
