import Connectors
import Feeds
import Testing

@Suite struct StreamTests {
    @Test(
        "An authenticator becomes `auth`, with its secrets as references",
        arguments: [
            ("{type: NoAuth}", nil),
            ("{type: BearerAuthenticator, api_token: \"{{ config['api_key'] }}\"}", "{bearer: \"${API_KEY}\"}"),
            (
                "{type: BasicHttpAuthenticator, username: api, password: \"{{ config['api_key'] }}\"}",
                "{basic: {user: api, password: \"${API_KEY}\"}}"
            ),
            (
                "{type: BasicHttpAuthenticator, username: \"{{ config['api_key'] }}\"}",
                "{basic: {user: \"${API_KEY}\", password: \"\"}}"
            ),
            (
                "{type: ApiKeyAuthenticator, header: X-Key, api_token: \"Token {{ config['api_key'] }}\"}",
                "{header: {X-Key: \"Token ${API_KEY}\"}}"
            ),
            (
                "{type: ApiKeyAuthenticator, api_token: \"{{ config['api_key'] }}\", inject_into: {type: RequestOption, inject_into: request_parameter, field_name: key}}",
                "{query: {key: \"${API_KEY}\"}}"
            ),
            (
                "{type: OAuthAuthenticator, grant_type: client_credentials, token_refresh_endpoint: \"https://a.example/token\", client_id: me, client_secret: \"{{ config['api_key'] }}\", scopes: [a, b]}",
                "{oauth2: {token_url: https://a.example/token, client_id: me, client_secret: \"${API_KEY}\", scope: a b, send: body}}"
            ),
            (
                "{type: OAuthAuthenticator, token_refresh_endpoint: \"https://a.example/token\", client_id: me, client_secret: s, refresh_token: \"{{ config['api_key'] }}\", refresh_request_body: {tenant: a}}",
                "{oauth2: {token_url: https://a.example/token, grant: refresh_token, client_id: me, client_secret: s, refresh_token: \"${API_KEY}\", parameters: {tenant: a}, send: body}}"
            ),
            (
                "{type: OAuthAuthenticator, grant_type: custom, token_refresh_endpoint: \"https://a.example/token\"}",
                "authenticator: it signs in by OAuth 2 with the grant `custom`, which feedsync does not have"
            ),
            (
                "{type: OAuthAuthenticator, token_refresh_endpoint: \"https://a.example/token\", access_token_name: token}",
                "authenticator: its token request says `token` for `access_token`, which feedsync cannot"
            ),
            (
                "{type: SessionTokenAuthenticator, login_requester: {url_base: \"https://a.example\", path: /session, http_method: POST, request_headers: {X-App: me}, request_body_json: {user: me, password: \"{{ config['api_key'] }}\"}}, session_token_path: [data, id], expiration_duration: PT1H, request_authentication: {type: ApiKey, inject_into: {type: RequestOption, inject_into: header, field_name: X-Session}}}",
                "{session: {url: https://a.example/session, headers: {X-App: me}, body: {user: me, password: \"${API_KEY}\"}, token: data.id, lifetime: 1h, header: X-Session}}"
            ),
            (
                "{type: SessionTokenAuthenticator, login_requester: {url_base: \"https://a.example/login\", http_method: POST, authenticator: {type: BearerAuthenticator, api_token: \"{{ config['api_key'] }}\"}, request_body_data: {scope: all}}, session_token_path: [token], request_authentication: {type: ApiKey, api_token: \"Token {{ session_token }}\", inject_into: {type: RequestOption, inject_into: header, field_name: Authorization}}}",
                "{session: {url: https://a.example/login, headers: {Authorization: \"Bearer ${API_KEY}\"}, body: {scope: all}, send: form, token: token, scheme: Token}}"
            ),
            (
                "{type: SessionTokenAuthenticator, login_requester: {url_base: \"https://a.example\", http_method: POST, authenticator: {type: BasicHttpAuthenticator, username: me}}, session_token_path: [token], request_authentication: {type: Bearer}}",
                "authenticator: its login signs in by `BasicHttpAuthenticator`"
            ),
            (
                "{type: SessionTokenAuthenticator, login_requester: {url_base: \"https://a.example\"}, session_token_path: [token], request_authentication: {type: Bearer}}",
                "authenticator: its login is requested by GET"
            ),
            (
                "{type: JwtAuthenticator, algorithm: RS256, secret_key: \"{{ config['api_key'] }}\", header_prefix: Bearer, token_duration: 600, jwt_headers: {kid: k1, typ: JWT}, jwt_payload: {iss: me, aud: them}, additional_jwt_payload: {scope: read}}",
                "{jwt: {algorithm: RS256, key: \"${API_KEY}\", key_id: k1, claims: {iss: me, aud: them, scope: read}, lifetime: 10m}}"
            ),
            (
                "{type: JwtAuthenticator, algorithm: HS256, secret_key: \"{{ config['api_key'] }}\", request_option: {type: RequestOption, inject_into: header, field_name: X-Token}}",
                "{jwt: {algorithm: HS256, key: \"${API_KEY}\", lifetime: 20m, header: X-Token}}"
            ),
            (
                "{type: JwtAuthenticator, algorithm: EdDSA, secret_key: x}",
                "authenticator: its token is signed by `EdDSA`, which feedsync does not have"
            ),
            (
                "{type: RateLimitedMultipleTokenAuthenticator, tokens: [\"{{ config['api_key'] }}\", \"{{ config['credentials']['key'] }}\"]}",
                "{bearer: [\"${API_KEY}\", \"${CREDENTIALS_KEY}\"]}"
            ),
            (
                "{type: RateLimitedMultipleTokenAuthenticator, tokens: \"a, b\", auth_method: token}",
                "{header: {Authorization: [token a, token b]}}"
            ),
            ("{class_name: source_x.A}", "code: `source_x.A` is code of the connector's own"),
            (
                "{type: SelectiveAuthenticator, authenticator_selection_path: [credentials, kind], authenticators: {oauth: {type: OAuthAuthenticator}, key: {type: BearerAuthenticator, api_token: \"{{ config['credentials']['key'] }}\"}}}",
                "{bearer: \"${CREDENTIALS_KEY}\"}"
            ),
        ] as [(String, String?)])
    func authenticator(written: String, expected: String?) throws {
        #expect(try Manifest(requester: ["authenticator: \(written)"]).member("auth") == expected)
    }

    @Test("A list of values makes a feed for each, with one view of all")
    func values() throws {
        let manifest = Manifest(
            retriever: [
                "partition_router: {type: ListPartitionRouter, cursor_field: kind, values: [a, b], request_option: {type: RequestOption, inject_into: request_parameter, field_name: kind}}"
            ], requester: [])
        let lines = try manifest.lines()
        #expect(
            lines == """
                "things-{each}":
                  each: [a, b]
                  url: https://api.example.com/v1/things
                  query: {kind: "{each}"}
                  items: data
                  key: id
                  pagination: none
                  model: things
                """)
    }

    @Test("A parent of streams that are left out is no feed, unless it is a stream of its own")
    func parentAlone() throws {
        let text = """
            type: DeclarativeSource
            definitions:
              shops: {type: DeclarativeStream, name: shops, primary_key: id, retriever: {requester: {url_base: "https://a.example", path: "/shops"}, record_selector: {extractor: {field_path: []}}}}
              orders: {type: DeclarativeStream, name: orders, primary_key: id, retriever: {requester: {url_base: "https://a.example", path: "/shops/{{ stream_partition.shop }}/orders"}, record_selector: {record_filter: {condition: "{{ record.x }}"}, extractor: {field_path: []}}, partition_router: {type: SubstreamPartitionRouter, parent_stream_configs: [{parent_key: id, partition_field: shop, stream: {$ref: "#/definitions/shops"}}]}}}
            streams: [%s]
            """
        let alone = try Manifest(text.replacing("%s", with: "\"#/definitions/orders\"")).translation()
        #expect(alone.feeds.isEmpty)
        #expect(alone.leftOut.map(\.stream) == ["orders"])
        let both = try Manifest(
            text.replacing("%s", with: "\"#/definitions/orders\", \"#/definitions/shops\"")
        ).translation()
        #expect(both.feeds.map(\.entry.name) == ["shops"])
    }

    @Test("Rows of a parent, of its own parent, and further members of a row are columns in the request")
    func parents() throws {
        let router = """
            {type: SubstreamPartitionRouter, parent_stream_configs: [{parent_key: %k, partition_field: %f, stream: {$ref: "#/definitions/%s"}, extra_fields: %x}]}
            """
        func stream(_ name: String, _ path: String, _ partition: String) -> String {
            """
            {type: DeclarativeStream, name: \(name), primary_key: id, retriever: {requester: {url_base: "https://a.example", path: "\(path)"}, record_selector: {extractor: {field_path: []}}\(partition)}}
            """
        }
        func routed(_ key: String, _ field: String, _ parent: String, _ extras: String = "[]") -> String {
            ", partition_router: "
                + router.replacing("%k", with: key).replacing("%f", with: field).replacing("%s", with: parent)
                .replacing("%x", with: extras)
        }
        let manifest = Manifest(
            """
            type: DeclarativeSource
            definitions:
              shops: \(stream("shops", "/shops", ""))
              orders: \(stream("orders", "/shops/{{ stream_partition.shop }}/orders", routed("id", "shop", "shops")))
              lines: \(stream("lines", "/{{ stream_slice.parent_slice.shop }}/{{ stream_slice['order'] }}/{{ stream_slice.extra_fields['kind'] }}", routed("no", "order", "orders", "[[kind]]")))
            streams: ["#/definitions/lines"]
            """)
        let feeds = try manifest.translation().feeds
        #expect(feeds.map(\.entry.name) == ["shops", "orders", "lines"])
        #expect(feeds.map(\.isParent) == [true, true, false])
        let urls = feeds.map { $0.entry.members.first { $0.name == "url" }?.value }
        #expect(
            urls == [
                .text("https://a.example/shops"), .text("https://a.example/shops/{shops.id}/orders"),
                .text("https://a.example/{shops.id}/{orders.no}/{orders.kind}"),
            ])
    }

    @Test("Lists for pairs of rows, and for rows of several streams, are left out")
    func severalParents() throws {
        let list = "{type: ListPartitionRouter, cursor_field: a, values: [1]}"
        #expect(
            try Manifest(retriever: ["partition_router: [\(list), \(list)]"]).member("url")
                == "partitions: it has a list for each pair of values of 2 lists")
        #expect(
            try Manifest(retriever: ["partition_router: {type: SubstreamPartitionRouter, parent_stream_configs: []}"])
                .member("url") == "partitions: it has a list for each row of 0 streams")
    }

    private static let since = """
        incremental_sync: {type: DatetimeBasedCursor, cursor_field: updated_at, datetime_format: "%Y-%m-%d", start_datetime: {datetime: "{{ config['start_date'] }}"}, start_time_option: {type: RequestOption, inject_into: request_parameter, field_name: since}, lookback_window: P3D}
        """

    @Test("A time that one parameter says is a watermark, which begins at the first day")
    func watermark() throws {
        let manifest = Manifest(stream: [Self.since]).setting("start_date", "2024-02-03T00:00:00Z")
        #expect(try manifest.member("query") == "{since: \"2024-02-03\"}")
        #expect(try manifest.member("sync") == "{mode: since, param: since, from: updated_at, overlap: 3d}")
    }

    @Test(
        "A list whose time has another form in its items, or one that cannot be said, is read whole, with a note",
        arguments: [
            (
                ", end_time_option: {type: RequestOption, inject_into: header, field_name: until}",
                "{since: \"2024-02-03\"}"
            ),
            (", cursor_datetime_formats: [\"%s\"]", "{since: \"2024-02-03\"}"),
        ])
    func window(more: String, query: String) throws {
        let cursor = Self.since.replacing(", lookback_window: P3D", with: more)
        let manifest = Manifest(stream: [cursor]).setting("start_date", "2024-02-03T00:00:00Z")
        #expect(try manifest.member("query") == query)
        #expect(try manifest.member("sync") == nil)
        #expect(try manifest.translation().feeds.first?.notes == ["it is read whole each time, from its first day on"])
    }

    @Test(
        "A time that two parameters say is asked for in windows, from the first day on",
        arguments: [
            ("", "start: \"2024-02-03\", format: \"%Y-%m-%d\", from: updated_at, verify: never"),
            (
                ", step: P30D, cursor_granularity: P1D",
                "widest: 30d, gap: 1d, start: \"2024-02-03\", format: \"%Y-%m-%d\", from: updated_at, verify: never"
            ),
            (
                ", step: P1M, lookback_window: P3D",
                "widest: 30d, start: \"2024-02-03\", format: \"%Y-%m-%d\", from: updated_at, overlap: 3d, verify: never"
            ),
        ])
    func windows(more: String, rule: String) throws {
        let end = ", end_time_option: {type: RequestOption, inject_into: request_parameter, field_name: until}"
        let cursor = Self.since.replacing(", lookback_window: P3D", with: end + more)
        let manifest = Manifest(stream: [cursor]).setting("start_date", "2024-02-03T00:00:00Z")
        #expect(try manifest.member("query") == nil)
        #expect(try manifest.member("sync") == "{mode: since, param: since, until: until, \(rule)}")
        #expect(try manifest.translation().feeds.first?.notes == [])
    }

    @Test("A time that no request sends asks for no setting")
    func unsentTime() throws {
        let cursor = Self.since.replacing(
            ", start_time_option: {type: RequestOption, inject_into: request_parameter, field_name: since}", with: "")
        #expect(try Manifest(stream: [cursor]).member("sync") == nil)
    }

    @Test("Items of which nothing says how they differ are kept, all of them")
    func noKey() throws {
        let columns = "schema_loader: {type: InlineSchemaLoader, schema: {properties: {%s: {type: string}}}}"
        for (name, key) in [("name", "$hash"), ("id", nil)] {
            let text = Manifest(stream: [columns.replacing("%s", with: name)]).text
            #expect(try Manifest(text.replacing("    primary_key: id\n", with: "")).member("key") == key)
        }
    }

    @Test(
        "Members that are removed have no column; those that are added have their value or path, or a note",
        arguments: [
            ("[b], value: \"{{ record.x }}\"", "b: {path: x, type: text}", nil),
            ("[b], value: \"{{ record['x']['y z'] }}\"", #"b: {path: "x.\"y z\"", type: text}"#, nil),
            ("[b], value: here", "b: {value: here}", nil), ("[b], value: '\"here\"'", "b: {value: here}", nil),
            ("[b], value: '\"{{ config[\"mode\"] }} mode\"'", "b: {value: live mode}", nil),
            ("[new], value: 7", "new: {value: 7}", nil),
            (
                "[b], value: \"{{ record.x + 1 }}\"", nil,
                "there is no `b`, which the connector sets to `{{ record.x + 1 }}`"
            ),
            ("[b, c], value: here", nil, "there is no `b.c`, which the connector sets to `here`"),
            ("[b], value: \"{{ now_utc() }}\"", nil, "there is no `b`, which the connector sets to `{{ now_utc() }}`"),
        ] as [(String, String?, String?)])
    func transformations(field: String, column: String?, note: String?) throws {
        let manifest = Manifest(stream: [
            "schema_loader: {type: InlineSchemaLoader, schema: {properties: {id: {type: string}, a: {type: string}, b: {type: string}}}}",
            "transformations: [{type: RemoveFields, field_pointers: [[a]]}, {type: AddFields, fields: [{path: \(field)}]}]",
        ])
        let columns = try manifest.member("columns") ?? ""
        #expect(!columns.contains("path: a,"), "\(columns)")
        #expect(columns.contains(column ?? "{id: {path: id, type: text}"), "\(columns)")
        #expect(try manifest.translation().feeds.first?.notes == [note].compactMap(\.self))
    }

    @Test(
        "A value of the parent's row has the type that the connector names or makes, else that of the parent's column",
        arguments: [
            ("value: \"{{ stream_slice.extra_fields['size'] }}\"", ", type: integer"),
            ("value: \"{{ stream_slice.extra_fields['size'] }}\", value_type: string", ", type: text"),
            ("value: \"{{ stream_slice.extra_fields['odd'] }}\"", ""),
            ("value: \"{{ stream_slice.extra_fields['odd'] }}\", value_type: integer", ", type: integer"),
            ("value: \"{{ stream_slice.extra_fields['odd'] | int }}\"", ", type: integer"),
            ("value: \"{{ stream_slice.extra_fields['odd'] | float }}\", value_type: number", ", type: real"),
        ])
    func typesOfParents(field: String, type: String) throws {
        let parent =
            "{type: DeclarativeStream, name: teams, primary_key: id, schema_loader: {type: InlineSchemaLoader, schema: {properties: {id: {type: string}, size: {type: integer}}}}, retriever: {record_selector: {extractor: {field_path: []}}, requester: {url_base: \"https://a.example\", path: /teams}}}"
        let rule = "parent_key: id, partition_field: team, extra_fields: [[size], [odd]], stream: \(parent)"
        let manifest = Manifest(
            stream: ["transformations: [{type: AddFields, fields: [{path: [mine], \(field)}]}]"],
            retriever: ["partition_router: {type: SubstreamPartitionRouter, parent_stream_configs: [{\(rule)}]}"],
            requester: ["request_parameters: {team: \"{{ stream_partition.team }}\"}"])
        let name = field.contains("odd") ? "odd" : "size"
        let lines = try manifest.lines()
        #expect(lines.contains("mine: {value: \"{teams.\(name)}\"\(type)}"), "\(lines)")
    }

    @Test(
        "The path is put behind the base with one slash, and a whole URL in its place",
        arguments: [
            ("/things", "https://api.example.com/v1/things"), ("things/", "https://api.example.com/v1/things/"),
            ("things?", "https://api.example.com/v1/things"), ("a b?c=d", "https://api.example.com/v1/a%20b?c=d"),
            ("https://example.org/x", "https://example.org/x"),
        ])
    func url(path: String, url: String) throws {
        let text = Manifest().text.replacing("path: /things", with: "path: '\(path)'")
        #expect(try Manifest(text).member("url") == url)
    }

    @Test(
        "Items of every member or element are gathered; other wildcards leave a stream out",
        arguments: [
            ("[data]", "data"), ("[]", "$"), ("['*']", "\"*\""), ("[data, '*']", "data.*"),
            ("[data, '*', 'a b', '*', c]", #""data.*.\"a b\".*.c""#),
        ])
    func items(path: String, items: String) throws {
        let text = Manifest().text.replacing("field_path: [data]", with: "field_path: \(path)")
        #expect(try Manifest(text).member("items") == items)
        let glob = Manifest().text.replacing("field_path: [data]", with: "field_path: ['d*']")
        #expect(try Manifest(glob).member("items") == "items: its items are at members with names like `d*`")
    }

    @Test("A secret that one of several ways to sign in needs is referred to")
    func alternatives() throws {
        let ways = """
            credentials:
                    oneOf:
                      - properties: {kind: {const: app}, token: {type: string, airbyte_secret: true}}
                      - properties: {kind: {const: own}, token: {type: string, airbyte_secret: true}}
                        required: [token]
            """
        let text = Manifest(
            requester: [
                "authenticator: {type: BearerAuthenticator, api_token: \"{{ config['credentials']['token'] }}\"}"
            ]
        ).text
        let start = try #require(text.firstRange(of: "credentials:\n"))
        let manifest = Manifest(String(text[..<start.lowerBound]) + ways + "\n")
        #expect(try manifest.member("auth") == "{bearer: \"${CREDENTIALS_TOKEN}\"}")
    }

    @Test("Errors that the connector ignores are empty pages")
    func responses() throws {
        let manifest = Manifest(requester: [
            "error_handler: {type: CompositeErrorHandler, error_handlers: [{response_filters: [{action: IGNORE, http_codes: [404, 400]}]}, {response_filters: [{action: RETRY, http_codes: [429, 409]}, {action: FAIL, http_codes: [404]}]}]}"
        ])
        #expect(
            try manifest.member("responses")
                == "[{status: 404, do: empty}, {status: 400, do: empty}, {status: 409, do: retry}]")
    }

    @Test("Of streams that take turns, the one that reads the whole list is taken")
    func delegating() throws {
        let stream = """
            {type: DeclarativeStream, name: things, retriever: {requester: {url_base: "https://a.example", path: %p}, record_selector: {extractor: {field_path: [data]}}}}
            """
        let manifest = Manifest(
            """
            streams:
              - type: StateDelegatingStream
                name: things
                full_refresh_stream: \(stream.replacing("%p", with: "all"))
                incremental_stream: \(stream.replacing("%p", with: "events"))
            """)
        #expect(try manifest.member("url") == "https://a.example/all")
    }
}
