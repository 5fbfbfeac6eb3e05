import HTTPServer
import ScriptedServer
import Testing

@testable import Upstream

@Suite("A key that is given")
struct GivenKeyTests {
    private func error(_ members: String, _ body: String) async throws -> FeedSyncError? {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { _ in .json(body) }
        do {
            _ = try await bench.discover("pagination: none\n\(members)")
            return nil
        } catch let error as FeedSyncError {
            return error
        }
    }

    private static let shared =
        #"[{"id":1,"code":1,"name":"a"},{"id":1,"code":2,"name":"b"},{"id":2,"code":3,"name":"c"}]"#

    @Test(
        "A key that no item has, or that different items share, is refused with a better one",
        arguments: [
            ("key: cdoe", "no item has `cdoe`", "`code`"),
            ("key: x_y_z", "no item has `x_y_z`", "`id`, `code`, `name`"),
            ("key: id", "different items of the page have the same key: `id` is 1", "`key: code`"),
        ])
    func refused(members: String, message: String, advice: String) async throws {
        let error = try #require(try await error(members, Self.shared))
        #expect(error.kind == .configuration)
        #expect(error.message.contains(message))
        #expect(error.advice?.contains(advice) == true)
    }

    @Test(
        "A key that tells items apart, or whose items may differ, is taken",
        arguments: [
            "key: code", "key: [id, name]", "key: $hash", "key: id\nremoved: {path: deleted}",
            "key: id\nignore: [name]",
        ])
    func taken(members: String) async throws { #expect(try await error(members, Self.shared) == nil) }

    @Test("An item that comes twice as it was is no contradiction")
    func twice() async throws {
        #expect(try await error("key: id", #"[{"id":1,"name":"a"},{"id":1,"name":"a"}]"#) == nil)
    }
}
