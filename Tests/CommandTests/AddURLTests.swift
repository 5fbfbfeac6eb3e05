import Concurrency
import Foundation
import HTTPServer
import ScriptedServer
import Testing

@Suite struct AddURLTests {
    @Test("From a URL, add prints what it found, how certain it is and why, and writes it down")
    func finds() async throws {
        let place = try Workplace.withoutConfiguration()
        let run = try await place.run("add things \(place.server.url)/things")
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(
            lines.filter { !$0.hasPrefix(" ") && !$0.hasPrefix("(") } == [
                "items       items", "key         id", "columns     id integer, name text",
                "pagination  {style: page, param: page, total: total_count, size_param: per_page, size: 100, first:",
                "created feedsync.yaml and added things", "Next: feedsync sync things",
            ])
        #expect(lines.count { $0.hasPrefix("            certain: ") || $0.hasPrefix("            likely: ") } == 4)
        #expect(lines.contains { $0.hasPrefix("(10 items on the first page; ") })
        #expect(run.errors.isEmpty)
        #expect(run.code == 0)
        #expect(
            try place.text(of: "feedsync.yaml") == """
                feeds:
                  things:
                    url: \(place.server.url)/things
                    items: items
                    key: id
                    pagination:
                      style: page
                      param: page
                      total: total_count
                      size_param: per_page
                      size: 100
                      first: 1

                """)
        #expect(try await place.run("check").code == 0)
    }

    @Test("A list that is empty when it is added may be an object by name later", arguments: ["[]", #"{"data":[]}"#])
    func emptyList(body: String) async throws {
        let place = try Workplace.withoutConfiguration()
        let hasItems = Lock(false)
        place.server.route("/list") { request in
            let items = #"{"7":{"id":7,"name":"a"},"9":{"id":9,"name":"b"},"12":{"id":12,"name":"c"}}"#
            guard hasItems.withLock({ $0 }), request.query.isEmpty else { return .json(body) }
            return .json(body.hasPrefix("[") ? items : #"{"data":\#(items)}"#)
        }
        #expect(try await place.run("add list \(place.server.url)/list").code == 0)
        #expect(try await place.run("sync list").code == 0)
        hasItems.withLock { $0 = true }
        #expect(try await place.run("sync list").code == 0)
        #expect(try place.query("SELECT group_concat(name, '') FROM list") == ["abc"])
    }

    @Test("Of a web page, the feed that it names is added, and others are listed")
    func webPage() async throws {
        let place = try Workplace.withoutConfiguration()
        let url = place.server.url
        place.server.route("/blog") { _ in
            .html(
                """
                <!DOCTYPE html><html><head><!-- <link rel=alternate type=application/rss+xml href=/old.xml> -->
                <script>"<link rel='alternate' type='application/rss+xml' href='/script.xml'>"</script>
                <base href="/blog/">
                <LINK Type='application/rss+xml' REL="home alternate" title="Posts" href="feed.xml?a=1&amp;b=2"/>
                <link rel=alternate type=application/atom+xml href=/comments.atom title="Comments">
                <link rel=alternate type=application/json+oembed href=/oembed><link rel=stylesheet href=/style.css>
                </head><body>Posts</body></html>
                """)
        }
        place.server.route("/blog/feed.xml") { _ in
            ServerResponse(
                headers: [("Content-Type", "application/rss+xml")],
                body: Array(
                    "<rss version='2.0'><channel><item><guid>1</guid><title>One</title></item></channel></rss>".utf8))
        }
        let run = try await place.run("add blog \(url)/blog")
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.errors.contains("\(url)/blog is a web page; its feed is \(url)/blog/feed.xml?a=1&b=2\n"))
        #expect(run.errors.contains("it names \(url)/comments.atom, too (Comments)\n"))
        #expect(!run.errors.contains("old.xml") && !run.errors.contains("script.xml") && !run.errors.contains("oembed"))
        #expect(try place.text(of: "feedsync.yaml").contains("url: \(url)/blog/feed.xml?a=1&b=2\n"))
        #expect(try await place.run("sync").code == 0)
        #expect(try place.query("SELECT title FROM blog") == ["One"])
    }

    @Test("Of a web page whose feed is elsewhere, nothing is added with headers that may be for this host alone")
    func webPageElsewhere() async throws {
        let place = try Workplace.withoutConfiguration()
        let other = try Server { _ in .json("[]") }
        place.server.route("/blog") { _ in
            .html("<!DOCTYPE html><link rel=alternate type=application/feed+json href='\(other.url)/feed'>")
        }
        let run = try await place.run("add blog \(place.server.url)/blog --header X-Tenant:1")
        #expect(run.code == 65)
        #expect(run.errors.contains("this is a web page, whose feed is at another host: \(other.url)/feed"))
        #expect(!place.files.contains("feedsync.yaml"))
    }

    @Test("--columns writes the columns as well; then the feed can be mirrored to its end")
    func columns() async throws {
        let place = try Workplace.withoutConfiguration()
        #expect(try await place.run("add things \(place.server.url)/things --columns --quiet").output.isEmpty)
        #expect(
            try place.text(of: "feedsync.yaml").contains(
                "\n    columns:\n      id: {path: id, type: integer}\n      name: {path: name, type: text}\n"))
        let run = try await place.run("more things --all")
        #expect(run.output.hasPrefix("things  25 new (2 pages, 2 requests, "))
        #expect(run.output.hasSuffix("; 25 items, all pages fetched\n"))
    }

    @Test("--dry-run prints the definition on stdout, the findings on stderr, and changes nothing")
    func dryRun() async throws {
        let place = try Workplace.withoutConfiguration()
        let run = try await place.run("add things \(place.server.url)/things?size=5 --dry-run")
        #expect(
            run.output == """
                  things:
                    url: \(place.server.url)/things?size=5
                    items: items
                    key: id
                    pagination: {style: page, param: page, total: total_count, first: 1}

                """)
        #expect(run.errors.hasPrefix("items       items\n            certain: "))
        #expect(place.files.isEmpty)
    }

    @Test("--json is one document with the findings")
    func json() async throws {
        let place = try Workplace.withoutConfiguration()
        let text = try await place.run("add things \(place.server.url)/things --json").output
        let list = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
        let object = try #require(list?.first)
        #expect(Set(object.keys) == ["feed", "definition", "findings", "file", "version"])
        let findings = try #require(object["findings"] as? [[String: Any]])
        #expect(findings.map { $0["subject"] as? String } == ["items", "key", "columns", "pagination"])
        #expect(findings.allSatisfy { Set($0.keys) == ["subject", "found", "certainty", "evidence"] })
        #expect(object["file"] as? String == "feedsync.yaml")
    }

    @Test("A secret is sent and stays a reference in the file; it is shown nowhere")
    func secrets() async throws {
        let place = try Workplace.withoutConfiguration()
        let run = try await place.shell(
            "$FEEDSYNC add things '\(place.server.url)/things' 'api_key=${KEY}' --header 'X-Token: ${TOKEN}'",
            environment: ["KEY": "s3cr3t-key", "TOKEN": "s3cr3t-token"])
        #expect(run.code == 0)
        #expect(place.server.requests.allSatisfy { $0.parameter("api_key") == "s3cr3t-key" })
        #expect(place.server.requests.allSatisfy { $0.header("X-Token") == "s3cr3t-token" })
        let text = try place.text(of: "feedsync.yaml")
        #expect(text.contains("    query: {api_key: \"${KEY}\"}\n    headers: {X-Token: \"${TOKEN}\"}\n"))
        #expect(!(text + run.output + run.errors).contains("s3cr3t"))
        let unset = try await place.shell("$FEEDSYNC add more '\(place.server.url)/things?key=${NOT_SET}'")
        #expect(unset.errors.contains("the environment variable `NOT_SET` is not set"))
        #expect(unset.code == 78)
    }

    @Test("If no way to the other items was found, add says so, even with --quiet, and the feed is not complete")
    func missing() async throws {
        let place = try Workplace.withoutConfiguration()
        place.server.route("/things") { _ in .json(#"{"total":95,"list":[{"id":1},{"id":2}]}"#) }
        let run = try await place.run("add things \(place.server.url)/things -q")
        #expect(run.code == 0 && run.output.isEmpty)
        #expect(run.errors.hasPrefix("feedsync: things: 2 of 95 items: `total` says there are more, "))
        let sync = try await place.run("sync things")
        #expect(sync.errors.contains("the upstream served 2 of the 95 items that it reports, and no page but"))
        #expect(!(sync.errors + sync.output).contains("partition"))
        #expect(sync.output.contains("served 2 of 95 items: no other page was asked for, so write `pagination`"))
        #expect(try place.query("SELECT complete FROM feed") == ["0"])
    }

    @Test("A feed starts at the offset in its URL")
    func offset() async throws {
        let place = try Workplace.withoutConfiguration()
        place.server.route("/things") { request in
            let start = request.parameter("offset").flatMap { Int($0) } ?? 0
            let items = PagedFeed.items(max(1, start + 1)..<max(1, min(start + 10, 45) + 1)).joined(separator: ",")
            return .json("{\"count\":45,\"items\":[\(items)]}")
        }
        _ = try await place.run("add things \(place.server.url)/things limit=10 offset=20 -q")
        #expect(
            try place.text(of: "feedsync.yaml").hasSuffix(
                "    pagination: {style: offset, param: offset, first: 20, total: count}\n"))
        #expect(try await place.run("check").code == 0)
        _ = try await place.run("sync things")
        #expect(try place.query("SELECT min(id) || '|' || max(id) || '|' || count(*) FROM things") == ["21|45|25"])
        #expect(try place.query("SELECT complete FROM feed") == ["1"])
    }

    @Test(
        "A URL that is not a feed is reported, and nothing is written",
        arguments: [
            (.html("<!DOCTYPE html><p>Sign in</p>"), 65, "expected JSON, but got HTML"),
            (
                .json("a,b\n1,2\n"),
                65, "expected JSON, but got CSV"
            ),
            (.json(#"{"ok":true}"#), 65, "no key found"),
            (.json(#"{"ok":true}"#), 65, "Try: give them with --items and --key"),
            (.json("[[1],[2]]"), 65, "no items found"),
            (.json("{"), 65, "not JSON"),
            (
                ServerResponse(headers: [], body: Array(#"[{"id":1,"name":"caf"#.utf8) + [0xE9] + Array(#""}]"#.utf8)),
                65, "the response is not UTF-8"
            ), (ServerResponse(headers: [], body: [0x5B, 0x22, 0xE9, 0x22, 0x5D]), 65, "the response is not UTF-8"),
            (.json(""), 65, "not JSON"),
            (.status(404), 69, "404 Not Found"),
            (.status(401), 77, "Try: authenticate, for example with --header 'Authorization: Bearer ${TOKEN}'"),
            (.status(403), 77, "403 Forbidden"),
            (.status(429, headers: [(name: "Retry-After", value: "120")]), 75, "--max-wait"),
            (
                .status(302, headers: [(name: "Location", value: "/login")]), 65,
                "/things redirects there; is it a login page?"
            ),
        ] as [(ServerResponse, Int32, String)])
    func noFeeds(response: ServerResponse, code: Int32, message: String) async throws {
        let place = try Workplace.withoutConfiguration()
        place.server.enqueue("/things", [response])
        place.server.enqueue("/login", [.html("<p>Who are you?</p>")])
        let run = try await place.run("add things \(place.server.url)/things")
        #expect(run.errors.hasPrefix("feedsync: things: "))
        #expect(run.errors.contains(message))
        #expect(run.output.isEmpty)
        #expect(run.code == code)
        #expect(place.files.isEmpty)
    }

    @Test("A URL that is only written otherwise is no redirect")
    func normalised() async throws {
        let place = try Workplace.withoutConfiguration()
        for path in ["/a/../nothing", "/n%6Fthing", "/./nothing"] {
            place.server.enqueue("/nothing", [.status(404)])
            let run = try await place.run("add things \(place.server.url)\(path)")
            #expect(run.code == 69 && !run.errors.contains("redirects"), "\(run.errors)")
        }
    }

    @Test("On a terminal no line is too long, and progress is shown")
    func terminal() async throws {
        let place = try Workplace.withoutConfiguration()
        let run = try await place.shell(
            #"script -qec "stty cols 60; $FEEDSYNC add t \#(place.server.url)/things --dry-run" /dev/null"#,
            environment: ["NO_COLOR": "1"])
        #expect(run.output.hasPrefix("\r\u{1B}[Kt  requesting http://127.0.0.1:"))
        let lines = run.output.split(separator: "\r\n").flatMap { $0.split(separator: "\u{1B}[K") }
        // The definition is for a file, and is not cut.
        #expect(lines.prefix { !$0.hasPrefix("  t:") }.allSatisfy { $0.count <= 60 }, "\(lines)")
    }

    @Test("Ctrl-C while pages are requested writes nothing")
    func interrupted() async throws {
        let place = try Workplace.withoutConfiguration()
        let feed = PagedFeed(PagedFeed.items(1...25))
        let gate = place.server.gate()
        feed.hold(page: 1, at: gate)
        place.server.route("/things", to: feed)
        let command = try place.start("add things \(place.server.url)/things")
        await gate.arrived()
        command.send(SIGINT)
        let run = await command.end()
        #expect(run.errors == "feedsync: things: stopped; nothing was written\n")
        #expect(run.code == 130)
        #expect(place.files.isEmpty)
    }

    @Test("A secret may come from a command, unless the file was found by itself")
    func commands() async throws {
        let place = try Workplace.withoutConfiguration()
        let line = "$FEEDSYNC add things '\(place.server.url)/things' --header 'X-Token: ${command: echo s3cr3t-token}'"
        let refused = try await place.shell(line)
        #expect(refused.errors.contains("--config"))
        #expect(refused.code == 64)
        #expect(place.server.requests.isEmpty)
        try place.write("mine.yaml", "")
        let run = try await place.shell(line + " --config mine.yaml")
        #expect(run.code == 0)
        #expect(place.server.requests.allSatisfy { $0.header("X-Token") == "s3cr3t-token" })
        #expect(try place.text(of: "mine.yaml").contains("{X-Token: \"${command: echo s3cr3t-token}\"}"))
        let explained = try await place.run("explain things --config mine.yaml")
        #expect(explained.code == 0)
    }

    @Test("A name that is taken costs no request")
    func taken() async throws {
        let place = try Workplace()
        #expect(try await place.run("add things \(place.server.url)/things").code == 64)
        #expect(place.server.requests.isEmpty)
    }

    @Test("Removing a feed that was added restores the file")
    func roundTrip() async throws {
        let place = try Workplace(["idle"])
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...25)))
        let before = try place.text(of: "feedsync.yaml")
        #expect(try await place.run("add things \(place.server.url)/things").code == 0)
        #expect(try place.text(of: "feedsync.yaml") != before)
        #expect(try await place.run("remove things").code == 0)
        #expect(try place.text(of: "feedsync.yaml") == before)
    }
}
