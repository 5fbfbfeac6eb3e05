import Pagination
import Testing

@testable import Crawling

/// A page of crawl 2 beside the ranges that crawl 1 stored with generation 1.
@Suite("The range that a page meets") struct PageMeetingTests {
    struct Example: Sendable {
        /// The places in the stored range of the page's items; nil for a new item.
        var items: [Int?] = [0, 1]
        var hasSameKeys = false
        var readsThrough = false
        var isShifting = false
        var direction = PageDirection.header
        var mode = CrawlMode.new
        var isLost = false
        var isRound = false
        /// True if this run read the stored pages.
        var isOwn = false
        /// True if the content of the page's stored rows has changed.
        var isChanged = false
        let isMet: Bool

        init(
            _ items: [Int?] = [0, 1], hasSameKeys: Bool = false, readsThrough: Bool = false, isShifting: Bool = false,
            direction: PageDirection = .header, mode: CrawlMode = .new, isLost: Bool = false, isRound: Bool = false,
            isOwn: Bool = false, isChanged: Bool = false, isMet: Bool
        ) {
            (self.items, self.hasSameKeys, self.readsThrough) = (items, hasSameKeys, readsThrough)
            (self.isShifting, self.direction, self.mode) = (isShifting, direction, mode)
            (self.isLost, self.isRound, self.isOwn, self.isMet) = (isLost, isRound, isOwn, isMet)
            self.isChanged = isChanged
        }
    }

    @Test(
        "A page meets a range with stored rows in their places, or with its first rows below new ones",
        arguments: [
            Example(isMet: true),
            Example([nil, 0, 1], isMet: true),
            Example([nil, nil], isMet: false),
            // New items came above rows from the middle of the range.
            Example([nil, 4], isMet: false),
            Example([0, nil, 1], isMet: false),
            Example([4, 5], direction: .footer, isMet: true),
            // A sync reads through a range whose pages may have moved, and `more` does not.
            Example(isLost: true, isMet: false),
            Example(mode: .reload, isLost: true, isMet: true),
            // New content does not move a row, but a sync looks for more of it on the next pages.
            Example(mode: .reload, isChanged: true, isMet: true),
            Example([nil, 0, 1], mode: .reload, isChanged: true, isMet: true),
            Example([1, 0], mode: .reload, isChanged: true, isMet: false),
            Example([0, 1], direction: .footer, mode: .reload, isChanged: true, isMet: false),
            Example(isChanged: true, isMet: false),
            // The pages of a full crawl that this run read are met by older pages that are as they were.
            Example(isRound: true, isMet: true),
            Example(readsThrough: true, isRound: true, isMet: false),
            Example(readsThrough: true, isRound: true, isOwn: true, isMet: true),
            Example(readsThrough: true, isShifting: true, isRound: true, isOwn: true, isMet: false),
            Example(hasSameKeys: true, readsThrough: true, isShifting: true, isRound: true, isOwn: true, isMet: true),
        ])
    func meeting(example: Example) throws {
        let (meeting, progress) = meeting(example)
        let met = try meeting.range(progress)
        #expect((met != nil) == example.isMet)
        #expect(met.map(\.crawl) ?? 1 == 1)
    }

    @Test("A crawl goes on where an earlier one was cut off that began to read a lost range again")
    func readAgain() throws {
        var (meeting, progress) = meeting(Example(mode: .new, isLost: true, isMet: false), pagesOf: [1, 3])
        #expect(try meeting.range(progress) == nil)
        let again = SyncedRange.open(3, .p3, generations: [])
        progress.synced = SyncedRanges(ranges: [again] + progress.synced.ranges)
        #expect(try meeting.range(progress) == again)
        (meeting, _) = self.meeting(Example(mode: .new, isLost: true, isMet: false), pagesOf: [1])
        #expect(try meeting.range(progress) == nil)
    }

    @Test("A first page that meets a range in its middle may have rows above it that moved")
    func middle() throws {
        let (meeting, progress) = meeting(Example([4, 5], isRound: true, isMet: true))
        let met = try meeting.range(progress)
        #expect(try !meeting.readPage(meeting: met).meetsTop)
        let (top, _) = self.meeting(Example(isMet: true))
        #expect(try top.readPage(meeting: met).meetsTop)
    }

    @Test("New items below the head of a list break its ascending order, and a page without any keeps it")
    func order() throws {
        #expect(try readPage([0, 1], keys: "[9,1]").isAscending)
        #expect(try readPage([nil, 0], keys: "[1,2]").isAscending)
        #expect(try !readPage([nil, 0], keys: "[9,1]").isAscending)
        #expect(try !readPage([nil, nil], keys: "[1,2]").isAscending)
    }

    private func readPage(_ items: [Int?], keys: String) throws -> CrawlProgress.ReadPage {
        try meeting(Example(items, isMet: false), keys: keys).0.readPage(meeting: nil)
    }

    @Test("A first page that is a whole range says where the range goes on, unless it is an unchanged first partition")
    func covered() throws {
        let cases: [(part: String?, hasSameKeys: Bool, isCovered: Bool)] = [
            (nil, true, true), ("0..9", true, false), ("0..9", false, true), ("p3", true, true),
        ]
        for (part, hasSameKeys, isCovered) in cases {
            var page = CrawlPage(.header, end: .more(.p3), upstreamNext: .p3)
            page.partition = part
            let example = Example(hasSameKeys: hasSameKeys, isMet: true)
            let (meeting, _) = meeting(example, page: page, pageCount: 1)
            #expect(try meeting.readPage(meeting: .open(1, .p4, generations: [1])).coversRange == isCovered)
        }
    }

    private func meeting(
        _ example: Example, keys: String = "[]", page: CrawlPage? = nil, pageCount: Int = 3,
        pagesOf crawls: [Int64] = [1]
    ) -> (PageMeeting, CrawlProgress) {
        var crawl = CrawlState(id: 2)
        crawl.mode = example.mode
        var rules = PageRules(generation: 1, crawl: crawl, direction: example.direction, updatesInPlace: false)
        for (index, item) in example.items.enumerated() {
            if let item {
                let place = Place(generation: 1, position: Int64(item))
                let row = PageRules.Row(
                    id: Int64(index), place: place, section: nil, isRemoved: false, isSame: !example.isChanged)
                if rules.meet(row, section: nil) == .becomeMoved {
                    rules.becomeMoved()
                    _ = rules.rewrite(row, section: nil)
                }
            } else {
                if rules.meetNothing() { rules.becomeMoved() }
                rules.tried(isInserted: true, nil)
            }
        }
        rules.end()
        var page = page ?? CrawlPage(example.direction, end: .more(.p3), upstreamNext: .p3)
        (page.mode, page.readsThrough, page.keys) = (example.mode, example.readsThrough, keys)
        var progress = CrawlProgress()
        var stored = SyncedRange.whole(1, generations: [1])
        stored.isLost = example.isLost
        progress.synced = SyncedRanges(ranges: [stored])
        if example.isRound {
            progress.beginRound(1, .all)
            progress.round?.ranges = progress.synced
        }
        var reads = RunReads()
        if example.isOwn {
            reads.read(PageOfCrawl(crawl: 1, number: 1))
            reads.reachEnd(of: [PageOfCrawl(crawl: 1, number: 1)])
        }
        crawl = rules.crawl
        crawl.pages = 1
        let lookup = PageMeeting.Lookup(
            pagesHaving: { _, wanted in
                crawls.filter(wanted.contains).map { PageOfCrawl(crawl: $0, number: 1) }
            },
            isTop: { place, _ in place.position == 0 }, firstPage: { _ in (nil, 10) }, pageCount: { _ in pageCount },
            cursorsHavePlaces: { _, _ in false })
        let first = rules.first ?? Place(generation: 1, position: 0)
        let meeting = PageMeeting(
            page, by: rules, at: first, placed: rules.placed, of: crawl, reads: reads, isShifting: example.isShifting,
            hasSameKeys: example.hasSameKeys, insertedBefore: 0, lookup)
        return (meeting, progress)
    }
}
