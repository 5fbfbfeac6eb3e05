import Crawling
import Testing

@testable import Feeds

@Suite("The end of a partition's page")
struct PartitionOutcomeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var place: String
        /// Of the page, and of the partition with it.
        var count: Int
        var partitionCount: Int
        var total: Int?
        var next: String?
        var cap: Int?
        var follows: String?
        var end: PartitionOutcome?
    }

    @Test(
        "The figures of a page say which page comes after it, and how its partition ends",
        arguments: [
            Case(
                testDescription: "leads on", place: "64..127", count: 10, partitionCount: 10, total: 30, next: "2",
                follows: "64..127, 2"),
            Case(
                testDescription: "whole", place: "64..127, 3", count: 10, partitionCount: 30, total: 30, cap: 40,
                follows: "0..63", end: .whole),
            Case(testDescription: "the oldest", place: "0..63", count: 3, partitionCount: 3, total: 3, end: .whole),
            Case(
                testDescription: "too many", place: "64..127", count: 10, partitionCount: 10, total: 41, next: "2",
                cap: 40,
                follows: "96..127", end: .tooMany),
            Case(
                testDescription: "as many as are served, which may be as far as the upstream counts", place: "64..127",
                count: 10, partitionCount: 10, total: 40, next: "2", cap: 40, follows: "96..127", end: .tooMany),
            Case(
                testDescription: "the same, of a single value", place: "64..64", count: 10, partitionCount: 10,
                total: 40, next: "2", cap: 40, follows: "64..64, 2"),
            Case(
                testDescription: "too many, of a single value", place: "64..64", count: 10, partitionCount: 10,
                total: 41,
                next: "2", cap: 40, follows: "64..64, 2"),
            Case(
                testDescription: "cut, with a cap nobody knew", place: "64..127, 5", count: 0, partitionCount: 40,
                total: 99, follows: "96..127", end: .cut),
            Case(
                testDescription: "cut, before the page that would be refused", place: "64..127, 4", count: 10,
                partitionCount: 40, total: 99, next: "5", cap: 40, follows: "96..127", end: .cut),
            Case(
                testDescription: "at the cap, without a total", place: "64..127, 4", count: 10, partitionCount: 40,
                next: "5", cap: 40, follows: "96..127", end: .cut),
            Case(
                testDescription: "capped, a single value", place: "64..64, 5", count: 0, partitionCount: 40, total: 99,
                cap: 40, follows: "63..63", end: .capped),
            Case(
                testDescription: "a single value that leads on behind what was taken for the cap", place: "64..64, 4",
                count: 10, partitionCount: 40, total: 99, next: "5", cap: 40, follows: "64..64, 5"),
            Case(
                testDescription: "a total that is a little too large", place: "64..127, 3", count: 7,
                partitionCount: 27,
                total: 28, cap: 40, follows: "0..63", end: .capped),
            Case(
                testDescription: "the same, with no cap known", place: "64..127, 3", count: 7, partitionCount: 27,
                total: 28, follows: "0..63", end: .capped),
        ])
    func following(_ example: Case) throws {
        let feed = try FeedDefinition.parse(
            name: "things",
            yaml: """
                url: https://example.com/things
                pagination: page
                partition: {query: {q: "n:{from}..{to}"}, by: number, path: n, from: 0, to: 127}
                """)
        let scheme = try #require(feed.partitioning)
        let place = try scheme.place(of: PageCursor(example.place))
        var facts = PaginationInput(
            cursor: place.page, elementCount: example.count, crawlElementCount: example.partitionCount)
        facts.fullPageCount = 10
        let end = NextPage(next: example.next.map(PageCursor.init), total: example.total, notice: nil)
        let result = scheme.following(end, at: place, facts, total: example.total, cap: example.cap, now: 0)
        #expect(result.next?.text == example.follows)
        #expect(result.partitionOutcome == example.end)
    }

    @Test(
        "A page where a crawl left its partition is asked for anew: another crawl may have read less by then, and go on",
        arguments: [
            ("64..127, 2", "96..127", true), ("64..127", "96..127", true), ("64..127, 2", "32..63", false),
            ("64..127, 2", "64..127, 3", false), ("64..64, 2", "63..63", true), ("64..64", "63..63", false),
            ("0..63, 2", nil, false),
        ])
    func cut(page: String, next: String?, isAskedAnew: Bool) throws {
        let feed = try FeedDefinition.parse(
            name: "things",
            yaml: """
                url: https://example.com/things
                pagination: page
                partition: {query: {q: "n:{from}..{to}"}, by: number, path: n, from: 0, to: 127}
                """)
        let needsBody = feed.needsBody(of: PageCursor(page), before: next.map(PageCursor.init), elementCount: 1)
        #expect(needsBody == isAskedAnew)
    }

    @Test("A page of a partition that left items out keeps the sign of it, though the partition leads on")
    func leftOut() throws {
        let feed = try FeedDefinition.parse(
            name: "things",
            yaml: """
                url: https://example.com/things
                pagination: page
                partition: {query: {q: "n:{from}..{to}"}, by: number, path: n, from: 0, to: 127}
                """)
        let scheme = try #require(feed.partitioning)
        var end = NextPage.more(PageCursor("2"), total: 30)
        end.sign = SignOfMore(.partial, "`timed_out` is true")
        let place = try scheme.place(of: PageCursor("64..127"))
        let facts = PaginationInput(cursor: nil, elementCount: 10, crawlElementCount: 10)
        let result = scheme.following(end, at: place, facts, total: 30, cap: nil, now: 0)
        #expect(result.next?.text == "64..127, 2")
        #expect(result.sign?.kind == .partial)
    }

    @Test("Values ahead of now are not asked for")
    func ahead() throws {
        let feed = try FeedDefinition.parse(
            name: "things",
            yaml: """
                url: https://example.com/things
                pagination: page
                partition: {query: {q: "{from}..{to}"}, by: date, path: at, from: 1970-01-01}
                """)
        let scheme = try #require(feed.partitioning)
        // 20 days after the first one: the half from day 32 on is ahead.
        let place = try scheme.place(of: PageCursor("1970-01-01..1970-03-05"))
        let facts = PaginationInput(cursor: nil, elementCount: 10, crawlElementCount: 10)
        let end = scheme.following(.end(), at: place, facts, total: 41, cap: 40, now: 20 * 86_400)
        #expect(end.next?.text == "1970-01-01..1970-02-01")
        // The half that begins tomorrow is, too.
        let eve = scheme.following(.end(), at: place, facts, total: 41, cap: 40, now: 31 * 86_400)
        #expect(eve.next?.text == "1970-01-01..1970-02-01")
    }
}
