import Concurrency
import Foundation
import ScriptedServer
import Testing

@testable import FeedSync

/// A short run of these is in the suite, `Scripts/soak` has a long one. `SYNC_FIRST_SEED` and `SYNC_SEEDS` choose the
/// seeds, and so play one that failed again.
@Suite("A sync, whatever moves under it")
struct SyncPropertyTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seeds = environment["SYNC_SEEDS"].flatMap { UInt64($0) } ?? 2
    private static let first = environment["SYNC_FIRST_SEED"].flatMap { UInt64($0) } ?? 1

    @Test(
        "Once the upstream rests, a sync makes the mirror what its mode promises, and nothing was lost on the way",
        arguments: MovingList.Mode.allCases, [false, true])
    func mirrors(mode: MovingList.Mode, inPartitions: Bool) async throws {
        for seed in Self.first..<Self.first + Self.seeds {
            for style in MovingList.Style.allCases {
                let grows = seed.isMultiple(of: 2)
                let mirror = try await MovingMirror(
                    MovingList(style, mode, inPartitions: inPartitions, grows: grows, seed: seed),
                    "\(mode) \(style)\(inPartitions ? " in parts" : "") seed \(seed)")
                try await mirror.move()
                try await mirror.rest()
                // A long run stops at the first one that fails.
                guard mirror.isTrue else { return }
            }
        }
    }

    /// A list, by its style, its mode and its seed.
    struct History: CustomTestStringConvertible {
        let style: MovingList.Style
        let mode: MovingList.Mode
        var isInPartitions = false
        let seed: UInt64

        var testDescription: String { "\(mode) \(style)\(isInPartitions ? " in parts" : "") \(seed)" }
    }

    @Test(
        "Histories that once went wrong go well",
        arguments: [
            // A run that ended before it had read a page anew left no request that led to it.
            History(style: .offset, mode: .new, isInPartitions: true, seed: 1084),
            // A row went because a page was asked for again that had been pushed down.
            History(style: .page, mode: .all, seed: 1100),
            // Each run asked for the same pages again, and had no request left to go on.
            History(style: .offset, mode: .new, isInPartitions: true, seed: 1138),
            // A page that was to begin with the last element of the one before began with `null`, as that one ended.
            History(style: .offset, mode: .since, seed: 1134),
            // A crawl of the changes seemed to prove items that a full crawl had missed.
            History(style: .link, mode: .since, seed: 1157),
            // A page that was asked for again brought new items, and the next sync took what followed them for read.
            History(style: .keyset, mode: .new, isInPartitions: true, seed: 1648),
            // An item slipped by while `more` read the list, and the next sync did not look.
            History(style: .link, mode: .new, seed: 1677),
            History(style: .token, mode: .new, seed: 1695),
            // Pages that a later crawl had stored under the same requests were taken for a proof of the range below.
            History(style: .page, mode: .new, seed: 1766),
            // Each run asked for the pages below a head that had changed again, and had no request left for the others.
            History(style: .link, mode: .new, seed: 1832),
            // Pages at a border that another command had left were read again by each run, with all its requests.
            History(style: .page, mode: .new, seed: 2000),
            // Elements that could not be stored had gone from a page with the same items; it was said to have them for
            // ever.
            History(style: .nextURL, mode: .all, seed: 1912),
            // `more` found the list one item short of its total, as a new one was at the head; it stayed incomplete.
            History(style: .keyset, mode: .new, seed: 71003),
            // A row that a crawl had met twice was looked for where it had been first.
            History(style: .link, mode: .since, seed: 3571),
        ])
    func once(_ history: History) async throws {
        let mirror = try await MovingMirror(
            MovingList(
                history.style, history.mode, inPartitions: history.isInPartitions, seed: history.seed),
            history.testDescription)
        try await mirror.move()
        try await mirror.rest()
    }
}
