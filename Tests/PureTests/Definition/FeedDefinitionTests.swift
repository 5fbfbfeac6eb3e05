import Feeds
import Testing

@Suite("A feed definition")
struct FeedDefinitionTests {
    private let base =
        "url: https://example.com/v1\nkey: id\ncolumns: {id: id, owner: {path: owner.login, type: text}}\n"

    private func feed(_ members: String = "") throws(ConfigurationError) -> FeedDefinition {
        try FeedDefinition.parse(name: "x", yaml: base + members, file: "f")
    }

    @Test("A feed definition has sensible defaults")
    func defaults() throws {
        let feed = try feed()
        #expect(feed.timeout == .seconds(30))
        #expect(feed.retries == 5)
        #expect(feed.every == nil)
        #expect(feed.maxPages == nil)
        #expect(feed.sync == .auto)
        #expect(!feed.keepsRaw)
        #expect(feed.items == nil)
        #expect(type(of: feed.pagination).name == "auto")
        #expect(feed.columns.map(\.type) == [nil, .text])
    }

    @Test("A time without a unit is in seconds, as in curl")
    func seconds() throws {
        let feed = try feed("every: 3600\ntimeout: 10\nsync: {mode: new, full: 7200}")
        #expect(feed.every == .seconds(3_600))
        #expect(feed.timeout == .seconds(10))
        #expect(feed.fullCrawlEvery == .seconds(7_200))
        let configuration = try Configuration.parse(Array("keep: 86400\nfeeds: {}".utf8), file: "f")
        #expect(configuration.keep == .seconds(86_400))
    }

    @Test("A feed definition has every member that the format knows")
    func everyMember() throws {
        let feed = try feed(
            """
            query: {size: 1.10, tag: [a, b]}
            headers: {Accept: application/json}
            auth: {bearer: "${TOKEN}"}
            allow_origins: ["https://cdn.example.com:8443"]
            items: data.list
            section: {path: created_at, by: day}
            model: thing
            pagination: {style: page, param: p, first: 0, total: data.total}
            responses: [{status: 400, do: end}, {body: {error.code: 12, ok: null}, do: retry}]
            sync: {mode: since, param: since, from: updated_at, overlap: 5m}
            raw: true
            every: 15m
            timeout: 500ms
            retries: 0
            max_pages: 3
            max_memory: 64MB
            ignore: [score, owner.seen_at]
            """)
        #expect(feed.query.map(\.name) == ["size", "tag", "tag"])
        #expect(feed.query.map(\.value.description) == ["1.10", "a", "b"])
        #expect(feed.headers.map(\.name) == ["Accept"])
        guard case .bearer(let token)? = feed.authentication else { throw Unexpected() }
        #expect(token.parts == [.environment("TOKEN")])
        #expect(feed.allowOrigins == ["https://cdn.example.com:8443"])
        #expect(feed.items?.path == (try Path("data.list")))
        #expect(feed.section?.interval == .day)
        #expect(feed.model == "thing")
        #expect(feed.pagination.canonicalText == "page param p first 0 total data.total")
        #expect(feed.responses.map(\.action) == [.end, .retry])
        #expect(feed.responses.map(\.status) == [400, nil])
        #expect(feed.responses.last?.body.map(\.value) == ["12", "null"])
        guard case .since(let watermark) = feed.sync else { throw Unexpected() }
        #expect(watermark.parameter == "since")
        #expect(watermark.overlap == .time(.seconds(300)))
        #expect(feed.keepsRaw)
        #expect(feed.every == .seconds(900))
        #expect(feed.timeout == .milliseconds(500))
        #expect(feed.retries == 0)
        #expect(feed.maxPages == 3)
        #expect(feed.memory.most == 64_000_000)
        #expect(feed.ignore.map(\.description) == ["score", "owner.seen_at"])
    }

    private struct Unexpected: Error {}

    @Test(
        "Paths among the key of a feed definition become columns",
        arguments: [
            ("id", ["id"], ["id", "owner"]),
            ("[owner.login, number]", ["owner", "number"], ["id", "owner", "number"]),
            ("[repo.id, id]", ["repo_id", "id"], ["id", "owner", "repo_id"]),
            ("_section", ["_section_2"], ["id", "owner", "_section_2"]),
        ])
    func key(key: String, names: [String], columns: [String]) throws {
        let yaml = "url: https://a.example\nkey: \(key)\ncolumns: {id: id, owner: owner.login}\n"
        let feed = try FeedDefinition.parse(name: "x", yaml: yaml)
        #expect(feed.key == names)
        #expect(feed.columns.map(\.name) == columns)
    }

    @Test(
        "A diagnostic of a feed definition has the fault, its place and a suggestion",
        arguments: [
            ("colums: {}", "f:4:1: unknown member `colums` in feed `x`; did you mean `columns`?"),
            (
                "timeout: 30x",
                "f:4:10: `timeout` of feed `x` must be a time such as `500ms`, `30s`, `15m`, `2h` or `1d`, not `30x`"
            ),
            ("timeout: 0s", "f:4:10: `timeout` of feed `x` must be from 1ms to 1d, not `0s`"),
            (
                "every: 99999999999999999999d",
                "f:4:8: `every` of feed `x` must be a time such as `500ms`, `30s`, `15m`, `2h` or `1d`, not `99999999999999999999d`"
            ),
            ("retries: many", "f:4:10: `retries` of feed `x` must be a whole number from 0 to 100, not `many`"),
            ("retries: 101", "f:4:10: `retries` of feed `x` must be a whole number from 0 to 100, not `101`"),
            ("retries: -1", "f:4:10: `retries` of feed `x` must be a whole number from 0 to 100, not `-1`"),
            ("retries: \"-1\"", "f:4:10: `retries` of feed `x` must be a whole number from 0 to 100, not `-1`"),
            ("retries: 1.5", "f:4:10: `retries` of feed `x` must be a whole number from 0 to 100, not `1.5`"),
            ("retries: [1]", "f:4:10: `retries` of feed `x` must be a whole number from 0 to 100, not a list"),
            ("retries:", "f:4:9: `retries` of feed `x` must be a whole number from 0 to 100, not nothing"),
            (
                "max_pages: 99999999999999999999",
                "f:4:12: `max_pages` of feed `x` must be a whole number, 1 or more, not `99999999999999999999`"
            ),
            (
                "max_memory: 64M",
                "f:4:13: `max_memory` of feed `x` must be a size such as `64MB`, `256MiB` or `1GB`, not `64M`"
            ),
            ("max_memory: 1MB", "f:4:13: `max_memory` of feed `x` must be from 16MiB to 2GiB, not `1MB`"),
            ("raw: yes", "f:4:6: `raw` of feed `x` must be true or false, not `yes`"),
            ("items: a..b", "f:4:10: in the path `a..b`: expected a name here, not `.`"),
            ("items: \"a..b\"", "f:4:11: in the path `a..b`: expected a name here, not `.`"),
            (
                "section: {path: a, by: week}",
                "f:4:24: unknown value `week` of `by` in `section` of feed `x`, which can be `hour`, `day`, `month` or `year`"
            ),
            ("section: {by: day}", "f:4:10: `section` of feed `x` has no `path`: say where in the item the section is"),
            (
                "sync: {mode: since, param: s}",
                "f:4:7: `sync` of feed `x` has no `from`: mode `since` needs the path of the timestamp or id"
            ),
            (
                "sync: {mode: since, param: s, value: \">={mark}\", from: t}",
                "f:4:38: `value` of `sync` of feed `x` must have `{watermark}` in it once, such as `>={watermark}`"
            ),
            (
                "sync: {mode: since, param: s, value: \"{watermark}..{watermark}\", from: t}",
                "f:4:38: `value` of `sync` of feed `x` must have `{watermark}` in it once, such as `>={watermark}`"
            ),
            (
                "sync: {mode: new, value: \"{watermark}\"}",
                "f:4:26: `value` of `sync` of feed `x` makes sense only with `mode: since`"
            ),
            (
                "sync: {mode: all, param: s}",
                "f:4:26: `param` of `sync` of feed `x` makes sense only with `mode: since`"
            ),
            (
                "auth: {bearer: s3cret, basic: {}}",
                "f:4:7: `auth` of feed `x` must have exactly one of `bearer`, `basic`, `header`, `query`, `oauth2`, `jwt`, `session`, `digest`, `negotiate` or `aws`"
            ),
            ("auth: {bearer: {a: s3cret}}", "f:4:16: `bearer` of `auth` of feed `x` must be text, not a mapping"),
            ("auth: {query: {k: s3cret}}\nquery: {k: 1}", "f:5:8: `query` of feed `x` has `k`, which its `auth` sets"),
            ("query: {q: }", "f:4:12: `q` of `query` of feed `x` must be text, not nothing"),
            (
                "query: {page: 2}\npagination: page",
                "f:4:8: `query` of feed `x` has `page`, which its pagination sets; a first page is given as `pagination: {first: …}`"
            ),
            ("headers: {\"A B\": x}", "f:4:11: `A B` cannot be the name of a header"),
            ("headers: {Accept: x, accept: y}", "f:4:22: the header `accept` is given twice"),
            ("headers: {Accept: \"x\\ny\"}", "f:4:19: the header `Accept` has a control character in its value"),
            ("responses: {status: 400}", "f:4:12: `responses` of feed `x` must be a list, not a mapping"),
            (
                "responses: [{status: 400, do: stop}]",
                "f:4:31: unknown value `stop` of `do` in a rule in `responses` of feed `x`, which can be `end`, `retry`, `fail` or `empty`"
            ),
            ("responses: [{do: end}]", "f:4:13: a rule in `responses` of feed `x` has neither `status` nor `body`"),
            (
                "pagination: pgae",
                "f:4:13: unknown style `pgae` in `pagination` of feed `x`, which can be `page`, `offset`, `cursor`, `next_url`, `link`, `keyset`, `none` or `auto`; did you mean `page`?"
            ),
            (
                "pagination: {style: page, parm: p}",
                "f:4:27: unknown member `parm` in `pagination` of feed `x`; did you mean `param`?"
            ),
            (
                "pagination: {style: page, size: 3}",
                "f:4:13: `size_param` and `size` go together: the parameter's name and its value"
            ),
            (
                "allow_origins: [\"https://a/b\"]",
                "f:4:17: `https://a/b` in `allow_origins` of feed `x` is not an origin such as `https://example.com`"
            ),
            ("with: {a: b}", "f:4:7: `with` of feed `x` makes sense only with a `preset`"),
            ("preset: github.serch", "f:4:9: unknown preset `github.serch` in feed `x`; did you mean `github.search`?"),
            (
                "model: event",
                "f:1:1: the model name `event` is taken by the store's table `event` (`-` counts as `_`, and capitals as small letters)"
            ),
            ("? [a]\n: 1", "f:4:3: the name of a member must be text, not a list"),
        ])
    func diagnostics(member: String, expected: String) {
        let error = #expect(throws: ConfigurationError.self) { try feed(member + "\n") }
        #expect(error?.description == expected)
    }

    @Test(
        "A diagnostic of an incomplete feed definition names the missing member",
        arguments: [
            (
                "key: id\ncolumns: {id: id}",
                "f:1:1: feed `x` has no `url`: say where the first page is, or start from a `preset`"
            ),
            ("url: https://a.b\nkey: []\ncolumns: {id: id}", "f:2:6: `key` of feed `x` is empty"),
            ("url: https://a.b\nkey: [id, id]\ncolumns: {id: id}", "f:2:11: `key` of feed `x` has `id` twice"),
            (
                "url: ftp://a.b\nkey: id\ncolumns: {id: id}",
                "f:1:6: `url` of feed `x` must begin with `https://` or `http://`"
            ),
            ("url: https:///x\nkey: id\ncolumns: {id: id}", "f:1:6: `url` of feed `x` names no host"),
            (
                "url: https://u:s3cret@a.b\nkey: id\ncolumns: {id: id}",
                "f:1:6: `url` of feed `x` has a user or password in it; give them as `auth: {basic: {user, password}}`"
            ),
        ])
    func missing(yaml: String, expected: String) {
        let error = #expect(throws: ConfigurationError.self) {
            try FeedDefinition.parse(name: "x", yaml: yaml, file: "f")
        }
        #expect(error?.description == expected)
    }

    @Test(
        "A URL that no request could be made to is refused, with the place of the fault",
        arguments: [
            ("http://x:99999/", 15, "has a port that is not a number from 1 to 65535"),
            ("http://x:0/", 15, "has a port that is not a number from 1 to 65535"),
            ("http://x:8x", 15, "has a port that is not a number from 1 to 65535"),
            ("http://[::1]:65536/", 19, "has a port that is not a number from 1 to 65535"),
            ("https://x:99999/${PART}/b", 16, "has a port that is not a number from 1 to 65535"),
            ("http://ex ample.com/", 15, "has a space in its host"), ("http://a,b/", 14, "has `,` in its host"),
            ("http://a%20b/", 14, "has `%` in its host"), ("http://:80/", 13, "names no host"),
            ("https://exämple.com/", 16, "has letters beyond ASCII in its host; write it in its `xn--` form"),
            ("http://[::1/", 13, "has no IPv6 address in the brackets of its host"),
            ("http://[zz]/", 13, "has no IPv6 address in the brackets of its host"),
            (#""http://x/a\tb""#, 17, "has a control character in it"),
            (#""http://x/${A}/\u007f""#, 7, "has a control character in it"),
        ])
    func urls(url: String, column: Int, fault: String) {
        let error = #expect(throws: ConfigurationError.self) {
            try FeedDefinition.parse(name: "x", yaml: "url: \(url)\nkey: id\ncolumns: {id: id}", file: "f")
        }
        #expect(error?.description == "f:1:\(column): `url` of feed `x` \(fault)")
    }

    @Test(
        "A URL that can be requested is taken as it is, also with what is percent-encoded on its way",
        arguments: [
            "https://example.com/ä b?q=ü x&r=[1]|\"^", "HTTP://EXAMPLE.com", "http://x:08080/", "http://x:/a",
            "http://x:65535",
            "http://[::1]:80/", "http://[fe80::1%25eth0]/", "http://a_b.c~d/", "http://127.1/", "http://a%41.b/",
            "https://x:${PORT}/", "https://x:9${PORT}/", "https://x${HOST}", "${URL}", "https://{host}:{port}/",
            "https://x/{a b}/$${c}",
        ])
    func goodURLs(url: String) throws {
        let feed = try FeedDefinition.parse(name: "x", yaml: "url: '\(url)'\nkey: id\ncolumns: {id: id}", file: "f")
        #expect(feed.url.description == url)
    }

    @Test(
        "All members with a URL are checked as `url` is",
        arguments: [
            ("allow_origins: [\"https://a:99999\"]", 28, "`allow_origins` of feed `x`"),
            ("proxy: http://me:pw@a:99999", 23, "`proxy` of feed `x`"),
            ("on_change: {webhook: http://a:99999/}", 31, "`webhook` of `on_change` of feed `x`"),
            (
                "auth: {oauth2: {token_url: https://a:99999/, client_id: b, client_secret: c}}", 38,
                "`token_url` of `oauth2` of `auth` of feed `x`"
            ),
            (
                "sync: {mode: delta, token: a, param: b, at: https://a:99999/}", 55,
                "`at` of `sync` of feed `x`"
            ),
        ])
    func otherURLs(member: String, column: Int, place: String) {
        let error = #expect(throws: ConfigurationError.self) { try feed(member + "\n") }
        #expect(error?.description == "f:4:\(column): \(place) has a port that is not a number from 1 to 65535")
    }

    @Test("All diagnostics of a feed definition are reported at once, in the order of the file")
    func allDiagnostics() {
        let error = #expect(throws: ConfigurationError.self) { try feed("raw: 1\ntimeot: 3s\nretries: x\n") }
        #expect(error?.diagnostics.map(\.position.line) == [4, 5, 6])
    }

    @Test("A diagnostic of a feed definition never shows a credential")
    func redacted() throws {
        let feed = try feed("auth: {basic: {user: me, password: s3cret}}\n")
        let authentication = try #require(feed.authentication)
        #expect("\(authentication)" == "basic")
        #expect(String(reflecting: authentication) == "basic")
    }
}
