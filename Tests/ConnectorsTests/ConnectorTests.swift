import Connectors
import Feeds
import Testing

@Suite struct ConnectorTests {
    @Test("A manifest becomes plain lines, with references and parameters put in, parents first")
    func whole() throws {
        let manifest = Manifest(
            """
            version: 6.1.0
            type: DeclarativeSource
            definitions:
              requester:
                type: HttpRequester
                url_base: "https://{{ config['region'] }}.example.com/v1"
                http_method: GET
                authenticator: {type: BearerAuthenticator, api_token: "{{ config['api_key'] }}"}
              selector:
                extractor: {field_path: ["{{ parameters['name'] }}"]}
              base:
                type: DeclarativeStream
                primary_key: id
                retriever:
                  type: SimpleRetriever
                  requester:
                    $ref: "#/definitions/requester"
                    path: "{{ parameters.path }}"
                  record_selector: {$ref: "#/definitions/selector"}
                  paginator:
                    type: DefaultPaginator
                    page_token_option: {type: RequestOption, inject_into: request_parameter, field_name: page}
                    page_size_option: {type: RequestOption, inject_into: request_parameter, field_name: limit}
                    pagination_strategy: {type: PageIncrement, start_from_page: 1, page_size: "{{ config['size'] }}"}
              teams:
                $ref: "#/definitions/base"
                $parameters: {name: teams, path: /teams}
                schema_loader:
                  type: InlineSchemaLoader
                  schema: {$ref: "#/schemas/teams"}
              members:
                $ref: "#/definitions/base"
                $parameters: {name: members}
                transformations: [{type: AddFields, fields: [{path: [team_id], value: "{{ stream_partition.team }}"}]}]
                retriever:
                  type: SimpleRetriever
                  record_selector: {$ref: "#/definitions/selector"}
                  requester:
                    $ref: "#/definitions/requester"
                    path: "/teams/{{ stream_partition.team }}/members"
                  partition_router:
                    - type: SubstreamPartitionRouter
                      parent_stream_configs:
                        - {type: ParentStreamConfig, parent_key: id, partition_field: team, stream: "#/definitions/teams"}
            streams:
              - "#/definitions/members"
              - {$ref: "#/definitions/teams"}
            schemas:
              teams:
                type: object
                properties:
                  id: {type: integer}
                  name: {type: [string, "null"]}
                  "odd name": {type: boolean}
                  share: {type: number}
                  tags: {type: array}
                  created_at: {type: string, format: date-time}
                  either: {type: [string, integer]}
            spec:
              connection_specification:
                required: [api_key, region]
                properties:
                  api_key: {type: string, airbyte_secret: true}
                  region: {type: string}
                  size: {type: integer, default: 50}
            """
        ).setting("region", "eu")
        let lines = try manifest.lines()
        #expect(
            lines == #"""
                teams:
                  url: https://eu.example.com/v1/teams
                  auth: {bearer: "${API_KEY}"}
                  items: teams
                  key: id
                  columns:
                    id: {path: id, type: integer}
                    name: {path: name, type: text}
                    odd name: {path: "\"odd name\"", type: boolean}
                    share: share
                    tags: {path: tags, type: json}
                    created_at: {path: created_at, type: timestamp}
                    either: either
                  pagination: {style: page, param: page, first: 1, size_param: limit, size: 50}
                members:
                  for_each: teams
                  url: "https://eu.example.com/v1/teams/{teams.id}/members"
                  auth: {bearer: "${API_KEY}"}
                  items: members
                  key: id
                  columns:
                    team_id: {value: "{teams.id}", type: integer}
                  pagination: none
                """#)
        let some = try manifest.translation(of: ["members"])
        #expect(some.feeds.map(\.isParent) == [true, false])
    }

    @Test("A feed that is there already stays, and one of its name at another URL gets a name of its own")
    func written() throws {
        let manifest = Manifest(requester: ["request_parameters: {q: \"${HOME} {now}\"}"])
        let translation = try manifest.translation()
        let lines = translation.feeds.flatMap(\.entry.lines).joined(separator: "\n")
        #expect(lines.contains("q: \"$${HOME} {now}\""))
        let there = try Configuration.parse(Array("feeds:\n\(lines)\n".utf8), file: "feedsync.yaml")
        let again = try manifest.translation(besides: there.feeds)
        #expect(again.feeds.isEmpty && again.known == ["things"])
        let other = try Configuration.parse(
            Array("feeds: {things: {url: \"https://example.org\"}}".utf8), file: "feedsync.yaml")
        #expect(try manifest.translation(besides: other.feeds).feeds.map(\.entry.name) == ["things-2"])
    }

    @Test("A schema in a file gives the columns")
    func schemaFile() throws {
        var manifest = Manifest(
            stream: [
                "schema_loader: {type: JsonFileSchemaLoader, file_path: \"./source_x/schemas/{{ 'th' ~ 'ings' }}.json\"}"
            ])
        manifest.schemas["things.json"] =
            #"{"type": "object", "properties": {"id": {"type": "integer"}, "card": {"$ref": "card.json"}}}"#
        #expect(try manifest.member("columns") == "{id: {path: id, type: integer}, card: card}")
    }

    @Test(
        "A text that is not a manifest is an error that says so",
        arguments: [
            ("a: [", "while parsing"),
            ("- 1", "manifest.yaml: this is not a low-code manifest: it has no `streams`"),
            ("", "manifest.yaml: this is not a low-code manifest: it has no `streams`"),
            ("streams: []", "manifest.yaml: its streams are only known while the connector runs"),
            ("dynamic_streams: [{}]", "manifest.yaml: its streams are only known while the connector runs"),
            ("streams: 3", "manifest.yaml: this is not a low-code manifest: it has no `streams`"),
        ])
    func noManifest(text: String, message: String) throws {
        let error = try #require(throws: ConnectorError.self) { try Manifest(text).translation() }
        #expect(error.messages.first?.contains(message) == true || text == "a: [", "\(error.messages)")
        #expect(!error.isOfWords)
    }

    @Test("A stream that there is not is an error with the nearest name")
    func unknownStream() throws {
        let error = try #require(throws: ConnectorError.self) { try Manifest().translation(of: ["thing"]) }
        #expect(error.messages == ["manifest.yaml has no stream thing; did you mean things?"])
        #expect(error.advice == "its streams are things")
    }

    @Test("All settings that are missing are named at once, and only those that a stream needs")
    func missingSettings() throws {
        let manifest = Manifest(
            requester: ["request_parameters: {a: \"{{ config['account'] }}\", b: \"{{ config['start_date'] }}\"}"])
        let error = try #require(throws: ConnectorError.self) { try manifest.translation() }
        #expect(error.messages == ["the connector needs account, start_date"])
        #expect(error.advice == "--set account=… --set start_date=2024-01-01")
        #expect(
            try manifest.setting("account", "7").setting("start_date", "2025-01-01").member("query")
                == #"{a: "7", b: "2025-01-01"}"#)
        let slip = try #require(throws: ConnectorError.self) { try manifest.setting("acount", "7").translation() }
        #expect(slip.messages == ["the connector has no setting acount; did you mean account?"])
    }

    @Test(
        "A stream that cannot be said is left out, with the reason",
        arguments: [
            (Manifest(retriever: ["class_name: source_x.R"]), "code: `source_x.R` is code of the connector's own"),
            (Manifest(requester: ["http_method: DELETE"]), "request: it is requested by DELETE"),
            (Manifest(requester: ["request_body_json: {a: 1}"]), "request: a GET with a body"),
            (
                Manifest(requester: ["http_method: POST", "request_body_data: {a: 1}"]),
                "request: its body is a form, not JSON"
            ),
            (Manifest(retriever: ["decoder: {type: XmlDecoder}"]), "items: its pages are decoded by `XmlDecoder`"),
            (
                Manifest(stream: ["transformations: [{type: KeysToLower}]"]),
                "items: its items are changed by `KeysToLower`"
            ),
            (
                Manifest(requester: ["request_parameters: {a: \"{{ next_page_token }}\"}"]),
                "expression: `{{ next_page_token }}`: `next_page_token` is only known while the connector runs"
            ),
            (
                Manifest(requester: ["request_parameters: {a: \"{% for x in y %}1{% endfor %}\"}"]),
                "expression: `{% for x in y %}1{% endfor %}`: `{% for … %}` is a program, not a value"
            ),
            (
                Manifest(requester: ["request_parameters: {$ref: \"#/definitions/none\"}"]),
                "manifest: `#/definitions/none` is not in the manifest"
            ),
            (
                Manifest(
                    requester: ["request_parameters: {$ref: \"#/definitions/a\"}"],
                    others: "definitions: {a: {$ref: \"#/definitions/b\"}, b: \"#/definitions/a\"}"),
                "manifest: a `$ref` leads back to itself"
            ),
        ] as [(Manifest, String)])
    func leftOut(manifest: Manifest, reason: String) throws {
        #expect(try manifest.member("url") == reason)
    }

    @Test("A filter leaves its stream out, with its line")
    func filter() throws {
        let text = Manifest().text.replacing(
            "field_path: [data]}}", with: "field_path: [data]}, record_filter: {condition: \"{{ record.x }}\"}}")
        let leftOut = try #require(try Manifest(text).translation().leftOut.first)
        #expect(leftOut.fault.problem == "it keeps only items for which `{{ record.x }}`")
        #expect(leftOut.fault.line == 9)
    }

    @Test("A stream whose filter keeps every item with the given settings is translated")
    func filterOfAll() throws {
        let condition = "{{ record.region in config.region or not config.region }}"
        func translation(_ region: String?) throws -> [String] {
            let manifest = Manifest(
                Manifest().text.replacing(
                    "field_path: [data]}}", with: "field_path: [data]}, record_filter: {condition: \"\(condition)\"}}"))
            return try (region.map { manifest.setting("region", $0) } ?? manifest).translation().leftOut.map(\.stream)
        }
        #expect(try translation(nil) == [])
        #expect(try translation("EU") == ["things"])
    }
}
