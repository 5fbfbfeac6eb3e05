import HTTP
import ScriptedServer
import Testing

@testable import FeedSync
@testable import Upstream

@Suite("The settings of a preset are discovered without it")
struct UnaidedTests {
    /// The preset and the discovery may differ in words alone: each leads through the same pages.
    private static let alike: [String: Set<String>] = [
        "link": ["link", "next_url"], "page": ["page", "next_url", "link"], "offset": ["offset", "next_url"],
        "cursor": ["cursor", "next_url"], "next_url": ["next_url"],
        // A web feed may lead on, if it ever says where.
        "none": ["auto", "next_url"],
    ]

    @Test(
        "Discovery finds the items, the key, the style and every item by the URL of a preset's example alone",
        arguments: try PresetExample.names)
    func unaided(name: String) async throws {
        let server = try ScriptedServer()
        defer { server.stop() }
        let example = try PresetExample(name).serve(on: server)
        let preset = try example.definition()
        let bare = try FeedDefinition.parse(name: "things", yaml: "url: \"\(server.url)\(example.pages[0].target)\"")

        let found = try await Discovery(bare, options: EngineBench.options, salt: "").discover()
        let evidence = Comment(rawValue: found.evidence.map(\.text).joined(separator: "\n"))
        #expect(found.findings.items?.path == (preset.items?.path ?? Path([])), evidence)
        let keyPaths = { (definition: FeedDefinition) in
            definition.key.compactMap { key in definition.columns.first { $0.name == key }?.path }
        }
        // A room is told by its own number, and as well by that of who is in it.
        let keys = name == "qf56.anchors" ? [] : keyPaths(preset)
        if !keys.isEmpty { #expect(keyPaths(found.definition) == keys, evidence) }
        let style = type(of: preset.pagination).name
        #expect(
            Self.alike[style]?.contains(type(of: found.definition.pagination).name) == true,
            "\(style) … \(found.findings.pagination ?? "nothing") \(evidence)")
        let kinds = Set(found.findings.columns.map(\.type))
        #expect(kinds.contains(.text) && !kinds.contains(.timestamp))

        let bench = try await EngineBench()
        let engine = try await bench.another(bare)
        _ = try await engine.perform(.allPages)
        let items = try example.items(at: found.findings.items?.path)
        let different = Set(items.map { item in "\(keyPaths(found.definition).map { item.value(at: $0) })" })
        #expect(try bench.query("SELECT count(*) FROM things") == ["\(different.count)"], evidence)
    }
}
