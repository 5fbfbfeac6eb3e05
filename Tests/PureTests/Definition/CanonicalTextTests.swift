import Feeds
import Testing

@Suite("The canonical text of a definition")
struct CanonicalTextTests {
    private let members = [
        "url: https://a.example/x", "query: {b: 1, a: \"${Q}\"}", "headers: {Accept: json, X-Y: z}",
        "auth: {bearer: s3cret}", "items: data", "key: id", "columns: {id: id, n: {path: n, type: integer}}",
        "ignore: [n]", "sync: {mode: all}", "pagination: page",
    ]

    private func text(_ members: [String], salt: String = "salt") throws -> String {
        try FeedDefinition.parse(name: "x", yaml: members.joined(separator: "\n")).canonicalText(salt: salt)
    }

    private func changed(_ name: String, to member: String) -> [String] {
        members.filter { !$0.hasPrefix(name + ":") } + [member]
    }

    @Test("The canonical text has one sorted line a member")
    func whole() throws {
        let lines = try text(members).split(separator: "\n").filter { !$0.hasPrefix("auth.") }
        #expect(
            lines == [
                "columns.id=id", "columns.n=n integer", "headers.accept=json", "headers.x-y=z", "ignore.n=",
                "items=data",
                "key=id", "max_pages=", "pagination=page param page first 1", "query.a=${Q}", "query.b=1", "raw=false",
                "section=", "sync=all",
                "url=https://a.example/x",
            ])
    }

    @Test("The canonical text does not depend on the order of the file")
    func order() throws {
        let other = changed("query", to: "query: {a: \"${Q}\", b: 1}").reversed()
        #expect(try text(members) == text(Array(other)))
    }

    @Test(
        "The canonical text does not change with settings that leave stored pages comparable",
        arguments: ["every: 1h", "timeout: 1s", "retries: 1", "model: m"])
    func indifferent(member: String) throws {
        #expect(try text(members) == text(members + [member]))
    }

    @Test(
        "The canonical text changes with settings that make stored pages incomparable",
        arguments: [
            ("url", "url: https://a.example/y"), ("query", "query: {b: 2, a: \"${Q}\"}"),
            ("headers", "headers: {Accept: xml, X-Y: z}"),
            ("auth", "auth: {bearer: other}"), ("auth", "auth: {bearer: \"${T}\"}"), ("items", "items: list"),
            ("key", "key: n"),
            ("columns", "columns: {id: id, n: n}"), ("ignore", "ignore: [id]"), ("sync", "sync: {mode: new}"),
            ("sync", "sync: {mode: since, param: s, value: \">={watermark}\", from: n}"),
            ("pagination", "pagination: {style: page, first: 0}"), ("raw", "raw: true"), ("missing", "missing: keep"),
            ("section", "section: n"),
            ("section", "section: {path: n, by: day}"), ("max_pages", "max_pages: 3"),
            ("responses", "responses: [{status: 404, do: end}]"),
        ])
    func different(name: String, member: String) throws {
        #expect(try text(members) != text(changed(name, to: member)))
    }

    @Test(
        "The canonical text holds no literal credential, wherever it is, but keeps references",
        arguments: [
            "auth: {bearer: s3cret}", "auth: {basic: {user: s3cret, password: s3cret}}",
            "auth: {header: {X-Y: s3cret}}",
            "auth: {query: {k: \"s3cret${REF}\"}}", "headers: {Authorization: \"Bearer s3cret\"}",
            "headers: {X-Api-Key: s3cret}",
            "query: {access_token: s3cret}", "url: \"https://a.example/x?k=s3cret\"",
        ])
    func credentials(member: String) throws {
        let name = String(member.prefix { $0 != ":" })
        let text = try text(changed(name, to: member))
        #expect(!text.contains("s3cret"))
        #expect(text.contains("#"))
        #expect(text.contains("${REF}") == member.contains("${REF}"))
        #expect(try text != self.text(changed(name, to: member), salt: "another"))
    }

    @Test("The canonical text has one line a member, whatever the values")
    func lines() throws {
        let text = try text(changed("query", to: "query: {b: \"1\\nkey=x\"}"))
        #expect(text.contains("query.b=1\\nkey=x\n"))
    }

    @Test("The canonical text of the key is its columns and their paths")
    func key() throws {
        let feed = try FeedDefinition.parse(
            name: "x", yaml: "url: https://a.b\nkey: [owner.login, id]\ncolumns: {id: id}\n")
        #expect(feed.keyText == "owner_login=owner.login\nid=id\n")
    }
}
