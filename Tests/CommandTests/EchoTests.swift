import Foundation
import HTTPServer
import ScriptedServer
import Testing

/// A kind of credential: its form in a feed, and the texts that must not be found.
private struct Kind: Sendable, CustomTestStringConvertible {
    let name: String
    let secret: String
    /// Lines of each feed; `$SECRET` is the environment's.
    let lines: [String]
    /// The end of a feed's URL.
    var query = ""

    var testDescription: String { name }

    init(_ name: String, _ secret: String = "Tok3n+Kind/07=Zq", _ lines: String..., query: String = "") {
        self.name = name
        self.secret = secret
        self.lines = lines
        self.query = query
    }

    static let all = [
        Kind("bearer", "Tok3n+Kind/07=Zq", #"auth: {bearer: "${SECRET}"}"#),
        Kind("basic", "WÖrd-Geheim/9ñ", #"auth: {basic: {user: me, password: "${SECRET}"}}"#),
        Kind("header of auth", "Tok3n+Kind/07=Zq", #"auth: {header: {X-Api-Key: "${SECRET}"}}"#),
        Kind("query of auth", "Tök3n Kind&07", #"auth: {query: {key: "${SECRET}"}}"#),
        Kind("header", "Tok3n Kind;07", #"headers: {X-Tenant: "${SECRET}"}"#),
        Kind("query", "Tök3n+Kind/07", #"query: {tenant: "${SECRET}"}"#),
        Kind("body", #"Tok3n"Kind\07"#, "method: POST", #"body: {q: "${SECRET}"}"#),
        Kind("literal header", "L1teral+Kind/07=", #"headers: {X-Auth-Token: "L1teral+Kind/07="}"#),
        Kind("literal query", "L1teral+Kind/07=", #"query: {api_key: "L1teral+Kind/07="}"#),
        Kind("literal in the URL", "L1teralKind07Zq", query: "?sig=L1teralKind07Zq"),
        Kind("file", "F1le+Kind/07=Zq", #"auth: {bearer: "${file:secret}"}"#),
        Kind("command", "C0mmand+Kind/07=Zq", #"auth: {bearer: "${command:cat secret}"}"#),
        Kind(
            "access token", "Acc3ss+Kind/07=Zq",
            "auth: {oauth2: {token_url: $URL/token, client_id: me, client_secret: \"cl1ent-Geheim\"}}"),
        Kind(
            "access token of a session", "Acc3ss+Kind/07=Zq",
            "auth: {session: {url: $URL/token, body: {password: \"l0gin-Geheim\"}, token: access_token}}"),
        Kind("password of a digest", "Tok3n+Kind/07=Zq", #"auth: {digest: {user: me, password: "${SECRET}"}}"#),
        Kind(
            "AWS's secret key", "Tok3n+Kind/07=Zq",
            #"auth: {aws: {access_key: AKIA, secret_key: "${SECRET}", region: r, service: s3}}"#),
        Kind(
            "key of a signature", "Tok3n+Kind/07=Zq",
            #"auth: {jwt: {algorithm: HS256, key: "${SECRET}", claims: {iss: me}}}"#),
    ]
}

/// The form of an upstream's echo.
private enum Form: String, CaseIterable {
    case plain, percent, percentLower, percentTwice, json, base64, base64url, hex, lower, upper

    func text(of secret: String) -> String {
        let bytes = Array(secret.utf8)
        let escaped = bytes.map { String(format: "%%%02X", Int($0)) }.joined()
        return switch self {
        case .plain: secret
        case .percent: secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        case .percentLower: escaped.lowercased()
        case .percentTwice:
            (secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
                .replacing("%", with: "%25")
        case .json: secret.utf16.map { String(format: "\\u%04x", Int($0)) }.joined()
        case .base64: Data(bytes).base64EncodedString()
        case .base64url:
            Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
                "=", with: "")
        case .hex: bytes.map { String(format: "%02x", Int($0)) }.joined()
        case .lower: secret.lowercased()
        case .upper: secret.uppercased()
        }
    }

    /// The text within JSON's quotes.
    func quoted(_ secret: String) -> String {
        let text = text(of: secret)
        return self == .json ? text : text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }
}

/// The place of an upstream's echo.
private enum Place: String, CaseIterable {
    case message401, message403, message404, message500, html, words, errorIn200, notJSON, brokenJSON, wrongItems,
        noItems
    case nextElsewhere, nextThenFailure, cursor, link, linkElsewhere, etag, lastModified, quotaResource, retryAfter
    case contentType, contentCoding, location, locationScript, reason, total

    /// - Parameters:
    ///   - text: The echoed text.
    ///   - quoted: The same within JSON's quotes.
    func answer(_ request: ServerRequest, _ text: String, _ quoted: String, url: String) -> ServerResponse {
        let item = #"{"id":1,"name":"one"}"#
        let page = "{\"items\":[\(item)]}"
        // Not every text may stand in a field or in a URL.
        let field = text.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 32 } ? text : ""
        let word = text.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? ""
        let isFirst = request.parameter("page") == nil && request.parameter("t") == nil
        func status(_ status: Int) -> ServerResponse { .json("{\"message\":\"bad key \(quoted)\"}", status: status) }
        func sound(_ name: String, _ value: String) -> ServerResponse { .json(page, headers: [(name, value)]) }
        switch self {
        case .message401: return status(401)
        case .message403: return status(403)
        case .message404: return status(404)
        case .message500: return status(500)
        case .html: return .html("<!DOCTYPE html><title>No \(text)</title>", status: 500)
        case .words:
            return ServerResponse(status: 400, headers: [("Content-Type", "text/plain")], body: Array(text.utf8))
        case .errorIn200: return .json("{\"error\":{\"code\":\"\(quoted)\",\"message\":\"no \(quoted)\"}}")
        case .notJSON: return ServerResponse(headers: [("Content-Type", "application/json")], body: Array(text.utf8))
        case .brokenJSON: return .json("{\"items\":[\(text)")
        case .wrongItems: return .json("{\"items\":\"\(quoted)\"}")
        case .noItems: return .json("{\"\(quoted)\":1}")
        case .nextElsewhere: return .json("{\"items\":[\(item)],\"next\":\"https://example.com/\(quoted)\"}")
        case .nextThenFailure:
            guard isFirst else { return status(500) }
            return .json("{\"items\":[\(item)],\"next\":\"\(url)?t=\(word)\"}")
        case .cursor: return .json("{\"items\":[\(item)],\"next\":\"\(url)?t=\(quoted)\"}")
        case .link: return sound("Link", "<\(url)?t=\(word)>; rel=\"next\"")
        case .linkElsewhere: return sound("Link", "<https://example.com/\(word)>; rel=\"next\"")
        case .etag: return sound("ETag", "\"\(field)\"")
        case .lastModified: return sound("Last-Modified", "x\(field)")
        case .quotaResource:
            return .json(page, headers: [("X-RateLimit-Resource", "x\(field)"), ("X-RateLimit-Remaining", "5")])
        case .retryAfter: return .json(page, status: 503, headers: [("Retry-After", "x\(field)")])
        case .contentType: return ServerResponse(headers: [("Content-Type", "text/\(field)x")], body: Array("no".utf8))
        case .contentCoding: return sound("Content-Encoding", "x\(field)")
        case .location: return .json("{}", status: 302, headers: [("Location", "http://127.0.0.1:1/\(word)")])
        case .locationScript: return .json("{}", status: 302, headers: [("Location", "javascript:\(word)")])
        case .reason:
            let head = "HTTP/1.1 418 \(field)x\r\nContent-Length: 2\r\n\r\n{}"
            return ServerResponse(body: Array(head.utf8), delivery: .verbatim)
        case .total:
            guard isFirst || request.parameter("page") == "1" else { return .json("{\"items\":[]}") }
            return .json("{\"items\":[\(item)],\"total\":\"\(quoted)\"}")
        }
    }

    var pagination: String {
        switch self {
        case .link, .linkElsewhere: "{style: link}"
        case .total: "{style: page, param: page, total: total}"
        case .nextElsewhere, .nextThenFailure, .cursor: "{style: next_url, next: next}"
        default: "{style: none}"
        }
    }
}

/// The items of a feed are the upstream's, and all their content is stored. Everything else is ours.
///
/// Each kind of credential meets each place, in two of the ten forms, and each place meets each form.
/// `TEST_CASES=all` makes all combinations.
@Suite("A credential that an upstream knows", .timeLimit(.minutes(5)))
struct EchoTests {
    private static let makesAll = ProcessInfo.processInfo.environment["TEST_CASES"] == "all"

    /// The echoes that a kind of credential meets.
    private static func echoes(of kind: Kind) -> [(place: Place, form: Form)] {
        let offset = Kind.all.firstIndex { $0.name == kind.name } ?? 0
        return Place.allCases.enumerated().flatMap { number, place in
            let forms = Form.allCases
            let some = [0, 5].map { forms[(offset + number + $0) % forms.count] }
            return (makesAll ? forms : some).map { (place, $0) }
        }
    }

    @Test("A credential is nowhere in stored and shown data, wherever and however it is echoed", arguments: Kind.all)
    fileprivate func echo(kind: Kind) async throws {
        let server = try Server { Self.answer($0, kind) }
        defer { server.stop() }
        let place = try Workplace([])
        try place.write("secret", kind.secret)
        chmod(place.path("secret"), 0o600)
        try FileManager.default.createDirectory(atPath: place.path("temporary"), withIntermediateDirectories: true)
        let echoes = Self.echoes(of: kind)
        let names = echoes.map { "\($0.place.rawValue)-\($0.form.rawValue)" }
        let feeds = zip(names, echoes).map { name, echo in
            """
              \(name):
                url: \(server.url)/\(name)\(kind.query)
                items: items
                key: id
                columns: {id: id, name: name}
                pagination: \(echo.place.pagination)
                retries: 0
                \(kind.lines.joined(separator: "\n    ").replacing("$URL", with: server.url))

            """
        }
        try place.write("feedsync.yaml", "feeds:\n" + feeds.joined())
        let environment = ["SECRET": kind.secret, "TMPDIR": place.path("temporary")]
        var shown: [String] = []
        let commands =
            ["reload", "more --all"].map { "\($0) \(names.joined(separator: " "))" }
            + [
                "status", "status --json", "events --json", "plan --json", "feeds --json",
                "explain \(names.first { $0.hasPrefix("cursor-") } ?? "")",
            ]
        for words in commands {
            let run = try await place.run("\(words) --config feedsync.yaml", environment: environment)
            #expect(run.code >= 0, "\(words.prefix(20)): \(run.errors.suffix(300))")
            shown += [run.output, run.errors]
        }
        var texts = shown.map { ($0.prefix(40), Data($0.utf8)) }
        for file in place.files where file.hasPrefix("feedsync.db") {
            texts.append((file.prefix(40), try Data(contentsOf: URL(fileURLWithPath: place.path(file)))))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path("temporary")).isEmpty)
        for form in Form.allCases {
            for text in Set([form.text(of: kind.secret), form.quoted(kind.secret)]) {
                for (name, data) in texts {
                    guard let start = Self.start(of: Array(text.utf8), in: data) else { continue }
                    let range = start..<start + text.utf8.count
                    let around = data[max(0, range.lowerBound - 120)..<min(data.count, range.upperBound + 80)]
                    Issue.record("\(form) in \(name): \(String(decoding: around, as: UTF8.self))")
                }
            }
        }
        // It was echoed, and it was noticed.
        #expect(shown.contains { $0.contains("***") }, "\(shown.joined(separator: "\n").prefix(1_000))")
    }

    /// The position of the bytes; much faster than Foundation's own search.
    private static func start(of bytes: [UInt8], in data: Data) -> Int? {
        data.withUnsafeBytes { all in
            guard let start = all.baseAddress, let first = bytes.first else { return nil }
            var index = 0
            while let found = memchr(start + index, Int32(first), all.count - index) {
                index = UnsafeRawPointer(found) - start
                guard index + bytes.count <= all.count else { return nil }
                if memcmp(found, bytes, bytes.count) == 0 { return index }
                index += 1
            }
            return nil
        }
    }

    private static func answer(_ request: ServerRequest, _ kind: Kind) -> ServerResponse {
        let words = request.path.dropFirst().split(separator: "-").map(String.init)
        if request.path == "/token" {
            return .json("{\"access_token\":\"\(kind.secret)\",\"token_type\":\"bearer\",\"expires_in\":3600}")
        }
        guard words.count == 2, let place = Place(rawValue: words[0]), let form = Form(rawValue: words[1]) else {
            return .json("{}", status: 404)
        }
        let url = "http://\(request.header("Host") ?? "")\(request.path)"
        return place.answer(request, form.text(of: kind.secret), form.quoted(kind.secret), url: url)
    }

    @Test(
        "A credential is in no arguments, and in no environment of a child",
        arguments: Kind.all)
    fileprivate func children(kind: Kind) async throws {
        let place = try Workplace([])
        let items = PagedFeed(PagedFeed.items(1...3))
        place.server.route("/things", to: items)
        place.server.route("/token") { Self.answer($0, kind) }
        try place.write("secret", kind.secret)
        chmod(place.path("secret"), 0o600)
        let lines =
            kind.lines.map { $0.replacing("$URL", with: place.server.url) } + [#"on_change: {exec: [sh, hook]}"#]
        let feed = Workplace.feed(
            "things", at: "\(place.server.url)/things\(kind.query)", extra: lines.joined(separator: "\n    "))
        try place.write("feedsync.yaml", "feeds:\n" + feed)
        // Read by a shell: a file that was just written is not run while a process that is being started has it open,
        // too.
        let look = "env; cat /proc/$PPID/cmdline /proc/$$/cmdline"
        try place.write("hook", "(\(look)) > seen\n")
        let environment = ["SECRET": kind.secret, "TMPDIR": place.folder]
        for _ in 1...2 {
            let run = try await place.run("reload things --config feedsync.yaml", environment: environment)
            #expect(run.code == 0, "\(run.errors)")
            items.edit { $0 = PagedFeed.items(1...4) }
        }
        // Children have all variables of feedsync's own environment.
        let seen = try place.text(of: "seen").replacing("SECRET=\(kind.secret)\n", with: "")
        #expect(seen.contains("PATH=") && seen.contains("reload") && seen.contains("hook"), "\(seen)")
        for form in Form.allCases where form != .lower && form != .upper {
            #expect(!seen.contains(form.text(of: kind.secret)))
        }
    }

    @Test("A credential is not in the remains of a crash", arguments: [SIGSEGV, SIGABRT, SIGILL])
    func crash(signal: Int32) async throws {
        let place = try Workplace(extra: #"auth: {bearer: "${SECRET}"}"#)
        let feed = PagedFeed(PagedFeed.items(1...3))
        let gate = place.server.gate()
        feed.hold(page: 1, at: gate)
        place.server.route("/things", to: feed)
        try FileManager.default.createDirectory(atPath: place.path("temporary"), withIntermediateDirectories: true)
        let secret = "Tok3n+Crash/07=Zq"
        let run = try place.start(
            "reload things", environment: ["SECRET": secret, "TMPDIR": place.path("temporary")])
        await gate.arrived()
        kill(run.id, signal)
        let end = await run.end()
        gate.open()
        #expect(end.code != 0)
        #expect(end.output.isEmpty && end.errors.isEmpty, "\(end.output)\(end.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path("temporary")).isEmpty)
        #expect(place.files.allSatisfy { $0.hasPrefix("feedsync.") || $0 == "temporary" }, "\(place.files)")
        for file in place.files where file.hasPrefix("feedsync.") {
            let data = try Data(contentsOf: URL(fileURLWithPath: place.path(file)))
            #expect(Self.start(of: Array(secret.utf8), in: data) == nil, "\(file)")
        }
    }
}
