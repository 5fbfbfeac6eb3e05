import Foundation
import Testing

@Suite struct DemoTests {
    @Test("demo mirrors its feeds, and the sqlite3 line that it prints works")
    func demo() async throws {
        let place = try Workplace()
        let run = try await place.run("demo")
        #expect(run.errors.isEmpty)
        #expect(run.code == 0)
        #expect(run.output.contains("\n  noMoreData   page 4\nanchors  137 new (4 pages, 4 requests, "))
        #expect(run.output.contains("\nrepositories  300 new (3 pages, 3 requests, "))
        let lines = run.output.split(separator: "\n")
        let query = try #require(lines.first { $0.hasPrefix("  sqlite3 ") })
        let folder = try #require(query.split(separator: " ").first { $0.hasSuffix("/feedsync.db") }).dropLast(12)
        defer { try? FileManager.default.removeItem(atPath: String(folder)) }
        let answer = try await place.shell(String(query))
        #expect(answer.errors.isEmpty)
        #expect(answer.code == 0)
        #expect(answer.output.split(separator: "\n").count == 9)
        let hint = try #require(lines.last)
        #expect(hint.hasSuffix(" status --config \(folder)/feedsync.yaml"))
        let status = try await place.shell("\(hint) --json")
        #expect(status.output.contains(#""item_count":400"#))
    }
}
