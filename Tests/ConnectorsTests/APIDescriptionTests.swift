import Feeds
import Testing

@testable import Connectors

@Suite struct APIDescriptionTests {
    private func api(_ text: String, source: String = "api.yaml") throws -> APIDescription {
        try APIDescription(Array(text.utf8), source: source)
    }

    private func lines(
        _ text: String, _ paths: [String], _ given: [(String, String)] = [], hasColumns: Bool = false,
        source: String = "api.yaml"
    ) throws -> [String] {
        let result = try api(text, source: source).translation(
            of: paths, given: given.map { (name: $0.0, value: $0.1) }, hasColumns: hasColumns)
        let lines = result.feeds.flatMap(\.entry.lines)
        _ = try Configuration.parse(Array("feeds:\n\(lines.joined(separator: "\n"))\n".utf8), file: "")
        return lines.map { String($0.dropFirst(2)) }
    }

    @Test(
        "The lists of a document are found with items, key, pagination and sign-in",
        arguments: [
            (
                APIDocuments.link,
                [
                    "/repos/{owner}/{repo}/issues $ id {style: link, size_param: per_page, size: 100} - owner,repo",
                    "/search/repositories items id {style: link, total: total_count, size_param: per_page, size: 100} - q",
                ]
            ),
            (
                APIDocuments.keyset,
                [
                    "/v1/charges data id {style: keyset, param: starting_after, from: id, more: has_more, size_param: limit, size: 100} bearer ",
                    "/v1/charges/search data id {style: cursor, param: page, next: next_page, more: has_more} bearer query",
                ]
            ),
            (
                APIDocuments.continued,
                [
                    "/api/v1/namespaces/{namespace}/pods items metadata.uid {style: cursor, param: continue, next: metadata.continue} header authorization namespace",
                    "/api/v1/namespaces items metadata.uid - header authorization ",
                ]
            ),
            (
                APIDocuments.numbered,
                [
                    "/orgs $ id {style: page, param: page, first: 1, size_param: limit, size: 50} header Authorization ",
                    "/orgs/{org}/repos $ id {style: page, param: page, first: 1} header Authorization org",
                    // A page's index may begin at 0.
                    "/orgs/{id}/teams $ id - header Authorization id",
                ]
            ),
            (
                APIDocuments.token,
                [
                    "/files files id {style: cursor, param: pageToken, next: nextPageToken, size_param: pageSize, size: 1000} oauth2 "
                ]
            ),
            (
                APIDocuments.links,
                [
                    #"/articles data id {style: next_url, next: links.next, total: meta.total, size_param: "page[size]", size: 50} - "#
                ]
            ),
            (
                APIDocuments.linked,
                [
                    #"/People value ID {style: next_url, next: "\"@odata.nextLink\"", total: "\"@odata.count\""} - "#
                ]
            ),
        ] as [(String, [String])])
    func found(text: String, expected: [String]) throws {
        let lists = try api(text).lists.map { list in
            let list = list.collection
            return
                "\(list.path) \(list.items) \(list.key ?? "-") \(list.pagination ?? "-") \(list.signIn ?? "-") \(list.needs.joined(separator: ","))"
        }
        #expect(lists == expected)
    }

    @Test("A list that is elsewhere is left out, with the reason")
    func elsewhere() throws {
        let leftOut = try api(APIDocuments.numbered).leftOut
        #expect(leftOut.map(\.stream) == ["/elsewhere"])
        #expect(leftOut.first?.fault.problem == "`other.yaml#/List` is in another document, which is not read")
    }

    @Test("A list becomes lines of a configuration, with the values that are given")
    func written() throws {
        #expect(
            try lines(APIDocuments.link, ["/repos/{owner}/{repo}/issues"], [("owner", "a b"), ("repo", "swift")]) == [
                "issues:", "  url: https://api.example.com/repos/a%20b/swift/issues", "  items: $", "  key: id",
                "  pagination: {style: link, size_param: per_page, size: 100}",
            ])
        #expect(
            try lines(APIDocuments.numbered, ["/orgs"]) == [
                "orgs:", "  url: https://git.example.com/api/v1/orgs",
                #"  auth: {header: {Authorization: "${AUTHORIZATION_HEADER_TOKEN}"}}"#, "  items: $", "  key: id",
                "  pagination: {style: page, param: page, first: 1, size_param: limit, size: 50}",
            ])
        #expect(
            try lines(APIDocuments.token, ["/files"], [("region", "us")]).prefix(10) == [
                "files:", "  url: https://us.example.com/v3/files", "  auth:", "    oauth2:",
                "      token_url: https://us.example.com/oauth/token", #"      client_id: "${OAUTH2_ID}""#,
                #"      client_secret: "${OAUTH2_SECRET}""#, "      scope: files.read", "  items: files", "  key: id",
            ])
    }

    @Test("A path may have its values, and columns their types")
    func paths() throws {
        let issues = try lines(APIDocuments.link, ["/repos/apple/swift/issues"], hasColumns: true)
        #expect(issues.contains("  url: https://api.example.com/repos/apple/swift/issues"))
        #expect(issues.contains("    id: {path: id, type: integer}"))
        #expect(issues.contains("    created_at: {path: created_at, type: timestamp}"))
        let articles = try lines(
            APIDocuments.links, ["/articles"], hasColumns: true, source: "https://docs.example.com/v2/openapi.json")
        #expect(articles.contains("  url: https://docs.example.com/articles"))
        #expect(articles.contains("    attributes_words: {path: attributes.words, type: integer}"))
    }

    @Test("A parameter that the pagination sets is neither asked for nor written twice, and a page's size may be given")
    func paged() throws {
        let text = """
            openapi: 3.0.0
            servers: [{url: "https://api.example.com"}]
            paths:
              /things:
                get:
                  parameters:
                    - {name: page, in: query, required: true, schema: {type: integer}}
                    - {name: limit, in: query, required: true, schema: {type: integer, default: 20, maximum: 50}}
                  responses:
                    200: {content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/thing'}}}}}
            components: {schemas: {thing: {type: object, properties: {id: {type: integer}, name: {type: string}}}}}
            """
        #expect(try api(text).lists.map(\.collection.needs) == [[]])
        let members = ["things:", "  url: https://api.example.com/things", "  items: $", "  key: id"]
        let paging = { (size: Int) in
            "  pagination: {style: page, param: page, first: 1, size_param: limit, size: \(size)}"
        }
        #expect(try lines(text, ["/things"]) == members + [paging(50)])
        #expect(try lines(text, ["/things"], [("limit", "30")]) == members + [paging(30)])
        #expect(try lines(text, ["/things"], [("page", "2")]) == members + [paging(50)])
        let notes = try api(text).translation(of: ["/things"], given: [(name: "page", value: "2")]).feeds.map(\.notes)
        #expect(notes == [["its pagination sets page, whatever value is given"]])
    }

    @Test("The column of another list gives a parameter, and two feeds have two names")
    func columns() throws {
        let all = try lines(APIDocuments.numbered, ["/orgs", "/orgs/{org}/repos"], [("org", "swift")])
        #expect(all.filter { $0.hasSuffix(":") && !$0.hasPrefix(" ") } == ["orgs:", "repos:"])
        let result = try api(APIDocuments.numbered).translation(
            of: ["/orgs/{org}/repos"], given: [(name: "org", value: "{orgs.name}")])
        #expect(result.feeds.first?.entry.lines.contains { $0.contains("/orgs/{orgs.name}/repos") } == true)
    }

    @Test(
        "Values that are missing and names that are unknown are named, with words to paste",
        arguments: [
            (APIDocuments.link, ["/search/repositories"], [], "/search/repositories needs q", "--set q=language:swift"),
            (
                APIDocuments.link, ["issues/list"], [("repo", "r")], "/repos/{owner}/{repo}/issues needs owner",
                "--set owner=octo"
            ),
            (
                APIDocuments.numbered, ["/orgs/{id}/teams"], [],
                "/orgs/{id}/teams needs id|/orgs lists its values: {orgs.id} makes a list for each row of the feed orgs",
                "--set 'id={orgs.id}'"
            ),
            // A text is not a number.
            (
                APIDocuments.numbered, ["/orgs/{org}/repos"], [], "/orgs/{org}/repos needs org", "--set org=…"
            ),
            (
                APIDocuments.continued, ["/api/v1/namespaces"], [],
                "the document does not say at which host the API is",
                "--set server=https://…"
            ),
            (
                APIDocuments.link, ["/search/repos"], [], "api.yaml has no list at /search/repos",
                "feedsync add --openapi api.yaml  # lists them"
            ),
            (
                APIDocuments.numbered, ["/orgs"], [("pag", "1")],
                "nothing that was chosen has a parameter pag; did you mean page?",
                "its parameters are AuthorizationHeaderToken, limit, page, server"
            ),
            (
                APIDocuments.numbered, ["/elsewhere"], [],
                "/elsewhere is left out: `other.yaml#/List` is in another document, which is not read",
                "add it with feedsync add NAME URL"
            ),
        ] as [(String, [String], [(String, String)], String, String)])
    func missing(text: String, paths: [String], given: [(String, String)], problem: String, advice: String) throws {
        let api = try api(text)
        let error = #expect(throws: ConnectorError.self) {
            try api.translation(of: paths, given: given.map { (name: $0.0, value: $0.1) })
        }
        #expect(error?.messages.joined(separator: "|") == problem)
        #expect(error?.advice == advice)
    }

    @Test(
        "A text that is not such a document is refused",
        arguments: [
            ("{\"openapi\": \"3.0.0\",", "api.yaml: this is not JSON"),
            ("a: b\n", "api.yaml: this is not an OpenAPI document: it has neither `openapi` nor `swagger`"),
            ("a: [\n", "api.yaml:"),
            ("", "api.yaml: this is not an OpenAPI document"),
            ("swagger: 1.2\n", "api.yaml: version 1.2 is not supported; OpenAPI 3.0 and 3.1 and Swagger 2.0 are"),
            ("openapi: 4.0.0\n", "api.yaml: version 4.0.0 is not supported"),
        ])
    func refused(text: String, problem: String) throws {
        let error = #expect(throws: ConnectorError.self) { try api(text) }
        #expect(error?.messages.first?.hasPrefix(problem) == true, "\(error?.messages ?? [])")
    }

    @Test("Schemas inside themselves, references in a circle and odd values end")
    func hostile() throws {
        let circle = """
            openapi: 3.0.0
            paths:
              /a: {get: {responses: {200: {$ref: '#/paths/~1a/get/responses/200'}}}}
              /b: {get: {responses: {200: {content: {application/json: {schema: {$ref: '#/components/schemas/b'}}}}}}}
              /c: {get: {responses: {200: {content: {application/json: {schema: {$ref: '#/components/schemas/c'}}}}}}}
              /d: {get: {responses: [1], parameters: {x: y}}}
              /e: 7
              /f: {get: {parameters: [{name: limit, in: query, schema: {maximum: 1e300}}], responses: {200: {content: {x/json: {schema: {type: array, items: {type: object, properties: {id: {type: [integer, string]}}}}}}}}}}
            components:
              schemas:
                b: {allOf: [{$ref: '#/components/schemas/b'}]}
                c: {type: array, items: {type: object, properties: {id: {type: string}, inner: {$ref: '#/components/schemas/c'}}}}
            """
        let api = try api(circle)
        #expect(api.lists.map(\.path) == ["/c", "/f"])
        #expect(
            api.leftOut.map { "\($0.stream) \($0.fault.problem)" } == [
                "/a a `$ref` leads back to itself", "/b a schema is inside itself",
            ])
    }
}
