import Pagination
import Testing

@testable import Crawling

@Suite("The extent of a sync's crawl")
struct CrawlModeTests {
    private static let day: Int64 = 86_400_000
    private static let now: Int64 = 1_795_000_000_000

    private static let modes = ["new", "auto", "since", "all"]

    private static func definition(_ mode: String, full: String = "1d") throws -> FeedDefinition {
        let members =
            switch mode {
            case "since": "mode: since, param: since, from: at, full: \(full)"
            case "all": "mode: all"
            default: "mode: \(mode), full: \(full)"
            }
        return try FeedDefinition.parse(name: "things", yaml: "url: https://upstream.test/\nsync: {\(members)}")
    }

    /// A feed that was crawled whole an hour ago, changed by `change`.
    private static func point(_ change: (inout ResumePoint) -> Void = { _ in }) -> ResumePoint {
        var point = ResumePoint.loaded()
        point.state.progress.synced = .whole(.whole(1, generations: [1]))
        point.state.progress.fullPages = 50
        point.fullAt = now - day / 24
        point.watermark = "\"2026-01-01T00:00:00Z\""
        change(&point)
        return point
    }

    private static func mode(_ mode: String, full: String = "1d", at point: ResumePoint) throws -> CrawlMode {
        let definition = try definition(mode, full: full)
        var point = point
        point.isFullDue = definition.isFullCrawlDue(after: point.fullAt, now: now)
        return CrawlMode(definition, point)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let point: ResumePoint
        /// For `new`, `auto`, `since` and `all`.
        let modes: [CrawlMode]
    }

    @Test(
        "The mode follows from what is stored",
        arguments: [
            Case(testDescription: "nothing is special", point: point(), modes: [.new, .new, .since, .all]),
            Case(
                testDescription: "a crawl of all is under way",
                point: point { $0.state.progress.beginRound(2, .all) }, modes: [.all, .all, .all, .all]),
            Case(
                testDescription: "a crawl by watermark is under way",
                point: point { $0.state.progress.beginRound(2, .since) }, modes: [.since, .since, .since, .since]),
            Case(
                testDescription: "a crawl is under way and a full one due",
                point: point {
                    $0.state.progress.beginRound(2, .since)
                    $0.fullAt = now - 2 * day
                }, modes: [.since, .since, .since, .since]),
            Case(
                testDescription: "nothing is stored", point: ResumePoint(),
                modes: [.all, .all, .all, .all]
            ),
            Case(
                testDescription: "there are rows and nothing to join, but a watermark",
                point: point { $0.state.progress.forgetRanges() }, modes: [.all, .all, .since, .all]),
            Case(
                testDescription: "there is no watermark", point: point { $0.watermark = nil },
                modes: [.new, .new, .all, .all]),
            Case(
                testDescription: "the full crawl is a moment short of due", point: point { $0.fullAt = now - day + 1 },
                modes: [.new, .new, .since, .all]),
            Case(
                testDescription: "the full crawl is due", point: point { $0.fullAt = now - day },
                modes: [.all, .all, .all, .all]),
            Case(
                testDescription: "the clock went back", point: point { $0.fullAt = now + 1 },
                modes: [.all, .all, .all, .all]),
            Case(
                testDescription: "ten pages", point: point { $0.state.progress.fullPages = 10 },
                modes: [.new, .all, .since, .all]),
            Case(
                testDescription: "eleven pages", point: point { $0.state.progress.fullPages = 11 },
                modes: [.new, .new, .since, .all]),
            Case(
                testDescription: "nobody has counted the pages", point: point { $0.state.progress.fullPages = nil },
                modes: [.new, .new, .since, .all]),
        ])
    func modes(_ row: Case) throws {
        let found = try Self.modes.map { try Self.mode($0, at: row.point) }
        #expect(found == row.modes)
    }

    @Test("A full crawl that is to come never is not due, however long ago the last one was")
    func never() throws {
        let point = Self.point { $0.fullAt = 0 }
        let found = try ["new", "auto", "since"].map { try Self.mode($0, full: "never", at: point) }
        #expect(found == [.new, .new, .since])
    }
}
