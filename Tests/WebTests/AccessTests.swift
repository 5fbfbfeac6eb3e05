import Concurrency
import FeedSync
import Foundation
import HTTPServer
import ScriptedServer
import Testing

@testable import Web

@Suite(.timeLimit(.minutes(10))) struct AccessTests {
    private static let secret = "0123456789abcdef-secret"

    private static let change: @Sendable (inout WebSettings) -> Void = { settings in
        settings.access.token = { secret }
        settings.access.wrongTokenPause = .zero
    }

    /// A browser that signed in by the printed address.
    private func session(_ place: WebPlace) async throws -> (cookie: String, token: String) {
        let path = try #require(place.web.signInPath())
        let reply = try await place.ask("/\(path)")
        #expect(reply.status == 303 && reply.header("Location") == "/")
        let set = try #require(reply.header("Set-Cookie"))
        #expect(set.contains("HttpOnly; SameSite=Strict; Max-Age=2592000") && !set.contains(Self.secret))
        let cookie = String(set.prefix { $0 != ";" })
        let token = try await place.ask("/session", headers: ["Cookie": cookie]).member("token") ?? ""
        return (cookie, token.trimmingCharacters(in: ["\""]))
    }

    private func reload(_ place: WebPlace, _ headers: [String: String]) async throws -> Int {
        try await place.ask("/feeds/things/reload", method: "POST", headers: headers).status
    }

    @Test("Everybody on this machine may read, and nobody sends a command without the token")
    func reading() async throws {
        try await WebPlace.serving(change: Self.change) { place in
            for target in ["/", "/feeds", "/list/things", "/health"] {
                let reply = try await place.ask(target, headers: ["Accept": "text/html"])
                #expect(reply.status == 200 && !reply.body.contains("data-token"), "\(target)")
            }
            #expect(try await place.ask("/session").member("token") == "null")
            for target in [
                "/feeds/things/reload", "/feeds/things/sync", "/add", "/add/look", "/search/things", "/logout",
            ] {
                let form = ["Content-Type": "application/x-www-form-urlencoded"]
                for body in ["", "token=", "token=null", "token=\(Self.secret)"] {
                    #expect(
                        try await place.ask(target, method: "POST", headers: form, body: body).status == 401,
                        "\(target)")
                }
                #expect(try await place.ask(target, method: "POST", headers: ["X-FeedSync-Token": ""]).status == 401)
            }
            #expect(place.upstream.requests.isEmpty)
            #expect(try await reload(place, ["Authorization": "Bearer \(Self.secret)"]) == 200)
        }
    }

    @Test("The printed address begins one session, whose pages send commands with their own word")
    func code() async throws {
        try await WebPlace.serving(change: Self.change) { place in
            let (cookie, token) = try await session(place)
            #expect(try await place.ask("/", headers: ["Cookie": cookie]).body.contains("data-token=\"\(token)\""))
            #expect(try await reload(place, ["Cookie": cookie, "X-FeedSync-Token": token]) == 200)
            #expect(try await reload(place, ["Cookie": cookie]) == 403)
            #expect(try await reload(place, ["X-FeedSync-Token": token]) == 401)
            let path = try #require(place.web.signInPath())
            // A program that looks at the link does not use it up.
            #expect(try await place.ask("/\(path)", method: "HEAD").status == 204)
            #expect(try await place.ask("/\(path)").status == 303)
            #expect(try await place.ask("/\(path)").status == 403)
            // A browser that is signed in is led to the feeds, and uses up the next address all the same.
            let next = try #require(place.web.signInPath())
            for address in [path, next] {
                let reply = try await place.ask("/\(address)", headers: ["Cookie": cookie])
                #expect(reply.status == 303 && reply.header("Location") == "/" && reply.header("Set-Cookie") == nil)
            }
            #expect(try await place.ask("/\(next)").status == 403)
        }
    }

    @Test("A session is one name's, and a cookie that others set beside it does no harm")
    func host() async throws {
        try await WebPlace.serving(change: Self.change) { place in
            let (cookie, token) = try await session(place)
            let name = cookie.prefix { $0 != "=" }
            let other = ["Host": "localhost:\(place.port)", "Cookie": cookie, "X-FeedSync-Token": token]
            #expect(try await reload(place, other) == 401)
            let crowded = ["Cookie": "\(name)=forged; \(name)=1.2.3; \(cookie)", "X-FeedSync-Token": token]
            #expect(try await reload(place, crowded) == 200)
            for forged in [cookie + "0", String(cookie.dropLast()), cookie.replacing(".", with: "..")] {
                #expect(try await reload(place, ["Cookie": forged, "X-FeedSync-Token": token]) == 401)
            }
        }
    }

    @Test("A session ends when somebody signs out, and with another token")
    func end() async throws {
        let current = Lock(Self.secret)
        try await WebPlace.serving(change: { settings in
            Self.change(&settings)
            settings.access.token = { current.withLock { $0 } }
        }) { place in
            let (cookie, token) = try await session(place)
            let headers = ["Cookie": cookie, "X-FeedSync-Token": token]
            let out = try await place.ask("/logout", method: "POST", headers: headers)
            #expect(out.status == 303 && out.header("Set-Cookie")?.contains("Max-Age=0") == true)
            #expect(try await reload(place, headers) == 401)
            let (second, word) = try await session(place)
            current.withLock { $0 = "another-0123456789abcdef" }
            #expect(try await reload(place, ["Cookie": second, "X-FeedSync-Token": word]) == 401)
        }
    }

    @Test("A session lasts 30 days, also over a restart of the server")
    func lifetime() throws {
        let now = Lock(1_700_000_000)
        let caller = try #require(self.caller(host: "127.0.0.1:80", at: .tcp(host: "127.0.0.1", port: 80)))
        func sessions() -> Sessions { Sessions(now: { now.withLock { $0 } }) }
        let cookie = String(sessions().begin(for: caller, token: "token").prefix { $0 != ";" })
        func lasts() -> Bool { sessions().session(in: [cookie], of: caller, token: "token") != nil }
        #expect(lasts())
        now.withLock { $0 += 30 * 86_400 - 1 }
        #expect(lasts())
        now.withLock { $0 += 1 }
        #expect(!lasts())
        // A clock that goes back does not make one last longer.
        now.withLock { $0 = 1_600_000_000 }
        #expect(!lasts())
    }

    @Test("A session that somebody signed out of stays ended over a restart, until it would have ended by itself")
    func signOutOverRestart() throws {
        let now = Lock(1_700_000_000)
        let kept = Lock<[String: Int]>([:])
        let caller = try #require(self.caller(host: "127.0.0.1:80", at: .tcp(host: "127.0.0.1", port: 80)))
        func sessions() -> Sessions {
            Sessions(
                merge: { ended, since in
                    kept.withLock { kept in
                        kept = kept.merging(ended) { $1 }.filter { $0.value >= since }
                        return kept
                    }
                }, now: { now.withLock { $0 } })
        }
        let first = sessions()
        let cookies = (1...2).map { _ in String(first.begin(for: caller, token: "token").prefix { $0 != ";" }) }
        func session(_ number: Int) -> Sessions.Session? {
            sessions().session(in: [cookies[number]], of: caller, token: "token")
        }
        first.end(try #require(session(0)))
        #expect(session(0) == nil && session(1) != nil)
        now.withLock { $0 += 31 * 86_400 }
        first.end(Sessions.Session(id: "later", beganAt: now.withLock { $0 }))
        #expect(kept.withLock { Array($0.keys) } == ["later"])
    }

    @Test("Wrong tokens are reported, the first at once and the others together")
    func wrongTokens() async {
        let lines = Lock<[String]>([])
        let tokens = WrongTokens(pause: .zero) { line in lines.withLock { $0.append(line) } }
        for _ in 1...20 { await tokens.pay(by: "192.0.2.1") }
        #expect(lines.withLock { $0 } == ["a wrong token, from 192.0.2.1"])
    }

    @Test("A wrong token takes a while")
    func pause() async throws {
        try await WebPlace.serving(change: { settings in
            Self.change(&settings)
            settings.access.wrongTokenPause = .milliseconds(200)
        }) { place in
            for headers in [["Authorization": "Bearer wrong"], ["Content-Type": "application/x-www-form-urlencoded"]] {
                let target = headers["Authorization"] == nil ? "/login" : "/feeds"
                let begin = ContinuousClock.now
                let method = target == "/login" ? "POST" : "GET"
                let reply = try await place.ask(target, method: method, headers: headers)
                #expect([401, 403].contains(reply.status))
                #expect(ContinuousClock.now - begin >= .milliseconds(200))
            }
        }
    }

    @Test(
        "A page of another site makes no browser search, read or fetch a picture; it may link to a page that costs little",
        arguments: [
            ("/", "navigate", "document", 200), ("/list/things", "navigate", "document", 200),
            ("/status", "navigate", "document", 200), ("/list/things?q=item", "navigate", "document", 403),
            ("/list/things?q=", "navigate", "document", 403), ("/feeds", "navigate", "document", 403),
            ("/feeds/things/items?q=item", "navigate", "document", 403), ("/", "navigate", "iframe", 403),
            ("/", "no-cors", "image", 403), ("/feeds", "cors", "empty", 403), ("/events", "cors", "empty", 403),
            ("/add?source=x", "navigate", "document", 403), ("/assets/app.js", "no-cors", "script", 403),
        ])
    func foreignSite(target: String, mode: String, dest: String, status: Int) async throws {
        try await WebPlace.serving { place in
            try await place.perform(.reload)
            for site in ["cross-site", "same-site"] {
                let headers = [
                    "Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": dest, "Accept": "text/html",
                ]
                let reply = try await place.ask(target, headers: headers)
                #expect(reply.status == status, "\(target)")
                if status == 403 { #expect(!reply.body.contains("item 1")) }
            }
            // That goes on for ever.
            guard target != "/events" else { return }
            let own = ["Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": dest]
            #expect(try await place.ask(target, headers: own).status != 403)
        }
    }

    private func caller(
        host: String, _ fields: [(String, String)] = [], client: String? = nil, at address: ListenAddress,
        hosts: [String] = [], proxies: [String] = []
    ) -> Caller? {
        var access = Access()
        (access.hosts, access.proxies) = (hosts, proxies)
        let headers = [(name: "Host", value: host)] + fields.map { (name: $0.0, value: $0.1) }
        let request = ServerRequest(target: "/", headers: headers, client: client)
        return Caller(request, at: address, access)
    }

    @Test(
        "A socket file is called by names of this machine, and by those that the settings list",
        arguments: [
            ("localhost", true), ("127.0.0.1", true), ("feeds.example.org", true), ("FEEDS.example.org:8443", true),
            ("other.example.org:8443", true), ("other.example.org", false), ("evil.example", false),
            ("feeds.example.org.evil.example", false), ("feeds.example.org:x", false), ("", false), ("anything", false),
        ])
    func names(host: String, isOurs: Bool) {
        let known = self.caller(
            host: host, at: .unix(path: "/run/x"), hosts: ["feeds.example.org", "other.example.org:8443"])
        #expect((known != nil) == isOurs)
    }

    @Test(
        "A proxy's word for the name, the scheme and the client counts only if it is one",
        arguments: [
            ("X-Forwarded-Proto", "https", true), ("X-Forwarded-Proto", "http, https", true),
            ("Forwarded", "proto=https", true),
            ("Forwarded", "for=\"192.0.2.7\";host=feeds.example.org;proto=https", true),
            ("Forwarded", "proto=https, proto=http", false), ("X-Forwarded-Proto", "https, http", false),
        ])
    func forwarded(name: String, value: String, isSecure: Bool) throws {
        let address = ListenAddress.tcp(host: "127.0.0.1", port: 80)
        let hosts = ["feeds.example.org"]
        let proxied = try #require(
            caller(
                host: "feeds.example.org", [(name, value)], client: "127.0.0.1", at: address, hosts: hosts,
                proxies: ["127.0.0.1"]))
        #expect(proxied.isSecure == isSecure)
        if value.contains("for=") { #expect(proxied.client == "192.0.2.7") }
        let direct = try #require(
            caller(host: "feeds.example.org", [(name, value)], client: "127.0.0.1", at: address, hosts: hosts))
        #expect(!direct.isSecure && direct.client == "127.0.0.1")
    }

    @Test("A proxy that passes on another server's name is refused")
    func forwardedHost() {
        let fields = [("X-Forwarded-Host", "evil.example")]
        let passedOn = caller(host: "localhost", fields, at: .unix(path: "/run/x"))
        #expect(passedOn == nil)
        // From anybody else the word is nothing.
        let own = ListenAddress.tcp(host: "127.0.0.1", port: 80)
        let direct = caller(host: "127.0.0.1:80", fields, client: "127.0.0.1", at: own)
        #expect(direct != nil)
    }

    @Test(
        "Signing in leads to where somebody was going, on this server",
        arguments: [
            ("/list/things?q=a", "/list/things?q=a"), ("//evil.example", "/"), ("https://evil.example", "/"),
            ("/\\evil.example", "/"), ("/a\r\nX: y", "/"), ("", "/"),
        ])
    func target(to: String, location: String) async throws {
        try await WebPlace.serving(change: Self.change) { place in
            let form = ["Content-Type": "application/x-www-form-urlencoded"]
            let encoded = to.utf8.map { "%" + String($0 / 16, radix: 16) + String($0 % 16, radix: 16) }.joined()
            let reply = try await place.ask(
                "/login", method: "POST", headers: form, body: "token=\(Self.secret)&to=\(encoded)")
            #expect(reply.status == 303 && reply.header("Location") == location)
        }
    }
}
