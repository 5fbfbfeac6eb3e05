import Feeds
import Foundation
import TemporaryFolder
import Testing

@Suite("A configuration")
struct ConfigurationTests {
    private func parse(_ text: String, file: String = "f.yaml") throws(ConfigurationError) -> Configuration {
        try Configuration.parse(Array(text.utf8), file: file, environment: ["HOME": "/home/me"])
    }

    private func feeds(_ names: [(name: String, model: String?)]) -> String {
        names.reduce("feeds:\n") { text, feed in
            text
                + "  \(feed.name): {url: https://a.b, key: id, columns: {id: id}\(feed.model.map { ", model: \($0)" } ?? "")}\n"
        }
    }

    @Test("A configuration is read from the contract's own example, as far as it is supported")
    func example() throws {
        let configuration = try parse(
            """
            store: feeds.db
            defaults: {timeout: 10s, retries: 2}
            keep: 30d
            durable: true
            feeds:
              swift-repos:
                preset: github.search
                query: {q: "language:swift stars:>=2000"}
                every: 15m
                timeout: 5s
              catalogue:
                url: https://api.example.com/v1/things
                query: {size: 100}
                headers: {Accept: application/json}
                auth: {bearer: "${CATALOGUE_TOKEN}"}
                items: data.list
                key: id
                section: category
                model: thing
                columns:
                  id: id
                  owner: owner.login
                  stars: {path: stargazers_count, type: integer}
                pagination: {style: page, param: page, first: 1, total: data.total}
                responses: [{status: 400, do: end}]
                sync: {mode: new}
                raw: false
            """, file: "/etc/feeds/f.yaml")
        #expect(configuration.feeds.map(\.name) == ["swift-repos", "catalogue"])
        #expect(configuration.feeds.map(\.timeout) == [.seconds(5), .seconds(10)])
        #expect(configuration.feeds.map(\.retries) == [2, 2])
        #expect(configuration.store == "/etc/feeds/feeds.db")
        #expect(configuration.folder == "/etc/feeds")
        #expect(configuration.keep == .seconds(30 * 86_400))
        #expect(configuration.isDurable)
        #expect(
            configuration.feed(named: "catalogue")?.position
                == SourcePosition(file: "/etc/feeds/f.yaml", line: 11, column: 3))
        #expect(configuration.feed(named: "Catalogue") == nil)
    }

    @Test("A configuration may be empty", arguments: ["", "# soon", "feeds:", "feeds: {}", "{}"])
    func empty(text: String) throws {
        let configuration = try parse(text)
        #expect(configuration.feeds.isEmpty)
        #expect(configuration.keep == .seconds(90 * 86_400))
    }

    @Test(
        "A configuration has its store beside it",
        arguments: [
            ("", "f.yaml", "feedsync.db"), ("", "/f.yaml", "/feedsync.db"), ("", "a/f.yaml", "a/feedsync.db"),
            ("store: b.db", "a/f.yaml", "a/b.db"), ("store: /b.db", "a/f.yaml", "/b.db"),
            ("store: ~/b.db", "a/f.yaml", "/home/me/b.db"),
            // A store in PostgreSQL has no path, and none is made up for it.
            ("store: postgres://db/feeds", "a/f.yaml", nil), ("store: ${DATABASE_URL}", "a/f.yaml", nil),
        ])
    func store(text: String, file: String, store: String?) throws {
        #expect(try parse(text, file: file).store == store)
    }

    @Test(
        "A diagnostic outside the feeds of a configuration has its place",
        arguments: [
            ("feed: {}", "f.yaml:1:1: unknown member `feed` in the configuration; did you mean `feeds`?"),
            ("- a", "f.yaml:1:1: the configuration must be a mapping, not a list"),
            ("feeds: [a]", "f.yaml:1:8: `feeds` must be a mapping, not a list"),
            ("feeds:\n  a:\n", "f.yaml:2:5: feed `a` must be a mapping, not nothing"),
            ("defaults: {url: x}", "f.yaml:1:12: unknown member `url` in `defaults`"),
            (
                "keep: forever",
                "f.yaml:1:7: `keep` of the configuration must be a time such as `500ms`, `30s`, `15m`, `2h` or `1d`, not `forever`"
            ),
            ("store: \"\"", "f.yaml:1:8: `store` is not the path of a file"),
            ("store: mysql://me:pw@h/x", "f.yaml:1:8: a store is a file or `postgres://…`, not `mysql://…`"),
            (
                "store: postgre://h/x",
                "f.yaml:1:8: a store is a file or `postgres://…`, not `postgre://…`; did you mean postgres?"
            ),
            ("a: [", "f.yaml:2:1: expected a value here"),
            ("a: 1\na: 2", "f.yaml:2:1: the member `a` is given twice"),
        ])
    func diagnostics(text: String, expected: String) {
        let error = #expect(throws: ConfigurationError.self) { try parse(text) }
        #expect(error?.description == expected)
    }

    @Test(
        "A configuration with names that are the same in the store is refused",
        arguments: [
            ([("a-b", nil), ("A_B", nil)], "A_B"), ([("feed", nil)], "feed"), ([("Event", nil)], "Event"),
            ([("a", "m"), ("M", nil)], "M"), ([("a", "m"), ("b", "M")], "M"), ([("a", "a")], "a"),
            ([("a", "run")], "run"), ([("sqlite_x", nil)], "sqlite_x"), ([("SQLite-x", nil)], "SQLite-x"),
            ([("1a", nil)], "1a"), ([("ä", nil)], "ä"), ([("a.b", nil)], "a.b"),
            ([(String(repeating: "a", count: 64), nil)], String(repeating: "a", count: 64)),
        ] as [([(name: String, model: String?)], String)])
    func names(names: [(name: String, model: String?)], word: String) {
        let error = #expect(throws: ConfigurationError.self) { try parse(feeds(names)) }
        #expect(error?.diagnostics.map(\.word) == [word])
    }

    @Test("A configuration may have feeds that share a model, and names of up to 63 letters")
    func sharedModel() throws {
        let configuration = try parse(feeds([("a", "m"), ("b", "m"), (String(repeating: "c", count: 63), nil)]))
        #expect(configuration.feeds.count == 3)
    }

    @Test("A configuration that cannot be read gives the reason")
    func unreadable() {
        let error = #expect(throws: ConfigurationError.self) { try Configuration.load("/nowhere/f.yaml") }
        #expect(error?.description == "/nowhere/f.yaml: cannot be read: No such file or directory")
    }

    @Test("A configuration is read from its file")
    func load() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("feedsync.yaml")
        try Data(feeds([("a", nil)]).utf8).write(to: URL(filePath: file))
        #expect(try Configuration.load(file).feeds.map(\.name) == ["a"])
    }

    @Test("A configuration keeps the time of the latest change to its files before they were read")
    func changedAt() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.file("presets"), withIntermediateDirectories: true)
        let texts = ["f.yaml": "include: more.yaml\n\(feeds([("a", nil)]))", "more.yaml": "", "presets/mine.yaml": ""]
        func set(_ name: String, to seconds: Double) throws {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: seconds)], ofItemAtPath: folder.file(name))
        }
        for (name, text) in texts {
            try Data(text.utf8).write(to: URL(filePath: folder.file(name)))
            try set(name, to: 1_000)
        }
        let file = folder.file("f.yaml")
        let first = try Configuration.load(file)
        #expect(first.changedAt == 1_000_000)
        for (name, seconds) in [("more.yaml", 2_000.0), ("presets/mine.yaml", 3_000), ("f.yaml", 4_000.5)] {
            try set(name, to: seconds)
            #expect(try Configuration.load(file).changedAt == Int64(seconds * 1_000), "\(name)")
        }
        #expect(first.changedAt == 1_000_000)
    }
}
