import Foundation
import HTTP
import HTTPServer
import ScriptedServer
import TemporaryFolder
import Testing

@testable import FeedSync
@testable import Web

/// The pages of feeds that start from a preset.
@Suite(.timeLimit(.minutes(10))) struct PresetPagesTests {
    /// The presets whose examples have items with nothing but a key, or whose text is their number.
    private static let areNameless: Set = [
        "datasette.table", "generic.drf-cursor", "generic.drf-limit-offset", "generic.drf-page", "mastodon.statuses",
    ]

    /// The columns that say when something happened, by their names.
    private static func isTime(_ column: ColumnDefinition) -> Bool {
        column.name.hasSuffix("_at") || column.type == .timestamp
    }

    @Test(
        "Each row of a preset's list has a title that tells it from others, and the time of its item",
        arguments: try PresetExample.all)
    func rows(example: PresetExample) async throws {
        let bench = try await EngineBench()
        let own = try example.definition().url.description
        let address = try #require(own.dropping(prefix: example.origin))
        let served = example.serve(on: bench.server)
        let definition = try served.definition(url: bench.server.url + address)
        _ = try await bench.another(definition).perform(.allPages)
        let file = bench.folder.file("feedsync.yaml")
        let with = example.parameters.map { "\($0.key.debugDescription): \($0.value.debugDescription)" }
        let members = example.members.split(separator: "\n").map { "\n    \($0)" }.joined()
        let yaml = """
            feeds:
              things:
                preset: \(example.name)
                with: {\(with.joined(separator: ", "))}
                url: "\(bench.server.url + address)"\(members)
            """
        try yaml.write(toFile: file, atomically: true, encoding: .utf8)
        let store = bench.store.path
        var settings = WebSettings(
            address: .tcp(host: "127.0.0.1", port: 0), options: EngineOptions(),
            configuration: { () throws(ConfigurationProblem) in
                do throws(ConfigurationError) { return try Configuration.load(file) } catch {
                    throw ConfigurationProblem(lines: error.diagnostics.map(\.description))
                }
            }, storePath: { _ in store })
        settings.configurationFiles = [file]
        let web = try await WebServer(settings)
        guard case .tcp(_, let port) = web.address else { return }
        let url = try WebURL("http://127.0.0.1:\(port)/list/things")
        let reply = try? await Client(userAgent: "feedsync-tests").send(Request(url))
        await web.stop()
        let page = String(decoding: reply?.body.bytes ?? [], as: UTF8.self)
        if let folder = ProcessInfo.processInfo.environment["FEEDSYNC_PAGES"] {
            try page.write(toFile: "\(folder)/\(example.name).html", atomically: true, encoding: .utf8)
        }
        let rows = page.components(separatedBy: "<li class=\"row\"").dropFirst()
        let items = try served.items(at: definition.items?.path)
        #expect(!rows.isEmpty && rows.count <= items.count, "\(page.prefix(4_000))")
        let shown = definition.show?.title
        let path = definition.columns.first { $0.name == shown }?.path
        let given = Set(items.map { item in path.map { "\(item.value(at: $0))" } ?? "" })
        var titles: Set<String> = []
        var isBare: Set<String> = []
        for row in rows {
            let link = row.components(separatedBy: "class=\"title\"").dropFirst().first ?? ""
            let title = String(link.drop { $0 != ">" }.dropFirst().prefix { $0 != "<" })
            let isReadable = !["&amp;quot;", "&amp;#", "&lt;"].contains { title.contains($0) }
            #expect(!title.isEmpty && isReadable, "a title is \(title)")
            titles.insert(title)
            let key = row.components(separatedBy: "data-key=\"").dropFirst().first?.prefix { $0 != "\"" } ?? ""
            if title == key.replacing("&quot;", with: "") { isBare.insert(title) }
        }
        // The examples have what the APIs' documentation has, which is one title several times.
        #expect(titles.count == rows.count || titles.count >= min(given.count, rows.count), "\(titles)")
        #expect(isBare.isEmpty || Self.areNameless.contains(example.name), "\(isBare)")
        let hasTimes = definition.columns.contains { column in
            Self.isTime(column) && items.contains { $0.value(at: column.path) != .null }
        }
        if hasTimes { #expect(rows.contains { $0.contains("<time class=\"ago\"") }, "no row has a time") }
    }
}
