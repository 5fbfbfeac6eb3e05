import FeedSync
import Testing

@testable import Examples

@Suite("A local list that is filtered", .timeLimit(.minutes(2)))
@MainActor
struct FilteredListTests {
    @Test("The rows follow the text and the feed, without a request")
    func filter() async throws {
        let bench = try await ExampleBench()
        let feed = try await bench.mirror.feed(try bench.repositories())
        try await feed.perform(.reload)
        let list = FilteredList(of: "repositories", in: bench.mirror)
        let all = try await list.rows.first { _ in true }
        #expect(all.count == 100)
        let name = try #require(all.last?.fullName)
        list.typed(name.uppercased())
        #expect(try await list.rows.first { _ in true }.map(\.fullName) == [name])
        list.typed("")
        #expect(try await list.rows.first { _ in true } == all)
        try await feed.perform(.nextPage)
        #expect(try await list.rows.first { $0.count > 100 }.count == 200)
    }

    @Test("A filtered list ends when the mirror is closed")
    func end() async throws {
        let bench = try await ExampleBench()
        try await bench.mirror.feed(try bench.repositories()).perform(.reload)
        let list = FilteredList(of: "repositories", in: bench.mirror)
        _ = try await list.rows.first { _ in true }
        await bench.mirror.close()
        var rows = list.rows.makeAsyncIterator()
        while try await rows.next() != nil {}
    }
}
