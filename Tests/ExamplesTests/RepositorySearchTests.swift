import FeedSync
import HTTPServer
import ScriptedServer
import Testing

@testable import Examples

@Suite("A search that follows what is typed", .timeLimit(.minutes(2)))
struct RepositorySearchTests {
    @Test("A search follows the typed text, and only the last text's rows are shown")
    func rows() async throws {
        let bench = try await ExampleBench()
        let search = RepositorySearch(at: "\(bench.server.url)/search/repositories", in: bench.mirror)
        search.typed("sw")
        search.typed("swift")
        let answer = try await search.answers.first { _ in true }
        #expect(answer.title == "“swift”")
        #expect(answer.rows.count == 20)
        search.typed("otter")
        #expect(try await search.answers.first { $0.title != "“swift”" }.title == "“otter”")
    }

    @Test("A text that finds nothing, or cannot be searched for, says so")
    func nothing() async throws {
        let bench = try await ExampleBench()
        let server = try ScriptedServer()
        server.enqueue("/search", [.json(#"{"total_count": 0, "items": []}"#)])
        let search = RepositorySearch(at: "\(server.url)/search", in: bench.mirror)
        search.typed("nobody")
        #expect(try await search.answers.first { _ in true } == .init(title: "Nothing for “nobody”", rows: []))
        let other = RepositorySearch(at: "\(server.url)/nowhere", in: bench.mirror)
        other.typed("swift")
        let answer = try await other.answers.first { _ in true }
        #expect(answer.title.contains("404"))
        #expect(answer.rows.isEmpty)
    }
}
