import FeedSync
import Foundation
import HTTPServer
import SQLite
import ScriptedServer
import Testing

@testable import Web

@Suite(.timeLimit(.minutes(10))) struct EventStreamTests {
    private func listen(_ place: WebPlace, _ target: String = "/events", last: String? = nil) throws -> RawConnection {
        let connection = try RawConnection(port: place.port)
        let header = last.map { "Last-Event-ID: \($0)\r\n" } ?? ""
        connection.send("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(place.port)\r\n\(header)\r\n")
        return connection
    }

    /// The numbers of the events in a stream, in order.
    private func ids(_ text: String) -> [Int] {
        // A line break of the chunks and one of the events are two.
        text.replacing("\r\n", with: "\n").components(separatedBy: "\n").compactMap {
            $0.hasPrefix("id: ") ? Int($0.dropFirst(4)) : nil
        }
    }

    @Test("The commits of another connection reach each listener, in order")
    func live() async throws {
        try await WebPlace.serving { place in
            let listeners = try (1...5).map { _ in try listen(place) }
            for listener in listeners { #expect(await listener.read(until: "retry: 1000").contains("200 OK")) }
            try await place.perform(.reload)
            for listener in listeners {
                let text = await listener.read(until: "\"status\":\"endHeader\"")
                #expect(ids(text) == [1, 2])
            }
        }
    }

    @Test("A change of the store that is no event reaches each listener, too, without a number")
    func change() async throws {
        try await WebPlace.serving { place in
            try await place.perform(.reload)
            let listeners = try (1...3).map { _ in try listen(place) }
            for listener in listeners { _ = await listener.read(until: "retry: 1000") }
            let connection = try Connection(path: "\(place.folder)/feedsync.db")
            try connection.run("UPDATE feed SET item_count = 7 WHERE name = 'things'")
            for listener in listeners {
                let text = await listener.read(until: "event: change")
                #expect(ids(text).isEmpty)
            }
            #expect(try await place.ask("/feeds/things").member("item_count") == "7")
        }
    }

    @Test("A change of the configuration reaches each listener, because pages show it, too")
    func configuration() async throws {
        try await WebPlace.serving { place in
            try await place.perform(.reload)
            let listener = try listen(place)
            _ = await listener.read(until: "retry: 1000")
            let file = "\(place.folder)/feedsync.yaml"
            let text = try String(contentsOfFile: file, encoding: .utf8)
            try (text + "  more: {url: \"\(place.upstream.url)/more\"}\n").write(
                toFile: file, atomically: true, encoding: .utf8)
            // The end of the reload is a change, too.
            var isThere = false
            for _ in 1...3 where !isThere {
                _ = await listener.read(until: "event: change")
                isThere = try await place.ask("/feeds").body.contains("\"more\"")
            }
            #expect(isThere)
        }
    }

    @Test("A change that comes with events of other feeds reaches each listener of a feed")
    func changeAmongEvents() async throws {
        try await WebPlace.serving { place in
            try await place.perform(.reload)
            let listener = try listen(place, "/events?feed=things")
            _ = await listener.read(until: "retry: 1000")
            // The server has published the events of the reload.
            try Connection(path: "\(place.folder)/feedsync.db").run(
                "UPDATE feed SET item_count = 6 WHERE name = 'things'")
            _ = await listener.read(until: "event: change")
            try Connection(path: "\(place.folder)/feedsync.db").execute(
                """
                BEGIN;
                INSERT INTO event (at, feed, run, status, page, inserted, updated, unchanged, removed)
                    SELECT at, 'others', run, status, page, inserted, updated, unchanged, removed FROM event;
                UPDATE feed SET item_count = 7 WHERE name = 'things';
                COMMIT;
                """)
            let text = await listener.read(until: "event: change")
            #expect(ids(text).isEmpty)
        }
    }

    @Test("Only an event after which every page is read again replaces the changes that were noted before it")
    func changeWithEvent() {
        let hub = EventHub()
        hub.begin(at: 0)
        let stream = EventStream(hub, feed: nil, after: 0, changes: nil) { nil }
        func sent() -> String {
            guard case .bytes(let bytes) = stream.next() else { return "" }
            return String(decoding: bytes, as: UTF8.self)
        }
        func publish(_ id: Int, inserted: Int) {
            var items = ItemCounts()
            items.inserted = inserted
            hub.noteOtherChange()
            hub.publish([
                StatusEvent(
                    id: id, at: "2026-11-21T10:00:00Z", feed: "things", run: 1, status: .endHeader, page: 1,
                    items: items, error: nil)
            ])
            hub.announceChanges(hasEvents: false)
        }
        #expect(sent().contains("retry"))
        publish(1, inserted: 0)
        #expect(sent().contains("id: 1\n"))
        #expect(sent().contains("event: change"))
        publish(2, inserted: 1)
        #expect(sent().contains("id: 2\n"))
        #expect(sent().isEmpty)
        // A slow listener gets the event after the next change.
        publish(3, inserted: 1)
        hub.noteOtherChange()
        hub.announceChanges(hasEvents: false)
        #expect(sent().contains("id: 3\n"))
        #expect(sent().contains("event: change"))
        #expect(sent().isEmpty)
    }

    @Test("A listener that comes back misses no event, however many there were")
    func resumed() async throws {
        try await WebPlace.serving { place in
            for _ in 1...3 { try await place.perform(.reload) }
            let back = try listen(place, last: "2")
            #expect(ids(await back.read(until: "id: 6\n")) == [3, 4, 5, 6])
            let other = try listen(place, "/events?after=4&feed=things")
            #expect(ids(await other.read(until: "id: 6\n")) == [5, 6])
            // A number beyond the last one must not hide what comes.
            let listener = try listen(place, last: "9999")
            _ = await listener.read(until: "retry")
            try await place.perform(.reload)
            #expect(ids(await listener.read(until: "id: 8\n")) == [7, 8])
        }
    }

    @Test("Older events than those at hand come from the store, in order and once")
    func older() async throws {
        try await WebPlace.serving { place in
            try await place.perform(.reload)
            // As another process writes them, in one commit: runs for so many events would be most of the tests' time.
            try Connection(path: "\(place.folder)/feedsync.db").execute(
                """
                WITH RECURSIVE numbers (id) AS (SELECT 3 UNION ALL SELECT id + 1 FROM numbers WHERE id < 1240)
                INSERT INTO event (id, at, feed, run, status, page, inserted, updated, unchanged, removed)
                SELECT numbers.id, at, feed, run, status, page, inserted, updated, unchanged, removed
                FROM numbers JOIN event ON event.id = 2
                """)
            let text = try await listen(place, last: "1").read(until: "id: 1240\n")
            #expect(ids(text) == Array(2...1240))
        }
    }

    @Test("A listener of a feed with a list for each row of another gets the events of its lists, or of one of them")
    func lists() async throws {
        let upstream = try ScriptedServer()
        upstream.route("/labels", to: PagedFeed(PagedFeed.items(1...3)))
        let labels = """
            every: 1h
              labels:
                for_each: things
                url: \(upstream.url)/labels
                query: {thing: "{things.id}"}
                items: items
                key: id
                pagination: none
                retries: 0
            """
        try await WebPlace.serving(items: PagedFeed.items(1...2), extra: labels) { place in
            // A list is known once it has been asked for.
            for feed in ["things", "labels"] { try await place.perform(.sync, on: feed) }
            let feeds = ["labels", "labels/2", "things"]
            let listeners = try feeds.map { try listen(place, "/events?feed=\($0)") }
            for listener in listeners { _ = await listener.read(until: "retry: 1000\n\n") }
            try await place.perform(.sync, on: "labels")
            #expect(ids(await listeners[0].read(until: "id: 15\n")) == Array(10...15))
            // The lists are asked at the same time, so either may be told of first.
            let second = await listeners[1].read(until: "noMoreData")
            #expect(ids(second).count == 3 && !second.contains("labels/1"))
            try await place.perform(.sync)
            #expect(ids(await listeners[2].read(until: "id: 18\n")) == [16, 17, 18])
            // Later listeners get the same from the store.
            let late = try listen(place, "/events?feed=labels/2&after=9")
            #expect(ids(await late.read(until: "noMoreData")) == ids(second))
        }
    }

    @Test("Each live page says up to which event it knows, so that it misses none until it listens")
    func known() async throws {
        try await WebPlace.serving { place in
            try await place.perform(.reload)
            for target in ["/", "/list/things", "/status"] {
                let page = try await place.ask(target)
                #expect(page.body.contains("data-event=\"2\""), "\(target)")
            }
        }
    }

    @Test("A page learns of a change between its making and its first request for events")
    func betweenPageAndStream() async throws {
        try await WebPlace.serving { place in
            func changes() async throws -> String {
                let page = try await place.ask("/list/things")
                return try #require(page.body.firstMatch(of: /data-changes="([0-9]+)"/)).output.1.description
            }
            try await place.perform(.reload)
            let old = try await changes()
            let listener = try listen(place)
            _ = await listener.read(until: "retry: 1000")
            try Connection(path: "\(place.folder)/feedsync.db").run(
                "UPDATE feed SET item_count = 7 WHERE name = 'things'")
            _ = await listener.read(until: "event: change")
            for known in [old, "0"] {
                let late = try listen(place, "/events?feed=things&after=2&changes=\(known)")
                #expect(ids(await late.read(until: "event: change")).isEmpty)
            }
            let present = try await changes()
            #expect(Int(present) ?? 0 > Int(old) ?? .max, "\(old), then \(present)")
        }
    }

    @Test("A server that stops ends the streams")
    func stopped() async throws {
        let place = try await WebPlace()
        let listener = try listen(place)
        _ = await listener.read(until: "retry")
        await place.web.stop()
        #expect(await listener.readAll().hasSuffix("0\r\n\r\n"))
    }
}
