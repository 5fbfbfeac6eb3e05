import Concurrency
import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync
@testable import Upstream

@Suite("The marks of a sync")
struct SyncMarksTests {
    /// The reason for which a crawl of mode `all` is not complete.
    enum Fault: CaseIterable { case failure, refusal, total, maxPages, skipped, missingPage, drift }

    @Test("No row is marked as gone by a crawl that is not complete, whatever the reason", arguments: Fault.allCases)
    func removal(fault: Fault) async throws {
        let bench = try await EngineBench(members: "sync: {mode: all}")
        _ = try await bench.engine.perform(.sync)
        bench.upstream.edit { $0.remove(at: 4) }
        var engine = bench.engine
        var reason = IncompleteReason.failed
        switch fault {
        case .failure: bench.upstream.fail(page: 3, with: .status(500))
        case .refusal: bench.upstream.fail(page: 3, with: .status(403))
        case .total:
            bench.upstream.total = .claimed(40)
            reason = .cap
        case .maxPages:
            engine = try await another(bench, "max_pages: 2")
            reason = .maxPages
        case .skipped:
            bench.upstream.edit { $0[30] = #"{"name":"no id"}"# }
            reason = .leftOut
        case .missingPage:
            bench.upstream.fail(page: 4, with: .status(404))
            bench.upstream.total = .claimed(40)
        case .drift:
            // At each request the last item comes first: the pages never rest.
            let upstream = bench.upstream
            bench.server.route("/things") { request in
                upstream.edit { $0.insert($0.removeLast(), at: 0) }
                return upstream.answer(request)
            }
            reason = .drift
        }
        let summary = try? await engine.perform(.sync)
        #expect(try bench.query("SELECT reason FROM run ORDER BY id DESC LIMIT 1") == [reason.rawValue])
        #expect(summary?.reason == (reason == .failed ? nil : reason))
        #expect(try bench.query("SELECT count(*) FROM things WHERE _removed_at IS NOT NULL") == ["0"])
        // A failed run leaves the mirror as complete as it was.
        #expect(try bench.feed("complete, item_count") == (reason == .failed ? "1|35" : "0|35"))
    }

    private func another(_ bench: EngineBench, _ members: String) async throws -> SyncEngine {
        try await bench.another(
            try EngineBench.definition(
                "url: \(bench.server.url)/things\n\(EngineBench.columns)\n\(EngineBench.paging)\nretries: 0\n"
                    + "sync: {mode: all}\n\(members)"))
    }

    @Test(
        "A row that was gone and returns is there again, as it first was seen, whichever command meets it",
        arguments: [RequestCommand.sync, .reload])
    func returning(command: RequestCommand) async throws {
        let bench = try await EngineBench(members: "sync: {mode: all}")
        _ = try await bench.engine.perform(.sync)
        let before = try bench.query("SELECT _first_seen_at, _changed_at FROM things WHERE id = 3")
        bench.upstream.edit { $0.remove(at: 2) }
        _ = try await bench.engine.perform(.sync)
        #expect(try bench.query("SELECT id FROM things WHERE _removed_at IS NOT NULL") == ["3"])
        #expect(try bench.feed("item_count") == "34")
        bench.upstream.items = PagedFeed.items(1...35)
        let summary = try await bench.engine.perform(command)
        #expect(summary.figures.items.inserted == 0)
        #expect(try bench.query("SELECT count(*) FROM things WHERE _removed_at IS NOT NULL") == ["0"])
        #expect(try bench.query("SELECT _first_seen_at, _changed_at FROM things WHERE id = 3") == before)
        #expect(try bench.feed("item_count") == "35")
    }

    @Test("`_changed_at` moves with an item's content alone, not with its place")
    func changedAt() async throws {
        let clock = Lock(Int64(1_800_000_000_000))
        var options = EngineBench.options
        options.wallClock = WallClock { clock.withLock { $0 } }
        let bench = try await EngineBench(PagedFeed.items([1, 2, 3]), members: "sync: {mode: all}")
        let engine = try await bench.another(options: options)
        _ = try await engine.perform(.sync)
        let changed = "SELECT id FROM things WHERE _changed_at > _first_seen_at"
        for (ids, name, expected) in [
            ([1, 2, 3], "item 2", []), ([3, 2, 1], "item 2", []), ([3, 2, 1], "another", ["2"]),
        ] as [([Int], String, [String])] {
            clock.withLock { $0 += 60_000 }
            bench.upstream.items = PagedFeed.items(ids).map { $0.replacing("item 2", with: name) }
            _ = try await engine.perform(.sync)
            let now = try bench.query(changed)
            #expect(now == expected)
        }
        #expect(try bench.query("SELECT id FROM things ORDER BY _generation DESC, _position") == ["3", "2", "1"])
    }

    @Test("A page that is asked for once more and has but another entity tag is asked for with that one from then on")
    func newTag() async throws {
        let bench = try await EngineBench(
            PagedFeed.items(1...25), members: "sync: {mode: all, verify: always}",
            paging: "pagination: {style: page, size_param: per_page, size: 10}")
        let upstream = bench.upstream
        upstream.sendsETag = false
        let tags = Lock<[String: Int]>([:])
        bench.server.route("/things") { request in
            var response = upstream.answer(request)
            let page = request.parameter("page") ?? ""
            let count = tags.withLock { tags in
                tags[page, default: 0] += 1
                return tags[page, default: 0]
            }
            response.headers.append((name: "ETag", value: "\"\(page)-\(count)\""))
            return response
        }
        try await bench.sync()
        #expect(tags.withLock { $0 } == ["1": 2, "2": 2, "3": 2, "4": 2])
        #expect(
            try bench.query("SELECT etag FROM _page ORDER BY request") == [
                #""1-2""#, #""2-2""#, #""3-2""#, #""4-2""#,
            ])
    }

    @Test(
        "The watermark never lies behind the moment at which the crawl began, by the server's clock, whatever items say"
    )
    func watermark() async throws {
        let bench = try await EngineBench(
            members: "sync: {mode: since, param: since, from: at, overlap: 5m}", paging: "pagination: none",
            columns: "items: items\nkey: id\ncolumns: {id: id, at: at}")
        let asked = Lock<[String?]>([])
        bench.server.route("/things") { request in
            asked.withLock { $0.append(request.parameter("since")) }
            let body = #"{"items":[{"id":1,"at":"2024-02-29T12:00:00Z"},{"id":2,"at":"2199-01-01T00:00:00Z"}]}"#
            return .json(body, headers: [(name: "Date", value: "Fri, 01 Mar 2024 00:02:00 GMT")])
        }
        for _ in 0..<2 { _ = try await bench.engine.perform(.sync) }
        #expect(asked.withLock { $0 } == [nil, "2024-02-29T23:57:00Z"])
    }
}
