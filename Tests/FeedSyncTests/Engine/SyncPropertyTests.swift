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
    private static let seeds = environment["SYNC_SEEDS"].flatMap { UInt64($0) } ?? 5
    private static let first = environment["SYNC_FIRST_SEED"].flatMap { UInt64($0) } ?? 1

    @Test(
        "Once the upstream rests, a sync makes the mirror what its mode promises, and nothing was lost on the way",
        arguments: MovingList.Mode.allCases, [false, true])
    func mirrors(mode: MovingList.Mode, inPartitions: Bool) async throws {
        for seed in Self.first..<Self.first + Self.seeds {
            for style in MovingList.Style.allCases {
                let mirror = try await MovingMirror(
                    MovingList(style, mode, inPartitions: inPartitions, seed: seed),
                    "\(mode) \(style)\(inPartitions ? " in parts" : "") seed \(seed)")
                try await mirror.move()
                try await mirror.rest()
                // A long run stops at the first one that fails.
                guard mirror.isTrue else { return }
            }
        }
    }
}
