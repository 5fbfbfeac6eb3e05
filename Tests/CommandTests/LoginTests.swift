import Foundation
import HTTPServer
import ScriptedServer
import Testing

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
        place.server.enqueue("/token", [.json(#"{"error":"authorization_pending"}"#, status: 400), Self.token])
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
        #expect(forms == ["client_id=me&scope=read", poll, poll])
        #expect(try await place.run("sync things").code == 0)
        #expect(place.server.requests(for: "/token").count == 2)
    }

    @Test("login prints the file of the tokens with --json, and shows no secret in a trace")
    func json() async throws {
        let place = try place()
        place.server.enqueue("/token", [Self.token])
        let run = try await place.run("login things --json")
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
        #expect(run.errors.contains("has no `auth` that anybody signs in for"), "\(run.errors)")
    }
}
