import Foundation
import Testing

@testable import Crawling

/// `PROOF_HISTORIES` says how many histories of each style are played, `PROOF_FIRST_SEED` from which one on.
@Suite("A proof, whatever moves while the list is read")
struct ProofSimulationTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let histories = environment["PROOF_HISTORIES"].flatMap { UInt64($0) } ?? 1000
    private static let first = environment["PROOF_FIRST_SEED"].flatMap { UInt64($0) } ?? 1

    @Test(
        "A crawl that is called verified has met every item that stood all the time",
        arguments: SimulatedList.Style.allCases, [true, false])
    func proves(_ style: SimulatedList.Style, movesChangeItems: Bool) {
        var verified = 0
        var wrong: [UInt64] = []
        var hidden: [UInt64] = []
        for seed in Self.first..<Self.first + Self.histories {
            var crawl = SimulatedCrawl(style, movesChangeItems: movesChangeItems, seed: seed)
            let closing = crawl.run()
            #expect(closing != nil, "\(style) seed \(seed): the crawl does not end")
            guard closing == .complete(isVerified: true) else { continue }
            verified += 1
            guard !crawl.missed.isEmpty else { continue }
            if crawl.hasHiddenMoves { hidden.append(seed) } else { wrong.append(seed) }
        }
        #expect(verified > 0)
        #expect(wrong == [], "\(style), seeds: \(wrong.count) of \(verified) verified")
        // Of an item that moves to the top as it was, and under another one that does, nothing tells.
        #expect(hidden.count * 200 < verified, "\(style), seeds: \(hidden)")
    }
}
