import FeedSync
import Foundation
import Testing

@Suite("A preset")
struct PresetTests {
    private func feed(_ yaml: String) throws(ConfigurationError) -> FeedDefinition {
        try FeedDefinition.parse(name: "x", yaml: yaml, file: "f")
    }

    @Test("A preset is shipped for each file, under the file's name, with an example")
    func files() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../Sources/Feeds/Presets")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".yaml") }
        let names = try Preset.all.map(\.name)
        #expect(names.map { $0 + ".yaml" }.sorted() == files.sorted())
        #expect(try PresetExample.names == names.sorted())
    }

    @Test("A preset has its purpose, its documentation, and no secret", arguments: try Preset.all.map(\.name))
    func described(name: String) throws {
        let preset = try #require(try Preset.named(name))
        #expect(!preset.description.isEmpty && preset.description.count < 80 && !preset.description.hasSuffix("."))
        #expect(preset.yaml.contains("# https://") || name == "qf56.anchors")
        let feed = try PresetExample(name).definition()
        #expect(feed.authentication == nil)
        #expect((feed.headers + feed.query).allSatisfy { $0.value.isLiteral })
        #expect(feed.url.isLiteral)
        #expect(!feed.url.description.contains("{"))
        #expect(Set(preset.parameters) == Set(try PresetExample(name).parameters.keys))
    }

    @Test("A preset is in the documentation, with its parameters and an example that can be read")
    func documented() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Docs/presets.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let blocks = text.split(separator: "```yaml\n").dropFirst().compactMap { $0.split(separator: "```").first }
        let feeds = try blocks.flatMap { try Configuration.parse(Array($0.utf8), file: "Docs/presets.md").feeds }
        #expect(Set(feeds.compactMap(\.presetName)) == Set(try Preset.all.map(\.name)))
        for preset in try Preset.all {
            let parameters = preset.parameters.map { "`\($0)`" }.joined(separator: ", ")
            #expect(text.contains("| `\(preset.name)` | \(parameters.isEmpty ? "" : parameters + " ")|"))
        }
    }

    @Test("Presets of a model have the same names and types of columns")
    func models() throws {
        let feeds = try PresetExample.all.map { try $0.definition() }.filter { $0.model != nil }
        for (index, one) in feeds.enumerated() {
            for other in feeds[(index + 1)...] where other.model == one.model {
                let names = "\(one.presetName ?? "") and \(other.presetName ?? "")"
                let types = Dictionary(uniqueKeysWithValues: one.columns.map { ($0.name, $0.type) })
                let shared = other.columns.filter { types.keys.contains($0.name) }
                #expect(shared.count * 2 >= min(one.columns.count, other.columns.count), "\(names) share too little")
                for column in shared where !one.key.contains(column.name) {
                    #expect(types[column.name] == column.type, "\(column.name) of \(names)")
                }
            }
        }
    }

    @Test("A preset requests GitHub's search as its documentation describes")
    func search() throws {
        let feed = try feed("preset: github.search\nquery: {q: language:swift}\n")
        let base = PageRequest(
            url: feed.url.description,
            query: feed.query.map { NamedValue(name: $0.name, value: $0.value.description) })
        let request = try feed.pagination.request(for: PageCursor("2"), base: base)
        #expect(
            request.query.map { "\($0.name)=\($0.value)" }
                == ["q=language:swift", "sort=stars", "order=desc", "per_page=100", "page=2"])
        #expect(feed.responses == (try FeedDefinition.parse(name: "y", yaml: "preset: github.search").responses))
        #expect(feed.responses.first?.status == 422)
    }

    @Test("A preset gives way to the feed's own members, name by name")
    func merge() throws {
        let feed = try feed(
            """
            preset: github.search
            url: http://127.0.0.1:1/s
            query: {sort: null, per_page: 30, q: x}
            headers: {accept: text/plain}
            columns: {topics: null, license: license.key}
            pagination: {total: null, first: 2}
            responses: null
            model: null
            """)
        #expect(feed.url.description == "http://127.0.0.1:1/s")
        #expect(feed.query.map { "\($0.name)=\($0.value)" } == ["q=x", "order=desc", "per_page=30"])
        #expect(
            feed.headers.map { "\($0.name)=\($0.value)" } == ["accept=text/plain", "X-GitHub-Api-Version=2022-11-28"])
        #expect(feed.columns.map(\.name).contains("license"))
        #expect(!feed.columns.map(\.name).contains("topics"))
        #expect(feed.pagination.canonicalText == "page param page first 2 size_param per_page size 100")
        #expect(feed.responses.isEmpty)
        #expect(feed.model == nil)
    }

    @Test("A preset gives way as a whole to another style of paging")
    func otherStyle() throws {
        #expect(try feed("preset: github.search\npagination: {style: none}\n").pagination.canonicalText == "none")
        #expect(try feed("preset: github.search\npagination: none\n").pagination.canonicalText == "none")
        let same = try feed("preset: github.search\npagination: page\n").pagination
        #expect(same.canonicalText == (try feed("preset: github.search\n").pagination.canonicalText))
    }

    @Test("A preset's parameters are put into the URL, escaped, references too")
    func parameters() throws {
        let feed = try feed("preset: github.repo\nwith: {owner: \"a/ü?\", repo: \"${REPO}\"}\n")
        #expect(feed.url.description == "https://api.github.com/repos/a%2F%C3%BC%3F/${REPO}")
        #expect(feed.url.references == [.environment("REPO")])
    }

    @Test("A preset needs no parameter that the feed's own URL does not mention")
    func unusedParameter() throws {
        #expect(
            try feed("preset: github.repo\nurl: http://127.0.0.1/{owner}\nwith: {owner: a}\n").url.description
                == "http://127.0.0.1/a")
    }

    @Test(
        "A preset with wrong parameters is reported",
        arguments: [
            ("preset: github.org", "f:1:1: feed `x` needs `with: {org: …}` for the URL of its preset `github.org`"),
            (
                "preset: github.org\nwith: {orgs: apple}",
                "f:2:8: unknown member `orgs` in `with` of feed `x`; did you mean `org`?"
            ),
            (
                "preset: github.search\nauth: {query: {q: x}}",
                "f:1:1: `query` of feed `x` has `q`, which its `auth` sets"
            ),
            ("preset: github.search\nwith: {q: apple}", "f:2:8: unknown member `q` in `with` of feed `x`"),
            (
                "preset: github.search\ncolumns: {starz: null}",
                "f:2:18: `starz` of `columns` of feed `x` must be text, not nothing"
            ),
        ])
    func diagnostics(yaml: String, expected: String) {
        let error = #expect(throws: ConfigurationError.self) { try feed(yaml) }
        #expect(error?.diagnostics.map(\.description).contains(expected) == true, "\(String(describing: error))")
    }
}
