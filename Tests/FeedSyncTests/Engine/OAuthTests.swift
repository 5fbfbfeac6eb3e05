import HTTP
import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync
@testable import Upstream

/// A feed behind a token endpoint on a server of its own.
private struct OAuthBench {
    let bench: EngineBench
    let issuer: ScriptedServer
    var options = EngineBench.options
    /// The feed's own members.
    private let yaml: String

    init(_ oauth2: String = "", members: String = "", retries: Int = 0) async throws {
        issuer = try ScriptedServer()
        let client = "token_url: '\(issuer.url)/token', client_id: '${ID}', client_secret: '${SECRET}'"
        bench = try await EngineBench(
            members: "auth: {oauth2: {\(client)\(oauth2)}}\n\(members)", retries: retries)
        options.environment = ["ID": "client one", "SECRET": "s3cr3t:+/é"]
        yaml = "url: \(bench.server.url)/things\n\(EngineBench.columns)\nauth: {oauth2: {\(client)\(oauth2)}}"
        issuer.route("/token") { _ in .json(#"{"access_token":"t0ken-1","token_type":"bearer","expires_in":3600}"#) }
    }

    /// Has the issuer give these tokens, one after the other.
    func give(_ tokens: [String], members: String = #","token_type":"bearer","expires_in":3600"#) {
        issuer.enqueue("/token", tokens.map { .json(#"{"access_token":"\#($0)"\#(members)}"#) })
    }

    /// An engine as another process would have it.
    func engine() async throws -> SyncEngine { try await bench.another(options: options) }

    /// An engine for the same feed by another name, in the same store.
    func engine(named name: String, members: String = "pagination: none") async throws -> SyncEngine {
        let definition = try FeedDefinition.parse(name: name, yaml: "\(yaml)\n\(members)")
        return try await SyncEngine(feed: definition, store: bench.store, options: options)
    }

    /// An error of a command, which shows no secret, nor does the store.
    func failure(_ command: RequestCommand = .reload) async throws -> FeedSyncError {
        let error = try await bench.failure(command, engine())
        expectNoSecret("\(error) \(error.json) \(error.advice ?? "")")
        try expectNoSecretStored()
        return error
    }

    func expectNoSecret(_ text: String, location: SourceLocation = #_sourceLocation) {
        for secret in [
            "s3cr3t", "client one", "client+one", "t0ken", Base64.encoded("client%20one:s3cr3t%3A%2B%2F%C3%A9"),
        ] {
            #expect(!text.contains(secret), sourceLocation: location)
        }
    }

    func expectNoSecretStored(location: SourceLocation = #_sourceLocation) throws {
        for table in try bench.query("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'things'") {
            expectNoSecret(try bench.query("SELECT * FROM \"\(table)\"").joined(separator: "\n"), location: location)
        }
    }

    var authorizations: [String?] { bench.server.requests.map { $0.header("Authorization") } }
}

@Suite("An OAuth 2 client")
struct OAuthTests {
    @Test("A client gets one token for all pages, by HTTP Basic, and counts the request")
    func header() async throws {
        let bench = try await OAuthBench(", scope: 'read all', audience: things")
        let summary = try await bench.engine().perform(.allPages)
        #expect(summary.figures.requests == 5)
        #expect(bench.authorizations == Array(repeating: "Bearer t0ken-1", count: 4))
        let request = try #require(bench.issuer.requests.first)
        #expect(bench.issuer.requests.count == 1)
        #expect(request.method == "POST")
        #expect(request.header("Content-Type") == "application/x-www-form-urlencoded")
        // RFC 6749, section 2.3.1: both are encoded as in a form first.
        #expect(request.header("Authorization") == "Basic \(Base64.encoded("client%20one:s3cr3t%3A%2B%2F%C3%A9"))")
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == "grant_type=client_credentials&scope=read+all&audience=things")
        try bench.expectNoSecretStored()
    }

    @Test("A client sends its credentials in the form if the definition has it")
    func form() async throws {
        let bench = try await OAuthBench(", send: body")
        _ = try await bench.engine().perform(.reload)
        let request = try #require(bench.issuer.requests.first)
        #expect(request.header("Authorization") == nil)
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == "grant_type=client_credentials&client_id=client+one&client_secret=s3cr3t%3A%2B%2F%C3%A9")
    }

    @Test("A client shares its token with other feeds of the process, and keeps validators with a new one")
    func shared() async throws {
        let bench = try await OAuthBench()
        _ = try await bench.engine().perform(.reload)
        _ = try await bench.engine().perform(.reload)
        #expect(bench.issuer.requests.count == 1)
        var later = bench
        later.options.tokens = AccessTokens()
        later.give(["t0ken-2"])
        #expect(try await later.engine().perform(.reload).outcome == .unchanged)
        #expect(bench.bench.server.requests.last?.header("Authorization") == "Bearer t0ken-2")
        #expect(bench.bench.server.requests.last?.header("If-None-Match") != nil)
        #expect(try bench.bench.query("SELECT count(DISTINCT credential) FROM _page") == ["1"])
    }

    @Test("Feeds that need a token at the same time share one request, which the end of one does not stop")
    func atTheSameTime() async throws {
        let bench = try await OAuthBench()
        let gate = bench.issuer.gate()
        bench.issuer.route("/token") { _ in
            gate.wait()
            return .json(#"{"access_token":"t0ken-1"}"#)
        }
        let first = Task { [bench] in try await bench.engine(named: "first").perform(.reload) }
        await gate.arrived()
        let second = Task { [bench] in try await bench.engine(named: "second").perform(.reload) }
        let third = Task { [bench] in try await bench.engine(named: "third").perform(.reload) }
        first.cancel()
        await #expect(throws: FeedSyncError.self) { try await first.value }
        gate.open()
        _ = try await (second.value, third.value)
        #expect(bench.authorizations == ["Bearer t0ken-1", "Bearer t0ken-1"])
        #expect(bench.issuer.requests.count <= 2)
    }

    @Test("A cancelled feed does not cancel a token request that another feed waits for")
    func joinerStops() async throws {
        let bench = try await OAuthBench()
        let gate = bench.issuer.gate()
        bench.issuer.route("/token") { _ in
            gate.wait()
            return .json(#"{"access_token":"t0ken-1"}"#)
        }
        let first = Task { [bench] in try await bench.engine(named: "first").perform(.reload) }
        await gate.arrived()
        let second = Task { [bench] in try await bench.engine(named: "second").perform(.reload) }
        // Before it waits it may be stopped as well; it mostly does by then.
        for _ in 0..<500 { await Task.yield() }
        second.cancel()
        let error = await #expect(throws: FeedSyncError.self) { try await second.value }
        #expect(error?.kind == .cancelled)
        gate.open()
        _ = try await first.value
        #expect((1...2).contains(bench.issuer.requests.count), "whoever comes late asks anew")
        #expect(bench.authorizations.first == "Bearer t0ken-1")
    }

    @Test("A client gets a new token for each page if tokens expire at once", arguments: ["0", "\"0\"", "-5"])
    func expired(lifetime: String) async throws {
        let bench = try await OAuthBench()
        bench.give(["t0ken-1", "t0ken-2", "t0ken-3", "t0ken-4"], members: #","expires_in":\#(lifetime)"#)
        _ = try await bench.engine().perform(.allPages)
        #expect(bench.authorizations == (1...4).map { "Bearer t0ken-\($0)" })
    }

    @Test("A client renews its token shortly before it expires")
    func renewal() throws {
        let token = { (lifetime: String) in
            try AccessToken(
                Response(
                    status: 200, headers: [:], url: WebURL("https://a.example"),
                    body: Body(Array(#"{"access_token":"t","expires_in":\#(lifetime)}"#.utf8)), wireByteCount: 0),
                as: .oauth, now: 1_000)
        }
        #expect(try token("3600").renewal == 4_540)
        #expect(try token("100").renewal == 1_080)
        #expect(try token("1e300").renewal == 1_000 + 3650 * 86_400 - 60)
        #expect(try token("null").renewal == nil)
        #expect(try token("4000000000").renewal == 1_000 + 3650 * 86_400 - 60, "a time far away")
        #expect(try token("\"1970-01-01T00:33:20Z\"").renewal == 1_000 + 1_000 - 60)
        #expect(try token("3600").isFresh(at: 4_539) && !token("3600").isFresh(at: 4_540))
    }

    @Test("A client tries once more with a new token after a 401")
    func refusedOnce() async throws {
        let bench = try await OAuthBench()
        bench.give(["t0ken-1", "t0ken-2"])
        bench.bench.upstream.fail(page: 1, with: .status(401))
        let summary = try await bench.engine().perform(.reload)
        #expect(summary.figures.requests == 4)
        #expect(bench.authorizations == ["Bearer t0ken-1", "Bearer t0ken-2"])
    }

    @Test("A client is refused after a second 401, with the counts of both")
    func refusedTwice() async throws {
        let bench = try await OAuthBench()
        bench.give(["t0ken-1", "t0ken-2"])
        bench.bench.server.route("/things") { request in
            .json(#"{"message":"no: \#(request.header("Authorization") ?? "")"}"#, status: 401)
        }
        let error = try await bench.failure()
        #expect(error.kind == .refused && error.httpStatus == 401)
        #expect(error.message == #"the upstream answered 401 Unauthorized: "no: Bearer ***""#)
        #expect(try bench.bench.query("SELECT requests FROM run") == ["4"])
        #expect(try bench.bench.log == ["beginHeader", "endHeader!refused"])
    }

    @Test("The token endpoint's message is shown, masked", arguments: [400, 401])
    func endpointRefuses(status: Int) async throws {
        let bench = try await OAuthBench()
        bench.issuer.enqueue(
            "/token",
            [.json(#"{"error":"invalid_client","error_description":"client one is unknown"}"#, status: status)])
        let error = try await bench.failure()
        #expect(error.kind == .refused && error.httpStatus == status)
        #expect(error.url == "\(bench.issuer.url)/token")
        #expect(error.message.hasPrefix("cannot get an access token: the upstream answered \(status) "))
        #expect(error.message.hasSuffix(#": invalid_client, "*** is unknown""#))
        #expect(error.advice?.contains("`client_id`") == true)
        #expect(bench.bench.server.requests.isEmpty)
    }

    @Test(
        "A client stops at a token that cannot be sent",
        arguments: [
            ("[]", "not a JSON object"), ("<html>", "not a JSON object"), ("{}", "no `access_token`"),
            (#"{"access_token":7}"#, "no `access_token`"), (#"{"access_token":"a b"}"#, "cannot be sent"),
            (#"{"access_token":"a\r\nX: y"}"#, "cannot be sent"),
            (#"{"access_token":"a","token_type":"mac"}"#, "not of type `Bearer`"),
        ])
    func unusable(body: String, problem: String) async throws {
        let bench = try await OAuthBench()
        bench.issuer.enqueue("/token", [.json(body)])
        let error = try await bench.failure()
        #expect(error.kind == .undecodable)
        #expect(error.message.contains(problem))
        #expect(error.url == "\(bench.issuer.url)/token")
        #expect(bench.bench.server.requests.isEmpty)
    }

    @Test("A temporary failure of a token endpoint is tried again, and given up as with a page")
    func endpointFails() async throws {
        let bench = try await OAuthBench(retries: 1)
        bench.issuer.enqueue("/token", [.status(503), .json(#"{"access_token":"t0ken-1"}"#)])
        var waiting = bench
        waiting.options.clock = RecordingClock()
        #expect(try await waiting.engine().perform(.reload).figures.requests == 3)
        waiting.options.tokens = AccessTokens()
        waiting.issuer.enqueue("/token", [.status(503)])
        #expect(try await waiting.failure().kind == .unreachable)
        waiting.issuer.stop()
        #expect(try await waiting.failure().kind == .unreachable)
    }

    @Test("A redirect of a token endpoint is not followed", arguments: [302, 307])
    func endpointRedirects(status: Int) async throws {
        let elsewhere = try ScriptedServer()
        for sending in ["header", "body"] {
            let bench = try await OAuthBench(", send: \(sending)")
            bench.issuer.enqueue("/token", [.status(status, headers: [("Location", "\(elsewhere.url)/token")])])
            let error = try await bench.failure()
            #expect(error.kind == .unfollowable)
            #expect(error.message.contains("\(elsewhere.url)/token"))
        }
        #expect(elsewhere.requests.isEmpty)
    }

    @Test("A token goes to no other origin: neither across a redirect nor to a permitted next page there")
    func otherOrigin() async throws {
        let elsewhere = try ScriptedServer()
        elsewhere.enqueue("/things", [.json(#"{"items":[{"id":1}],"next":"\#(elsewhere.url)/more"}"#)])
        elsewhere.enqueue("/more", [.json(#"{"items":[{"id":2}]}"#)])
        let bench = try await OAuthBench()
        bench.bench.server.route("/things") { _ in .status(307, headers: [("Location", "\(elsewhere.url)/things")]) }
        let engine = try await bench.engine(
            named: "first", members: "allow_origins: ['\(elsewhere.url)']\npagination: {style: next_url, next: next}")
        _ = try await engine.perform(.allPages)
        #expect(bench.authorizations == ["Bearer t0ken-1"])
        #expect(elsewhere.requests.map(\.path) == ["/things", "/more"])
        for request in elsewhere.requests {
            bench.expectNoSecret("\(request.headers) \(request.rawPath) \(request.query)")
        }
        #expect(bench.issuer.requests.count == 1)
    }

    @Test("An echoed token is stored as a placeholder, which stands for the present token")
    func echoed() async throws {
        let bench = try await OAuthBench()
        let definition = try FeedDefinition.parse(
            name: "things",
            yaml: """
                url: \(bench.bench.server.url)/things
                key: id
                columns: {id: id}
                items: items
                pagination: {style: next_url, next: next}
                auth: {oauth2: {token_url: '\(bench.issuer.url)/token', client_id: '${ID}', client_secret: '${SECRET}'}}
                """)
        bench.bench.server.route("/things") { request in
            let token = request.header("Authorization")?.dropFirst("Bearer ".count) ?? ""
            let next = request.query.isEmpty ? #","next":"?t=\#(token)&p=2""# : ""
            return .json(#"{"items":[{"id":\#(request.query.count)}]\#(next)}"#)
        }
        _ = try await bench.bench.another(definition, options: bench.options).perform(.reload)
        #expect(try bench.bench.feed("next_page").hasPrefix("\(bench.bench.server.url)/things?t=${secret:"))
        try bench.expectNoSecretStored()
        var later = bench.options
        later.tokens = AccessTokens()
        bench.give(["t0ken-2"])
        _ = try await bench.bench.another(definition, options: later).perform(.nextPage)
        #expect(bench.bench.server.requests.last?.parameter("t") == "t0ken-2")
        try bench.expectNoSecretStored()
    }
}
