import Feeds
import Pagination
import Testing

@testable import Crawling

@Suite("A crawl behind a page") struct CrawledPageTests {
    private let feed: FeedDefinition

    init() throws { feed = try FeedDefinition("items", ["url": "http://localhost/items", "key": "id"]) }

    private func rules(of crawl: CrawlState, _ items: [(place: Place?, isSame: Bool)]) -> PageRules {
        var rules = PageRules(generation: 1, crawl: crawl, direction: .footer, updatesInPlace: true)
        for (index, item) in items.enumerated() {
            if let place = item.place {
                let row = PageRules.Row(
                    id: Int64(index), place: place, section: nil, isRemoved: false, isSame: item.isSame)
                _ = rules.meet(row, section: nil)
            } else {
                if rules.meetNothing() { rules.becomeMoved() }
                rules.tried(isInserted: true, nil)
            }
        }
        rules.end()
        return rules
    }

    private func page(_ elements: Int, _ end: NextPage) -> CrawlPage {
        var page = CrawlPage(.footer, end: end, upstreamNext: end.next)
        page.mode = .all
        (page.keys, page.elementCount) = ("[\((0..<elements).map { "\($0)" }.joined(separator: ","))]", elements)
        return page
    }

    private func add(_ page: CrawlPage, to crawl: inout CrawlState, _ rules: PageRules? = nil) throws {
        let rules = rules ?? self.rules(of: crawl, [(nil, false)])
        crawl = rules.crawl
        try crawl.add(page, by: rules, feed, url: "http://localhost/items")
    }

    @Test("A page adds its elements once: those that it shares with the page before do not count")
    func elements() throws {
        var crawl = CrawlState(id: 1)
        try add(page(3, .more(.p2)), to: &crawl)
        var second = page(3, .more(.p3))
        (second.overlap, second.showsPageBefore) = (1, true)
        try add(second, to: &crawl)
        #expect(crawl.pages == 2)
        #expect(crawl.elements == 5)
        #expect(crawl.mostElements == 3)
        #expect(crawl.overlaps)
        try add(page(1, .more(.p4)), to: &crawl)
        #expect(!crawl.overlaps)
    }

    @Test("A page that is requested again adds no page, and its items follow no others")
    func check() throws {
        var crawl = CrawlState(id: 1)
        try add(page(3, .end()), to: &crawl)
        var again = page(4, .end())
        again.checked = 1
        try add(again, to: &crawl)
        #expect(crawl.pages == 1)
        #expect(crawl.elements == 3)
        #expect(crawl.mostElements == 4)
        #expect(crawl.lastKeys == "[0,1,2]")
        #expect(!crawl.isOrdered)
    }

    @Test("A total that differs from the one before has moved; one that falls shows a drift to `more` alone")
    func totals() throws {
        var crawl = CrawlState(id: 1)
        try add(page(1, .more(.p2, total: 5)), to: &crawl)
        #expect(crawl.hasTotals)
        try add(page(1, .more(.p3, total: 4)), to: &crawl)
        #expect(crawl.hasTotalMoved)
        #expect(!crawl.hasDrifted)
        #expect(crawl.total == 4)
        var third = page(1, .more(.p4, total: 3))
        third.mode = .reload
        try add(third, to: &crawl)
        #expect(crawl.hasDrifted)
        try add(page(1, .more(.p5)), to: &crawl)
        #expect(!crawl.hasTotals)
        #expect(crawl.total == 3)
    }

    @Test("A total counts older items, too, so it says nothing about a crawl that asks for the newest ones")
    func newest() throws {
        var crawl = CrawlState(id: 1)
        var first = page(1, .more(.p2, total: 5))
        first.asksNewest = true
        try add(first, to: &crawl)
        #expect(crawl.total == nil)
        #expect(!crawl.hasTotals)
    }

    @Test(
        "A crawl keeps the furthest watermark of its items, or the last token, and the first one of a header",
        arguments: [
            ("since, param: since, from: number", ["5", "7", nil, "6"], "7"),
            ("delta, token: next, param: token", ["7", "5", nil], "5"),
            ("delta, token: {header: ETag}, param: token", [nil, "7", "5"], "7"), ("all", [nil], nil),
        ] as [(String, [String?], String?)])
    func furthest(sync: String, marks: [String?], furthest: String?) throws {
        let feed = try FeedDefinition.parse(
            name: "items", yaml: "url: http://localhost/items\nkey: id\nsync: {mode: \(sync)}")
        var crawl = CrawlState(id: 1)
        for mark in marks {
            var page = page(1, .more(.p2))
            page.furthest = mark
            let rules = rules(of: crawl, [(nil, false)])
            crawl = rules.crawl
            try crawl.add(page, by: rules, feed, url: "http://localhost/items")
        }
        #expect(crawl.furthest == furthest)
    }

    @Test("A list ends short of its total, or because the definition allows no more pages, or whole")
    func reasons() throws {
        var crawl = CrawlState(id: 1)
        try add(page(1, .end(total: 9)), to: &crawl)
        #expect(crawl.reason == .cap)
        crawl = CrawlState(id: 1)
        var cut = CrawlPage(.footer, end: .end(), upstreamNext: .p2)
        cut.elementCount = 1
        try add(cut, to: &crawl)
        #expect(crawl.reason == .maxPages)
        crawl = CrawlState(id: 1)
        cut.isOlder = true
        try add(cut, to: &crawl)
        #expect(crawl.reason == nil)
    }

    @Test("A hundred pages in a row without a new item are followed, and one more is a circle")
    func repeats() throws {
        var crawl = CrawlState(id: 1)
        for _ in 1...100 { try add(page(1, .more(.p2)), to: &crawl, rules(of: crawl, [])) }
        #expect(crawl.repeatedPages == 100)
        #expect(throws: FeedSyncError.self) { try add(page(1, .more(.p2)), to: &crawl, rules(of: crawl, [])) }
    }

    @Test(
        "Empty pages and pages of known items count together, until one brings something new",
        arguments: [
            // The number of pages between those that are not empty, the items of each of these, and the pages followed.
            (50, 1, false, 100), (3, 2, false, 100), (100, 1, false, 100), (50, 1, true, 1_000),
        ])
    func news(every: Int, elements: Int, isNew: Bool, followed: Int) throws {
        var crawl = CrawlState(id: 1)
        try add(page(elements, .more(.p2)), to: &crawl)
        var count = 0
        while count < 1_000 {
            let isEmpty = !(count + 1).isMultiple(of: every)
            let rules = isNew && !isEmpty ? nil : self.rules(of: crawl, [])
            do { try add(page(isEmpty ? 0 : elements, .more(.p2)), to: &crawl, rules) } catch {
                #expect((error as? FeedSyncError)?.kind == .unfollowable)
                break
            }
            count += 1
        }
        #expect(count == followed)
    }

    @Test("A list may end with the page behind a hundred that brought nothing new")
    func lastWithoutNews() throws {
        var crawl = CrawlState(id: 1)
        for _ in 1...50 {
            try add(page(1, .more(.p2)), to: &crawl, rules(of: crawl, []))
            try add(page(0, .more(.p2)), to: &crawl, rules(of: crawl, []))
        }
        #expect(crawl.pagesWithoutNews == 100)
        try add(page(0, .end()), to: &crawl, rules(of: crawl, []))
    }
}
