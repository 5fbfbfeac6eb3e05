import Foundation
import HTTP
import HTTPServer
import ScriptedServer
import TemporaryFolder
import Testing

@testable import FeedSync
@testable import Upstream

/// A feed that signs in on a server of its own, which is `URL` in the definition.
private struct SignInBench {
    let bench: EngineBench
    let issuer: ScriptedServer
    let definition: FeedDefinition
    var options = EngineBench.options

    init(_ auth: String, environment: [String: String] = [:]) async throws {
        issuer = try ScriptedServer()
        let auth = auth.replacing("URL", with: issuer.url)
        bench = try await EngineBench(members: "auth: \(auth)")
        definition = bench.definition
        options.environment = environment
        options.folder = bench.folder.path
    }

    /// An engine as another process would have it.
    func engine() async throws -> SyncEngine {
        var own = options
        own.tokens = AccessTokens()
        return try await bench.another(options: own)
    }

    func reload() async throws { _ = try await engine().perform(.reload) }

    func failure() async throws -> FeedSyncError { try await bench.failure(.reload, engine()) }

    func form(_ index: Int) -> String { String(decoding: issuer.requests[index].body, as: UTF8.self) }

    var authorizations: [String?] { bench.server.requests.map { $0.header("Authorization") } }

    func path(_ name: String) -> String { bench.folder.file(name) }

    func write(_ name: String, _ text: String) throws {
        try text.write(toFile: path(name), atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path(name))
    }

    /// Runs OpenSSL in the bench's folder.
    func openSSL(_ words: String) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = words.components(separatedBy: " ")
        process.currentDirectoryURL = URL(filePath: bench.folder.path)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}

@Suite("A refresh token")
struct RefreshTokenTests {
    private static let auth =
        "{oauth2: {token_url: URL/token, grant: refresh_token, client_id: me, refresh_token: '${REFRESH}'}}"

    private func bench(_ auth: String = RefreshTokenTests.auth) async throws -> SignInBench {
        let bench = try await SignInBench(auth, environment: ["REFRESH": "first-Refresh"])
        // As servers do that replace refresh tokens: each is good for one use.
        let issuer = bench.issuer
        issuer.route("/token") { request in
            let form = FormEncoding.parameters(in: String(decoding: request.body, as: UTF8.self)[...].utf8)
            let given = form.first { $0.name == "refresh_token" }?.value
            let uses = issuer.requests(for: "/token").count
            guard given == (uses == 1 ? "first-Refresh" : "Refresh-\(uses - 1)") else {
                return .json(#"{"error":"invalid_grant"}"#, status: 400)
            }
            return .json(
                #"{"access_token":"Acc3ss-\#(uses)","refresh_token":"Refresh-\#(uses)","expires_in":3600}"#)
        }
        return bench
    }

    @Test("A refresh token gets an access token, without a secret by the client's name alone")
    func form() async throws {
        let bench = try await bench()
        try await bench.reload()
        #expect(bench.form(0) == "grant_type=refresh_token&refresh_token=first-Refresh&client_id=me")
        #expect(bench.authorizations == ["Bearer Acc3ss-1"])
    }

    @Test("Another process uses the access token that is kept, in a file for its owner alone")
    func kept() async throws {
        let bench = try await bench()
        try await bench.reload()
        try await bench.reload()
        #expect(bench.issuer.requests.count == 1)
        #expect(bench.authorizations == ["Bearer Acc3ss-1", "Bearer Acc3ss-1"])
        let file = try FileManager.default.attributesOfItem(atPath: bench.path("feedsync.tokens"))
        #expect(file[.posixPermissions] as? Int == 0o600)
        let names = try FileManager.default.contentsOfDirectory(atPath: bench.bench.folder.path)
        #expect(!names.contains { $0.hasSuffix(".new") })
        #expect(!(try String(contentsOfFile: bench.path("feedsync.tokens"), encoding: .utf8)).contains("first-Refresh"))
    }

    @Test("A process whose access token is refused asks by the refresh token that came last")
    func rotated() async throws {
        let bench = try await bench()
        for page in 1...3 {
            bench.bench.upstream.fail(page: 1, with: .status(401))
            try await bench.reload()
            #expect(bench.authorizations.suffix(2) == ["Bearer Acc3ss-\(page)", "Bearer Acc3ss-\(page + 1)"])
        }
        #expect(bench.form(3) == "grant_type=refresh_token&refresh_token=Refresh-3&client_id=me")
    }

    @Test("A new refresh token of the definition takes the place of what is kept")
    func replaced() async throws {
        var bench = try await bench()
        try await bench.reload()
        bench.issuer.route("/token") { _ in .json(#"{"access_token":"Other-1","refresh_token":"Other-Refresh"}"#) }
        bench.options.environment = ["REFRESH": "second-Refresh"]
        try await bench.reload()
        #expect(bench.form(1) == "grant_type=refresh_token&refresh_token=second-Refresh&client_id=me")
        #expect(bench.authorizations.last == "Bearer Other-1")
    }

    @Test("A refresh token that the upstream does not replace stays")
    func lasting() async throws {
        let bench = try await bench()
        bench.issuer.route("/token") { _ in .json(#"{"access_token":"Acc3ss","expires_in":0}"#) }
        try await bench.reload()
        try await bench.reload()
        #expect(bench.form(1) == bench.form(0))
        #expect(bench.issuer.requests.count == 2)
    }

    @Test("Nothing is asked for where the next refresh token could not be kept")
    func unwritable() async throws {
        let bench = try await bench(Self.auth.replacing("client_id", with: "tokens: no/such, client_id"))
        let error = try await bench.failure()
        #expect(error.kind == .configuration)
        #expect(error.message.contains("no/such-lock cannot be written: No such file or directory"))
        #expect(error.advice?.contains("`tokens`") == true)
        #expect(bench.issuer.requests.isEmpty)
    }

    @Test("A file of tokens that others can write, or that holds something else, is refused")
    func foreign() async throws {
        let bench = try await bench()
        try bench.write("feedsync.tokens", "not JSON")
        #expect(try await bench.failure().message.contains("does not hold tokens as feedsync keeps them"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o666], ofItemAtPath: bench.path("feedsync.tokens"))
        #expect(try await bench.failure().message.contains("can be written by others"))
        #expect(bench.issuer.requests.isEmpty)
    }

    @Test("A cancelled run keeps the refresh token that is on its way")
    func cancelled() async throws {
        let bench = try await bench()
        let gate = bench.issuer.gate()
        bench.issuer.route("/token") { _ in
            gate.wait()
            return .json(#"{"access_token":"Acc3ss-1","refresh_token":"Refresh-1"}"#)
        }
        let run = Task { try await bench.engine().perform(.reload) }
        await gate.arrived()
        run.cancel()
        gate.open()
        let error = await #expect(throws: FeedSyncError.self) { try await run.value }
        #expect(error?.kind == .cancelled)
        #expect(try String(contentsOfFile: bench.path("feedsync.tokens"), encoding: .utf8).contains("Refresh-1"))
        try await bench.reload()
        #expect(bench.issuer.requests.count == 1)
        #expect(bench.authorizations == ["Bearer Acc3ss-1"])
    }

    @Test("Processes that need a token at once share one, and none uses a refresh token up for the others")
    func together() async throws {
        let bench = try await bench()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...4 {
                group.addTask {
                    var options = bench.options
                    options.tokens = AccessTokens()
                    let definition = try FeedDefinition.parse(
                        name: "things\(number)",
                        yaml:
                            "url: \(bench.bench.server.url)/things\nkey: id\ncolumns: {id: id}\nitems: items\npagination: none\nauth: \(Self.auth.replacing("URL", with: bench.issuer.url))"
                    )
                    _ = try await bench.bench.another(definition, options: options).perform(.reload)
                }
            }
            try await group.waitForAll()
        }
        #expect(bench.issuer.requests.count == 1)
        #expect(bench.authorizations == Array(repeating: "Bearer Acc3ss-1", count: 4))
    }

    @Test("A refresh token that is refused is a refusal with advice, which shows none")
    func refused() async throws {
        let bench = try await bench()
        bench.issuer.route("/token") { _ in
            .json(#"{"error":"invalid_grant","error_description":"first-Refresh is used up"}"#, status: 400)
        }
        let error = try await bench.failure()
        #expect(error.kind == .refused && error.httpStatus == 400)
        #expect(error.message.hasSuffix(#": invalid_grant, "*** is used up""#))
        #expect(error.advice?.contains("get a new one") == true)
    }
}

@Suite("Other ways to sign in")
struct SignInTests {
    @Test("The password grant sends a user's name and password with the client's own")
    func password() async throws {
        let bench = try await SignInBench(
            """
            {oauth2: {token_url: URL/token, grant: password, client_id: me, client_secret: '${SECRET}', user: ada,
              password: '${WORD}', parameters: {resource: a b}, send: body}}
            """, environment: ["SECRET": "s3cr3t", "WORD": "pass+word"])
        bench.issuer.route("/token") { _ in .json(#"{"access_token":"Acc3ss"}"#) }
        try await bench.reload()
        #expect(
            bench.form(0)
                == "grant_type=password&username=ada&password=pass%2Bword&client_id=me&client_secret=s3cr3t&resource=a+b"
        )
        #expect(bench.authorizations == ["Bearer Acc3ss"])
    }

    @Test(
        "A token that is signed with a private key goes with each request, and OpenSSL finds the signature right",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"), "there is no openssl"),
        arguments: ["RS256", "ES256"])
    func signed(algorithm: String) async throws {
        let bench = try await SignInBench(
            "{jwt: {algorithm: \(algorithm), key: '${file:key.pem}', key_id: k1, claims: {iss: me, aud: [a, b], n: 7}}}"
        )
        let kind = algorithm == "RS256" ? "RSA -pkeyopt rsa_keygen_bits:2048" : "EC -pkeyopt ec_paramgen_curve:P-256"
        #expect(try bench.openSSL("genpkey -algorithm \(kind) -out key.pem") == 0)
        #expect(try bench.openSSL("pkey -in key.pem -pubout -out public.pem") == 0)
        try bench.write("key.pem", String(contentsOfFile: bench.path("key.pem"), encoding: .utf8))
        try await bench.reload()
        let token = try #require(bench.authorizations.first??.dropFirst("Bearer ".count))
        let parts = try token.split(separator: ".").map { try #require(Base64.decodedFromEither(String($0))) }
        #expect(
            String(decoding: parts[0], as: UTF8.self) == #"{"alg":"\#(algorithm)","typ":"JWT","kid":"k1"}"#)
        let claims = try JSONValue(parsing: String(decoding: parts[1], as: UTF8.self))
        #expect(claims.json.hasPrefix(#"{"iss":"me","aud":["a","b"],"n":7,"iat":"#))
        let times = ["iat", "exp"].compactMap { claims.members?[$0]?.json }.compactMap { Int($0) }
        #expect(times.count == 2 && times[1] - times[0] == 300)
        let text = token.split(separator: ".").prefix(2).joined(separator: ".")
        try bench.write("text", text)
        let signature = algorithm == "RS256" ? parts[2] : ECDSANumbers.der(parts[2])
        try Data(signature).write(to: URL(filePath: bench.path("signature")))
        #expect(try bench.openSSL("dgst -sha256 -verify public.pem -signature signature text") == 0)
        #expect(bench.issuer.requests.isEmpty)
    }

    @Test("A token is signed with a common key in any coding", arguments: ["hex", "base64", "text"])
    func common(coding: String) async throws {
        let key = ["hex": "00FF10", "base64": "AP8Q", "text": "plain key"][coding] ?? ""
        let bytes = coding == "text" ? Array(key.utf8) : [0, 255, 16]
        let bench = try await SignInBench(
            "{jwt: {algorithm: HS256, key: '${KEY}', key_coding: \(coding), claims: {iss: me}, scheme: Ghost}}",
            environment: ["KEY": key])
        try await bench.reload()
        let token = try #require(bench.authorizations.first??.dropFirst("Ghost ".count))
        let text = token.split(separator: ".").prefix(2).joined(separator: ".")
        #expect(
            Base64.decodedFromEither(String(token.split(separator: ".")[2]))
                == SHA256.signature(of: Array(text.utf8), key: bytes))
    }

    @Test(
        "A key that cannot sign is a fault of the configuration, before anything is requested",
        arguments: [
            ("RS256", "no key", "no private key in PEM"), ("HS256, key_coding: hex", "xyz", "is not in hex"),
            (
                "RS256",
                "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg\n-----END PRIVATE KEY-----",
                "no private key in PEM"
            ),
        ])
    func badKey(algorithm: String, key: String, problem: String) async throws {
        let bench = try await SignInBench(
            "{jwt: {algorithm: \(algorithm), key: '${KEY}', claims: {iss: me}}}", environment: ["KEY": key])
        let error = try await bench.failure()
        #expect(error.kind == .configuration)
        #expect(error.message.contains(problem), "\(error.message)")
        #expect(bench.bench.server.requests.isEmpty)
    }

    @Test("A signed token is exchanged as a service account's is, whose file names the rest")
    func account() async throws {
        let bench = try await SignInBench(
            "{jwt: {algorithm: HS256, key: '${KEY}', claims: {scope: read}, token_url: URL/token}}",
            environment: ["KEY": #"{"private_key":"k\ney","private_key_id":"7","client_email":"robot@a.example"}"#])
        bench.issuer.route("/token") { _ in .json(#"{"access_token":"Acc3ss"}"#) }
        try await bench.reload()
        let form = FormEncoding.parameters(in: bench.form(0)[...].utf8)
        #expect(form.first?.value == "urn:ietf:params:oauth:grant-type:jwt-bearer")
        let assertion = form.last?.value.split(separator: ".") ?? []
        try #require(assertion.count == 3)
        let claims = try #require(Base64.decodedFromEither(String(assertion[1])))
        #expect(
            String(decoding: claims, as: UTF8.self).hasPrefix(
                #"{"scope":"read","aud":"\#(bench.issuer.url)/token","iss":"robot@a.example","iat":"#))
        #expect(bench.authorizations == ["Bearer Acc3ss"])
    }

    @Test("A signed token is exchanged as that of an app is, until the time that the response names")
    func installation() async throws {
        let bench = try await SignInBench(
            """
            {jwt: {algorithm: HS256, key: k3y, claims: {iss: '12'}, token_url: URL/tokens, send: bearer, token: token,
              expires: expires_at}}
            """)
        bench.issuer.route("/tokens") { _ in
            .json(#"{"token":"ghs_1","expires_at":"2000-01-01T00:00:00Z"}"#, status: 201)
        }
        _ = try await bench.engine().perform(.allPages)
        #expect(bench.issuer.requests.count == 4, "each token has expired at once")
        #expect(bench.issuer.requests[0].header("Authorization")?.hasPrefix("Bearer ey") == true)
        #expect(bench.authorizations.first == "Bearer ghs_1")
    }

    @Test(
        "A session's token comes from a member, a header or a cookie, and goes where the definition says",
        arguments: [
            ("token: data.token, header: X-Session", "X-Session", "T0ken"),
            ("token: {header: X-Token}, header: X-Token", "X-Token", "H3ader"),
            ("token: {cookie: sid}", "Cookie", "sid=C00kie"), ("token: data.token", "Authorization", "Bearer T0ken"),
            ("token: data.token, scheme: Token", "Authorization", "Token T0ken"),
        ])
    func session(members: String, header: String, value: String) async throws {
        let bench = try await SignInBench(
            "{session: {url: URL/login, headers: {X-App: a}, body: {user: ada, password: '${WORD}', n: 1}, \(members)}}",
            environment: ["WORD": "pass/word"])
        bench.issuer.route("/login") { _ in
            ServerResponse(
                status: 201,
                headers: [
                    ("Set-Cookie", "other=1; Path=/"), ("Set-Cookie", "sid=C00kie; HttpOnly"), ("X-Token", "H3ader"),
                ], body: Array(#"{"data":{"token":"T0ken"}}"#.utf8))
        }
        _ = try await bench.engine().perform(.allPages)
        #expect(bench.form(0) == #"{"user":"ada","password":"pass/word","n":1}"#)
        #expect(bench.issuer.requests.count == 1)
        #expect(bench.issuer.requests[0].header("X-App") == "a")
        #expect(bench.issuer.requests[0].header("Content-Type") == "application/json")
        #expect(bench.bench.server.requests.allSatisfy { $0.header(header) == value })
    }

    @Test("A session is opened by a form, and again after its life and after a 401")
    func sessionAgain() async throws {
        let bench = try await SignInBench(
            "{session: {url: URL/login, send: form, body: {user: a b, password: w}, token: {cookie: sid}, lifetime: 1h}}"
        )
        bench.issuer.route("/login") { [issuer = bench.issuer] _ in
            .status(200, headers: [("Set-Cookie", "sid=\(issuer.requests.count)")])
        }
        bench.bench.upstream.fail(page: 2, with: .status(401))
        _ = try await bench.engine().perform(.allPages)
        #expect(bench.form(0) == "user=a+b&password=w")
        #expect(
            bench.bench.server.requests.map { $0.header("Cookie") } == ["1", "1", "2", "2", "2"].map { "sid=\($0)" })
    }

    @Test("A login that is refused, or that brings no token, is an error that shows no credential")
    func noSession() async throws {
        let bench = try await SignInBench(
            "{session: {url: URL/login, body: {password: 'p4ssword'}, token: {cookie: sid}}}")
        bench.issuer.enqueue("/login", [.json(#"{"error":"p4ssword is wrong"}"#, status: 401), .json("{}")])
        let refusal = try await bench.failure()
        #expect(refusal.kind == .refused && refusal.message.hasSuffix(": *** is wrong"), "\(refusal.message)")
        #expect(try await bench.failure().message == "the response to the sign-in sets no cookie `sid`")
    }

    @Test("A digest answers the host's challenge, and holds no password")
    func digest() async throws {
        let bench = try await SignInBench("{digest: {user: ada, password: 'pass wörd'}}")
        let upstream = bench.bench.upstream
        bench.bench.server.route("/things") { request in
            guard let given = request.header("Authorization") else {
                let challenge = #"Digest realm="r", qop="auth", algorithm=SHA-256, nonce="n0nce", opaque="o""#
                return .status(401, headers: [("WWW-Authenticate", challenge)])
            }
            // https://www.rfc-editor.org/rfc/rfc7616#section-3.4.1
            let word = { (name: String) in
                given.components(separatedBy: "\(name)=").last?.prefix { $0 != "," }.replacing("\"", with: "") ?? ""
            }
            let hash = { (text: String) in Hexadecimal.encoded(SHA256.hash(Array(text.utf8))) }
            let (one, two) = (hash("ada:r:pass wörd"), hash("GET:\(word("uri"))"))
            let wanted = hash("\(one):n0nce:\(word("nc")):\(word(" cnonce")):auth:\(two)")
            return word("response") == wanted ? upstream.answer(request) : .status(403)
        }
        _ = try await bench.engine().perform(.allPages)
        #expect(try bench.bench.query("SELECT count(*) FROM things") == ["35"])
        #expect(bench.bench.server.requests.allSatisfy { $0.header("Authorization")?.contains("wörd") != true })
    }

    @Test("A host that wants a ticket gets none where there is none, and is a refusal")
    func negotiate() async throws {
        let bench = try await SignInBench("{negotiate: true}")
        bench.bench.server.route("/things") { _ in .status(401, headers: [("WWW-Authenticate", "Negotiate")]) }
        #expect(try await bench.failure().kind == .refused)
    }

    @Test(
        "Requests are signed as AWS verifies it, whatever is in the query or the body",
        arguments: ["query: {b: 'x+y z~*/ü', a: ''}", "method: POST\nbody: {a: ü}\nheaders: {X-Amz-Target: T.List}"])
    func aws(members: String) async throws {
        let bench = try await EngineBench(
            members: """
                auth: {aws: {access_key: AKIAEXAMPLE, secret_key: '${KEY}', session_token: '${TOKEN}',
                  region: eu-central-1, service: s3}}
                \(members)
                """, paging: "pagination: none")
        var options = EngineBench.options
        options.environment = ["KEY": "s3cret/k+y", "TOKEN": "t0ken=="]
        _ = try await bench.another(options: options).perform(.reload)
        let request = try #require(bench.server.requests.first)
        #expect(request.header("X-Amz-Security-Token") == "t0ken==")
        #expect(request.header("Authorization") == VerifiedSignature(key: "s3cret/k+y").header(of: request))
    }

    @Test("A signature and a digest go to no other origin")
    func elsewhere() async throws {
        for auth in [
            "{aws: {access_key: AKIA, secret_key: k, region: r, service: s3}}", "{digest: {user: a, password: b}}",
        ] {
            let elsewhere = try ScriptedServer()
            let challenge = ("WWW-Authenticate", #"Digest realm="r", nonce="n""#)
            elsewhere.route("/things") { _ in .status(401, headers: [challenge]) }
            let bench = try await SignInBench(auth)
            bench.bench.server.route("/things") { _ in .status(307, headers: [("Location", "\(elsewhere.url)/things")])
            }
            #expect(try await bench.failure().kind == .refused)
            #expect(elsewhere.requests.count == 1)
            for request in elsewhere.requests {
                #expect(!"\(request.headers)".contains("AWS4") && request.header("Authorization") == nil)
            }
        }
    }
}

/// The other notation of ECDSA's two numbers.
private enum ECDSANumbers {
    /// Source: https://www.rfc-editor.org/rfc/rfc3279#section-2.2.3
    static func der(_ numbers: [UInt8]) -> [UInt8] {
        let parts = [numbers.prefix(32), numbers.dropFirst(32)].flatMap { half -> [UInt8] in
            var bytes = Array(half.drop { $0 == 0 })
            if bytes.first.map({ $0 >= 0x80 }) ?? true { bytes.insert(0, at: 0) }
            return [0x02, UInt8(bytes.count)] + bytes
        }
        return [0x30, UInt8(parts.count)] + parts
    }
}

/// A signature worked out from a request as it arrived.
///
/// Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
private struct VerifiedSignature {
    let key: String

    func header(of request: ServerRequest) -> String? {
        guard let given = request.header("Authorization"), let time = request.header("X-Amz-Date"),
            let names = given.components(separatedBy: "SignedHeaders=").last?.prefix(while: { $0 != "," }),
            let payload = request.header("x-amz-content-sha256"),
            payload == Hexadecimal.encoded(SHA256.hash(request.body))
        else { return nil }
        let query = request.query.map { "\(PercentCoding.encoded($0.name))=\(PercentCoding.encoded($0.value))" }
        let headers = names.split(separator: ";").map { "\($0):\(request.header(String($0)) ?? "")\n" }.joined()
        let canonical = [
            request.method, request.rawPath, query.sorted().joined(separator: "&"), headers, String(names), payload,
        ].joined(separator: "\n")
        let day = time.prefix(8)
        let scope = "\(day)/eu-central-1/s3/aws4_request"
        let text =
            "AWS4-HMAC-SHA256\n\(time)\n\(scope)\n\(Hexadecimal.encoded(SHA256.hash(Array(canonical.utf8))))"
        var key = Array("AWS4\(key)".utf8)
        for word in scope.split(separator: "/") { key = SHA256.signature(of: Array(word.utf8), key: key) }
        let signature = Hexadecimal.encoded(SHA256.signature(of: Array(text.utf8), key: key))
        return "AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/\(scope), SignedHeaders=\(names), Signature=\(signature)"
    }
}
