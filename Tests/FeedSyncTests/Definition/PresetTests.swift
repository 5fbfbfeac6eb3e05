import FeedSync
import Foundation
import Testing

@Suite("A preset")
struct PresetTests {
    private func feed(_ yaml: String) throws(ConfigurationError) -> FeedDefinition {
        try FeedDefinition.parse(name: "x", yaml: yaml, file: "f")
    }

    @Test("is shipped for each file, under the file's name")
    func files() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../Sources/FeedSync/Presets")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".yaml") }
        #expect(try Preset.all.map { $0.name + ".yaml" }.sorted() == files.sorted())
        #expect(try Preset.all.allSatisfy { !$0.description.isEmpty })
    }

    @Test(
        "is a whole feed but for its parameters",
        arguments: [
            ("github.search", "", "repository", 15, "https://api.github.com/search/repositories"),
            (
                "github.repo", "with: {owner: apple, repo: swift}", "repository", 15,
                "https://api.github.com/repos/apple/swift"
            ),
            ("github.org", "with: {org: apple}", "organization", 10, "https://api.github.com/orgs/apple"),
            ("qf56.anchors", "", "anchor", 8, "http://qf.56.com/home/v4/moreAnchor.ios"),
        ])
    func whole(name: String, with: String, model: String, columns: Int, url: String) throws {
        let feed = try feed("preset: \(name)\n\(with)\n")
        #expect(feed.presetName == name)
        #expect(feed.model == model)
        #expect(feed.columns.count == columns)
        #expect(feed.url.description == url)
    }

    @Test("asks GitHub's search as its documentation says")
    func search() throws {
        let feed = try feed("preset: github.search\nquery: {q: language:swift}\n")
        let base = PageRequest(
            url: feed.url.description,
            query: feed.query.map { PageRequest.Parameter(name: $0.name, value: $0.value.description) })
        let request = try feed.pagination.request(for: Continuation("2"), base: base)
        #expect(
            request.query.map { "\($0.name)=\($0.value)" }
                == ["q=language:swift", "sort=stars", "order=desc", "per_page=100", "page=2"])
        #expect(feed.responses == (try FeedDefinition.parse(name: "y", yaml: "preset: github.search").responses))
        #expect(feed.responses.first?.status == 422)
    }

    @Test("gives way to the feed's own members, name by name")
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

    @Test("gives way as a whole to another style of paging")
    func otherStyle() throws {
        #expect(try feed("preset: github.search\npagination: {style: none}\n").pagination.canonicalText == "none")
        #expect(try feed("preset: github.search\npagination: none\n").pagination.canonicalText == "none")
        let same = try feed("preset: github.search\npagination: page\n").pagination
        #expect(same.canonicalText == (try feed("preset: github.search\n").pagination.canonicalText))
    }

    @Test("puts its parameters into the URL, escaped, references too")
    func parameters() throws {
        let feed = try feed("preset: github.repo\nwith: {owner: \"a/ü?\", repo: \"${REPO}\"}\n")
        #expect(feed.url.description == "https://api.github.com/repos/a%2F%C3%BC%3F/${REPO}")
        #expect(feed.url.references == [.environment("REPO")])
    }

    @Test("needs no parameter that the feed's own URL does not mention")
    func unusedParameter() throws {
        #expect(
            try feed("preset: github.repo\nurl: http://127.0.0.1/{owner}\nwith: {owner: a}\n").url.description
                == "http://127.0.0.1/a")
    }

    @Test(
        "whose parameters are not given rightly says so",
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
    func mistakes(yaml: String, expected: String) {
        let error = #expect(throws: ConfigurationError.self) { try feed(yaml) }
        #expect(error?.mistakes.map(\.description).contains(expected) == true, "\(String(describing: error))")
    }
}
