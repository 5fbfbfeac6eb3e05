import Pagination
import Testing

@testable import Crawling

@Suite("Pages that lead on although the list does not") struct CircleTests {
    /// A page behind a crawl whose last page had the keys `[1,2]`, of two elements at most.
    struct Example: Sendable {
        var pages = 2
        var mode = CrawlMode.all
        var keys = "[1,2]"
        var elementCount = 2
        var repeatedPages = 0
        var next: PageCursor? = .p4
        var isAgain = false
        var isCheck = false
        var isDoubtful = false
        var direction = PageDirection.footer
        let circle: Circle?

        init(
            pages: Int = 2, mode: CrawlMode = .all, keys: String = "[1,2]", elementCount: Int = 2,
            repeatedPages: Int = 0, next: PageCursor? = .p4, isAgain: Bool = false, isCheck: Bool = false,
            isDoubtful: Bool = false, direction: PageDirection = .footer, _ circle: Circle?
        ) {
            (self.pages, self.mode, self.keys, self.elementCount) = (pages, mode, keys, elementCount)
            (self.repeatedPages, self.next, self.isAgain, self.isCheck) = (repeatedPages, next, isAgain, isCheck)
            self.isDoubtful = isDoubtful
            (self.direction, self.circle) = (direction, circle)
        }
    }

    @Test(
        "A page with the items of the page before it ends the list, unless new items may have pushed them down",
        arguments: [
            Example(keys: "[3,4]", nil),
            // Two new items at the head push both down.
            Example(nil),
            Example(elementCount: 1, .repeats),
            Example(repeatedPages: 1, .repeats),
            Example(next: nil, .repeats),
            // A list that moves may repeat a short second page, but hardly a full one.
            Example(pages: 1, .ignoresCursor),
            Example(pages: 1, elementCount: 1, nil),
            Example(pages: 1, mode: .reload, elementCount: 1, .ignoresCursor),
            // A list of one item whose pages take along the item that they start after.
            Example(pages: 1, elementCount: 1, next: nil, isDoubtful: true, .repeats),
            Example(pages: 1, mode: .reload, elementCount: 1, next: nil, .ignoresCursor),
            Example(pages: 1, next: nil, isDoubtful: true, .ignoresCursor),
            // The crawl went back to the page, or requests it again.
            Example(elementCount: 1, isAgain: true, nil),
            Example(elementCount: 1, isCheck: true, nil),
            Example(pages: 1, direction: .header, nil),
            // `.p2` led to a page of the crawl.
            Example(keys: "[]", elementCount: 0, next: .p2, .leadsBack),
            Example(keys: "[]", elementCount: 0, next: .p9, nil),
            Example(keys: "[3]", elementCount: 1, next: .p2, nil),
        ])
    func circle(example: Example) {
        var crawl = CrawlState(id: 1)
        (crawl.pages, crawl.mostElements, crawl.lastKeys) = (example.pages, 2, "[1,2]")
        crawl.repeatedPages = example.repeatedPages
        var trail = CrawlTrail(isWhole: true)
        trail.add("p2")
        var end: NextPage = example.next.map { .more($0) } ?? .end()
        end.isDoubtful = example.isDoubtful
        var page = CrawlPage(example.direction, end: end, upstreamNext: example.next)
        (page.mode, page.isAgain, page.checked) = (example.mode, example.isAgain, example.isCheck ? 1 : nil)
        (page.keys, page.elementCount) = (example.keys, example.elementCount)
        #expect(Circle(page, behind: crawl, trail) == example.circle)
    }

    @Test(
        "A page with the items of an earlier run's first page is not the first one again if the run has read another",
        arguments: [(nil, .ignoresCursor), ("[1,2]", .ignoresCursor), ("[8,9]", nil)] as [(String?, Circle?)])
    func pushedDown(headKeys: String?, circle: Circle?) {
        var crawl = CrawlState(id: 1)
        (crawl.pages, crawl.mostElements, crawl.lastKeys) = (1, 2, "[1,2]")
        var page = CrawlPage(.footer, end: .more(.p3), upstreamNext: .p3)
        (page.mode, page.keys, page.elementCount) = (.all, "[1,2]", 2)
        #expect(Circle(page, behind: crawl, CrawlTrail(), headKeys: headKeys) == circle)
    }

    @Test("A page that repeats the one before is the last one, and overlaps with none")
    func repeats() {
        var page = CrawlPage(.footer, end: .more(.p3, total: 9), upstreamNext: .p3)
        (page.overlap, page.showsPageBefore) = (1, true)
        let last = page.asRepeat()
        #expect(last.end.next == nil)
        #expect(last.end.total == 9)
        #expect(last.upstreamNext == nil)
        #expect(last.overlap == 0)
        #expect(!last.showsPageBefore)
        #expect(last.repeatsPageBefore)
    }
}
