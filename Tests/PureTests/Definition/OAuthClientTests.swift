import Feeds
import Testing

@Suite("The definition of an OAuth 2 client")
struct OAuthClientTests {
    private func feed(_ oauth2: String) throws -> FeedDefinition {
        try FeedDefinition.parse(
            name: "x", yaml: "url: https://a.example\nkey: id\ncolumns: {id: id}\nauth: {oauth2: \(oauth2)}",
            file: "f.yaml")
    }

    private static let whole = "token_url: https://b.example/t, client_id: me, client_secret: s3cret"

    @Test(
        "A fault in the definition of an OAuth 2 client is reported",
        arguments: [
            ("{}", "has no `token_url`"), ("{\(whole), send: cookie}", "unknown value `cookie` of `send`"),
            ("{\(whole), scopes: x}", "did you mean `scope`?"),
            ("{token_url: b.example, client_id: me, client_secret: x}", "must begin with `https://` or `http://`"),
            ("{token_url: https://b.example, client_id: me}", "has no `client_secret`"),
            ("{\(whole), grant: implicit}", "unknown value `implicit` of `grant`"),
            ("{\(whole), refresh_token: x}", "feed `x` needs `grant: refresh_token`"),
            ("{\(whole), grant: refresh_token}", "has no `refresh_token`"),
            ("{\(whole), grant: device_code}", "has no `device_url`"),
            (
                "{\(whole), tokens: a}",
                "needs `grant: refresh_token`, `grant: device_code` or `grant: authorization_code`"
            ),
            ("{\(whole), grant: authorization_code}", "has no `authorize_url`"),
            ("{\(whole), grant: authorization_code, authorize_url: https://b.example, port: 0}", "from 1 to 65535"),
            ("{\(whole), port: 8401}", "needs `grant: authorization_code`"),
            ("{\(whole), parameters: {state: x}}", "`parameters` has `state`"),
            ("{\(whole), grant: password, user: x}", "has no `password`"),
            ("{\(whole), parameters: {scope: x}}", "`parameters` has `scope`, which has a member of its own"),
        ])
    func diagnostics(oauth2: String, problem: String) {
        let error = #expect(throws: ConfigurationError.self) { try feed(oauth2) }
        #expect(error?.description.contains(problem) == true, "\(error?.description ?? "")")
    }

    @Test(
        "Each member of an OAuth 2 client changes the canonical text, without a credential in it",
        arguments: [
            "token_url: https://c.example/t, client_id: me, client_secret: s3cret",
            "token_url: https://b.example/t, client_id: you, client_secret: s3cret",
            "token_url: https://b.example/t, client_id: me, client_secret: other",
            "\(whole), scope: read", "\(whole), audience: a", "\(whole), send: body",
            "\(whole), parameters: {a: b}", "\(whole), grant: refresh_token, refresh_token: s3cret",
            "\(whole), grant: password, user: x, password: s3cret",
            "\(whole), grant: device_code, device_url: https://b.example/device",
            "\(whole), grant: authorization_code, authorize_url: https://b.example/authorize",
        ])
    func canonical(members: String) throws {
        let text = try feed("{\(members)}").canonicalText(salt: "salt")
        #expect(text != (try feed("{\(Self.whole)}").canonicalText(salt: "salt")))
        #expect(!text.contains("s3cret"))
        #expect("\(try #require(try feed("{\(members)}").authentication))" == "oauth2")
    }
}
