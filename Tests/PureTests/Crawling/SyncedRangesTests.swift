import Pagination
import Testing

@testable import Crawling

@Suite("Ranges of stored pages")
struct SyncedRangesTests {
    @Test("A crawl that read its first page is the range at the head")
    func begins() {
        var ranges = SyncedRanges(ranges: [.whole(1, generations: [1])])
        ranges.begin(2, generation: 2, next: .open(.p2))
        #expect(ranges.ranges == [.open(2, .p2, generations: [2]), .whole(1, generations: [1])])
        #expect(ranges.openRange?.crawl == 2)
        #expect(!ranges.isWhole)
        #expect(!ranges.isEmpty)
    }

    @Test("A crawl whose first page was as stored has no rows of its own yet")
    func beginsUnchanged() {
        var ranges = SyncedRanges()
        ranges.begin(1, generation: nil, next: .open(.p2))
        #expect(ranges.ranges == [SyncedRange(crawls: [1], generations: [], first: nil, end: .open(.p2))])
        ranges.extend(1, generation: 4, next: .open(.p3))
        #expect(ranges.ranges[0].generations == [4])
        #expect(ranges.ranges[0].first == Place(generation: 4, position: 0))
    }

    @Test("A crawl that begins again takes the place of its first attempt, and leaves a range that it joined")
    func beginsAgain() {
        var ranges = SyncedRanges(ranges: [.open(3, .p2, generations: [3]), .whole([1, 2], generations: [1, 2])])
        ranges.begin(3, generation: 4, next: .open(.p2))
        #expect(ranges.ranges.map(\.crawls) == [[3], [1, 2]])
        ranges.begin(1, generation: 5, next: .open(.p2))
        #expect(ranges.ranges.map(\.crawls) == [[1], [3], [1, 2]])
    }

    @Test("A crawl that goes on moves its range's end, and forgets that the end failed")
    func extends() {
        var ranges = SyncedRanges(ranges: [.open(1, .p2, generations: [1])])
        ranges.update(1) {
            $0.failures = 2
            $0.isLost = true
        }
        ranges.extend(1, generation: 2, next: .open(.p3))
        #expect(ranges.ranges == [.open(1, .p3, generations: [1, 2])])
        ranges.extend(7, generation: 3, next: .open(.p9))
        #expect(ranges.ranges == [.open(1, .p3, generations: [1, 2])], "a crawl without a range has none to extend")
    }

    @Test("A range in the gap has no known first row until a row of it is known")
    func extendsInTheGap() {
        var gap = SyncedRange.open(1, .p5, generations: [])
        gap.first = nil
        var ranges = SyncedRanges(ranges: [.open(2, .p2, generations: [2]), gap])
        ranges.extend(1, generation: 3, next: .open(.p6))
        #expect(ranges[1]?.generations == [3])
        #expect(ranges[1]?.first == nil)
    }

    @Test("Ranges that meet are one, which goes on where the one behind ends; what lies between them is dropped")
    func joins() {
        let last = SyncedRange.open(1, .p9, generations: [1])
        var ranges = SyncedRanges(ranges: [
            .open(3, .p3, generations: [3]), .open(2, .p5, generations: [2]), last,
        ])
        ranges.join(3, with: last)
        #expect(ranges.ranges.map(\.crawls) == [[1, 3]])
        #expect(ranges.ranges[0].generations == [1, 3])
        #expect(ranges.ranges[0].first == Place(generation: 3, position: 0))
        #expect(ranges.ranges[0].cursor == .p9)
        #expect(ranges[1] != nil)
        #expect(ranges[3] == nil, "the crawl at the end goes on")
        #expect(ranges.range(ofPagesOf: 3)?.crawl == 1)
    }

    @Test("A crawl that only met rows in their places adds nothing to the range that it joins")
    func joinsUnchanged() {
        let whole = SyncedRange.whole(1, generations: [1])
        var ranges = SyncedRanges(ranges: [whole])
        ranges.begin(2, generation: nil, next: .open(.p2))
        ranges.join(2, with: whole)
        #expect(ranges.ranges == [whole])
        #expect(ranges.isWhole)
    }

    @Test("Pages without rows above the rows that a crawl met belong to the range that it joins")
    func joinsEmptyPages() {
        let open = SyncedRange.open(1, .p9, generations: [1])
        var ranges = SyncedRanges(ranges: [open])
        ranges.begin(2, generation: nil, next: .open(.p2))
        ranges.join(2, with: open, isHeader: false)
        #expect(ranges.ranges.map(\.crawls) == [[1, 2]])
        #expect(ranges.ranges[0].cursor == .p9)
    }

    @Test("A range joins only what lies behind it", arguments: [1, 2, 9] as [Int64])
    func joinsForwards(_ other: Int64) {
        let before = SyncedRanges(ranges: [.open(2, .p2, generations: [2]), .open(1, .p5, generations: [1])])
        var ranges = before
        ranges.join(1, with: .open(other, .p9, generations: []))
        #expect(ranges == before)
    }

    @Test("A range that was proved is proved no longer when pages that nobody proved are joined to it")
    func joinsProved() {
        var whole = SyncedRange.whole(1, generations: [1])
        whole.isVerified = true
        var ranges = SyncedRanges(ranges: [whole])
        ranges.begin(2, generation: 2, next: .open(.p2))
        ranges.extend(2, generation: 2, next: .open(.p3))
        ranges.join(2, with: whole, isDirect: false)
        #expect(ranges.ranges[0].isVerified == false)
    }

    @Test("A range that is joined by one with a loose border is read through by the next sync")
    func joinsLoose() {
        let whole = SyncedRange.whole(1, generations: [1])
        var loose = SyncedRange.open(2, .p4, generations: [2])
        loose.loosePages = [1]
        var ranges = SyncedRanges(ranges: [loose, whole])
        ranges.join(2, with: whole)
        #expect(ranges.ranges[0].isLost)
    }

    @Test("At the end of the list the range is closed, and what stood behind it is dropped")
    func ends() {
        var ranges = SyncedRanges(ranges: [
            .open(3, .p3, generations: [3]), .open(2, .p5, generations: [2]), .whole(1, generations: [1]),
        ])
        ranges.end(2, nil)
        #expect(ranges.ranges.map(\.crawls) == [[3], [2]])
        #expect(ranges[2]?.end == .last(nil))
        #expect(!ranges.isWhole)
        ranges.end(3, .maxPages, isVerified: false)
        #expect(ranges.isWhole)
        #expect(ranges.reason == .maxPages)
        #expect(ranges.openRange == nil)
    }

    @Test("The first open range from the head is where `more` goes on")
    func opens() {
        let ranges = SyncedRanges(ranges: [.whole(3, generations: [3]), .open(2, .p5, generations: [2])])
        #expect(ranges.openRange?.crawl == 2)
        #expect(ranges.reason == nil)
        #expect(ranges.range(ofGeneration: 3)?.crawl == 3)
        #expect(ranges.range(ofGeneration: 9) == nil)
    }

    struct Top: Sendable {
        let place: Place
        let count: Int64
        let first: Place
    }

    @Test(
        "A range whose top rows were written elsewhere begins after them; other ranges stay",
        arguments: [
            Top(place: Place(generation: 1, position: 0), count: 3, first: Place(generation: 1, position: 3)),
            Top(place: Place(generation: 1, position: 1), count: 3, first: Place(generation: 1, position: 0)),
            Top(place: Place(generation: 2, position: 0), count: 3, first: Place(generation: 1, position: 0)),
        ])
    func takesTop(_ top: Top) {
        var ranges = SyncedRanges(ranges: [.open(2, .p2, generations: [7]), .whole(1, generations: [1])])
        ranges.takeTop(at: top.place, count: top.count)
        #expect(ranges[1]?.first == top.first)
        #expect(ranges[2]?.first == Place(generation: 7, position: 0))
    }

    @Test("Rows that come to the head belong to the first range, which begins with them, once a generation")
    func absorbsHead() {
        var ranges = SyncedRanges(ranges: [.open(2, .p2, generations: [2]), .whole(1, generations: [1])])
        ranges.absorbHead(5)
        #expect(ranges[2]?.generations == [2, 5])
        #expect(ranges[2]?.first == Place(generation: 5, position: 0))
        ranges.takeTop(at: Place(generation: 5, position: 0), count: 2)
        ranges.absorbHead(5)
        #expect(ranges[2]?.first == Place(generation: 5, position: 2))
        #expect(ranges[1]?.generations == [1])
        var none = SyncedRanges()
        none.absorbHead(5)
        #expect(none.isEmpty)
    }
}
