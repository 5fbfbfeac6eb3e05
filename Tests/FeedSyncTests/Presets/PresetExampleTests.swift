import Foundation
import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync

@Suite("A preset, against what its upstream answers")
struct PresetExampleTests {
    @Test("A preset mirrors every page as the upstream documents it, to the end", arguments: try PresetExample.all)
    func mirrored(example: PresetExample) async throws {
        let bench = try await EngineBench()
        let address = try #require(try example.definition().url.description.dropping(prefix: example.origin))
        let example = example.serve(on: bench.server)
        let definition = try example.definition(url: bench.server.url + address)
        let engine = try await bench.another(definition)

        let summary = try await engine.perform(.allPages)
        #expect(summary.outcome == .ok)
        let expected = example.pages.map { target(ServerRequest(target: $0.target)) }
        let requested = bench.server.requests.map(target)
        #expect(Array(requested.prefix(expected.count)) == expected)
        // A count that ends a list of full pages is checked.
        #expect(requested.count <= expected.count + 1, "\(requested)")
        let items = try example.items(at: definition.items?.path)
        for column in definition.columns {
            let values = items.map { $0.value(at: column.path) }
            let expected = try values.map { try $0.quoted(as: column.type) }
            #expect(try bench.stored(column, where: values) == expected, "\(column.name)")
        }
        if let model = definition.model {
            // A query of the view needs no quoted names.
            let names = definition.columns.map(\.name).joined(separator: ", ")
            #expect(try bench.query("SELECT feed, \(names) FROM \(model)").count == items.count)
        }
        #expect(
            try bench.feed("status, no_more_data, complete, item_count") == "noMoreData|1|1|\(items.count)")

        let stored = try bench.query("SELECT rowid, * FROM things")
        #expect(try await engine.perform(.nextPage).outcome == .noMoreData)
        #expect(try await engine.perform(.reload).outcome == .unchanged)
        _ = try await engine.perform(.allPages)
        #expect(try bench.query("SELECT rowid, * FROM things") == stored)
        #expect(try bench.feed("no_more_data, complete, item_count") == "1|1|\(items.count)")
        #expect(grammarFault(try bench.log) == nil)
    }

    @Test(
        "A preset's example has pages enough, and every column filled somewhere in them",
        arguments: try PresetExample.all)
    func telling(example: PresetExample) throws {
        let definition = try example.definition()
        #expect(example.source.contains("https://") || example.source.contains("Sources/"))
        guard !(definition.pagination is SinglePagePaginator) else { return }
        #expect(example.pages.count > 1)
        let items = try example.items(at: definition.items?.path)
        for column in definition.columns {
            #expect(items.contains { $0.value(at: column.path) != .null }, "nothing at \(column.path)")
        }
    }

    @Test(
        "A preset requests changes since a time, if its API can, in the form of its items",
        arguments: [
            ("github.issues", "since"), ("github.commits", "since"), ("gitlab.issues", "updated_after"),
            ("gitlab.projects", "last_activity_after"), ("wordpress.posts", "modified_after"),
            ("stackexchange.questions", "min"), ("redmine.issues", "updated_on"),
        ])
    func since(name: String, parameter: String) async throws {
        let bench = try await EngineBench()
        let example = try PresetExample(name)
        let address = try #require(try example.definition().url.description.dropping(prefix: example.origin))
        let served = example.serve(on: bench.server)
        let definition = try served.definition(url: bench.server.url + address)
        guard case .since(let watermark) = definition.sync else {
            Issue.record("it has another mode")
            return
        }
        let items = try served.items(at: definition.items?.path)
        let path = try #require(watermark.path)
        #expect(items.allSatisfy { $0.value(at: path) != .null }, "every item tells how far it reaches")
        let engine = try await bench.another(definition)
        let first = try await engine.perform(.sync)
        #expect(first.reason == nil && first.notices.isEmpty, "\(first.notices)")
        #expect(bench.server.requests.allSatisfy { $0.parameter(parameter) == nil })
        let count = bench.server.requests.count
        _ = try await engine.perform(.sync)
        let sent = try #require(bench.server.requests[count].parameter(parameter))
        let around = watermark.value.split(separator: "{watermark}", omittingEmptySubsequences: false)
        #expect(sent.hasPrefix(around[0]) && sent.hasSuffix(around[1]))
        let mark = String(sent.dropFirst(around[0].count).dropLast(around[1].count))
        let isTime = Timestamp(mark) != nil || mark.allSatisfy(\.isNumber) && mark.count == 10
        #expect(isTime, "\(sent)")
    }

    @Test("A preset has an example that answers requests of users without the preset, too")
    func withoutPreset() async throws {
        let bench = try await EngineBench()
        let example = try PresetExample("github.search").serve(on: bench.server)
        let engine = try await bench.another(
            try EngineBench.definition(
                "url: \(example.origin)/search/repositories\n\(EngineBench.columns)\npagination: page"))
        _ = try await engine.perform(.allPages)
        #expect(try bench.feed("no_more_data, item_count") == "1|4")
        #expect(bench.server.requests.map { $0.parameter("page") } == ["1", "2", "3"])
    }

    @Test("A preset continues where GitHub reports a repository without commits")
    func emptyRepository() async throws {
        let bench = try await EngineBench()
        let path = "/repos/octocat/empty/commits"
        bench.server.enqueue(path, [.json(#"{"message":"Git Repository is empty."}"#, status: 409)])
        let engine = try await bench.another(
            try EngineBench.definition(
                "preset: github.commits\nwith: {owner: octocat, repo: empty}\nurl: \(bench.server.url)\(path)"))
        _ = try await engine.perform(.allPages)
        #expect(try bench.feed("status, item_count, error IS NULL") == "noMoreData|0|1")
    }

    @Test(
        "A preset takes a report of too many requests neither for a page nor for the end",
        arguments: [
            (
                "stackexchange.questions", "with: {site: stackoverflow}", 400,
                #"{"error_id":502,"error_message":"too many requests","error_name":"throttle_violation"}"#
            ),
            (
                "mediawiki.allpages", "with: {host: wiki.example.org}", 200,
                #"{"error":{"code":"maxlag","info":"Waiting for a database server: 6 seconds lagged."}}"#
            ),
            (
                "mediawiki.allpages", "with: {host: wiki.example.org}", 200,
                #"{"error":{"code":"ratelimited","info":"You've exceeded your rate limit."}}"#
            ),
        ])
    func throttled(name: String, with: String, status: Int, body: String) async throws {
        let bench = try await EngineBench()
        bench.server.enqueue("/things", [.json(body, status: status)])
        let engine = try await bench.another(
            try EngineBench.definition("preset: \(name)\n\(with)\nurl: \(bench.server.url)/things\nretries: 0"))
        _ = try await bench.failure(.reload, engine)
        #expect(try bench.feed("no_more_data, item_count") == "0|0")
    }

    @Test(
        "A preset with only the first thousand matches reports that, and is not complete",
        arguments: [
            (
                "hackernews.search", ServerResponse.json(#"{"hits":[],"nbHits":5,"nbPages":2,"page":2}"#),
                #"{"hits":[{"objectID":"%"}],"nbHits":5,"nbPages":2}"#
            ),
            (
                "github.search",
                ServerResponse.json(#"{"message":"Only the first 1000 search results are available"}"#, status: 422),
                #"{"items":[{"id":%}],"total_count":5}"#
            ),
        ])
    func capped(name: String, end: ServerResponse, page: String) async throws {
        let bench = try await EngineBench()
        let pages = ["1", "2"].map { ServerResponse.json(page.replacing("%", with: $0)) }
        bench.server.enqueue("/things", pages + [end])
        let engine = try await bench.another(
            try EngineBench.definition("preset: \(name)\nurl: \(bench.server.url)/things"))
        let summary = try await engine.perform(.allPages)
        #expect(summary.isAtEnd)
        #expect(try bench.feed("no_more_data, complete, item_count") == "1|0|2")
        #expect(try bench.query("SELECT complete, reason FROM run") == ["0|cap"])
    }

    private func target(_ request: ServerRequest) -> String {
        request.rawPath + request.query.map { " \($0.name)=\($0.value)" }.joined()
    }
}

extension EngineBench {
    /// A column's values in feed order as `quote()` shows them; JSON that says the same as expected as that.
    fileprivate func stored(_ column: ColumnDefinition, where expected: [ExpectedValue]) throws -> [String] {
        let rows = "FROM things ORDER BY _generation DESC, _position"
        let texts = try query("SELECT CAST(\"\(column.name)\" AS TEXT) \(rows)")
        let quoted = try query("SELECT quote(\"\(column.name)\") \(rows)")
        return try quoted.enumerated().map { row, quoted in
            guard row < expected.count, expected[row].isStoredAsJSON else { return quoted }
            return try ExpectedValue(texts[row]) == expected[row] ? ExpectedValue.json : quoted
        }
    }
}

extension String {
    func dropping(prefix: String) -> Substring? {
        hasPrefix(prefix) ? dropFirst(prefix.count) : nil
    }
}
