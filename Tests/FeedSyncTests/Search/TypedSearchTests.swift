import Foundation
import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync
@testable import StoreFile
@testable import Upstream

private struct Thing: Decodable, Sendable, Equatable {
    let name: String
}

@Suite("Search as you type", .timeLimit(.minutes(2)))
struct TypedSearchTests {
    private func search(_ bench: EngineBench, clock: some Clock<Duration>) -> TypedSearch<Thing> {
        let url = bench.server.url
        return TypedSearch(in: FeedMirror(bench.store, options: EngineBench.options), clock: clock) {
            text throws(ConfigurationError) in
            try FeedDefinition(
                "things",
                [
                    "url": "\(url)/search/\(text)", "items": "items", "key": "id",
                    "columns": ["id": "id", "name": "name"],
                    "pagination": "none", "retries": 0, "model": "found",
                ])
        }
    }

    private func found(_ name: String) -> ServerResponse {
        .json(#"{"items": [{"id": 1, "name": "\#(name)"}]}"#)
    }

    @Test("Each text brings its own rows; those of another text are not among them")
    func rows() async throws {
        let bench = try await EngineBench()
        bench.server.enqueue("/search/swift", [found("Swift")])
        bench.server.enqueue("/search/rust", [found("Rust")])
        let search = search(bench, clock: RecordingClock())
        var results = search.results.makeAsyncIterator()
        search.send("sw")
        search.send("swift")
        let first = await results.next(isolation: nil)
        #expect(first?.items == [Thing(name: "Swift")])
        search.send("rust")
        let second = await results.next(isolation: nil)
        #expect(second?.text == "rust")
        #expect(second?.items == [Thing(name: "Rust")])
        let feeds = try bench.query("SELECT count(*) FROM feed WHERE name LIKE 'things_%' AND item_count = 1")
        #expect(feeds == ["2"])
    }

    @Test("A newer text cancels the older request; the older one's results never come")
    func latestWins() async throws {
        let bench = try await EngineBench()
        let gate = bench.server.gate()
        let late = found("late")
        bench.server.route("/search/swi") { _ in
            _ = gate.wait()
            return late
        }
        bench.server.enqueue("/search/swift", [found("Swift")])
        let search = search(bench, clock: RecordingClock())
        var results = search.results.makeAsyncIterator()
        search.send("swi")
        await gate.arrived()
        search.send("swift")
        let first = await results.next(isolation: nil)
        #expect(first?.text == "swift")
        gate.open()
    }

    @Test("A field that is cleared cancels the request, whose results never come", arguments: ["", "sw"])
    func cleared(text: String) async throws {
        let bench = try await EngineBench()
        let gate = bench.server.gate()
        let late = found("late")
        bench.server.route("/search/swi") { _ in
            _ = gate.wait()
            return late
        }
        bench.server.enqueue("/search/swift", [found("Swift")])
        let search = search(bench, clock: RecordingClock())
        var results = search.results.makeAsyncIterator()
        search.send("swi")
        await gate.arrived()
        search.send(text)
        // The run ends although the server does not answer.
        try await until { try bench.query("SELECT count(*) FROM run WHERE outcome = 'cancelled'") == ["1"] }
        gate.open()
        search.send("swift")
        let first = await results.next(isolation: nil)
        #expect(first?.text == "swift")
    }

    @Test("A text that is searched for again has only the rows of its new first page, in the page's order")
    func again() async throws {
        let bench = try await EngineBench()
        func page(_ ids: [Int]) -> ServerResponse {
            .json("{\"items\": [\(ids.map { #"{"id": \#($0), "name": "\#($0)"}"# }.joined(separator: ","))]}")
        }
        let pages = [[1, 2, 3], [4], [3, 5, 1], [5, 3], [], [2]]
        bench.server.enqueue("/search/swift", pages.map(page))
        let other = page([1])
        bench.server.route("/search/other") { _ in other }
        let search = search(bench, clock: RecordingClock())
        var results = search.results.makeAsyncIterator()
        for ids in pages {
            search.send("swift")
            #expect(await results.next(isolation: nil)?.items == ids.map { Thing(name: "\($0)") })
            // A text that is sent twice in a row is requested once.
            search.send("other")
            #expect(await results.next(isolation: nil)?.text == "other")
        }
    }

    @Test("A text that cannot be searched for tells why")
    func error() async throws {
        let bench = try await EngineBench()
        bench.server.enqueue("/search/swift", [.status(404)])
        let search = search(bench, clock: RecordingClock())
        search.send("swift")
        for await results in search.results {
            #expect(results.items.isEmpty)
            #expect(results.error?.kind == .rejected)
            break
        }
    }
}
