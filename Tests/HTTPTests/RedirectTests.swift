import HTTP
import HTTPServer
import ScriptedServer
import Testing

@Suite("A redirect") struct RedirectTests {
    let server: ScriptedServer
    let elsewhere: ScriptedServer
    let client = makeClient()

    init() throws {
        server = try ScriptedServer()
        elsewhere = try ScriptedServer()
    }

    private func redirect(_ path: String, to location: String, status: Int = 302) {
        server.route(path) { _ in .status(status, headers: [("Location", location)]) }
    }

    @Test(
        "A redirect keeps or changes the method as in RFC 9110",
        arguments: [
            (301, "GET", "GET"), (301, "POST", "GET"), (301, "PUT", "PUT"), (302, "POST", "GET"), (302, "HEAD", "HEAD"),
            (303, "POST", "GET"), (303, "PUT", "GET"), (303, "HEAD", "HEAD"), (307, "POST", "POST"),
            (308, "POST", "POST"), (308, "DELETE", "DELETE"),
        ])
    func methods(status: Int, sent: String, arrived: String) async throws {
        redirect("/a", to: "b?c", status: status)
        server.route("/b") { _ in ServerResponse(body: [1]) }
        let body: [UInt8]? = sent == "POST" ? [1, 2] : nil
        let request = Request(try server.url("/a"), method: sent, headers: ["Content-Type": "a/b"], body: body)
        let response = try await client.send(request)
        #expect(response.status == 200)
        #expect(response.redirectCount == 1)
        #expect(try response.url == server.url("/b?c"))
        let last = try #require(server.requests.last)
        #expect(last.method == arrived)
        #expect(last.body == (arrived == "POST" ? [1, 2] : []))
        #expect((last.header("Content-Type") == nil) == (arrived == "GET" && sent != "GET"))
    }

    @Test("A redirect without a target, or of another status, is delivered", arguments: [300, 302, 304, 305])
    func delivered(status: Int) async throws {
        server.route("/a") { _ in .status(status, headers: status == 302 ? [] : [("Location", "/b")]) }
        let response = try await client.send(Request(server.url("/a")))
        #expect(response.status == status)
        #expect(response.redirectCount == 0)
    }

    @Test("A redirect takes no credential to another origin, and brings it back to its own")
    func credentials() async throws {
        redirect("/a", to: "\(elsewhere.url)/b?echo=s3cret&page=2")
        elsewhere.route("/b") { [server] _ in .status(307, headers: [("Location", "\(server.url)/c")]) }
        server.route("/c") { _ in .status(204) }
        let request = Request(
            try server.url("/a"), headers: ["Cookie": "c=1", "X-Plain": "p"],
            credentials: [.header(name: "X-Key", value: "k3y"), .query(name: "key", value: "s3cret")])
        let response = try await client.send(request)
        #expect(try response.url == server.url("/c"), "the delivered URL has no credential")

        let first = try #require(server.requests.first)
        #expect(first.header("X-Key") == "k3y")
        #expect(first.parameter("key") == "s3cret")
        let abroad = try #require(elsewhere.requests.first)
        #expect(abroad.header("X-Key") == nil)
        #expect(abroad.header("Cookie") == nil)
        #expect(abroad.header("X-Plain") == "p")
        #expect(abroad.query.map(\.name) == ["page"], "an echoed credential is taken out of the redirect")
        let back = try #require(server.requests.last)
        #expect(back.header("X-Key") == "k3y")
        #expect(back.parameter("key") == "s3cret")
    }

    @Test("A redirect sends a credential only to the origin for which it was written")
    func foreignRequest() async throws {
        elsewhere.route("/b") { _ in .status(204) }
        let request = Request(
            try elsewhere.url("/b"),
            credentials: [.header(name: "X-Key", value: "k3y"), .query(name: "key", value: "q")],
            credentialOrigin: try server.url("/").origin)
        _ = try await client.send(request)
        let arrived = try #require(elsewhere.requests.first)
        #expect(arrived.header("X-Key") == nil)
        #expect(arrived.query.isEmpty)
    }

    @Test("A redirect counts against its limit")
    func limit() async throws {
        server.route("/n") { request in
            .status(302, headers: [("Location", "/n?n=\((Int(request.parameter("n") ?? "") ?? 0) + 1)")])
        }
        let error = try await client.failure(Request(server.url("/n"), limits: ResponseLimits(redirects: 3)))
        #expect(error.kind == .tooManyRedirects)
        #expect(server.requests.count == 4)
    }

    @Test("A redirect in a circle is an error before the second round")
    func loop() async throws {
        redirect("/a", to: "/b")
        redirect("/b", to: "/a")
        #expect(try await client.failure(Request(server.url("/a"))).kind == .redirectLoop)
        #expect(server.requests.count == 2)
    }

    @Test(
        "A redirect that leaves http and https is an error",
        arguments: [
            ("ftp://127.0.0.1/", HTTPError.Kind.unsupportedScheme), ("file:///etc/passwd", .unsupportedScheme),
            ("http://u:p@127.0.0.1/", .invalidURL), ("http://", .invalidURL),
        ])
    func foreignScheme(location: String, kind: HTTPError.Kind) async throws {
        redirect("/a", to: location)
        let error = try await client.failure(Request(server.url("/a")))
        #expect(error.kind == kind)
        #expect(!error.isRetryable)
        #expect(error.message.hasPrefix("a redirect cannot be followed: "))
        #expect(error.url == "\(server.url)/a")
    }

    @Test(
        "A redirect is followed only as far as the request's rule allows",
        arguments: [
            (.any, 302, false, true), (.any, 307, true, true), (.sameRequest, 301, false, false),
            (.sameRequest, 302, false, false), (.sameRequest, 303, false, false), (.sameRequest, 307, true, true),
            (.sameRequest, 308, false, true), (.sameRequestAtOrigin, 303, false, false),
            (.sameRequestAtOrigin, 307, false, true), (.sameRequestAtOrigin, 308, true, false),
            (.none, 307, false, false), (.none, 302, false, false),
        ] as [(RedirectRule, Int, Bool, Bool)])
    func rules(rule: RedirectRule, status: Int, leadsAway: Bool, isFollowed: Bool) async throws {
        let target = leadsAway ? elsewhere : server
        redirect("/a", to: "\(target.url)/b?echo=s3cret", status: status)
        target.route("/b") { _ in .status(204) }
        var request = Request(
            try server.url("/a"), method: "POST", body: [1, 2],
            credentials: [.header(name: "X-Key", value: "s3cret")])
        request.redirects = rule
        guard !isFollowed else {
            #expect(try await client.send(request).status == 204)
            return
        }
        let error = try await client.failure(request)
        #expect(error.kind == .refusedRedirect)
        #expect(!error.isRetryable)
        #expect(error.message.hasPrefix("a redirect (\(status)) leads to \(target.url)/b?echo=***, "))
        #expect(target.requests(for: "/b").isEmpty)
    }
}
