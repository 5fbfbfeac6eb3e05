import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync

@Suite("Columns that are found by a rule")
struct FoundColumnsTests {
    private static let items = [
        #"{"id":1,"name":"a","owner":{"login":"x","email":"x@y","deep":{"er":{"est":1}}},"body_html":"<p>"}"#,
        #"{"id":2,"name":"b","owner":{"login":"y","email":"y@y","deep":{"er":{"est":2}}},"body_html":"<b>"}"#,
    ]

    private func columns(_ members: String, of items: [String] = Self.items) async throws -> [String] {
        let bench = try await EngineBench(
            items, members: members, paging: "pagination: none", columns: "items: items\nkey: id")
        try await bench.sync()
        let sql = "SELECT name FROM pragma_table_info('things') WHERE name NOT LIKE '\\_%' ESCAPE '\\'"
        return try bench.query(sql)
    }

    @Test(
        "Members that are left out get no column, and objects are taken apart as deep as the rule says",
        arguments: [
            ("", ["id", "name", "owner_login", "owner_email", "owner_deep_er", "body_html"]),
            ("except: [body_html, owner.email]", ["id", "name", "owner_login", "owner_deep_er"]),
            ("except: owner", ["id", "name", "body_html"]),
            ("flatten: {depth: 1}", ["id", "name", "owner", "body_html"]),
            ("flatten: {depth: 2}", ["id", "name", "owner_login", "owner_email", "owner_deep", "body_html"]),
            ("flatten: {depth: 4}", ["id", "name", "owner_login", "owner_email", "owner_deep_er_est", "body_html"]),
            ("flatten: {prefix: false}", ["id", "name", "login", "email", "er", "body_html"]),
        ])
    func found(members: String, expected: [String]) async throws {
        #expect(try await columns(members).sorted() == expected.sorted())
    }

    @Test("A member that is left out stays so on later pages, and new ones beside it get their columns")
    func grows() async throws {
        let bench = try await EngineBench(
            Self.items, members: "except: [owner.email, secret]", paging: "pagination: none",
            columns: "items: items\nkey: id")
        bench.upstream.sendsETag = false
        try await bench.sync()
        bench.upstream.edit { $0 += [#"{"id":3,"secret":{"a":1},"fresh":5,"owner":{"email":"z@y","phone":"1"}}"#] }
        try await bench.sync()
        let names = try bench.query("SELECT name FROM pragma_table_info('things')")
        #expect(names.contains("fresh") && names.contains("owner_phone"))
        #expect(!names.contains { $0.contains("secret") || $0.contains("email") })
        #expect(try bench.query("SELECT fresh, owner_phone FROM things WHERE id = 3") == ["5|1"])
    }

    @Test("A column that is left out later is written no more, and the feed goes on")
    func leftOutLater() async throws {
        let bench = try await EngineBench(Self.items, paging: "pagination: none", columns: "items: items\nkey: id")
        try await bench.sync()
        bench.upstream.edit { $0 += [#"{"id":3,"name":"c","owner":{"login":"z","email":"z@y"},"body_html":"<i>"}"#] }
        let changed = try EngineBench.definition(
            "url: \(bench.server.url)/things\nitems: items\nkey: id\npagination: none\nexcept: [owner.email]")
        _ = try await bench.another(changed).perform(.sync)
        #expect(try bench.query("SELECT coalesce(owner_email, '-') FROM things ORDER BY id").last == "-")
    }

    @Test("The table is made once, with the columns of the first page")
    func madeOnce() async throws {
        var changes: [String] = []
        for columns in ["items: items\nkey: id", "items: items\nkey: id\ncolumns: {id: id, name: name}"] {
            let bench = try await EngineBench(Self.items, paging: "pagination: none", columns: columns)
            try await bench.sync()
            // https://sqlite.org/pragma.html#pragma_schema_version
            changes += try bench.query("PRAGMA schema_version")
        }
        #expect(changes[0] == changes[1])
    }

    @Test(
        "The table is there after a run that brought no items, and gets the columns of the first page",
        arguments: [(#"{"message":"Not Found"}"#, 404), (#"{"items":[]}"#, 200)])
    func noItems(body: String, status: Int) async throws {
        let bench = try await EngineBench(Self.items, paging: "pagination: none", columns: "items: items\nkey: id")
        bench.server.enqueue("/things", [.json(body, status: status)])
        _ = try? await bench.sync()
        #expect(try bench.query("SELECT count(*) FROM things") == ["0"])
        bench.server.route("/things", to: bench.upstream)
        let changed = try EngineBench.definition(
            "url: \(bench.server.url)/things\nitems: items\nkey: id\npagination: none\nraw: true")
        _ = try await bench.another(changed).perform(.sync)
        #expect(try bench.query("SELECT name, _raw IS NOT NULL FROM things") == ["a|1", "b|1"])
    }

    @Test(
        "A rule about found columns is refused where none are found, and where items are kept whole all the same",
        arguments: [
            "except: [a]\ncolumns: {a: a}", "flatten: {depth: 2}\ncolumns: {a: a}", "except: [a]\nraw: true",
            "flatten: {depth: 0}", "flatten: {depth: 11}", "flatten: {deep: 1}", "except: ['a..b']",
        ])
    func mistakes(members: String) {
        #expect(throws: ConfigurationError.self) {
            try FeedDefinition.parse(name: "things", yaml: "url: https://upstream.test/\n\(members)")
        }
    }
}
