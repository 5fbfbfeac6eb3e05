import FeedSync
import HTTPServer
import ScriptedServer
import Testing

@testable import Examples

@Suite("A list with pull to reload and scroll for more", .timeLimit(.minutes(2)))
struct RepositoryListTests {
    @Test("A pull brings the first page, and the end of the list brings the next")
    func pages() async throws {
        let bench = try await ExampleBench()
        let list = try await RepositoryList(try bench.repositories(), in: bench.mirror)
        list.pulled()
        let first = try await list.rows.first { !$0.isEmpty }
        #expect(first.count == 100)
        #expect(first.map(\.stars) == first.map(\.stars).sorted(by: >))
        _ = try await list.edges.first { !$0.isReloading && !$0.isLoadingMore }
        list.showed(row: 50, of: first.count)
        list.showed(row: 99, of: first.count)
        let second = try await list.rows.first { $0.count > 100 }
        #expect(second.count == 200)
        #expect(Array(second.prefix(100)) == first)
    }

    @Test("The end of the list is reported, and nothing is requested behind it")
    func end() async throws {
        let bench = try await ExampleBench()
        let server = try ScriptedServer()
        server.enqueue(
            "/search", [.json(#"{"total_count": 1, "items": [{"id": 1, "full_name": "a/b", "stargazers_count": 5}]}"#)])
        let definition = try FeedDefinition("few", ["preset": "github.search", "url": "\(server.url)/search"])
        let list = try await RepositoryList(definition, in: bench.mirror)
        list.pulled()
        let edges = try await list.edges.first { $0.isAtEnd }
        #expect(edges == RepositoryList.Edges(isReloading: false, isLoadingMore: false, isAtEnd: true, message: nil))
        try await bench.mirror.feed(definition).perform(.nextPage)
        #expect(server.requests.count == 1)
    }

    @Test("A failure is reported, and the rows that are stored stay")
    func failure() async throws {
        let bench = try await ExampleBench()
        let list = try await RepositoryList(try bench.repositories(), in: bench.mirror)
        list.pulled()
        _ = try await list.rows.first { !$0.isEmpty }
        bench.server.stop()
        list.pulled()
        let edges = try await list.edges.first { $0.message != nil }
        #expect(!edges.isReloading)
        #expect(try await list.rows.first { _ in true }.count == 100)
    }
}
