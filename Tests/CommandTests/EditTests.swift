import Foundation
import HTTPServer
import ScriptedServer
import Testing

@Suite struct EditTests {
    private static let text = """
        # mine
        feeds:
          things:
            url: https://example.com/things  # old
            items: items
            sync:
              mode: all

          others: {preset: github.search, query: {q: swift}}

        """

    private func place() throws -> Workplace {
        let place = try Workplace([])
        try place.write("feedsync.yaml", Self.text)
        return place
    }

    @Test("edit writes members of a feed, takes others away, and leaves the rest of the file as it is")
    func edits() async throws {
        let place = try place()
        let run = try await place.shell(
            "$FEEDSYNC edit things url=https://example.org/v2 'sync={mode: new, full: 12h}' every=1h items= paused=true"
        )
        #expect(run.output == "things  changed in feedsync.yaml\n", "\(run.errors)")
        #expect(
            try place.text(of: "feedsync.yaml") == """
                # mine
                feeds:
                  things:
                    url: https://example.org/v2  # old
                    sync: {mode: new, full: 12h}
                    every: 1h
                    paused: true

                  others: {preset: github.search, query: {q: swift}}

                """)
    }

    @Test(
        "edit writes nothing that the feed cannot have",
        arguments: [
            ("things evry=1h", "unknown member `evry` in feed `things`; did you mean `every`?"),
            ("things every=soon", "`every` of feed `things` must be a time"),
            ("things url=ftp://example.com", "must begin with `https://` or `http://`"),
            ("things retries=-1", "`retries` of feed `things` must be a whole number from 0 to 100, not `-1`"),
            ("things retries=1.5", "`retries` of feed `things` must be a whole number from 0 to 100, not `1.5`"),
            ("things retries=many", "`retries` of feed `things` must be a whole number from 0 to 100, not `many`"),
            ("things paused=yes", "`paused` of feed `things` must be true or false, not `yes`"),
            ("thngs every=1h", "no such feed: thngs; did you mean things?"),
            ("things every=1h every=2h", "the member `every` is given twice"),
            ("things every=1h paused=true every=", "the member `every` is given twice"),
            ("things every", "unexpected argument: every"), ("things url=", "feed `things` has no `url`"),
            (
                "things 'sync={mode: all'",
                "`sync` is neither a word nor a mapping or list: expected `,` or `}` here\nTry: "
            ),
            (
                "things 'columns=[a, b'",
                "`columns` is neither a word nor a mapping or list: expected `,` or `]` here\nTry: "
            ),
            ("things", "edit needs the name of a feed, and members as name=value"),
        ])
    func refuses(words: String, message: String) async throws {
        let place = try place()
        let run = try await place.shell("$FEEDSYNC edit \(words)")
        #expect(run.code == 64, "\(words): \(run.code)")
        #expect(run.errors.contains(message), "\(words): \(run.errors)")
        #expect(try place.text(of: "feedsync.yaml") == Self.text)
    }

    @Test("add --set writes any member, and the file of --cacert is found from where the command runs")
    func set() async throws {
        let place = try Workplace.withoutConfiguration()
        let run = try await place.shell(
            "$FEEDSYNC add things \(place.server.url)/things --set timeout=5s --set 'auth={bearer: \"${TOKEN}\"}'",
            environment: ["TOKEN": "t"])
        #expect(run.code == 0, "\(run.errors)")
        let text = try place.text(of: "feedsync.yaml")
        #expect(text.contains("    timeout: 5s\n") && text.contains("    auth: {bearer: \"${TOKEN}\"}\n"), "\(text)")
        let dry = try await place.shell(
            "mkdir sub; cd sub; $FEEDSYNC add more --dry-run --curl 'curl --cacert ca.pem https://127.0.0.1:1/x'")
        #expect(dry.errors.contains("/sub/ca.pem"), "\(dry.errors)")
    }

    @Test("A list that has moved for good is reported once, with the line that follows it")
    func moved() async throws {
        let place = try Workplace.withoutConfiguration()
        let url = place.server.url
        place.server.route("/old") { request in
            .status(301, headers: [("Location", request.target.replacing("/old", with: "/things"))])
        }
        try place.write("feedsync.yaml", "feeds:\n" + Workplace.feed("things", at: "\(url)/old?q=a"))
        let note =
            "feedsync: things: note: `url` has moved for good, to \(url)/things: feedsync edit things 'url=\(url)/things?q=a'\n"
        for expected in [note, "", ""] {
            let run = try await place.run("sync")
            #expect(run.errors == expected, "\(run.errors)")
        }
        // A second move is told, too.
        place.server.route("/old") { request in
            .status(308, headers: [("Location", request.target.replacing("/old", with: "/new"))])
        }
        place.server.route("/new", to: PagedFeed(PagedFeed.items(1...25)))
        #expect(try await place.run("sync").errors.contains("to \(url)/new: "))
        #expect(try await place.run("sync --quiet").errors.isEmpty)
        #expect(try await place.shell("$FEEDSYNC edit things 'url=\(url)/things?q=a'").code == 0)
        #expect(try await place.run("sync").errors.isEmpty)
        // For now is not for good.
        place.server.route("/old") { request in
            .status(302, headers: [("Location", request.target.replacing("/old", with: "/things"))])
        }
        #expect(try await place.shell("$FEEDSYNC edit things url=\(url)/old && $FEEDSYNC sync").errors.isEmpty)
    }
}
