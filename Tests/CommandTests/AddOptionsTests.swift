import Foundation
import HTTPServer
import ScriptedServer
import Testing

@Suite struct AddOptionsTests {
    @Test("--opml adds the feeds of a reader's list, each once, with names of their own")
    func subscriptions() async throws {
        let place = try Workplace.withoutConfiguration()
        try place.write("feedsync.yaml", "# mine\nfeeds:\n  swift-blog: {url: \"https://example.com/here\"}\n")
        try place.write(
            "list.opml",
            """
            <?xml version="1.0"?><opml version="2.0"><head><title>Mine</title></head><body>
            <outline text="Technology"><outline text="Swift Blog" xmlUrl="https://swift.org/atom.xml" type="rss"/>
              <outline title="Ünïcode &amp; more!" text="x" xmlUrl="https://example.org/feed?a=1&amp;b=2"/></outline>
            <outline text="日本" xmlurl="https://example.net/rss"/><outline text="99 things" xmlUrl="https://example.net/99"/>
            <outline text="again" xmlUrl="https://swift.org/atom.xml"/><outline text="here" xmlUrl="https://example.com/here"/>
            <outline text="odd" xmlUrl="ftp://example.net/x"/><outline text="secret" xmlUrl="https://example.net/${HOME}"/>
            </body></opml>
            """)
        let before = try place.text(of: "feedsync.yaml")
        let dry = try await place.run("add --opml list.opml --every 1h --dry-run")
        #expect(
            dry.code == 0 && dry.output.contains("  example-net:\n    preset: rss\n    url: https://example.net/rss\n"))
        #expect(try place.text(of: "feedsync.yaml") == before)
        #expect(try await place.run("add things --opml list.opml").code == 64)
        let run = try await place.run("add --opml list.opml --every 1h")
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output == "added 4 feeds to feedsync.yaml; already there: 1\nNext: feedsync sync\n")
        #expect(run.errors.split(separator: "\n").count == 2, "\(run.errors)")
        let text = try place.text(of: "feedsync.yaml")
        #expect(text.hasPrefix("# mine\nfeeds:\n  swift-blog: {url: \"https://example.com/here\"}\n"))
        for lines in [
            "  technology-swift-blog:\n    preset: rss\n    url: https://swift.org/atom.xml\n    every: 1h\n",
            "  technology-uenicode-more:\n    preset: rss\n    url: https://example.org/feed?a=1&b=2\n",
            "  example-net:\n    preset: rss\n    url: https://example.net/rss\n",
            "  feed-99-things:\n    preset: rss\n    url: https://example.net/99\n",
        ] {
            #expect(text.contains(lines), "\(text)")
        }
        #expect(try await place.run("check").code == 0)
        #expect(
            try await place.run("add --opml list.opml").output == "added 0 feeds to feedsync.yaml; already there: 5\n")
        try place.write("feedsync.yaml", before)
        let json = try await place.run("add --opml list.opml --json")
        #expect(
            json.output.split(separator: "\n").joined()
                .contains(
                    #""added":["technology-swift-blog","technology-uenicode-more","example-net","feed-99-things"]"#),
            "\(json.output)")
    }

    @Test("Items that a feed of RSS drops stay, by URL and by OPML, under a name that nothing stored has")
    func archives() async throws {
        let place = try Workplace.withoutConfiguration()
        func serve(_ ids: ClosedRange<Int>) {
            let items = ids.map { "<item><guid>\($0)</guid><title>Post \($0)</title></item>" }.joined()
            place.server.route("/feed") { _ in
                ServerResponse(
                    headers: [("Content-Type", "application/rss+xml")],
                    body: Array("<rss version='2.0'><channel>\(items)</channel></rss>".utf8))
            }
        }
        serve(1...5)
        #expect(try await place.run("add nachrichten \(place.server.url)/feed").code == 0)
        #expect(
            try place.text(of: "feedsync.yaml")
                == "feeds:\n  nachrichten:\n    preset: rss\n    url: \(place.server.url)/feed\n")
        _ = try await place.run("sync")
        #expect(try await place.run("remove nachrichten").code == 0)
        try place.write(
            "list.opml",
            "<opml><body><outline text='Nachrichten' xmlUrl='\(place.server.url)/feed'/><outline text='Post' xmlUrl='\(place.server.url)/feed?2'/></body></opml>"
        )
        #expect(try await place.run("add --opml list.opml").code == 0)
        _ = try await place.run("sync")
        serve(4...8)
        let run = try await place.run("sync")
        #expect(run.output.contains("nachrichten-2  3 new, 2 unchanged (1 page"), "\(run.output)")
        #expect(
            try place.query("SELECT count(*) FROM post WHERE feed = 'nachrichten-2' AND _removed_at IS NULL") == ["8"])
        #expect(try place.query("SELECT count(*) FROM post_2") == ["8"])
    }

    @Test(
        "--opml says where a file is not a list of feeds",
        arguments: [
            ("<opml><body>\n<outline></body></opml>", 65, "list.opml:2:12: this is not an OPML file: mismatched tag"),
            ("<rss/>", 65, "list.opml: this is not an OPML file: it begins with `<rss>`, and not with `<opml>`"),
            ("<opml><body/></opml>", 65, "list.opml: no `outline` has an `xmlUrl`"),
            (nil, 64, "list.opml cannot be read: No such file or directory"),
        ] as [(String?, Int32, String)])
    func brokenSubscriptions(text: String?, code: Int32, message: String) async throws {
        let place = try Workplace.withoutConfiguration()
        if let text { try place.write("list.opml", text) }
        let run = try await place.run("add --opml list.opml")
        #expect(run.code == code)
        #expect(run.errors.contains(message), "\(run.errors)")
        #expect(!place.files.contains("feedsync.yaml"))
    }

    @Test("A curl command is a feed, with its variables as references")
    func curl() async throws {
        let place = try Workplace.withoutConfiguration()
        let run = try await place.shell(
            #"$FEEDSYNC add things --curl "curl -sS \"\#(place.server.url)/things?a=1&b=2\" -H 'Accept: application/json' -H \"X-Token: \$TOKEN\" --compressed | jq .""#,
            environment: ["TOKEN": "s3cr3t-token"])
        #expect(run.code == 0)
        #expect(
            run.errors
                == "feedsync: left out of the curl command, as it means nothing here: -s, -S, --compressed, | jq .\n")
        #expect(place.server.requests.allSatisfy { $0.header("X-Token") == "s3cr3t-token" })
        #expect(
            try place.text(of: "feedsync.yaml").hasPrefix(
                """
                feeds:
                  things:
                    url: \(place.server.url)/things?a=1&b=2
                    headers: {Accept: application/json, X-Token: "${TOKEN}"}
                    items: items

                """))
    }

    @Test("A POST is searched through its body")
    func post() async throws {
        let place = try Workplace.withoutConfiguration()
        let bodies = PagedFeed(PagedFeed.items(1...25))
        place.server.route("/search") { request in
            guard request.method == "POST", request.header("Content-Type") == "application/json",
                let body = try? JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any],
                body["kind"] as? String == "x", let page = body["page"] as? Int
            else { return .status(400) }
            return bodies.answer(ServerRequest(target: "/search?page=\(page)"))
        }
        let add = try await place.shell(
            #"$FEEDSYNC add found \#(place.server.url)/search -d '{"kind": "x", "page": 1}' --every 3600 --sync all"#)
        #expect(add.errors.isEmpty)
        #expect(
            try place.text(of: "feedsync.yaml") == """
                feeds:
                  found:
                    url: \(place.server.url)/search
                    method: POST
                    body: {kind: x, page: 1}
                    items: items
                    key: id
                    pagination: {style: page, param: page, total: total_count, first: 1}
                    sync: {mode: all}
                    every: 3600

                """)
        #expect(try await place.run("sync found").output.hasPrefix("found  25 new (3 pages"))
    }

    @Test("Given settings are not searched for, and take one request")
    func given() async throws {
        let place = try Workplace.withoutConfiguration()
        let run = try await place.shell(
            #"$FEEDSYNC add things \#(place.server.url)/things --items items --key id,name --paginate '{style: page, param: page, total: total_count}' --sync '{mode: since, param: since, from: id}'"#
        )
        #expect(run.errors.isEmpty)
        #expect(place.server.requests.count == 1)
        #expect(run.output.split(separator: "\n").first == "columns     id, name")
        #expect(
            try place.text(of: "feedsync.yaml") == """
                feeds:
                  things:
                    url: \(place.server.url)/things
                    items: items
                    key: [id, name]
                    pagination: {style: page, param: page, total: total_count}
                    sync: {mode: since, param: since, from: id}

                """)
    }

    @Test(
        "A literal credential is warned about, shown nowhere, and only its owner may read the file",
        arguments: [
            "-H 'Authorization: Bearer s3cr3t'", #"-d '{"password": "s3cr3t"}'"#,
            "--curl 'curl -u me:s3cr3t URL/things'", "--curl 'curl URL/things -b sid=s3cr3t'",
        ])
    func credentials(option: String) async throws {
        let place = try Workplace.withoutConfiguration()
        let url = option.contains("URL") ? "" : "\(place.server.url)/things"
        let words = option.replacing("URL", with: place.server.url)
        let run = try await place.shell("$FEEDSYNC add things \(url) \(words) --json")
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.errors.contains("feedsync.yaml now holds a credential in plain text"))
        #expect(!(run.output + run.errors).contains("s3cr3t"))
        #expect(run.output.contains("***"))
        #expect(try place.text(of: "feedsync.yaml").contains("s3cr3t"))
        let mode = try FileManager.default.attributesOfItem(atPath: place.path("feedsync.yaml"))[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test(
        "Errors are those of the configuration, and cost no request",
        arguments: [
            ("--paginate pge", "unknown style `pge` in `pagination` of feed `a`"),
            (
                "--paginate '{style: page, parm: x}'",
                "unknown member `parm` in `pagination` of feed `a`; did you mean `param`?"
            ),
            ("--paginate '{style: page'", "--paginate is neither a word nor a mapping or list: "),
            ("--set 'columns=[a, b'", "`columns` is neither a word nor a mapping or list: expected `,` or `]` here"),
            ("--sync hourly", "unknown value `hourly` of `mode` in `sync` of feed `a`"),
            ("--sync since", "`sync` of feed `a` has no `from`: mode `since` needs the path of the timestamp or id"),
            ("--every soon", "`every` of feed `a` must be a time such as"),
            ("--every 0", "`every` of feed `a` must be from 1s to"),
            ("--key id,id", "`key` of feed `a` has `id` twice"),
            ("--items 'data['", "in the path `data[`: "),
            (
                "-X PUT",
                "unknown value `PUT` of `method` in feed `a`, which can be `GET`, `POST`, `REPORT` or `PROPFIND`"
            ),
            ("-X GET -d '{}'", "`body` of feed `a` needs `method: POST`"),
            ("-d '[1]'", "`body` of feed `a` must be a mapping, or text, not a list"),
            ("-d a=b", "--data must be JSON"),
            ("-H 'A: 1' -H 'a: 2'", "the header `a` is given twice"),
            ("-H 'A: 1' -H 'A: 2'", "the header `A` is given twice"),
            ("--set every=1h --every 2h", "--every and --set every=… cannot be used together"),
            ("--key id --set key=name", "--key and --set key=… cannot be used together"),
            ("--set key= --key id", "--key and --set key=… cannot be used together"),
            ("--columns --set 'columns={a: b}'", "--columns and --set columns=… cannot be used together"),
            ("-H 'A: 1' --set 'headers={B: 1}'", "--header and --set headers=… cannot be used together"),
            ("q=a --set 'query={q: b}'", "KEY=VALUE and --set query=… cannot be used together"),
            ("--set url=https://example.com", "a URL and --set url=… cannot be used together"),
            ("--set every=1h --set every=2h", "the member `every` is given twice"),
            ("--curl 'curl x'", "--curl has a URL already; unexpected argument: http"),
        ])
    func errors(options: String, message: String) async throws {
        let place = try Workplace.withoutConfiguration()
        let run = try await place.shell("$FEEDSYNC add a '\(place.server.url)/things' \(options)")
        #expect(run.errors.hasPrefix("feedsync: \(message)"), "\(run.errors)")
        #expect(run.code == 64)
        #expect(place.server.requests.isEmpty)
        #expect(place.files.isEmpty)
    }

    @Test("--set replaces a member of a curl command, which comes from elsewhere")
    func replaced() async throws {
        let place = try Workplace.withoutConfiguration()
        let run = try await place.shell(
            "$FEEDSYNC add a --dry-run --set method= --set 'headers={A: 2}' --curl \"curl -H 'A: 1' '\(place.server.url)/things'\""
        )
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.contains("headers: {A: 2}"), "\(run.output)")
    }

    @Test("A setting that cannot be found can be given: the error has the option")
    func hint() async throws {
        let place = try Workplace.withoutConfiguration()
        place.server.route("/odd") { _ in .json(#"{"ok":true}"#) }
        let run = try await place.run("add odd \(place.server.url)/odd")
        #expect(run.code == 65)
        #expect(run.errors.hasSuffix("Try: give them with --items and --key: feedsync help add\n"))
    }
}
