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

    @Test("so they do when the head is unchanged or has grown: what was served before counts")
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
}
