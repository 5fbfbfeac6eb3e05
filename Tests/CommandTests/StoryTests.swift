import HTTPServer
import ScriptedServer
import Testing

@Suite struct StoryTests {
    @Test("A feed of 1,000 items is mirrored page by page, past a failing page, to its end and back")
    func story() async throws {
        let place = try Workplace()
        let feed = PagedFeed(PagedFeed.items(1...1_000))
        place.server.route("/things", to: feed)
        let inOrder = "SELECT name FROM things ORDER BY _generation DESC, _position"
        func names(_ count: Int) -> [String] { (1...count).map { "item \($0)" } }

        let reload = try await place.run("reload things")
        #expect(reload.output.hasPrefix("things  100 new (1 page, 1 request, "))
        #expect(reload.output.hasSuffix("); 100 items, more pages available\n"))
        #expect(reload.errors.isEmpty)
        #expect(reload.code == 0)

        for count in [200, 300] {
            let more = try await place.run("more things")
            #expect(more.output.hasSuffix("; \(count) items, more pages available\n"))
            #expect(more.code == 0)
        }
        #expect(try place.query(inOrder) == names(300))

        feed.fail(page: 4, with: .json(#"{"message":"boom"}"#, status: 500))
        let failing = try await place.run("more things")
        #expect(failing.output.isEmpty)
        #expect(
            failing.errors == """
                feedsync: things: the upstream answered 500 Internal Server Error: "boom" \
                (\(place.server.url)/things?per_page=100&page=4)
                Try: run it again later

                """)
        #expect(failing.code == 69)
        #expect(try place.query(inOrder) == names(300))
        #expect(try place.query("SELECT next_page FROM feed") == ["4"])
        #expect(try place.query("SELECT error ->> 'kind' FROM event ORDER BY id DESC LIMIT 1") == ["unreachable"])
        try place.expectSound()

        #expect(try await place.run("more things").code == 0)
        #expect(feed.requestedPages == [1, 2, 3, 4, 4])
        #expect(try place.query(inOrder) == names(400))

        let all = try await place.run("more things --all")
        #expect(all.output.hasPrefix("things  600 new (6 pages, 7 requests, "))
        #expect(all.output.hasSuffix("; 1,000 items, all pages fetched\n"))
        #expect(try place.query(inOrder) == names(1_000))
        #expect(try place.log().last == "noMoreData")

        let count = feed.requestedPages.count
        let none = try await place.run("more things")
        #expect(none.output == "things  no further pages, nothing requested; 1,000 items, all pages fetched\n")
        #expect(none.code == 0)
        #expect(feed.requestedPages.count == count)

        let again = try await place.run("reload things")
        #expect(again.output.hasPrefix("things  unchanged (1 page, 1 request, "))
        #expect(again.output.hasSuffix("; 1,000 items, all pages fetched\n"))
        #expect(try place.query("SELECT no_more_data || ' ' || complete FROM feed") == ["1 1"])
        try place.expectSound()
    }

    @Test("--pages counts the first page, and stops at the end")
    func pages() async throws {
        let place = try Workplace()
        let feed = PagedFeed(PagedFeed.items(1...350))
        place.server.route("/things", to: feed)
        #expect(try await place.run("more things --pages=2").output.hasSuffix("; 200 items, more pages available\n"))
        #expect(feed.requestedPages == [1, 2])
        #expect(try await place.run("more --pages 9 things").output.hasSuffix("; 350 items, all pages fetched\n"))
        #expect(feed.requestedPages == [1, 2, 3, 4])
    }

    @Test("A feed that ends before the upstream's list does is not called complete")
    func incomplete() async throws {
        let place = try Workplace(extra: "max_pages: 2")
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...350)))
        let run = try await place.run("more things --all")
        #expect(run.output.hasSuffix("; 200 items, stopped at max_pages\n"))
        #expect(run.code == 0)
    }

    @Test("Each of several feeds is tried, and the first failure decides the exit code")
    func several() async throws {
        let place = try Workplace(["good", "denied", "broken", "fine"])
        place.server.route("/good", to: PagedFeed(PagedFeed.items(1...5)))
        place.server.route("/fine", to: PagedFeed(PagedFeed.items(1...7)))
        place.server.enqueue("/denied", [.status(401)])
        place.server.enqueue("/broken", [.html("<p>Hello</p>")])
        let run = try await place.run("reload good denied broken fine")
        #expect(run.code == 77)
        #expect(run.output.split(separator: "\n").map { $0.prefix { $0 != " " } } == ["good", "fine"])
        #expect(run.errors.contains("feedsync: denied: ") && run.errors.contains("feedsync: broken: "))
        #expect(try await place.run("reload broken denied").code == 65)
    }
}
