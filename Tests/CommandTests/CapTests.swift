import Foundation
import HTTPServer
import ScriptedServer
import Testing

@Suite("An upstream that does not serve all items")
struct CapTests {
    @Test("sync and status say how many of how many came, and what to do")
    func figures() async throws {
        let place = try Workplace()
        let feed = PagedFeed(PagedFeed.items(1...150))
        feed.total = .claimed(5312)
        place.server.route("/things", to: feed)
        let sync = try await place.run("sync things")
        #expect(sync.code == 0)
        #expect(sync.output.contains("incomplete (the upstream has served 150 of 5,312 items: "), "\(sync.output)")
        #expect(
            sync.errors.contains(
                "served 150 of the 5312 items that it reports: narrow the query, or divide the feed with `partition`"
            ), "\(sync.errors)")
        let status = try await place.run("status --json")
        #expect(
            status.output.contains("the upstream has served 150 of 5,312 items: narrow the query, or use `partition`"),
            "\(status.output)")
    }

    @Test("sync and status say of a list that ended early that the next sync looks again, which believes it")
    func endedEarly() async throws {
        let place = try Workplace(extra: "sync: {mode: all}")
        let feed = PagedFeed(PagedFeed.items(1...350), perPage: 100)
        feed.total = .absent
        place.server.route("/things", to: feed)
        _ = try await place.run("sync things")
        feed.edit { $0.removeLast(230) }
        let words = "the list ended early; the next sync looks again"
        let sync = try await place.run("sync things")
        #expect(sync.code == 0)
        #expect(sync.output.contains("incomplete (\(words))"), "\(sync.output)")
        let status = try await place.run("status --json")
        #expect(status.output.contains(words), "\(status.output)")
        #expect(try place.query("SELECT reason FROM run WHERE id = 2") == ["cut_off"])
        let again = try await place.run("sync things")
        #expect(!again.output.contains("incomplete"), "\(again.output)")
        #expect(try place.query("SELECT item_count || ' ' || complete FROM feed") == ["120 1"])
    }

    @Test("The stored rows stay when the head is unchanged or has grown: items served before count")
    func syncedRange() async throws {
        let place = try Workplace(extra: "sync: {mode: new}")
        let feed = PagedFeed(PagedFeed.items(1...350), perPage: 100)
        feed.total = .claimed(5312)
        place.server.route("/things", to: feed)
        _ = try await place.run("sync things")
        for added in [0, 2] {
            feed.edit { $0.insert(contentsOf: PagedFeed.items(1000..<1000 + added), at: 0) }
            let words = "the upstream has served \(350 + added) of 5,312"
            let sync = try await place.run("sync things")
            #expect(sync.output.contains(words), "\(sync.output)")
            #expect(sync.errors.contains("served \(350 + added) of the 5312 items"), "\(sync.errors)")
            let status = try await place.run("status --json")
            #expect(status.output.contains(words), "\(status.output)")
        }
    }

    @Test("An upstream with ranges of at most 31 days and no future days is mirrored whole, with `widest`")
    func widest() async throws {
        let today = Int(Date().timeIntervalSince1970) / 86_400
        @Sendable func text(_ day: Int) -> String {
            String(Date(timeIntervalSince1970: Double(day * 86_400)).ISO8601Format().prefix(10))
        }
        let place = try Workplace([])
        place.server.route("/things") { request in
            func day(_ name: String) -> Int? {
                request.parameter(name).flatMap { try? Date("\($0)T00:00:00Z", strategy: .iso8601) }
                    .map { Int($0.timeIntervalSince1970) / 86_400 }
            }
            guard let from = day("from"), let to = day("to"), from <= to, to - from < 31, to <= today else {
                return .status(422)
            }
            // An item every ten days.
            let days = request.parameter("page") == "1" ? (from...to).filter { $0 % 10 == 0 } : []
            let items = days.map { #"{"id":\#($0),"at":"\#(text($0))"}"# }
            return .json(
                "{\"total_count\":\((from...to).filter { $0 % 10 == 0 }.count),\"items\":[\(items.joined(separator: ","))]}"
            )
        }
        try place.write(
            "feedsync.yaml",
            """
            feeds:
              things:
                {url: "\(place.server.url)/things", items: items, key: id, retries: 0, sync: {mode: all},
                 pagination: {style: page, param: page, total: total_count},
                 partition: {query: {from: "{from}", to: "{to}"}, by: date, path: at, from: \(text(today - 300)), widest: 31d}}

            """)
        for _ in 1...2 {
            let run = try await place.run("sync things")
            #expect(run.code == 0, "\(run.errors)")
        }
        let expected = (today - 300...today).filter { $0 % 10 == 0 }.count
        #expect(
            try place.query("SELECT count(*) || ' ' || (SELECT complete FROM feed) FROM things") == ["\(expected) 1"])
    }
}
