import Testing

@testable import Feeds
@testable import Pagination

@Suite("The rule of a partitioned feed")
struct PartitionSchemeTests {
    private static let dates =
        #"partition: {query: {q: "created:{from}..{to}"}, by: date, path: created_at, from: 2008-01-01}"#

    // 2026-11-21T23:59:59Z
    private static let now: Int64 = 1_795_305_599

    private func rule(_ partition: String) throws -> PartitionScheme {
        let feed = try FeedDefinition.parse(
            name: "things", yaml: "url: https://example.com/things\npagination: page\n\(partition)")
        return try #require(feed.partitioning)
    }

    @Test("A request puts its partition behind what the parameter says, or in the place of nothing")
    func request() throws {
        let rule = try rule(Self.dates)
        let part = try #require(rule.partition(named: "2008-01-01..2008-01-02"))
        let full = PageRequest(url: "", query: [.init(name: "q", value: "language:swift")])
        #expect(
            rule.request(for: part, base: full, at: Self.now).query.map(\.value)
                == ["language:swift created:2008-01-01..2008-01-02"])
        #expect(
            rule.request(for: part, base: PageRequest(url: ""), at: Self.now).query.map(\.value)
                == ["created:2008-01-01..2008-01-02"])
        let body = PageRequest(url: "", body: .object(["q": .string("swift")]))
        #expect(
            rule.request(for: part, base: body, at: Self.now).body?.json
                == #"{"q":"swift created:2008-01-01..2008-01-02"}"#)
    }

    @Test("A request says the value behind the last one where a partition's end is not served")
    func end() throws {
        let rule = try rule(
            #"partition: {query: {since: "{from}", until: "{end}"}, by: time, path: at, from: 2024-01-01}"#)
        let part = try #require(rule.partition(named: "2024-01-01T00:00:00Z..2024-01-01T00:00:03Z"))
        #expect(
            rule.request(for: part, base: PageRequest(url: ""), at: Self.now).query.map(\.value)
                == ["2024-01-01T00:00:00Z", "2024-01-01T00:00:04Z"])
    }

    @Test(
        "PageCursors are written and read alike",
        arguments: [nil, "3", "https://example.com/a, b?c=1..2", "", "…"])
    func cursors(page: String?) throws {
        let rule = try rule(Self.dates)
        let part = try #require(rule.partition(named: "2008-01-05..2008-01-08"))
        let place = PartitionCursor(partition: part, page: page.map(PageCursor.init))
        #expect(try rule.place(of: rule.cursor(place)) == place)
        #expect(PartitionScheme.partitionName(in: rule.cursor(place)) == "2008-01-05..2008-01-08")
    }

    @Test(
        "A cursor that is none of the rule's is refused",
        arguments: [
            "", "3", "2008-01-01", "2008-01-02..2008-01-01", "2007-01-01..2007-01-02", "2008-01-02..2008-01-03",
            "2008-13-01..2008-13-02", "0..1", "..", "..2008-01-01, 3", "9999-12-31..9999-12-31, 99999999999999999999",
        ])
    func foreignCursors(text: String) throws {
        let rule = try rule(Self.dates)
        // The last is a partition of the rule's, and its page is for the pagination to judge.
        if text.hasPrefix("9999") {
            #expect(try rule.place(of: PageCursor(text)).page?.text == "99999999999999999999")
        } else {
            #expect(throws: PagingError.self) { try rule.place(of: PageCursor(text)) }
        }
    }

    @Test("A crawl begins with a partition that holds today")
    func start() throws {
        let now = Self.now
        let text = try rule(Self.dates).start(at: now, known: nil).text
        let ends = text.split(separator: ".").map(String.init)
        #expect(ends.first == "2008-01-01" && (ends.last ?? "") >= "2026-11-21")
        let known = try rule(Self.dates).start(at: now, known: "2008-01-01..2008-01-01").text
        #expect(known == text)
        #expect(try rule(Self.dates).start(at: now, known: "nonsense").text == text)
    }

    @Test(
        "A partition's request asks for nothing of the future",
        arguments: [
            ("date", "2026-11-21", "2026-11-01", "2026-11-01..2026-12-02", "2026-11-01 2026-11-21 2026-11-22"),
            ("date", "2026-11-22", "2026-11-01", "2026-11-01..2026-11-16", "2026-11-01 2026-11-16 2026-11-17"),
            ("date", "2026-11-21", "2026-11-21", "2026-11-21..2026-11-21", "2026-11-21 2026-11-21 2026-11-22"),
            (
                "time", "2026-11-21T02:00:00Z", "2026-11-21", "2026-11-21T00:00:00Z..2026-11-21T04:33:03Z",
                "2026-11-21T00:00:00Z 2026-11-21T02:00:00Z 2026-11-21T02:00:01Z"
            ),
        ])
    func future(unit: String, now: String, from: String, partition: String, expected: String) throws {
        let rule = try rule(
            #"partition: {query: {r: "{from} {to} {end}"}, by: \#(unit), path: at, from: \#(from)}"#)
        let second = try #require(Timestamp(now)).seconds
        let part = try #require(rule.partition(named: partition[...]), "\(partition)")
        let request = rule.request(for: part, base: PageRequest(url: ""), at: second)
        #expect(request.query.map(\.value) == [expected])
        // And its first request of all is for what is now.
        let start = try rule.place(of: rule.start(at: second, known: nil)).partition
        #expect(start.from <= rule.newestValue(at: second) && start.to >= rule.newestValue(at: second))
    }

    @Test(
        "No partition is wider than the upstream takes",
        arguments: [
            ("date", "31d", "2008-01-01", 16), ("date", "32d", "2008-01-01", 32), ("date", "1d", "2008-01-01", 1),
            ("date", "47h", "2008-01-01", 1), ("time", "1h", "2026-11-01", 2_048),
            ("time", "3600", "2026-11-01", 2_048),
            ("number", "100", "0", 64), ("number", "1", "0", 1),
        ])
    func widest(unit: String, widest: String, from: String, values: Int) throws {
        let to = unit == "number" ? ", to: 100000" : ""
        let rule = try rule(
            #"partition: {query: {r: "{from}..{to}"}, by: \#(unit), path: at, from: \#(from)\#(to), widest: \#(widest)}"#
        )
        let first = rule.blocks.first
        var partition = try #require(try? rule.place(of: rule.start(at: Self.now, known: nil)).partition)
        #expect(partition.to >= rule.newestValue(at: Self.now))
        for _ in 0..<50 {
            #expect(partition.to - partition.from < values)
            #expect(rule.partition(named: rule.name(partition)[...]) == partition)
            // Few items would have it widened, as far as may be.
            guard let next = rule.blocks.next(after: partition, count: 0, cap: 1_000) else { break }
            #expect(next.to == partition.from - 1 && next.to - next.from == values - 1)
            partition = next
        }
        #expect(rule.partition(named: rule.name(Partition(from: first, to: first + 2 * values - 1))[...]) == nil)
    }

    @Test(
        "Items in another zone's day are of the partition, others are not",
        arguments: [
            ("2008-01-05T00:00:00Z", true), ("2008-01-04T23:00:00-05:00", true), ("2008-01-06", true),
            ("2008-01-08T00:00:00Z", false), ("2007-12-31", false), ("yesterday", false), ("", false),
        ])
    func check(value: String, isOfPartition: Bool) throws {
        let rule = try rule(Self.dates)
        let part = try #require(rule.partition(named: "2008-01-05..2008-01-06"))
        do throws(PagingError) {
            try rule.check(.text(value), isOf: part, secrets: Secrets())
            #expect(isOfPartition)
        } catch {
            #expect(!isOfPartition, "\(error)")
        }
    }

    @Test(
        "A diagnostic says what is missing or wrong",
        arguments: [
            ("partition: {by: date, path: at, from: 2008-01-01}", "has no `query`"),
            (
                #"partition: {query: {q: "created:{from}"}, by: date, path: at, from: 2008-01-01}"#,
                "must have `{from}`, and `{to}`"
            ),
            (#"partition: {query: {q: "{from}..{to}"}, path: at, from: 2008-01-01}"#, "has no `by`"),
            (#"partition: {query: {q: "{from}..{to}"}, by: date, from: 2008-01-01}"#, "has no `path`"),
            (#"partition: {query: {q: "{from}..{to}"}, by: date, path: at, from: soon}"#, "not `soon`"),
            (#"partition: {query: {q: "{from}..{to}"}, by: number, path: at, from: 1}"#, "has no `to`"),
            (
                #"partition: {query: {q: "{from}..{to}"}, by: date, path: at, from: 2008-01-01, widest: 31}"#,
                "`widest` of `partition` of feed `things` must be from 1d to"
            ),
            (
                #"partition: {query: {q: "{from}..{to}"}, by: number, path: at, from: 0, to: 9, widest: 0}"#,
                "`widest` of `partition` of feed `things` must be a whole number from 1 to"
            ),
            (#"partition: {query: {q: "{from}..{to}"}, by: number, path: at, from: 9, to: 1}"#, "comes before `from`"),
            (
                #"partition: {query: {q: "{from}..{to}"}, by: number, path: at, from: 9, to: 9999999999999999999}"#,
                "a whole number"
            ),
            (
                #"partition: {query: {page: "{from}..{to}"}, by: number, path: at, from: 0, to: 1}"#,
                "which its pagination sets"
            ),
            (
                #"partition: {query: {size: "{from}..{to}"}, by: number, path: at, from: 0, to: 1}"#,
                "move it to `query`"
            ),
            (
                #"partition: {query: {t: "{from}..{to}"}, by: number, path: at, from: 0, to: 1}"#,
                "has a reference in `query`"
            ),
            (
                #"partition: {query: {q: "{from}..{to}"}, by: number, path: at, from: 0, to: 1, parts: 3}"#,
                "unknown member `parts`"
            ),
        ])
    func diagnostics(partition: String, problem: String) {
        do throws(ConfigurationError) {
            _ = try FeedDefinition.parse(
                name: "things",
                yaml: "url: https://example.com/things?size=3\nquery: {t: \"${T}\"}\npagination: page\n\(partition)")
            Issue.record("no diagnostic was found")
        } catch {
            #expect(error.description.contains(problem), "\(error.description)")
        }
    }

    @Test(
        "A partitioned feed needs to know how the pages of a partition go on, or that it has one",
        arguments: [("", false), ("pagination: none", true), ("pagination: page", true)])
    func pagination(text: String, isEnough: Bool) {
        let feed = try? FeedDefinition.parse(
            name: "things", yaml: "url: https://example.com/things\n\(text)\n\(Self.dates)")
        #expect((feed != nil) == isEnough)
    }

    @Test("A changed rule is a changed definition")
    func canonicalText() throws {
        let text = { (partition: String) in
            try FeedDefinition.parse(
                name: "things", yaml: "url: https://example.com/things\npagination: page\n\(partition)"
            ).canonicalText(salt: "")
        }
        #expect(try text(Self.dates) != text(""))
        #expect(try text(Self.dates) != text(Self.dates.replacing("2008", with: "2009")))
        #expect(try text(Self.dates) == text(Self.dates))
    }
}
