import Testing

@testable import Feeds

@Suite("A preset's parameters")
struct PresetParametersTests {
    private func feed(_ yaml: String) throws(ConfigurationError) -> FeedDefinition {
        try FeedDefinition.parse(name: "x", yaml: yaml, file: "f")
    }

    @Test(
        "A preset's parameter is a host, the URL's start, all of it or a part of the path",
        arguments: [
            ("mastodon.timeline\nwith: {host: mastodon.social}", "https://mastodon.social/api/v1/timelines/public"),
            ("mastodon.timeline\nwith: {host: \"[::1]:8080\"}", "https://[::1]:8080/api/v1/timelines/public"),
            ("mastodon.timeline\nwith: {host: \"${HOST}\"}", "https://${HOST}/api/v1/timelines/public"),
            (
                "gitlab.issues\nwith: {host: gitlab.com, project: gitlab-org/gitlab}",
                "https://gitlab.com/api/v4/projects/gitlab-org%2Fgitlab/issues"
            ),
            ("redmine.issues\nwith: {url: \"https://x.org/redmine\"}", "https://x.org/redmine/issues.json"),
            ("redmine.issues\nwith: {url: \"http://x.org:3000/\"}", "http://x.org:3000/issues.json"),
            ("redmine.issues\nwith: {url: \"${REDMINE}\"}", "${REDMINE}/issues.json"),
            (
                "datasette.table\nwith: {url: \"${D}\", database: a b, table: c/d?}",
                "${D}/a%20b/c%2Fd%3F.json"
            ),
            ("jsonfeed\nwith: {url: \"https://x.org/f.json?a=b%20c&d=é\"}", "https://x.org/f.json?a=b%20c&d=é"),
            ("jsonfeed\nwith: {url: \"https://x.org/f/\"}", "https://x.org/f/"),
            ("generic.drf-page\nwith: {url: \"https://x.org/${PART}/a b/\"}", "https://x.org/${PART}/a b/"),
        ])
    func put(yaml: String, expected: String) throws {
        #expect(try feed("preset: \(yaml)").url.description == expected)
    }

    @Test(
        "A parameter for a host adds neither a scheme nor a user nor a path",
        arguments: [
            "https://x.org", "x.org/evil", "user@x.org", "x.org?a", "x.org#a", "x.org\\\\a", "x .org", "münchen.de",
            "x.org%2f", "${HOST}/a", "",
        ])
    func hosts(host: String) {
        let yaml = "preset: mastodon.timeline\nwith: {host: \"\(host)\"}"
        let error = #expect(throws: ConfigurationError.self) { try feed(yaml) }
        #expect(
            error?.diagnostics.map(\.description) == [
                "f:2:14: `host` of `with` of feed `x` must be a host such as `example.com`, perhaps with a port: no scheme, no user, no path"
            ])
    }

    @Test("A parameter for a host has a port that there can be")
    func port() {
        let error = #expect(throws: ConfigurationError.self) {
            try feed("preset: mastodon.timeline\nwith: {host: \"x.org:99999\"}")
        }
        #expect(
            error?.diagnostics.map(\.description) == [
                "f:2:21: `host` of `with` of feed `x` has a port that is not a number from 1 to 65535"
            ])
    }

    @Test("A parameter for a part of the path leads to no other one", arguments: ["", ".", ".."])
    func parts(part: String) {
        let error = #expect(throws: ConfigurationError.self) {
            try feed("preset: github.issues\nwith: {owner: \"\(part)\", repo: r}")
        }
        #expect(
            error?.diagnostics.map(\.description) == [
                "f:2:15: `owner` of `with` of feed `x` is part of the URL, and cannot be `\(part)`"
            ])
    }

    @Test(
        "A parameter for a URL is checked as one, as far as possible",
        arguments: [
            (
                "jsonfeed\nwith: {url: x.org}",
                "f:2:13: `url` of `with` of feed `x` must begin with `https://` or `http://`"
            ),
            (
                "jsonfeed\nwith: {url: \"ftp://x.org\"}",
                "f:2:13: `url` of `with` of feed `x` must begin with `https://` or `http://`"
            ),
            ("jsonfeed\nwith: {url: \"https://\"}", "f:2:13: `url` of `with` of feed `x` names no host"),
            (
                "jsonfeed\nwith: {url: \"https://me:pw@x.org/\"}",
                "f:2:13: `url` of `with` of feed `x` has a user or password in it; give them as `auth: {basic: {user, password}}`"
            ),
            (
                "redmine.issues\nwith: {url: \"https://x.org/?a=b\"}",
                "f:2:13: `url` of `with` of feed `x` is the beginning of a URL: nothing may follow its path"
            ),
            ("jsonfeed\nwith: {url: [a]}", "f:2:13: `url` of `with` of feed `x` must be text, not a list"),
            ("jsonfeed", "f:1:1: feed `x` needs `with: {url: …}` for the URL of its preset `jsonfeed`"),
        ])
    func urls(yaml: String, expected: String) {
        let error = #expect(throws: ConfigurationError.self) { try feed("preset: \(yaml)") }
        #expect(error?.diagnostics.map(\.description) == [expected])
    }

    @Test("Parameters are not searched for in a URL that no preset has")
    func withoutPreset() {
        let error = #expect(throws: ConfigurationError.self) { try feed("url: \"{url}/a\"") }
        #expect(
            error?.diagnostics.map(\.description) == [
                "f:1:6: `url` of feed `x` must begin with `https://` or `http://`"
            ])
    }

    @Test("Parameters of an unknown preset have no diagnostic of their own")
    func unknownPreset() {
        let error = #expect(throws: ConfigurationError.self) {
            try feed("preset: jsonfed\nwith: {url: \"https://x.org\"}")
        }
        #expect(
            error?.diagnostics.map(\.description) == [
                "f:1:9: unknown preset `jsonfed` in feed `x`; did you mean `jsonfeed`?"
            ])
    }

    @Test("Parameters work in a URL in place of the preset's own")
    func ownURL() throws {
        let feed = try feed(
            "preset: mediawiki.allpages\nwith: {host: wiki.example.org}\nurl: \"https://{host}/api.php\"")
        #expect(feed.url.description == "https://wiki.example.org/api.php")
    }
}
