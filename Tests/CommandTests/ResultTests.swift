import Foundation
import HTTPServer
import PostgreSQLServer
import SchemaChecker
import ScriptedServer
import Testing

@testable import Command

@Suite("The output of --json") struct ResultTests {
    private func schema() async throws -> String {
        try await Workplace([]).run("schema results").output
    }

    /// A folder with two feeds, of which one has items, changes and a failed run.
    private func place() async throws -> Workplace {
        let place = try Workplace(["things", "idle"], extra: "section: kind")
        let lists = [
            #"{"total_count":2,"items":[{"id":1,"name":"one","kind":"a"},{"id":2,"name":"two","kind":"b"}]}"#,
            #"{"total_count":2,"items":[{"id":1,"name":"ONE","kind":"a"},{"id":3,"name":"three","kind":"b"}]}"#,
        ]
        for list in lists {
            place.server.route("/things") { request in
                request.parameter("page") == "1"
                    ? .json(
                        list,
                        headers: [
                            (name: "X-RateLimit-Remaining", value: "5"),
                            (name: "X-RateLimit-Reset", value: "9999999999"),
                        ])
                    : .json(#"{"total_count":2,"items":[]}"#)
            }
            #expect(try await place.run("sync things").code == 0)
        }
        place.server.route("/idle") { _ in .json("no JSON") }
        #expect(try await place.run("sync idle").code == 65)
        place.server.route("/new", to: PagedFeed(PagedFeed.items(1...25)))
        return place
    }

    @Test("Every command that takes --json is in the schema, but for those that print rows")
    func commands() async throws {
        let object = try JSONSerialization.jsonObject(with: Data(try await schema().utf8)) as? [String: Any]
        let named = try #require(object?["properties"] as? [String: Any]).keys
        let takers = Command.all.filter { $0.takes(.json) }.map(\.name)
        let described = Set(named.compactMap { $0.split(separator: " ").first.map(String.init) })
        #expect(described.union(["show", "search", "sql"]) == Set(takers).subtracting(["demo"]))
    }

    /// Each command in turn, the property of the schema before it.
    private static let commands = [
        ("plan", "plan"), ("status", "status"), ("feeds", "feeds"), ("path", "path"), ("path", "path store"),
        ("path", "path configuration"), ("explain", "explain things"), ("explain", "explain idle"),
        ("explain --response", "explain idle --response"), ("presets", "presets"), ("presets", "presets github.repo"),
        ("check", "check"), ("check --online", "check --online"), ("doctor", "doctor"), ("events", "events"),
        ("changes", "changes"), ("reload", "reload things idle"), ("more", "more things"), ("sync", "sync"),
        ("prune", "prune"), ("backup", "backup copy.db"), ("store", "store copy feedsync.db DATABASE"),
        ("rekey", "rekey things"), ("reset", "reset things"),
        ("add", "add new URL/new --dry-run"), ("add", "add new URL/new"), ("add", "add other qf56.anchors"),
        ("add --openapi", "add --openapi api.yaml"), ("add --openapi", "add --openapi api.yaml /pets"),
        ("rename", "rename things others"), ("remove", "remove idle"), ("remove --data", "remove others --data --yes"),
    ]

    private static let document = """
        openapi: 3.0.0
        servers: [{url: "https://example.com"}]
        paths:
          /pets: {get: {responses: {200: {content: {"*/*": {schema: {type: array, items: {properties: {id: {}}}}}}}}}}

        """

    @Test("The output of --json matches the schema")
    func objects() async throws {
        let place = try await place()
        let schema = try await schema()
        try place.write("api.yaml", Self.document)
        for (property, words) in Self.commands {
            let database = words.contains("DATABASE") ? try PostgreSQLServer.database() : ""
            let run = try await place.run(
                "\(words) --json".replacing("URL", with: place.server.url).replacing("DATABASE", with: database))
            let checker = try SchemaChecker(schema, property: property)
            let isLines = ["events", "changes"].contains(property)
            let texts = isLines ? run.output.split(separator: "\n").map(String.init) : [run.output]
            #expect(!texts.isEmpty, "\(words)")
            for text in texts { #expect(try checker.problems(with: text) == [], "\(words): \(text)") }
            #expect(run.output.contains("\"version\":1}"), "\(words): \(run.errors)")
            #expect(isLines || run.output.hasPrefix("[\n{") && run.output.hasSuffix("}\n]\n"), "\(words)")
        }
    }

    @Test("A member that goes, comes or changes its type is noticed")
    func mistakes() async throws {
        let checker = try SchemaChecker(try await schema(), property: "reset")
        #expect(try checker.problems(with: #"[{"feed":"a","is_stored":true,"version":1}]"#) == [])
        for wrong in [
            #"{"feed":"a","is_stored":true,"version":1}"#, #"[{"feed":"a","is_stored":true}]"#,
            #"[{"feed":"a","is_stored":1,"version":1}]"#, #"[{"feed":"a","is_stored":true,"version":2}]"#,
            #"[{"feed":"a","is_stored":true,"version":1,"more":0}]"#, #"[{"feed":null,"is_stored":true,"version":1}]"#,
        ] {
            #expect(try !checker.problems(with: wrong).isEmpty, "\(wrong)")
        }
    }

    @Test("Listings in a pipe have the same members as columns, in the same order")
    func tabs() async throws {
        let place = try await place()
        for command in ["status", "plan", "feeds", "presets", "events", "changes", "path"] {
            let lines = try await place.run(command).output.split(separator: "\n")
            let json = try await place.run("\(command) --json").output.split(separator: "\n")
                .filter { $0.hasPrefix("{") }
            #expect(lines.count == json.count + 1, "\(command)")
            let names = try #require(lines.first).split(separator: "\t").map(String.init)
            #expect(
                lines.allSatisfy { $0.split(separator: "\t", omittingEmptySubsequences: false).count == names.count },
                "\(command)")
            var rest = try #require(json.first)[...]
            for name in names {
                let place = try #require(rest.firstRange(of: "\"\(name)\":"), "\(command): \(name)")
                rest = rest[place.upperBound...]
            }
            #expect(rest.hasSuffix(#","version":1},"#) || rest.hasSuffix(#","version":1}"#), "\(command)")
        }
    }

    @Test("A list of nothing is nothing in a pipe, and an empty list in JSON")
    func nothing() async throws {
        let place = try Workplace([])
        try place.write("feedsync.yaml", "feeds: {}\n")
        for command in ["status", "plan", "feeds"] {
            #expect(try await place.run(command).output.isEmpty)
            #expect(try await place.run("\(command) --json").output == "[]\n")
        }
        #expect(try await place.run("changes").output.isEmpty)
    }

    @Test("Characters that would break a line or control a terminal are escaped")
    func escaped() async throws {
        let place = try Workplace()
        place.server.route("/things") { _ in .json(#"{"items":[{"id":1,"name":"a\tb\nc\\\u001b[1m"}]}"#) }
        #expect(try await place.run("reload things").code == 0)
        let line = try await place.run("changes").output.split(separator: "\n").last
        #expect(line?.contains(#"\#t1\#ta\tb\nc\\\u001b[1m\#t"#) == true, "\(line ?? "")")
    }
}
