import Foundation
import HTTP
import HTTPServer
import ScriptedServer

@testable import ResponseBody
@testable import Upstream

/// An upstream of numbered items, and discovery against it from its URL alone.
struct DiscoveryBench {
    let server: ScriptedServer

    init() throws { server = try ScriptedServer() }

    /// The items from `start` on, as the elements of an array.
    static func items(_ start: Int, _ count: Int = 10, of total: Int = 35) -> String {
        PagedFeed.items(max(1, start + 1)..<max(1, min(start + count, total) + 1)).joined(separator: ",")
    }

    func definition(_ members: String = "", path: String = "/things") throws -> FeedDefinition {
        try FeedDefinition.parse(
            name: "things", yaml: "url: '\(server.url)\(path)'\nretries: 0\n\(members)", allowsCommands: true)
    }

    func discover(_ members: String = "", path: String = "/things") async throws -> DiscoveryResult {
        try await discovery(members, path: path).discover()
    }

    func discovery(_ members: String = "", path: String = "/things") throws -> Discovery {
        var options = EngineOptions(
            client: Client(userAgent: "feedsync-tests"), environment: ["TOKEN": "s3cr3t-token"])
        options.maxWait = .zero
        return Discovery(try definition(members, path: path), options: options, salt: "salt")
    }

    /// The engine's result for its first page.
    func found(_ effort: Discovery.Effort, _ members: String = "", path: String = "/things") async throws
        -> DiscoveryResult
    {
        let definition = try definition(members, path: path)
        let client = Client(userAgent: "feedsync-tests")
        let page = try RequestPlan(definition, environment: [:], folder: "", salt: "salt").page(for: nil)
        let fetcher = Fetcher(
            client: client, rules: [], policy: RetryPolicy(retries: 0), now: { 0 })
        let first = try await fetcher.fetch(page)
        return try await discovery(members, path: path).discover(from: first, of: page, effort: effort)
    }

    /// The queries that came in.
    var queries: [String] {
        server.requests.map { $0.query.map { "\($0.name)=\($0.value)" }.joined(separator: "&") }
    }
}

extension DiscoveryResult {
    /// The evidence for the pagination.
    var paginationEvidence: Evidence? { evidence.first { $0.subject == .pagination } }
}
