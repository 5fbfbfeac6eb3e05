import Foundation
import HTTPServer
import ScriptedServer
import Testing

@Suite("The connections of requests to a host with TLS", .serialized, .enabled(if: SecureServer.isInstalled))
struct SecureConnectionTests {
    /// A workplace whose feed is at a path of the secure server.
    private func place(host: String = "127.0.0.1", needsClientCertificate: Bool = false, extra: String = "")
        async throws -> (
            Workplace, SecureServer
        )
    {
        let place = try Workplace([])
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        let server = try await SecureServer(in: place, needsClientCertificate: needsClientCertificate)
        try configure(place, "https://\(host):\(server.port)/things", extra)
        return (place, server)
    }

    private func configure(_ place: Workplace, _ url: String, _ extra: String) throws {
        try place.write("feedsync.yaml", "feeds:\n" + Workplace.feed("things", at: url, extra: extra))
    }

    @Test("A certificate of an unknown authority is refused, with a word about `ca`")
    func unknownAuthority() async throws {
        let (place, server) = try await place()
        let run = try await place.run("reload things")
        #expect(run.code == 69)
        #expect(run.errors.contains("certificate") && run.errors.contains("with `ca`"), "\(run.errors)")
        #expect(place.server.requests.isEmpty)
        withExtendedLifetime(server) {}
    }

    @Test("`ca` names the authority, for a feed or for all, beside the configuration")
    func authority() async throws {
        let (place, server) = try await place(extra: "ca: ca.pem")
        let run = try await place.run("reload things -v")
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.errors.contains(", TLS "))
        let text = try place.text(of: "feedsync.yaml").replacing("ca: ca.pem", with: "")
        try place.write("feedsync.yaml", "defaults: {ca: ca.pem}\n" + text)
        #expect(try await place.run("reload things").code == 0)
        #expect(try await place.run("explain things").output.contains("    ca: ca.pem\n"))
        withExtendedLifetime(server) {}
    }

    @Test(
        "The environment names the authority, as for curl and OpenSSL", arguments: ["SSL_CERT_FILE", "CURL_CA_BUNDLE"])
    func environment(variable: String) async throws {
        let (place, server) = try await place()
        #expect(try await place.run("reload things", environment: [variable: place.path("ca.pem")]).code == 0)
        let absent = try await place.run("reload things", environment: [variable: place.path("no.pem")])
        #expect(absent.code == 69)
        #expect(absent.errors.contains("no.pem"), "\(absent.errors)")
        withExtendedLifetime(server) {}
    }

    @Test("A webhook is reached as the environment says: `ca` is that of the feed's own host")
    func webhook() async throws {
        let (place, server) = try await place()
        let hook = "on_change: {webhook: \"https://127.0.0.1:\(server.port)/hook\"}"
        try configure(place, "https://127.0.0.1:\(server.port)/things", "ca: ca.pem\n    \(hook)")
        place.server.route("/hook") { _ in .status(204) }
        let sync = "sync --config feedsync.yaml"
        #expect(try await place.run(sync).code == 0)
        place.server.route("/things", to: PagedFeed(PagedFeed.items(2...4)))
        let unknown = try await place.run(sync)
        #expect(unknown.code == 69 && unknown.errors.contains("certificate"), "\(unknown.errors)")
        #expect(!place.server.requests.contains { $0.path == "/hook" })
        #expect(try await place.run(sync, environment: ["SSL_CERT_FILE": place.path("ca.pem")]).code == 0)
        #expect(place.server.requests.count { $0.path == "/hook" } == 1)
        withExtendedLifetime(server) {}
    }

    @Test(
        "A file that is not there is an error of the configuration, with its place",
        arguments: ["ca: no.pem", "client_certificate: no.pem"])
    func missingFile(member: String) async throws {
        let (place, server) = try await place(extra: member)
        let run = try await place.run("reload things")
        #expect(run.code == 78)
        #expect(
            run.errors.contains("feedsync.yaml:9:") && run.errors.contains("`no.pem` cannot be read: No such file"),
            "\(run.errors)")
        withExtendedLifetime(server) {}
    }

    @Test("`client_certificate` shows the host who asks; its password is nowhere to be seen")
    func clientCertificate() async throws {
        let member = #"client_certificate: {certificate: client.pem, key: client.key, password: "${PASSWORD}"}"#
        let (place, server) = try await place(needsClientCertificate: true, extra: "ca: ca.pem")
        let refused = try await place.run("reload things")
        #expect(refused.code == 69)
        #expect(refused.errors.contains("400"), "\(refused.errors)")
        try configure(place, "https://127.0.0.1:\(server.port)/things", "ca: ca.pem\n    \(member)")
        let environment = ["PASSWORD": "pa55-Word"]
        let run = try await place.run("reload things -vv --trace x.har", environment: environment)
        #expect(run.code == 0, "\(run.errors)")
        #expect(place.server.requests.last?.header("X-Client") == "CN=client")
        let explained = try await place.run("explain things", environment: environment)
        #expect(explained.output.contains(#"password: "${PASSWORD}""#), "\(explained.output)")
        for text in [run.errors, try place.text(of: "x.har"), explained.output] { #expect(!text.contains("pa55-Word")) }
        // Another password does not open the key.
        let wrong = try await place.run("reload things", environment: ["PASSWORD": "an0ther-Word"])
        #expect(wrong.code == 69)
        #expect(!wrong.errors.contains("an0ther-Word"))
    }

    @Test("The client's certificate does not follow a redirect to another origin")
    func redirect() async throws {
        let (place, server) = try await place(
            needsClientCertificate: true,
            extra: """
                ca: ca.pem
                    client_certificate: {certificate: client.pem, key: client.key, password: pa55-Word}
                """)
        #expect(try await place.run("reload things").code == 0)
        // The plain server is another origin, and leads to the one that wants the certificate.
        place.server.enqueue(
            "/start", [.status(302, headers: [(name: "Location", value: "https://127.0.0.1:\(server.port)/things")])])
        try place.write(
            "feedsync.yaml",
            try place.text(of: "feedsync.yaml").replacing(
                "https://127.0.0.1:\(server.port)/things", with: "\(place.server.url)/start"))
        let run = try await place.run("reload things")
        #expect(run.code == 69)
        #expect(run.errors.contains("400"), "\(run.errors)")
    }

    @Test("`proxy` is asked for a tunnel with its own credentials, which nobody else sees")
    func tunnel() async throws {
        let (place, server) = try await place(extra: "ca: ca.pem")
        let proxy = try await Proxy(in: place)
        let member = #"proxy: "http://me:${PASSWORD}@127.0.0.1:\#(proxy.port)""#
        try configure(place, "https://127.0.0.1:\(server.port)/things", "ca: ca.pem\n    \(member)")
        let run = try await place.run("reload things -vv --trace x.har", environment: ["PASSWORD": "Pr0xy-Word"])
        #expect(run.code == 0, "\(run.errors)")
        let head = try #require(proxy.heads.first)
        #expect(head.hasPrefix("CONNECT 127.0.0.1:\(server.port) HTTP/1.1\r\n"))
        let pair = Data("me:Pr0xy-Word".utf8).base64EncodedString()
        #expect(head.contains("Proxy-Authorization: Basic \(pair)\r\n"))
        let request = try #require(place.server.requests.last)
        #expect(request.header("Proxy-Authorization") == nil)
        let explained = try await place.run("explain things", environment: ["PASSWORD": "Pr0xy-Word"]).output
        for text in [run.errors, try place.text(of: "x.har"), explained] {
            for secret in ["Pr0xy-Word", pair] { #expect(!text.contains(secret)) }
        }
    }

    @Test("https_proxy is asked where `proxy` says nothing, and not where it says `none`")
    func environmentProxy() async throws {
        let (place, server) = try await place(host: "upstream.test")
        let proxy = try await Proxy(in: place)
        let environment = [
            "https_proxy": "http://127.0.0.1:\(proxy.port)", "SSL_CERT_FILE": place.path("ca.pem"),
        ]
        let run = try await place.run("reload things", environment: environment)
        #expect(run.code == 0, "\(run.errors)")
        #expect(proxy.heads.count == 1)
        try configure(place, "https://upstream.test:\(server.port)/things", "proxy: none")
        let direct = try await place.run("reload things", environment: environment)
        #expect(direct.code == 69)
        #expect(direct.errors.contains("upstream.test"), "\(direct.errors)")
        #expect(proxy.heads.count == 1)
        try configure(place, "https://upstream.test:\(server.port)/things", "")
        let excepted = try await place.run(
            "reload things", environment: environment.merging(["no_proxy": ".test"]) { $1 })
        #expect(excepted.code == 69)
        #expect(proxy.heads.count == 1)
    }
}

@Suite("The connections of requests to a host")
struct ConnectionTests {
    @Test("`proxy` relays plain requests, whatever no_proxy says; one that is written out is masked")
    func plainProxy() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        let proxy = try await Proxy(in: place)
        try place.write(
            "feedsync.yaml",
            "defaults: {proxy: \"http://me:Literal-9@127.0.0.1:\(proxy.port)\"}\n" + place.text(of: "feedsync.yaml"))
        let run = try await place.run("reload things", environment: ["no_proxy": "*"])
        #expect(run.code == 0, "\(run.errors)")
        #expect(proxy.heads.first?.hasPrefix("GET \(place.server.url)/things?") == true)
        let explained = try await place.run("explain things").output
        #expect(explained.contains("proxy: http://me:***@127.0.0.1:\(proxy.port)\n"), "\(explained)")
    }

    @Test("A proxy that is not there is exit code 69, and its password is not shown")
    func noProxy() async throws {
        let place = try Workplace(extra: #"proxy: "http://me:${PASSWORD}@127.0.0.1:1""#)
        let run = try await place.run("reload things", environment: ["PASSWORD": "Pr0xy-Word"])
        #expect(run.code == 69)
        #expect(run.errors.contains("127.0.0.1 port 1"), "\(run.errors)")
        #expect(!run.errors.contains("Pr0xy-Word"))
        let unset = try await place.run("check")
        #expect(unset.errors.contains("the environment variable `PASSWORD` is not set"))
        #expect(try await place.run("reload things").code == 78)
    }

    @Test("`user_agent` is what the feed introduces itself as")
    func userAgent() async throws {
        let place = try Workplace(["things", "others"])
        for path in ["/things", "/others"] { place.server.route(path, to: PagedFeed(PagedFeed.items(1...3))) }
        let text = try place.text(of: "feedsync.yaml")
        try place.write(
            "feedsync.yaml",
            "defaults: {user_agent: us (mail@example.com)}\n"
                + text.replacing("/others\n", with: "/others\n    user_agent: others/2\n"))
        #expect(try await place.run("sync").code == 0)
        #expect(place.server.requests(for: "/things").first?.header("User-Agent") == "us (mail@example.com)")
        #expect(place.server.requests(for: "/others").first?.header("User-Agent") == "others/2")
    }

    @Test("`rate` spaces the requests to a host, those of several feeds too")
    func rate() async throws {
        let place = try Workplace(["things", "others"])
        for path in ["/things", "/others"] { place.server.route(path, to: PagedFeed(PagedFeed.items(1...150))) }
        try place.write("feedsync.yaml", "defaults: {rate: 2/s}\n" + place.text(of: "feedsync.yaml"))
        let start = ContinuousClock.now
        let run = try await place.run("more things others --all -v")
        // Four requests: the first at once.
        #expect(ContinuousClock.now - start >= .milliseconds(1_500))
        #expect(run.code == 0)
        #expect(place.server.requests.count == 4)
        #expect(run.errors.contains("things next request in ") && run.errors.contains("at the feed's rate"))
    }

    @Test(
        "A member that cannot be used is an error with its place",
        arguments: [
            ("rate: 2", "must be a number of requests and a time such as `2/s`"), ("rate: 0/s", "`2/s`"),
            ("rate: 2/w", "`2/s`"), ("rate: 99999999999999999999/s", "`2/s`"),
            ("proxy: proxy.example.com", "must be a URL such as"), ("proxy: ftp://a", "must be a URL such as"),
            ("user_agent: \"a\\nb\"", "must be one line of ASCII"), ("ca: \"\"", "must be the path of a file"),
            ("client_certificate: {key: x.pem}", "give the path of a PEM file"),
            ("client_certificate: {certificate: x.pem, passwort: y}", "did you mean `password`?"),
        ])
    func mistakes(member: String, problem: String) async throws {
        let place = try Workplace(extra: member)
        let run = try await place.run("check")
        #expect(run.code == 78)
        #expect(run.errors.contains("feedsync.yaml:9:") && run.errors.contains(problem), "\(run.errors)")
    }
}
