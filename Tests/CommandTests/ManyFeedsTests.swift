import Foundation
import HTTPServer
import ScriptedServer
import Testing

@Suite("Many feeds")
struct ManyFeedsTests {
    private func names(_ place: Workplace, _ words: String = "feeds") async throws -> [String] {
        let run = try await place.run("\(words) --json")
        #expect(run.code == 0, "\(run.errors)")
        return run.output.matches(of: /"(?:name|feed)":"([^"]*)"/).map { String($0.output.1) }
    }

    private func item(_ name: String) -> ServerResponse {
        .json(#"{"total_count":1,"items":[{"id":1,"name":"\#(name)"}]}"#)
    }

    @Test("Files that are included have feeds of their own, in the order of their names, and can be changed")
    func include() async throws {
        let place = try Workplace([])
        try FileManager.default.createDirectory(atPath: place.path("conf.d"), withIntermediateDirectories: true)
        try place.write(
            "feedsync.yaml",
            "include: [conf.d/*.yaml, more.yaml, none/*.yaml]\nfeeds: {a: {url: \"https://example.com/a\"}}\n")
        try place.write("conf.d/2.yaml", "feeds: {b: {url: \"https://example.com/b\"}}\n")
        try place.write(
            "conf.d/1.yaml",
            "# mine\nfeeds:\n  c: {url: \"https://example.com/c\"}\n  d: {url: \"https://example.com/d\"}\n")
        try place.write("more.yaml", "")
        #expect(try await names(place) == ["a", "c", "d", "b"])
        #expect(try await place.run("rename c e").code == 0)
        #expect(try await place.run("remove d").output == "d  removed from conf.d/1.yaml\n")
        #expect(try place.text(of: "conf.d/1.yaml") == "# mine\nfeeds:\n  e: {url: \"https://example.com/c\"}\n")
        #expect(try await place.run("explain b").output.contains("url: https://example.com/b"))
        #expect(try await place.run("__complete show").output.split(separator: "\n").isEmpty == false)

        try place.write("more.yaml", "feeds: {a: {url: \"https://example.com/a\"}}\nstore: x\n")
        let wrong = try await place.run("check")
        #expect(wrong.code == 78)
        #expect(
            wrong.errors.contains("more.yaml:1:9: the feed name `a` is taken by the feed `a`"), "\(wrong.errors)"
        )
        #expect(wrong.errors.contains("more.yaml:2:1: unknown member `store` in an included file"), "\(wrong.errors)")
        place.remove("more.yaml")
        #expect(
            try await place.run("check").errors.contains("feedsync.yaml:1:26: `include`: there is no file more.yaml"))
        try place.write("more.yaml", "")
        #expect(try await place.shell("chmod 666 more.yaml").code == 0)
        #expect(try await place.run("check").errors.contains("more.yaml: is included, and can be written by others"))
    }

    @Test("The view of a model with many feeds has all of them after a run, also if the run before was killed")
    func modelView() async throws {
        let place = try Workplace([])
        place.server.route("/things") { _ in item("one") }
        try place.write(
            "feedsync.yaml",
            """
            feeds:
              f{each}:
                each: [\((1...60).map(String.init).joined(separator: ", "))]
                url: \(place.server.url)/things?f={each}
                items: items
                model: thing

            """)
        #expect(try await place.run("sync --quiet").code == 0)
        #expect(try place.query("SELECT count(DISTINCT feed) || ' ' || max(name) FROM thing") == ["60 one"])
        // A run that was killed has entered feeds which the view does not have.
        try place.execute("DROP VIEW thing; CREATE VIEW thing AS SELECT 'f1' AS feed, name FROM f1")
        #expect(try await place.run("sync f7").code == 0)
        #expect(try place.query("SELECT count(DISTINCT feed) FROM thing") == ["60"])
    }

    @Test("One definition with `each` makes a feed for each value")
    func each() async throws {
        let place = try Workplace([])
        try place.write(
            "feedsync.yaml",
            """
            feeds:
              org-{each}:
                each: [apple, "swift lang", 7]
                url: "\(place.server.url)/orgs/{each}/repos"
                query: {q: "{each} ${HOME}", n: "{other}"}
                items: items
                key: id
                pagination: none
              "{team}_of_{org}":
                each: [{team: a, org: x}, {team: b, org: y}]
                url: "\(place.server.url)/{org}/{team}"

            """)
        #expect(try await names(place) == ["org-apple", "org-swift-lang", "org-7", "a_of_x", "b_of_y"])
        place.server.route("/orgs/swift lang/repos") { _ in item("found") }
        let run = try await place.run("reload org-swift-lang")
        #expect(run.code == 0, "\(run.errors)")
        let request = try #require(place.server.requests.last)
        #expect(request.rawPath == "/orgs/swift%20lang/repos")
        #expect(request.parameter("q") == "swift lang \(place.folder)" && request.parameter("n") == "{other}")
        #expect(try await place.run("explain b_of_y").output.contains("/y/b"))
        let one = try await place.run("remove org-apple")
        #expect(
            one.code == 64 && one.errors.contains("feed org-apple is one of an `each` (feedsync.yaml:2:3)"),
            "\(one.errors)")

        for (each, message) in [
            ("a", "must be a list of values"), ("[]", "must be a list of values"),
            ("[[a]]", "or of mappings of values"),
            ("[{x: 1}]", "its name must have one of its words"), ("[a, a]", "is taken by the feed"),
        ] {
            try place.write("feedsync.yaml", "feeds: {one: {each: \(each), url: \"https://example.com/{each}\"}}")
            let wrong = try await place.run("check")
            #expect(wrong.code == 78 && wrong.errors.contains(message), "\(each): \(wrong.errors)")
        }
    }

    @Test("`defaults` has any member; a preset's and a feed's own win, and null takes one away")
    func defaults() async throws {
        let place = try Workplace([])
        let feed = "items: items, key: id, pagination: none"
        try place.write(
            "feedsync.yaml",
            """
            defaults:
              headers: {Accept: text/x, X-All: "1"}
              auth: {bearer: t0ken}
              retries: 0
            feeds:
              a: {url: "\(place.server.url)/a", \(feed)}
              b: {url: "\(place.server.url)/b", \(feed), auth: null, headers: {x-all: "2"}}

            """)
        for name in ["a", "b"] { place.server.route("/\(name)") { _ in item(name) } }
        #expect(try await place.run("sync").code == 0)
        let a = try #require(place.server.requests(for: "/a").first)
        let b = try #require(place.server.requests(for: "/b").first)
        #expect([a.header("Authorization"), a.header("Accept"), a.header("X-All")] == ["Bearer t0ken", "text/x", "1"])
        #expect([b.header("Authorization"), b.header("Accept"), b.header("X-All")] == [nil, "text/x", "2"])
        let explained = try await place.run("explain a").output
        #expect(explained.contains("bearer: \"***\"") || explained.contains("bearer: ***"), "\(explained)")

        try place.write(
            "feedsync.yaml",
            "defaults: {syn: {mode: all}, preset: x, timeout: soon}\nfeeds: {a: {url: \"https://e.com\"}, b: {url: \"https://e.com\"}}"
        )
        let wrong = try await place.run("check").errors
        #expect(wrong.contains("unknown member `syn` in `defaults`; did you mean `sync`?"), "\(wrong)")
        #expect(wrong.contains("unknown member `preset` in `defaults`"), "\(wrong)")
        #expect(wrong.components(separatedBy: "soon").count == 2, "\(wrong)")
    }

    @Test("Presets of one's own are in presets/ beside the configuration")
    func presets() async throws {
        let place = try Workplace([])
        try FileManager.default.createDirectory(atPath: place.path("presets"), withIntermediateDirectories: true)
        try place.write(
            "presets/mine.things.yaml",
            """
            name: mine.things
            description: Things of mine.
            parameters: [kind]
            url: "\(place.server.url)/{kind}"
            items: items
            key: id
            pagination: none
            """)
        let added = try await place.run("add t mine.things kind=good")
        #expect(added.code == 0, "\(added.errors)")
        place.server.route("/good") { _ in item("x") }
        #expect(try await place.run("sync t").code == 0)
        #expect(try await place.run("presets").output.contains("mine.things"))
        #expect(try await place.run("presets mine.things").output.hasPrefix("name: mine.things\n"))
        #expect(try await place.run("explain t").output.contains("# preset mine.things"))
        let wrong = try await place.run("add u mine.thing kind=good")
        #expect(wrong.code == 64 && wrong.errors.contains("did you mean mine.things?"), "\(wrong.errors)")
        try place.write("presets/other.yaml", "name: else\ndescription: x\n")
        try place.write("feedsync.yaml", "feeds: {a: {preset: other}}")
        #expect(try await place.run("check").errors.contains("presets/other.yaml: its `name` must be `other`"))
    }

    @Test("A pattern names several feeds")
    func patterns() async throws {
        let place = try Workplace(["org-a", "org-b", "other"])
        for name in ["org-a", "org-b", "other"] { place.server.route("/\(name)") { _ in item(name) } }
        #expect(try await names(place, "sync org-*") == ["org-a", "org-b"])
        #expect(try await names(place, "status o*r org-?") == ["other", "org-a", "org-b"])
        let none = try await place.run("sync x*")
        #expect(none.code == 64 && none.errors.contains("no such feed: x*"), "\(none.errors)")
    }
}
