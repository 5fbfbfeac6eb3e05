import Testing

@testable import Crawling

@Suite("The span of a sync by watermark")
struct SyncSpanTests {
    /// 2026-11-21T12:00:00Z
    private static let now: Int64 = 1_795_262_400

    private static func rule(_ members: String) throws -> SinceRule {
        let feed = try FeedDefinition.parse(
            name: "things", yaml: "url: https://upstream.test/\nsync: {mode: since, \(members)}")
        guard case .since(let rule) = feed.sync else { throw FeedSyncError(.bug, "no watermark") }
        return rule
    }

    /// All requests of a sync that nothing keeps from going on, as `from..to`.
    private static func windows(_ rule: SinceRule, _ mark: String? = nil) -> [String] {
        var point = ResumePoint()
        point.watermark = mark.map { "\"\($0)\"" }
        var sent: [String] = []
        while let span = SyncSpan(rule, point, now: now), let window = span.window, sent.count < 20 {
            sent.append(span.parameters(rule).map(\.value).joined(separator: ".."))
            point.state.progress.walk = WindowEnd(window, of: rule, point).walk
            if window.isLast { break }
        }
        return sent
    }

    @Test(
        "Windows lead from the start or the watermark to now, none wider than allowed, and leave nothing out between them",
        arguments: [
            (
                "widest: 3d, format: '%Y-%m-%d', start: 2026-11-14", nil,
                ["2026-11-14..2026-11-17", "2026-11-17..2026-11-20", "2026-11-20..2026-11-21"]
            ),
            // Both ends belong to a window.
            (
                "widest: 3d, gap: 1d, format: '%Y-%m-%d', start: 2026-11-14", nil,
                ["2026-11-14..2026-11-16", "2026-11-17..2026-11-19", "2026-11-20..2026-11-21"]
            ),
            // A day at a time, by one that is asked for twice.
            (
                "widest: 1d, gap: 1d, format: date, start: 2d", nil,
                ["2026-11-19..2026-11-19", "2026-11-20..2026-11-20", "2026-11-21..2026-11-21"]
            ),
            ("widest: 1d, format: date, start: 2d", nil, ["2026-11-19..2026-11-20", "2026-11-20..2026-11-21"]),
            // No zone: the watermark's day may be another one where the upstream is.
            ("widest: 30d, format: date, start: 2026-01-01", "2026-11-20T03:00:00Z", ["2026-11-19..2026-11-21"]),
            (
                "widest: 30d, format: date, start: 2026-01-01, overlap: 0", "2026-11-20T03:00:00Z",
                ["2026-11-20..2026-11-21"]
            ),
            // Neither end may belong to a window: they share a second.
            (
                "widest: 12h, format: unix, start: 1d", nil,
                ["1795176000..1795219200", "1795219199..1795262399", "1795262398..1795262400"]
            ),
            ("format: unix_ms, start: 1d", nil, ["1795176000000..1795262400000"]),
            ("start: 1d", nil, ["2026-11-20T12:00:00Z..2026-11-21T12:00:00Z"]),
            ("start: 2020-01-01", "2026-11-21T11:30:00Z", ["2026-11-21T11:29:00Z..2026-11-21T12:00:00Z"]),
            ("overlap: 5m", "2026-11-21T11:30:00Z", ["2026-11-21T11:25:00Z..2026-11-21T12:00:00Z"]),
            // Never before the start, nor with its end before its beginning.
            ("start: 1h", "2026-11-21T08:00:00Z", ["2026-11-21T11:00:00Z..2026-11-21T12:00:00Z"]),
            ("start: 2027-01-01", nil, ["2027-01-01T00:00:00Z..2027-01-01T00:00:00Z"]),
            ("overlap: 0", "2026-12-24T00:00:00Z", ["2026-12-24T00:00:00Z..2026-12-24T00:00:00Z"]),
            // Without a start, the first sync asks for everything.
            ("widest: 30d", nil, []),
        ] as [(String, String?, [String])])
    func windows(members: String, mark: String?, expected: [String]) throws {
        #expect(Self.windows(try Self.rule("param: from, until: to, \(members)"), mark) == expected)
    }

    @Test("Windows reach every moment, and each begins after the one before", arguments: 0..<200)
    func everyMoment(seed: Int) throws {
        let formats: [(String, Int)] = [
            ("date", 86_400), ("unix", 1), ("time", 1), ("%FT%HZ", 3_600), ("%FT%H:%MZ", 60),
        ]
        let (format, granule) = formats[seed % formats.count]
        let widest = granule * (1 + seed % 7)
        let rule = try Self.rule(
            "param: from, until: to, widest: \(widest)s, format: '\(format)', start: \(granule * (1 + seed % 11))s")
        var point = ResumePoint()
        var reached: Int64?
        while let window = SyncSpan(rule, point, now: Self.now)?.window {
            let end = window.to - window.to % Int64(granule)
            #expect(end - window.from <= Int64(widest) && window.from % Int64(granule) == 0)
            if let reached { #expect(window.from <= reached) }
            if window.isLast {
                #expect(window.to == Self.now)
                break
            }
            let walk = WindowEnd(window, of: rule, point).walk
            #expect(walk.next > window.from && walk.isFull)
            (point.state.progress.walk, reached) = (walk, window.to)
        }
    }

    @Test("A watermark goes out in the notation of the rule, or in that of the items")
    func format() throws {
        var point = ResumePoint()
        point.watermark = #""2026-11-21T10:00:30+02:00""#
        for (members, sent) in [
            ("", "2026-11-21T09:59:30+02:00"), (", format: unix", "1795247970"), (", format: unix_ms", "1795247970000"),
            (", format: date", "2026-11-20"), (", format: '%d.%m.%Y', overlap: 0", "21.11.2026"),
            (", format: unix, value: '>{watermark}'", ">1795247970"),
        ] {
            let rule = try Self.rule("param: since, from: at\(members)")
            #expect(SyncSpan(rule, point, now: Self.now)?.parameters(rule).first?.value == sent)
        }
    }

    @Test("A span is read as the store keeps it, and what cannot be read asks for everything")
    func stored() throws {
        for (members, texts) in [
            ("param: s, from: at", ["2026-01-01"]), ("param: a, until: b", ["1795176000..1795219200"]),
            ("from: at", [#""2026-11-21T10:00:30Z""#, "17"]),
        ] {
            let rule = try Self.rule(members)
            for text in texts { #expect(SyncSpan(rule, stored: text)?.stored == text) }
            #expect(SyncSpan(rule, stored: nil) == nil)
        }
        let rule = try Self.rule("param: a, until: b")
        for text in ["", "1..", "2..1", "1..2..3", "2026-01-01", "1..9223372036854775807"] {
            #expect(SyncSpan(rule, stored: text) == nil)
        }
    }

    @Test(
        "A rule that cannot be followed is refused when it is read",
        arguments: [
            "param: a, until: b, format: '%Y-%m'", "param: a, until: b, format: '%q'",
            "param: a, until: b, widest: 12h, format: date",
            "param: a, until: b, start: soon", "param: a, until: b, start: 365", "param: a, until: b, overlap: 5",
            "until: b", "param: a, from: at, widest: 30d", "param: a, from: at, gap: 1d", "from: at, format: unix",
            "from: at, start: 1d", "from: at, value: '>{watermark}'", "param: a, until: b, widest: 1d, gap: 2d",
            "param: a",
        ])
    func mistakes(members: String) {
        #expect(throws: ConfigurationError.self) { try Self.rule(members) }
    }

    @Test("A walk is kept with the other progress")
    func json() {
        for walk in [
            WindowWalk(next: 1, isFull: true), WindowWalk(next: -5, isFull: false, missed: .drift), nil,
        ] {
            var progress = CrawlProgress()
            progress.walk = walk
            #expect(CrawlProgress(json: progress.json) == progress)
        }
    }

    @Test(
        "The watermark moves to the furthest item, or to the end of a window before now, and never beyond the crawl's start",
        arguments: [
            // The stored mark, the furthest item and the crawl's start; the last window's end, or an earlier one's.
            (stored: nil, furthest: "12:00:05", start: nil, window: nil, moved: "12:00:05"),
            ("12:00:04", "12:00:05", nil, nil, "12:00:05"), ("12:00:05", "12:00:05", nil, nil, nil),
            ("12:00:09", "12:00:05", nil, nil, nil), (nil, "12:00:05", 3, nil, "12:00:03"), (nil, nil, 3, nil, nil),
            ("12:00:04", "12:00:05", 3, nil, nil),
            (nil, "12:00:05", 9, Window(isLast: true), "12:00:05"),
            (nil, "12:00:05", 9, Window(isLast: true, hasItemMarks: false), "12:00:07"),
            (nil, "12:00:05", 9, Window(isLast: false), "12:00:07"), (nil, nil, 6, Window(isLast: false), "12:00:06"),
            (nil, "12:00:05", 9, Window(isLast: true, missed: .cap), nil),
        ] as [(stored: String?, furthest: String?, start: Int64?, window: Window?, moved: String?)])
    func moved(stored: String?, furthest: String?, start: Int64?, window: Window?, moved: String?) {
        let mark = { (time: String?) in time.flatMap { Watermark(json: "\"2026-11-21T\($0)Z\"") } }
        let end = window.map { window in
            WindowEnd(
                SyncWindow(from: Self.now, to: Self.now + 7, isLast: window.isLast),
                WindowWalk(next: Self.now + 7, isFull: false, missed: window.missed))
        }
        let found = Watermark.moved(
            from: mark(stored), to: mark(furthest), start: start.map { Self.now + $0 }, window: end,
            hasItemMarks: window?.hasItemMarks ?? true)
        #expect(found?.time?.seconds == mark(moved)?.time?.seconds)
    }

    struct Window: Sendable {
        let isLast: Bool
        var hasItemMarks = true
        var missed: IncompleteReason?
    }
}
