import HTTPServer
import ScriptedServer
import Testing

@Suite("A process that may have little memory", .timeLimit(.minutes(5)))
struct MemoryTests {
    /// Bodies of about 30 MB that need more memory than most, with their `Content-Type`.
    private static let bodies: [String: (body: [UInt8], type: String)] = {
        let json = { (text: String) in (Array(text.utf8), "application/json") }
        let items = (0..<2_000_000).map { "{\"id\":\($0)}" }.joined(separator: ",")
        let members = (0..<2_000_000).map { "\"a\($0)\":1" }.joined(separator: ",")
        let key = String(repeating: "k", count: 3_000_000)
        let title = "<title>\(String(repeating: "t", count: 250))</title>"
        let entries = (0..<100_000).map { "<item><guid>\($0)</guid>\(title)</item>" }
        let head = "<rss version=\"2.0\"><channel><title>x</title>"
        return [
            "items": json("{\"items\":[\(items)]}"),
            "members": json("{\"items\":[{\"id\":1,\(members)}]}"),
            "keys": json("{\"items\":[\((0..<10).map { "{\"id\":\"\($0)\(key)\"}" }.joined(separator: ","))]}"),
            "entries": (Array("\(head)\(entries.joined())</channel></rss>".utf8), "application/rss+xml"),
            "attributes": (
                Array("\(head)<item \(members.replacing("\":1,\"", with: "=\"1\" "))></channel></rss>".utf8),
                "application/rss+xml"
            ),
        ]
    }()

    private func response(_ body: [UInt8], _ type: String) -> ServerResponse {
        ServerResponse(status: 200, headers: [(name: "Content-Type", value: type)], body: body)
    }

    @Test(
        "A page that may not fit into limited memory is refused, and the stored rows are kept",
        arguments: zip(
            ["items", "members", "keys", "entries", "attributes"], [350_000, 550_000, 350_000, 550_000, 350_000]))
    func littleMemory(body: String, kilobytes: Int) async throws {
        let place = try Workplace.empty()
        let (bytes, type) = try #require(Self.bodies[body])
        let columns = type == "application/json" ? "items: items, key: id, columns: {id: id}, " : ""
        place.server.enqueue("/small", [response(Array("[{\"id\":1}]".utf8), "application/json")])
        for feed in ["found", "defined"] { place.server.enqueue("/\(feed)", [response(bytes, type)]) }
        try place.write(
            "feedsync.yaml",
            """
            feeds:
              small: {url: "\(place.server.url)/small", pagination: none}
              found: {url: "\(place.server.url)/found", pagination: none}
              defined: {url: "\(place.server.url)/defined", \(columns)pagination: none}

            """)
        #expect(try await place.run("sync small").code == 0)
        for feed in ["found", "defined"] {
            let run = try await place.shell("ulimit -c 0; ulimit -v \(kilobytes); exec $FEEDSYNC reload \(feed)")
            // 69 where there is not even memory for the thread of a transfer.
            #expect([0, 65, 69].contains(run.code), "\(run.code) \(run.errors.suffix(500))")
        }
        #expect(try place.query("SELECT id FROM small") == ["1"])
        try place.expectSound()
    }

    @Test("`max_memory` says how much a page may take, and its body a quarter of that", arguments: [65, 0])
    func maximumMemory(code: Int32) async throws {
        let place = try Workplace.empty()
        let text = String(repeating: "x", count: 5_000_000)
        place.server.enqueue(
            "/things",
            [response(Array("[{\"id\":1,\"text\":\"\(text)\"}]".utf8), "application/json")])
        try place.write(
            "feedsync.yaml",
            """
            defaults: {max_memory: \(code == 0 ? "20MiB" : "16MiB")}
            feeds: {things: {url: "\(place.server.url)/things", pagination: none}}

            """)
        let run = try await place.run("reload things")
        #expect(run.code == code, "\(run.errors)")
        guard code != 0 else { return }
        #expect(run.errors.contains("the body exceeds 4194304 bytes"))
        #expect(run.errors.contains("or give the feed a larger `max_memory`"))
    }
}
