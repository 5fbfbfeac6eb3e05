import Testing

@testable import Crawling

@Suite("The proof of a crawl")
struct ProofTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var isShifting = true
        var isPartitioned = false
        var facts = CrawlFacts(met: 30, pageCount: 3)
        let proof: Proof
    }

    @Test(
        "The proof is the one that costs least",
        arguments: [
            Case(
                testDescription: "pages that overlap by one item", facts: CrawlFacts(overlaps: true, pageCount: 3),
                proof: .head(proves: true)),
            Case(
                testDescription: "pages that overlap and have validators",
                facts: CrawlFacts(overlaps: true, pageCount: 3, haveValidators: true), proof: .head(proves: true)),
            Case(
                testDescription: "a total that never moved and was met",
                facts: CrawlFacts(met: 30, total: 30, hasTotals: true, pageCount: 3), proof: .given),
            Case(
                testDescription: "a total that never moved and was exceeded",
                facts: CrawlFacts(met: 31, total: 30, hasTotals: true, pageCount: 3), proof: .head(proves: true)),
            Case(
                testDescription: "a total that moved, and was met",
                facts: CrawlFacts(met: 30, total: 30, hasTotals: true, hasTotalMoved: true, pageCount: 3),
                proof: .head(proves: true)),
            Case(
                testDescription: "a total that moved while several pages were asked for at once",
                facts: CrawlFacts(
                    met: 30, total: 30, hasTotals: true, hasTotalMoved: true, pageCount: 3, isInSequence: false),
                proof: .head(proves: false)),
            Case(
                testDescription: "the same, and pages have validators",
                facts: CrawlFacts(
                    met: 30, total: 30, hasTotals: true, hasTotalMoved: true, pageCount: 3, haveValidators: true,
                    isInSequence: false), proof: .pages),
            Case(
                testDescription: "a total that was met, with an item that moved down",
                facts: CrawlFacts(met: 30, total: 30, hasTotals: true, hasMovedDown: true, pageCount: 3),
                proof: .head(proves: false)),
            Case(
                testDescription: "the same, and pages have validators",
                facts: CrawlFacts(
                    met: 30, total: 30, hasTotals: true, hasTotalMoved: true, hasMovedDown: true, pageCount: 3,
                    haveValidators: true), proof: .pages),
            Case(
                testDescription: "a total on some pages alone, without validators",
                facts: CrawlFacts(met: 30, total: 30, pageCount: 3), proof: .head(proves: false)),
            Case(
                testDescription: "a total on some pages alone, with validators",
                facts: CrawlFacts(met: 30, total: 30, pageCount: 3, haveValidators: true), proof: .pages),
            Case(
                testDescription: "pages that go on behind an item", isShifting: false,
                facts: CrawlFacts(met: 30, pageCount: 3), proof: .head(proves: true)),
            Case(
                testDescription: "pages that go on behind an item, with a total", isShifting: false,
                facts: CrawlFacts(met: 30, total: 30, hasTotals: true, pageCount: 3), proof: .head(proves: true)),
            Case(
                testDescription: "pages that shift and have validators",
                facts: CrawlFacts(met: 30, pageCount: 3, haveValidators: true), proof: .pages),
            Case(
                testDescription: "pages that shift and have none", facts: CrawlFacts(met: 30, pageCount: 3),
                proof: .head(proves: false)),
            Case(testDescription: "one page", facts: CrawlFacts(met: 3, pageCount: 1), proof: .given),
            Case(testDescription: "no page of its own", facts: CrawlFacts(), proof: .given),
            Case(
                testDescription: "partitions, whose totals are their own", isPartitioned: true,
                facts: CrawlFacts(met: 30, total: 30, hasTotals: true, pageCount: 3), proof: .pages),
            Case(
                testDescription: "partitions that go on behind an item", isShifting: false, isPartitioned: true,
                facts: CrawlFacts(met: 30, pageCount: 3), proof: .pages),
            Case(
                testDescription: "partitions without validators", isPartitioned: true,
                facts: CrawlFacts(met: 30, pageCount: 3), proof: .pages),
        ])
    func auto(_ row: Case) {
        #expect(Proof(.auto, isShifting: row.isShifting, isPartitioned: row.isPartitioned, row.facts) == row.proof)
    }

    @Test("`always` asks for every page, and `never` for none, whatever the pages say", arguments: [false, true])
    func rules(_ isShifting: Bool) {
        for facts in [
            CrawlFacts(met: 1, pageCount: 1), CrawlFacts(met: 30, total: 30, hasTotals: true, pageCount: 3),
            CrawlFacts(met: 30, overlaps: true, pageCount: 3, haveValidators: true),
        ] {
            for isPartitioned in [false, true] {
                let proof = { Proof($0, isShifting: isShifting, isPartitioned: isPartitioned, facts) }
                #expect(proof(.always) == .pages)
                #expect(proof(.never) == .none)
            }
        }
    }
}
