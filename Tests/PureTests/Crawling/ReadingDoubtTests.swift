import Crawling
import Testing

@Suite("The pages that `more` may have missed")
struct ReadingDoubtTests {
    struct Row: CustomTestStringConvertible {
        let testDescription: String
        var isShifting = true
        var overlaps = false
        var hasTotals = false
        var hasTotalMoved = false
        var isOrdered = true
        var haveValidators = true
        let doubt: ReadingDoubt
    }

    @Test(arguments: [
        Row(testDescription: "pages that go on behind an item", isShifting: false, doubt: .none),
        Row(testDescription: "pages that overlap", overlaps: true, doubt: .none),
        Row(testDescription: "a total that never moved", hasTotals: true, doubt: .none),
        Row(testDescription: "a total that moved", hasTotals: true, hasTotalMoved: true, doubt: .moved),
        Row(
            testDescription: "a total that moved, without validators", hasTotals: true, hasTotalMoved: true,
            haveValidators: false, doubt: .moved),
        Row(
            testDescription: "a total that never moved, and an item that moved down", hasTotals: true, isOrdered: false,
            doubt: .moved),
        Row(testDescription: "validators", doubt: .unproved),
        Row(testDescription: "nothing that tells", haveValidators: false, doubt: .none),
    ])
    func doubt(_ row: Row) {
        var crawl = CrawlState(id: 1)
        crawl.overlaps = row.overlaps
        crawl.hasTotals = row.hasTotals
        crawl.hasTotalMoved = row.hasTotalMoved
        crawl.isOrdered = row.isOrdered
        crawl.total = row.hasTotals ? 7 : nil
        let doubt = ReadingDoubt(crawl, isShifting: row.isShifting, haveValidators: row.haveValidators)
        #expect(doubt == row.doubt)
    }

    @Test("A sync joins a range that awaits its proof while the head is as it was, and none that the list moved under")
    func joins() {
        var range = SyncedRange.whole(1, generations: [1])
        #expect(range.mayBeJoined(isHeadAsBefore: false))
        range.awaitsProof = true
        #expect(range.mayBeJoined(isHeadAsBefore: true))
        #expect(!range.mayBeJoined(isHeadAsBefore: false))
        range.isLost = true
        #expect(!range.mayBeJoined(isHeadAsBefore: true))
    }
}
