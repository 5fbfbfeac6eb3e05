import Concurrency
import Foundation
import HTTPServer
import ScriptedServer
import Testing
import Text

@Suite("login") struct LoginTests {
    private func place(_ members: String = "device_url: URL/device, grant: device_code") throws -> Workplace {
        let place = try Workplace()
        let url = place.server.url
        try place.write(
            "feedsync.yaml",
            """
            feeds:
              things:
                url: \(url)/things
                items: items
                key: id
                columns: {id: id}
                pagination: none
                auth: {oauth2: {token_url: \(url)/token, client_id: me, scope: read, \(members.replacing("URL", with: url))}}
            """)
        place.server.route("/things") { request in
            request.header("Authorization") == "Bearer Acc3ss-1" ? .json(#"{"items":[{"id":1}]}"#) : .status(401)
        }
        place.server.enqueue(
            "/device",
            [
                .json(
                    """
                    {"device_code":"D3vice-Code","user_code":"WDJB-MJHT","verification_uri":"https://a.example/device",
                    "verification_uri_complete":"https://a.example/device?c=WDJB-MJHT","expires_in":900,"interval":1}
                    """)
            ])
        return place
    }

    private static let token = ServerResponse.json(
        #"{"access_token":"Acc3ss-1","refresh_token":"Refresh-1","token_type":"bearer","expires_in":3600}"#)

    @Test("login shows a page and a code, waits for the user, and keeps tokens that a sync uses")
    func signIn() async throws {
        let place = try place()
        let pending = #"{"error":"authorization_pending"}"#
        place.server.enqueue("/token", [.json(pending, status: 400), .json(pending, status: 428), Self.token])
        let before = try await place.run("sync things")
        #expect(before.code == 77 && before.errors.contains("nobody has signed in"), "\(before.errors)")
        let run = try await place.run("login things")
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output == "things  signed in; the tokens are kept in feedsync.tokens\n")
        #expect(
            run.errors
                == "feedsync: open https://a.example/device and enter the code WDJB-MJHT\nfeedsync: or open https://a.example/device?c=WDJB-MJHT\n"
        )
        let forms = (place.server.requests(for: "/device") + place.server.requests(for: "/token"))
            .map { String(decoding: $0.body, as: UTF8.self) }
        let poll =
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=D3vice-Code&client_id=me&scope=read"
        #expect(forms == ["client_id=me&scope=read", poll, poll, poll])
        #expect(try await place.run("sync things").code == 0)
        #expect(place.server.requests(for: "/token").count == 3)
    }

    @Test("login prints the file of the tokens with --json, shows no secret in a trace, and opens no store")
    func json() async throws {
        let place = try place()
        place.server.enqueue("/token", [Self.token])
        let run = try await place.run("login things --json --store postgres:///feeds")
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output == "[\n{\"feed\":\"things\",\"file\":\"feedsync.tokens\",\"version\":1}\n]\n")
        #expect(!run.errors.contains("D3vice") && !run.errors.contains("Acc3ss"))
    }

    @Test(
        "login that is refused, or that brings nothing to enter, is exit code 77",
        arguments: [
            (#"{"error":"access_denied"}"#, "the sign-in was refused: access_denied"),
            (#"{"error":"expired_token"}"#, "the sign-in was refused: expired_token"),
        ])
    func refused(answer: String, problem: String) async throws {
        let place = try place()
        place.server.enqueue("/token", [.json(answer, status: 400)])
        let run = try await place.run("login things")
        #expect(run.code == 77 && run.errors.contains(problem), "\(run.errors)")
        place.server.route("/device") { _ in .json(#"{"error":"invalid_client"}"#, status: 401) }
        let none = try await place.run("login things")
        #expect(none.code == 77, "\(none.errors)")
        #expect(none.errors.contains("has no code to sign in with: invalid_client"), "\(none.errors)")
    }

    @Test("login of a feed that signs in otherwise says what is missing")
    func others() async throws {
        let run = try await place("client_secret: s").run("login things")
        #expect(run.code == 78)
        #expect(run.errors.contains("has no `auth` that needs a sign-in by a person"), "\(run.errors)")
    }

    /// Signs in as a browser does: opens the page that login shows, and follows it back.
    private static let browser = """
        { "$FEEDSYNC" login things; echo "code $?"; } 2>&1 | while read -r line; do
            echo "$line"
            case $line in *" at http"*) curl -sL "${line##* at }" ;; esac
        done
        """

    /// The page of an upstream that gives a code, and takes it with the verifier of its challenge alone.
    private func codePlace(
        _ answer: @escaping @Sendable (_ request: ServerRequest) -> String
    ) throws -> Workplace {
        let place = try place("authorize_url: URL/authorize?tenant=7, grant: authorization_code")
        let asked = Lock<[String: String]>([:])
        place.server.route("/authorize") { request in
            let values = Dictionary(request.query.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
            asked.withLock { $0 = values }
            let isRight =
                values["response_type"] == "code" && values["client_id"] == "me" && values["scope"] == "read"
                && values["code_challenge_method"] == "S256" && values["tenant"] == "7"
            guard isRight, let redirect = values["redirect_uri"] else { return .status(400) }
            return .status(302, headers: [("Location", "\(redirect)?\(answer(request))")])
        }
        place.server.route("/token") { request in
            let form = String(decoding: request.body, as: UTF8.self).split(separator: "&").map { pair in
                let parts = pair.split(separator: "=", maxSplits: 1).map { String($0).removingPercentEncoding ?? "" }
                return (parts[0], parts.count > 1 ? parts[1] : "")
            }
            let values = Dictionary(form, uniquingKeysWith: { $1 })
            let known = asked.withLock { $0 }
            let challenge = Base64.encodedForURL(SHA256.hash(Array((values["code_verifier"] ?? "").utf8)))
            let isRight =
                values["grant_type"] == "authorization_code" && values["code"] == "C0de"
                && values["redirect_uri"] == known["redirect_uri"] && challenge == known["code_challenge"]
                && (values["code_verifier"]?.count ?? 0) >= 43
            return isRight ? Self.token : .json(#"{"error":"invalid_grant"}"#, status: 400)
        }
        return place
    }

    @Test("login with a browser checks the state, proves who began, and keeps tokens that a sync uses")
    func browser() async throws {
        let place = try codePlace { "code=C0de&state=\($0.parameter("state") ?? "")" }
        let run = try await place.shell(Self.browser)
        #expect(run.output.contains("things  signed in; the tokens are kept in feedsync.tokens\n"), "\(run.output)")
        #expect(run.output.contains("You are signed in.") && run.output.hasSuffix("code 0\n"), "\(run.output)")
        #expect(!run.output.contains("Acc3ss") && !run.output.contains("C0de"))
        #expect(try await place.run("sync things").code == 0)
        #expect(place.server.requests(for: "/token").count == 1)
    }

    @Test("login with a browser that is refused is exit code 77, and an answer of another state is not taken")
    func browserRefused() async throws {
        let place = try codePlace { "error=access_denied&state=\($0.parameter("state") ?? "")" }
        let run = try await place.shell(Self.browser)
        #expect(run.output.contains("the sign-in was refused: access_denied"), "\(run.output)")
        #expect(run.output.hasSuffix("code 77\n"), "\(run.output)")

        let count = Lock(0)
        let other = try codePlace { request in
            let isFirst = count.withLock { count in
                defer { count += 1 }
                return count == 0
            }
            return "code=C0de&state=\(isFirst ? "forged" : request.parameter("state") ?? "")"
        }
        let twice = Self.browser.replacing("curl -sL", with: "curl -sL \"${line##* at }\"; curl -sL")
        let second = try await other.shell(twice)
        #expect(second.output.contains("This is not the answer to the sign-in"), "\(second.output)")
        #expect(second.output.hasSuffix("code 0\n"), "\(second.output)")
    }
}
