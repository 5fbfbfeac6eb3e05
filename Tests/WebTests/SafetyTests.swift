import FeedSync
import Foundation
import HTTPServer
import ScriptedServer
import Testing
import Web

@Suite(.timeLimit(.minutes(10))) struct SafetyTests {
    @Test(
        "A request that calls the server by another name is refused",
        arguments: ["evil.example", "evil.example:PORT", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:PORT", ""])
    func foreignHost(host: String) async throws {
        try await WebPlace.serving { place in
            let name = host.replacing("PORT", with: String(place.port))
            let reply = try await place.ask("/", headers: ["Host": name])
            #expect(reply.status == 421)
        }
    }

    @Test("The server's own names are taken", arguments: ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
    func ownHost(host: String) async throws {
        try await WebPlace.serving { place in
            let reply = try await place.ask("/", headers: ["Host": "\(host):\(place.port)"])
            #expect(reply.status == 200)
        }
    }

    @Test(
        "On every address, any address and the machine's own name are taken, and no other name",
        arguments: [
            ("10.1.2.3", 200), ("[2001:db8::1]", 200), ("localhost", 200), (ProcessInfo.processInfo.hostName, 200),
            ("0.0.0.0", 200), ("evil.example", 421), ("10.1.2.3.evil.example", 421),
        ])
    func everyAddress(host: String, status: Int) async throws {
        let secret = "0123456789abcdef-secret"
        let change = { @Sendable (settings: inout WebSettings) in
            settings.address = .tcp(host: "0.0.0.0", port: 0)
            settings.access.token = { secret }
            settings.access.isPrivate = true
        }
        try await WebPlace.serving(change: change) { place in
            let headers = ["Host": "\(host):\(place.port)", "Authorization": "Bearer \(secret)"]
            let reply = try await place.ask("/", headers: headers)
            #expect(reply.status == status)
        }
    }

    @Test(
        "A change that another site asks for is refused, whatever it sends",
        arguments: [
            ["Origin": "http://evil.example"], ["Origin": "null"], ["Sec-Fetch-Site": "cross-site"],
            ["Sec-Fetch-Site": "same-site"], ["Origin": "http://127.0.0.1:1"],
        ])
    func foreignOrigin(headers: [String: String]) async throws {
        try await WebPlace.serving { place in
            let token = try await place.token()
            let all = headers.merging(["X-FeedSync-Token": token]) { $1 }
            #expect(try await place.ask("/feeds/things/reload", method: "POST", headers: all).status == 403)
            #expect(place.upstream.requests.isEmpty)
        }
    }

    @Test("A change without the pages' token is refused, and one with it is taken")
    func token() async throws {
        try await WebPlace.serving { place in
            let own = ["Origin": "http://127.0.0.1:\(place.port)", "Sec-Fetch-Site": "same-origin"]
            #expect(try await place.ask("/feeds/things/reload", method: "POST", headers: own).status == 403)
            let with = own.merging(["X-FeedSync-Token": try await place.token()]) { $1 }
            #expect(try await place.ask("/feeds/things/reload", method: "POST", headers: with).status == 200)
            let form = own.merging(["Content-Type": "application/x-www-form-urlencoded"]) { $1 }
            let sent = try await place.ask(
                "/feeds/things/more", method: "POST", headers: form, body: "token=\(try await place.token())")
            #expect(sent.status == 303)
            #expect(sent.header("Location") == "/list/things")
        }
    }

    private static func wanting(_ secret: String) -> @Sendable (inout WebSettings) -> Void {
        { settings in
            settings.access.token = { secret }
            settings.access.isPrivate = true
            settings.access.wrongTokenPause = .zero
        }
    }

    @Test("A server with a token shows nothing without it; programs send it, and browsers sign in")
    func accessToken() async throws {
        let secret = "0123456789abcdef-secret"
        try await WebPlace.serving(change: Self.wanting(secret)) { place in
            for target in ["/feeds", "/metrics", "/events", "/session", "/health"] {
                #expect(try await place.ask(target).status == 401, "\(target)")
            }
            let page = try await place.ask("/", headers: ["Accept": "text/html"])
            #expect(page.header("Location") == "/login")
            #expect(try await place.ask("/feeds", headers: ["Authorization": "Bearer wrong"]).status == 401)
            #expect(try await place.ask("/feeds", headers: ["Authorization": "Bearer \(secret)"]).status == 200)
            let command = ["Authorization": "Bearer \(secret)"]
            #expect(try await place.ask("/feeds/things/reload", method: "POST", headers: command).status == 200)
            let form = ["Content-Type": "application/x-www-form-urlencoded"]
            #expect(try await place.ask("/login", method: "POST", headers: form, body: "token=wrong").status == 403)
            let login = try await place.ask("/login", method: "POST", headers: form, body: "token=\(secret)")
            let cookie = try #require(login.header("Set-Cookie"))
            #expect(cookie.contains("HttpOnly; SameSite=Strict"))
            #expect(!cookie.contains(secret))
            let session = ["Cookie": String(cookie.prefix { $0 != ";" })]
            let shown = try await place.ask("/", headers: session)
            #expect(shown.status == 200)
            #expect(!shown.body.contains(secret))
            #expect(try await place.ask("/feeds/things/reload", method: "POST", headers: session).status == 403)
        }
    }

    @Test("Every answer keeps browsers from running, loading and framing anything of others'")
    func headers() async throws {
        try await WebPlace.serving { place in
            for target in ["/", "/feeds", "/nothing", "/assets/app.js", "/list/things", "/metrics"] {
                let reply = try await place.ask(target)
                #expect(reply.header("Content-Security-Policy")?.hasPrefix("default-src 'none'") == true, "\(target)")
                #expect(reply.header("Content-Security-Policy")?.contains("unsafe") == false)
                #expect(reply.header("X-Content-Type-Options") == "nosniff")
            }
        }
    }

    @Test("A server that only reads takes no command")
    func readOnly() async throws {
        let place = try await WebPlace()
        try await place.perform(.reload)
        await place.web.stop()
        var settings = WebSettings(
            address: .tcp(host: "127.0.0.1", port: 0), options: EngineOptions(), configuration: { nil },
            storePath: { [folder = place.folder] _ in "\(folder)/feedsync.db" })
        settings.isReadOnly = true
        let web = try await WebServer(settings)
        guard case .tcp(_, let port) = web.address else { return }
        let connection = try RawConnection(port: port)
        connection.send("GET /list/things HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n")
        let page = await connection.readAll()
        #expect(page.contains("item 10"))
        #expect(!page.contains("<form method"))
        #expect(!page.contains("data-token"))
        let reply = try await WebPlace.ask(port, "/session")
        let token = try #require(reply.member("token")?.trimmingCharacters(in: ["\""]))
        let refused = try await WebPlace.ask(
            port, "/feeds/things/reload", method: "POST", headers: ["X-FeedSync-Token": token])
        #expect(refused.status == 403 && refused.body.contains("start the server without read-only"))
        await web.stop()
    }

    @Test("Hostile text of an upstream is text on each page")
    func hostile() async throws {
        let evil = #"<script>alert(1)</script>\" onx=\"y"#
        try await WebPlace.serving(
            items: [#"{"id":"\#(evil)","name":"\#(evil)","url":"javascript:alert(1)"}"#], extra: "section: {path: name}"
        ) { place in
            try await place.perform(.reload)
            for target in ["/", "/status", "/list/things", "/list/things?q=script", "/list/things/rows"] {
                let page = try await place.ask(target)
                #expect(page.status == 200)
                #expect(!page.body.contains("<script>alert"), "\(target)")
                #expect(!page.body.contains("\" onx"), "\(target)")
                #expect(!page.body.contains("href=\"javascript"), "\(target)")
            }
        }
    }
}
