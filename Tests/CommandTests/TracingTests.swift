import Foundation
import HTTPServer
import ScriptedServer
import Testing

@Suite("The trace of a command's requests")
struct TracingTests {
    @Test("-v shows each request, its response with how long it took, and where the page leads")
    func verbose() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...150)))
        let run = try await place.run("sync things -v")
        #expect(run.code == 0)
        #expect(run.output.hasPrefix("things  150 new"))
        let lines = run.errors.split(separator: "\n").map(String.init)
        #expect(lines.first == "things [1] > GET \(place.server.url)/things?per_page=100&page=1")
        let response = try #require(lines.first { $0.hasPrefix("things [1] < HTTP/1.1 200 OK, ") })
        #expect(response.contains(" from 127.0.0.1 (DNS "))
        for phase in [", connect ", ", first byte ", ", total "] { #expect(response.contains(phase)) }
        #expect(lines.contains("things page 1: 100 items; next page: 2"))
        #expect(lines.contains("things page 2 (cursor 2): 50 items; no next page"))
        #expect(!run.errors.contains("Accept-Encoding"))
    }

    @Test("-v shows the validators that a request carries, and that the page is the stored one")
    func validators() async throws {
        let place = try Workplace()
        let feed = PagedFeed(PagedFeed.items(1...3))
        place.server.route("/things", to: feed)
        #expect(try await place.run("reload things").code == 0)
        let run = try await place.run("reload things -v")
        #expect(run.errors.contains(#"page=1 (If-None-Match: ""#), "\(run.errors)")
        #expect(run.errors.contains("304 Not Modified"))
        #expect(run.errors.contains("page 1: 3 items, not modified; no next page"))
    }

    @Test("-v tells why a request is sent again, after which wait, and who asked for it")
    func retries() async throws {
        let place = try Workplace()
        try place.write(
            "feedsync.yaml", try place.text(of: "feedsync.yaml").replacing("retries: 0", with: "retries: 1"))
        place.server.enqueue(
            "/things",
            [.status(503, headers: [(name: "Retry-After", value: "1")]), .json(#"{"items":[{"id":1}]}"#)])
        let run = try await place.run("reload things -v")
        #expect(run.code == 0)
        #expect(run.errors.contains("things attempt 2 in 1.0 s, as the server asks: 503 Service Unavailable\n"))
        // The same without a number from the server.
        place.server.enqueue("/things", [.status(500), .json(#"{"items":[{"id":1}]}"#)])
        let unasked = try await place.run("reload things -v")
        #expect(unasked.errors.contains("things attempt 2 in "))
        #expect(unasked.errors.contains("ms: 500 Internal Server Error\n"), "\(unasked.errors)")
        #expect(!unasked.errors.contains("as the server asks"))
    }

    @Test("-v shows a request that gets no response, and why")
    func unreachable() async throws {
        let place = try Workplace()
        try place.write("feedsync.yaml", "feeds:\n" + Workplace.feed("things", at: "http://127.0.0.1:1/things"))
        let run = try await place.run("reload things --verbose --quiet")
        #expect(run.code == 69)
        #expect(run.errors.hasPrefix("things [1] > GET http://127.0.0.1:1/things?"))
        #expect(run.errors.contains("things [1] < Failed to connect to 127.0.0.1 port 1"), "\(run.errors)")
    }

    @Test("-vv shows the header fields of both sides, credentials and cookies masked")
    func headers() async throws {
        let place = try Workplace(
            extra: """
                headers: {X-Own: "${OWN}"}
                    auth: {bearer: "${TOKEN}"}
                    query: {api_key: Literal-Key-1}
                """)
        place.server.enqueue(
            "/things",
            [
                .json(
                    #"{"items":[{"id":1}]}"#,
                    headers: [
                        (name: "Set-Cookie", value: "session=Cookie-Value-2"),
                        (name: "X-Echo", value: "you sent T0ken-Value-3"),
                        (name: "Link", value: "<http://a/?access_token=Other-4&x=1>; rel=\"self\""),
                    ])
            ])
        let environment = ["TOKEN": "T0ken-Value-3", "OWN": "Own-Value-5"]
        for words in ["reload things -vv", "reload things -v --verbose"] {
            let run = try await place.run(words, environment: environment)
            #expect(run.code == 0)
            for line in [
                "] > Authorization: ***", "] > X-Own: ***", "] < Set-Cookie: ***", "] < X-Echo: you sent ***",
                "] < Link: <http://a/?access_token=***&x=1>; rel=\"self\"", "api_key=***",
                "] > User-Agent: feedsync/", "] < Content-Type: application/json",
            ] { #expect(run.errors.contains(line), "\(line) in \(run.errors)") }
            for secret in ["Literal-Key", "Cookie-Value", "T0ken-Value", "Other-4", "Own-Value"] {
                #expect(!run.errors.contains(secret))
            }
        }
    }

    @Test(
        "Every command that makes requests shows and records them",
        arguments: ["reload", "more", "sync", "check", "add"])
    func commands(name: String) async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        let words =
            switch name {
            case "add": "add others \(place.server.url)/things"
            case "check": "check things --online"
            default: "\(name) things"
            }
        let run = try await place.run("\(words) -v --trace requests.har")
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.errors.contains(" [1] > GET \(place.server.url)/things"))
        let archive = try Archive(place.path("requests.har"))
        #expect(archive.entries.count == place.server.requests.count)
        #expect(archive.entries.allSatisfy { $0["_feed"] as? String == (name == "add" ? "others" : "things") })
    }
}

@Suite("The file of --trace")
struct TraceFileTests {
    @Test("The file of --trace is a HAR 1.2 document with every required member, for its owner alone")
    func format() async throws {
        let place = try Workplace(extra: #"auth: {bearer: "${TOKEN}"}"#)
        place.server.enqueue(
            "/things", [.json(#"{"items":[{"id":1,"name":"T0ken-Value-3"}],"total_count":1}"#)])
        // An existing file is not appended to, and not left readable to others.
        try place.write("requests.har", String(repeating: "x", count: 100_000))
        chmod(place.path("requests.har"), 0o644)
        let run = try await place.run("reload things --trace requests.har", environment: ["TOKEN": "T0ken-Value-3"])
        #expect(run.code == 0)
        #expect(run.errors.isEmpty)
        let archive = try Archive(place.path("requests.har"))
        let mode = try FileManager.default.attributesOfItem(atPath: place.path("requests.har"))[.posixPermissions]
        #expect(mode as? Int == 0o600)
        #expect(archive.log["version"] as? String == "1.2")
        #expect(Set((archive.log["creator"] as? [String: Any] ?? [:]).keys) == ["name", "version"])
        let entry = try #require(archive.entries.first)
        let required = [
            "": ["startedDateTime", "time", "request", "response", "cache", "timings"],
            "request": [
                "method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize",
            ],
            "response": [
                "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize",
                "bodySize",
            ],
            "timings": ["send", "wait", "receive"],
        ]
        for (place, names) in required {
            let object = place.isEmpty ? entry : entry[place] as? [String: Any] ?? [:]
            for name in names { #expect(object[name] != nil, "\(place).\(name)") }
        }
        let timings = try #require(entry["timings"] as? [String: Double])
        let parts = timings.filter { $0.key != "ssl" && $0.value >= 0 }.map(\.value).reduce(0, +)
        #expect(abs(parts - (entry["time"] as? Double ?? -1)) < 0.5)
        #expect(entry.text("request", "method") == "GET")
        #expect(entry.text("response", "content", "text") == #"{"items":[{"id":1,"name":"***"}],"total_count":1}"#)
        #expect(entry.text("response", "content", "mimeType") == "application/json; charset=utf-8")
        #expect(entry.text("response", "statusText") == "OK")
        #expect(entry["serverIPAddress"] as? String == "127.0.0.1")
        #expect(!(try place.text(of: "requests.har")).contains("T0ken-Value"))
    }

    @Test("The file of --trace has the requests of a failed run, even those without a response")
    func failures() async throws {
        let place = try Workplace(["things", "others"])
        try place.write(
            "feedsync.yaml",
            try place.text(of: "feedsync.yaml").replacing("\(place.server.url)/others", with: "http://127.0.0.1:1/"))
        place.server.enqueue("/things", [.html("<title>Sign in</title>")])
        let run = try await place.run("reload things others --trace requests.har")
        #expect(run.code == 65)
        let archive = try Archive(place.path("requests.har"))
        #expect(archive.entries.map { $0["_feed"] as? String } == ["things", "others"])
        #expect(archive.entries.first?.text("response", "content", "text") == "<title>Sign in</title>")
        let failed = try #require(archive.entries.last?["response"] as? [String: Any])
        #expect(failed["status"] as? Int == 0)
        #expect((failed["_error"] as? String)?.hasPrefix("Failed to connect") == true)
    }

    @Test("The file of --trace is whole when the process is killed")
    func killed() async throws {
        let place = try Workplace(extra: "timeout: 10m")
        let feed = PagedFeed(PagedFeed.items(1...300))
        let gate = place.server.gate()
        feed.hold(page: 3, at: gate)
        place.server.route("/things", to: feed)
        let run = try place.start("more things --all --trace requests.har")
        await gate.arrived()
        run.send(SIGKILL)
        _ = await run.end()
        #expect(try Archive(place.path("requests.har")).entries.count == 2)
    }

    @Test("The answer of a token endpoint is not written, nor what it was asked with")
    func tokens() async throws {
        let place = try Workplace(
            extra: """
                auth:
                      oauth2: {token_url: "TOKENS", client_id: Client-Id-1, client_secret: "${SECRET}", send: body}
                """)
        try place.write(
            "feedsync.yaml", try place.text(of: "feedsync.yaml").replacing("TOKENS", with: "\(place.server.url)/tokens")
        )
        place.server.enqueue("/tokens", [.json(#"{"access_token":"Acc3ss-Token-2","token_type":"Bearer"}"#)])
        place.server.enqueue("/things", [.json(#"{"items":[{"id":1}]}"#)])
        let run = try await place.run(
            "reload things -vv --trace requests.har", environment: ["SECRET": "S3cret-Value-3"])
        #expect(run.code == 0, "\(run.errors)")
        let archive = try Archive(place.path("requests.har"))
        #expect(archive.entries.count == 2)
        #expect(archive.entries.first?.text("response", "content", "text") == "***")
        #expect(archive.entries.first?.text("request", "postData", "text")?.contains("client_secret=***") == true)
        for text in [run.errors, try place.text(of: "requests.har")] {
            for secret in ["Acc3ss-Token", "S3cret-Value"] { #expect(!text.contains(secret)) }
        }
    }

    @Test(
        "A file that cannot be written is exit code 74, before anything is requested",
        arguments: ["no/such", "/dev/null"])
    func impossible(path: String) async throws {
        let place = try Workplace()
        let run = try await place.run("reload things --trace \(path)")
        #expect(run.code == 74)
        #expect(run.errors.contains(path) && run.errors.contains("\nTry: "), "\(run.errors)")
        #expect(place.server.requests.isEmpty)
    }

    @Test(
        "A full disk is exit code 74; the items are stored, and the file is whole",
        .enabled(if: BadStoreTests.canMount, "mounting takes a superuser"))
    func full() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...900)))
        try FileManager.default.createDirectory(atPath: place.path("small"), withIntermediateDirectories: false)
        let run = try await place.shell(
            """
            unshare --mount bash -c 'mount -t tmpfs -o size=16k none small &&
                { $FEEDSYNC more things --all --trace small/requests.har; code=$?; cat small/requests.har > copy.har; exit $code; }'
            """)
        #expect(run.code == 74)
        #expect(run.errors.contains("cannot write small/requests.har: No space left on device"), "\(run.errors)")
        #expect(try place.query("SELECT count(*) FROM things") == ["900"])
        #expect((1..<9).contains(try Archive(place.path("copy.har")).entries.count))
    }
}

/// A HAR file, read.
private struct Archive {
    let log: [String: Any]
    var entries: [[String: Any]] { log["entries"] as? [[String: Any]] ?? [] }

    init(_ path: String) throws {
        let document = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: path)))
        log = try #require((document as? [String: Any])?["log"] as? [String: Any])
    }
}

extension [String: Any] {
    /// The text at a path of members.
    fileprivate func text(_ names: String...) -> String? {
        var value: Any? = self
        for name in names { value = (value as? [String: Any])?[name] }
        return value as? String
    }
}
