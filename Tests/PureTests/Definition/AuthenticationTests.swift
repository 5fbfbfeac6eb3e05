import Feeds
import Testing

@Suite("The definition of a sign-in")
struct AuthenticationTests {
    private func feed(_ auth: String) throws -> FeedDefinition {
        try FeedDefinition.parse(
            name: "x", yaml: "url: https://a.example\nkey: id\ncolumns: {id: id}\nauth: \(auth)", file: "f.yaml")
    }

    private static let session = "url: https://b.example/login, body: {password: s3cret}, token: token"
    private static let aws = "access_key: AKIA, secret_key: s3cret"

    @Test(
        "A fault in the definition of a sign-in is reported",
        arguments: [
            ("{jwt: {}}", "has no `key`"), ("{jwt: {key: k, algorithm: none}}", "unknown value `none` of `algorithm`"),
            ("{jwt: {key: k, claims: {exp: 1}}}", "`claims` has `exp`, which is set at each signature"),
            ("{jwt: {key: k, send: bearer}}", "`send` of `jwt` of `auth` of feed `x` needs a `token_url`"),
            ("{jwt: {key: k, key_coding: hex}}", "`key_coding` is for `algorithm: HS256`"),
            ("{jwt: {key: k, lifetime: 2d}}", "must be from 10s to 1d"),
            ("{session: {url: https://b.example}}", "has no `token`"),
            ("{session: {url: b.example, body: {}, token: t}}", "must begin with `https://` or `http://`"),
            ("{session: {\(session), header: 'a b'}}", "must be a word that HTTP allows there"),
            ("{session: {url: https://b.example, body: {}, token: {}}}", "must be a path, `{header: NAME}`"),
            (
                "{session: {url: https://b.example, send: form, body: {a: {b: c}}, token: t}}",
                "a form cannot hold `a`"
            ),
            ("{digest: {user: x}}", "has no `password`"), ("{digest: {user: 'a:b', password: x}}", "a colon"),
            ("{negotiate: false}", "can only be true"), ("{aws: {\(aws), service: s3}}", "`service` needs a `region`"),
            ("{aws: {\(aws), region: 'EU:1'}}", "must be a word such as `eu-central-1`"),
            ("{bearer: a, aws: {\(aws)}}", "must have exactly one of"),
            ("{bearer: []}", "the list `bearer` of `auth` of feed `x` must have from 1 to 100 values"),
            ("{bearer: [a, {}]}", "`bearer` of `auth` of feed `x` must be text"),
            ("{header: {A: [x, y], B: [x, y]}}", "has several lists of values: only one can take turns"),
        ])
    func diagnostics(auth: String, problem: String) {
        let error = #expect(throws: ConfigurationError.self) { try feed(auth) }
        #expect(error?.description.contains(problem) == true, "\(error?.description ?? "")")
    }

    @Test("Each member of a sign-in changes the canonical text, without a credential in it")
    func canonical() throws {
        let variants = [
            "{jwt: {key: s3cret}}", "{jwt: {key: s3cret2}}", "{jwt: {key: s3cret, algorithm: ES256}}",
            "{jwt: {key: s3cret, key_id: a}}", "{jwt: {key: s3cret, claims: {iss: me}}}",
            "{jwt: {key: s3cret, token_url: https://b.example}}", "{jwt: {key: s3cret, scheme: Ghost}}",
            "{jwt: {key: s3cret, token_url: https://b.example, send: bearer}}",
            "{session: {\(Self.session)}}", "{session: {\(Self.session), send: form}}",
            "{session: {\(Self.session), header: X-A}}", "{session: {\(Self.session), headers: {X-A: b}}}",
            "{session: {url: https://c.example, body: {password: s3cret}, token: {cookie: token}}}",
            "{digest: {user: a, password: s3cret}}", "{basic: {user: a, password: s3cret}}", "{negotiate: true}",
            "{aws: {\(Self.aws)}}", "{aws: {\(Self.aws), region: r}}", "{aws: {\(Self.aws), region: r, service: s}}",
            "{aws: {\(Self.aws), session_token: s3cret}}",
            "{bearer: s3cret}", "{bearer: [s3cret, s3crets]}", "{bearer: [s3cret, s3cret3]}",
        ]
        let texts = try variants.map { try feed($0).canonicalText(salt: "salt") }
        #expect(Set(texts).count == variants.count)
        for (text, variant) in zip(texts, variants) {
            #expect(!text.contains("s3cret"))
            let way = variant.dropFirst().prefix { $0 != ":" }
            #expect("\(try #require(try feed(variant).authentication))" == way)
            #expect(try feed(variant).literalCredentials.isEmpty == (way == "negotiate"), "\(variant)")
        }
    }
}
