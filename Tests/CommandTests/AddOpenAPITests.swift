import HTTPServer
import ScriptedServer
import Testing

@Suite struct AddOpenAPITests {
    /// A document with one list, `/things`, whose parameters, members and header fields are those.
    private func document(
        _ place: Workplace, parameters: [String], members: [String] = [], header: String? = nil
    ) -> String {
        let parameters = parameters.map { name in
            let type = ["page", "offset", "per_page", "limit"].contains(name) ? "integer, maximum: 10" : "string"
            return "{name: \(name), in: query, schema: {type: \(type)}}"
        }
        let properties = members + ["items: {type: array, items: {$ref: '#/components/schemas/thing'}}"]
        let headers = header.map { "headers: {\($0): {schema: {type: string}}}, " } ?? ""
        let schema = "{type: object, properties: {\(properties.joined(separator: ", "))}}"
        return """
            openapi: 3.1.0
            servers: [{url: \(place.server.url)}]
            paths:
              /things:
                get:
                  parameters: [\(parameters.joined(separator: ", "))]
                  responses: {"200": {\(headers)content: {application/json: {schema: \(schema)}}}}
              /things/{thing}: {get: {responses: {"200": {content: {application/json: {schema: {$ref: '#/components/schemas/thing'}}}}}}}
            components: {schemas: {thing: {type: object, properties: {name: {type: string}, id: {type: integer}}}}}

            """
    }

    private static let total = "total_count: {type: integer}"

    @Test(
        "A list that is added from a document is mirrored as a whole",
        arguments: [
            (.page, .emptyPage, ["page", "per_page"], [Self.total], nil, "style: page"),
            (.page, .emptyPage, ["page"], [], nil, "style: page"),
            (.offset, .emptyPage, ["offset", "limit"], [], nil, "style: offset"),
            (.cursor, .null, ["after", "per_page"], ["next: {type: [string, 'null']}"], nil, "style: cursor"),
            (.nextURL, .null, ["per_page"], ["next: {type: string, format: uri}"], nil, "style: next_url"),
            (.link, .absent, ["page", "per_page"], [], "Link", "style: link"),
            // The document does not say that `after` takes an id: the first page does.
            (.keyset, .emptyPage, ["after"], [], nil, nil),
            (.nextURL, .absent, [], [], nil, nil),
        ] as [(PagedFeed.Style, PagedFeed.End, [String], [String], String?, String?)])
    func mirrored(
        style: PagedFeed.Style, end: PagedFeed.End, parameters: [String], members: [String], header: String?,
        written: String?
    ) async throws {
        let place = try Workplace.withoutConfiguration()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...35), style: style, end: end, mostPerPage: 10))
        try place.write("api.yaml", document(place, parameters: parameters, members: members, header: header))
        let add = try await place.run("add --openapi api.yaml /things")
        #expect(add.code == 0, "\(add.errors)")
        let lines = try place.text(of: "feedsync.yaml")
        #expect(lines.contains("    items: items\n    key: id\n"), "\(lines)")
        #expect(written.map(lines.contains) ?? !lines.contains("pagination"), "\(lines)")
        let sync = try await place.run("sync things")
        #expect(sync.code == 0, "\(sync.errors)")
        let rows = try await place.shell("\"$FEEDSYNC\" sql 'SELECT count(*), min(id), max(id) FROM things'")
        #expect(rows.output == "count(*)\tmin(id)\tmax(id)\n35\t1\t35\n")
    }

    @Test("Without a path, the lists are printed with what is known of them, and nothing is written")
    func listed() async throws {
        let place = try Workplace.withoutConfiguration()
        try place.write("api.yaml", document(place, parameters: ["page"], members: [Self.total]))
        let run = try await place.run("add --openapi api.yaml")
        #expect(
            run.output
                == "path\titems\tkey\tpagination\tsign_in\tneeds\tsummary\n/things\titems\tid\t{style: page, param: page, total: total_count, first: 1}\t\t[]\t\n"
        )
        let json = try await place.run("add --openapi api.yaml --json")
        #expect(
            json.output == """
                [
                {"path":"/things","items":"items","key":"id","pagination":"{style: page, param: page, total: total_count, first: 1}","sign_in":null,"needs":[],"summary":"","version":1}
                ]

                """)
        #expect(!place.files.contains("feedsync.yaml"))
    }

    @Test("A document is read from its URL, which its relative server refers to")
    func fetched() async throws {
        let place = try Workplace.withoutConfiguration()
        let text = document(place, parameters: ["page"]).replacing("url: \(place.server.url)", with: "url: /")
        place.server.route("/docs/openapi.yaml") { _ in .json(text) }
        let url = "\(place.server.url)/docs/openapi.yaml"
        let dry = try await place.run("add --openapi \(url) /things --dry-run --columns")
        #expect(
            dry.output == """
                  things:
                    url: \(place.server.url)/things
                    items: items
                    key: id
                    columns:
                      id: {path: id, type: integer}
                      name: {path: name, type: text}
                    pagination: {style: page, param: page, first: 1}

                """, "\(dry.errors)")
        #expect(try await place.run("add --openapi \(place.server.url)/none /things").code == 69)
    }

    @Test(
        "--openapi says what is wrong with its words and its file",
        arguments: [
            ("none.yaml", 64, "none.yaml cannot be read: No such file or directory"),
            ("other.yaml", 65, "other.yaml: this is not an OpenAPI document"),
            ("empty.yaml", 65, "empty.yaml: no GET of the document answers with a list of objects"),
            ("api.yaml /thing", 64, "api.yaml has no list at /thing; did you mean /things?"),
            ("api.yaml /things --set nam=1", 64, "nothing that was chosen has a parameter nam"),
            ("api.yaml /things --set page", 64, "--set must have the form NAME=VALUE"),
            ("api.yaml /things --set kind={others.id}", 64, "which does not exist"),
        ] as [(String, Int32, String)])
    func faults(words: String, code: Int32, message: String) async throws {
        let place = try Workplace.withoutConfiguration()
        try place.write("api.yaml", document(place, parameters: ["page", "kind"]))
        try place.write("other.yaml", "other: 1.1\n")
        try place.write("empty.yaml", "openapi: 3.0.0\npaths: {}\n")
        let run = try await place.run("add --openapi \(words)")
        #expect(run.code == code, "\(run.errors)")
        #expect(run.errors.contains(message), "\(run.errors)")
        #expect(!place.files.contains("feedsync.yaml"))
    }
}
