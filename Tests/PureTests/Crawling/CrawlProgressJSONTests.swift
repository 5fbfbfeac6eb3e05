import Pagination
import SeededGenerator
import Testing

@testable import Crawling

@Suite("A mirror's progress as JSON")
struct CrawlProgressJSONTests {
    @Test("Nothing known is no JSON, and what cannot be read is nothing known")
    func empty() {
        #expect(CrawlProgress().json == nil)
        for text in [nil, "", "null", "[]", "{", "{\"synced\":1}", "{\"synced\":[{}]}", "{\"round\":1}"] {
            #expect(CrawlProgress(json: text) == CrawlProgress(), "\(text ?? "nil")")
        }
    }

    @Test("Each member is read as it was written")
    func everyMember() {
        var range = SyncedRange.open(7, PageCursor("a \"quoted\"\\ cursor\n\u{1F600}"), generations: [3, 4])
        range.crawls = [1 << 60, 5]
        range.first = Place(generation: 4, position: 17)
        range.isVerified = true
        range.loosePages = [2, 9]
        range.failures = 3
        range.isLost = true
        let changes: [(inout CrawlProgress) -> Void] = [
            { $0.synced = SyncedRanges(ranges: [range]) },
            {
                $0.synced = SyncedRanges(ranges: [
                    .open(2, PageCursor(""), generations: []), .whole(1, generations: [1]),
                ])
            },
            { $0.beginRound(1 << 60, .all) },
            { $0.beginRound(1, .since) },
            {
                $0.beginRound(1, .all)
                $0.round?.ranges = SyncedRanges(ranges: [range, .whole(1, generations: [1], .cap)])
            },
            {
                $0.beginRound(1, .all)
                $0.round?.mayHaveMissedItems = true
            },
            { $0.counts = ListCounts(try? JSONValue(parsing: #"{"last_page":{"count":6}}"#)) },
            { $0.suspectEnd = CrawlProgress.EarlyEnd(met: 0) },
            {
                $0.suspectEnd = CrawlProgress.EarlyEnd(
                    met: 4_000_000, firstMissing: Place(generation: 1 << 40, position: 3), doubt: .silent)
            },
            { $0.checkedEnd = .p4 },
            { $0.hasUncheckedEnd = true },
            { $0.lostCursors = [PageCursor("a\"b"), .p4] },
            { $0.wasNotFound = true },
            { $0.reached = "\"2026-01-01T00:00:00Z\"" },
            { $0.totalIsOfPage = true },
            { $0.driftKeys = "cbf29ce484222325" },
            { $0.fullPages = 1 },
            { $0.narrow(nil, to: PageCursor("0..15")) },
        ]
        for change in changes {
            var progress = CrawlProgress()
            change(&progress)
            #expect(CrawlProgress(json: progress.json) == progress, "\(progress.json ?? "nil")")
        }
        for reason in IncompleteReason.allCases {
            var progress = CrawlProgress()
            progress.synced = .whole(.whole(1, generations: [1], reason))
            #expect(CrawlProgress(json: progress.json) == progress, "\(reason)")
        }
    }

    @Test("Any progress is read as it was written")
    func anyProgress() {
        let seed = UInt64.random(in: 0...(.max))
        var random = SeededGenerator(seed)
        for _ in 0..<500 {
            var progress = CrawlProgress()
            progress.synced = Self.ranges(&random)
            if Bool.random(using: &random) {
                progress.beginRound(.random(in: 1...99, using: &random), Bool.random(using: &random) ? .all : .since)
                progress.round?.ranges = Self.ranges(&random)
                progress.round?.mayHaveMissedItems = Bool.random(using: &random)
            }
            if Bool.random(using: &random) {
                progress.suspectEnd = CrawlProgress.EarlyEnd(met: .random(in: 0...99, using: &random))
            }
            if Bool.random(using: &random) { progress.fullPages = .random(in: 0...99, using: &random) }
            #expect(CrawlProgress(json: progress.json) == progress, "seed \(seed): \(progress.json ?? "nil")")
        }
    }

    private static func ranges(_ random: inout SeededGenerator) -> SyncedRanges {
        SyncedRanges(
            ranges: (0..<Int.random(in: 0...3, using: &random)).map { _ in
                var range = SyncedRange.open(
                    .random(in: 1...99, using: &random), PageCursor(random.string()), generations: [])
                range.crawls += (0..<Int.random(in: 0...2, using: &random)).map { Int64($0) + 100 }
                range.generations = Set((0..<Int64.random(in: 0...3, using: &random)).map { $0 * 3 })
                range.first = Bool.random(using: &random) ? Place(generation: 3, position: 8) : nil
                if Bool.random(using: &random) {
                    range.end = .last(IncompleteReason.allCases.randomElement(using: &random))
                }
                range.isVerified = Bool.random(using: &random)
                range.loosePages = Array(0..<Int.random(in: 0...2, using: &random))
                range.failures = Int.random(in: 0...2, using: &random)
                range.isLost = Bool.random(using: &random)
                return range
            })
    }
}
