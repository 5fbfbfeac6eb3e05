import HTTP
import Testing

@Suite("A URL") struct WebURLTests {
    @Test(
        "A URL is normalised",
        arguments: [
            ("HTTP://Example.COM", "http://example.com/"),
            ("https://example.com:443/a", "https://example.com/a"),
            ("https://example.com:8443/a", "https://example.com:8443/a"),
            ("http://example.com:80?q=1", "http://example.com/?q=1"),
            ("https://example.com/a/./b/../c", "https://example.com/a/c"),
            ("https://example.com/a#fragment", "https://example.com/a"),
            ("https://example.com/a%20b?c=%C3%BC&d=a+b", "https://example.com/a%20b?c=%C3%BC&d=a+b"),
            ("  https://example.com/a  ", "https://example.com/a"),
            ("https://example.com/ü", "https://example.com/%c3%bc"),
            ("http://127.1/", "http://127.0.0.1/"), ("http://a.1b/", "http://a.1b/"),
            ("http://[::1]:8080/", "http://[::1]:8080/"), ("http://[FE80::A]/", "http://[fe80::a]/"),
        ])
    func normalised(written: String, expected: String) throws {
        #expect(try WebURL(written).text.lowercasedPercents == expected.lowercasedPercents)
    }

    @Test(
        "A plain URL is the same without a parser as with one",
        arguments: [
            "https://api.example.com/items?page=2&n=10", "http://localhost:8080/", "http://127.0.0.1:1/a.json",
            "http://a-1.x2/a:b,c~d_e-f", "https://-a.b--c.example/a?b=c=d??/e", "http://0.0.0.0/", "http://a/b//c.d",
        ])
    func plain(text: String) throws {
        // The fragment has it parsed, and is dropped.
        let parsed = try WebURL(text + "#top")
        #expect(try WebURL(text) == parsed)
        #expect(parsed.text == text)
    }

    @Test(
        "A URL that cannot be requested is refused",
        arguments: [
            ("", HTTPError.Kind.invalidURL), ("example.com/a", .invalidURL), ("https://", .invalidURL),
            ("https://exa mple.com/", .invalidURL), ("https://example.com:99999/", .invalidURL),
            ("https://example.com/\u{0}", .invalidURL), ("https://example.com/\r\nHost: evil", .invalidURL),
            ("ftp://example.com/a", .unsupportedScheme), ("file:///etc/passwd", .unsupportedScheme),
            ("https://bücher.example/", .invalidURL), ("mailto:somebody@example.com", .unsupportedScheme),
            ("https://user:secret@example.com/", .invalidURL), ("http://%35/", .invalidURL),
            ("http://%31%32%37.1/", .invalidURL),
        ])
    func refused(text: String, kind: HTTPError.Kind) throws {
        let error = try #require(throws: HTTPError.self) { try WebURL(text) }
        #expect(error.kind == kind)
        #expect(!"\(error)".contains("secret"))
    }

    @Test(
        "A reference is resolved as in RFC 3986, section 5.4",
        arguments: [
            ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
            ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"), (";x", "http://a/b/c/;x"),
            ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("..", "http://a/b/"), ("../g", "http://a/b/g"),
            ("../..", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"),
            ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), ("./../g", "http://a/b/g"),
            ("g/../h", "http://a/b/c/h"), ("g?y/../x", "http://a/b/c/g?y/../x"),
            ("https://other.example/x", "https://other.example/x"),
        ])
    func resolved(reference: String, expected: String) throws {
        #expect(try WebURL("http://a/b/c/d;p?q").resolving(reference).text == expected)
    }

    @Test(
        "A reference that leads out of the web is refused",
        arguments: ["ftp://example.com/", "javascript:alert(1)", "http://user@example.com/", "a\nb"])
    func unresolved(reference: String) throws {
        let base = try WebURL("https://example.com/")
        #expect(throws: HTTPError.self) { try base.resolving(reference) }
    }

    @Test("A URL has the origin of its scheme, host and port")
    func origin() throws {
        #expect(try WebURL("https://API.example.com/a?b").origin == Origin("https://api.example.com:443"))
        #expect(try Origin("https://example.com").description == "https://example.com")
        #expect(try Origin("http://example.com:8080/x").description == "http://example.com:8080")
        #expect(try Origin("http://example.com") != Origin("https://example.com"))
        #expect(try Origin("https://example.com") != Origin("https://www.example.com"))
    }

    @Test("A URL over http is upgraded to match its https twin, and only that")
    func upgrade() throws {
        let base = try WebURL("https://example.com/a")
        #expect(try WebURL("http://example.com/b?c").upgraded(toMatch: base) == WebURL("https://example.com/b?c"))
        for other in ["http://example.com:8080/b", "http://other.example/b", "https://other.example/b"] {
            #expect(try WebURL(other).upgraded(toMatch: base).text == other)
        }
    }

    @Test("A URL has a path")
    func path() throws {
        #expect(try WebURL("https://example.com/a/b?c=/d").path == "/a/b")
        #expect(try WebURL("https://example.com?c").path == "/")
    }

    @Test("A URL shows no secret when printed")
    func redaction() throws {
        let url = try WebURL("https://example.com/a?page=2&Access_Token=hush&k=s3cr%2Fet")
        #expect("\(url)" == "https://example.com/a?page=2&Access_Token=***&k=s3cr%2Fet")
        let redaction = Redaction([.query(name: "other", value: "s3cr/et"), .header(name: "A", value: "Bearer page-y")])
        #expect(redaction.masking(url) == "https://example.com/a?page=2&Access_Token=***&k=***")
        #expect(redaction.masking("not s3cr/et, nor s3cr%2Fet, nor page-y") == "not ***, nor ***, nor ***")
    }

    @Test("A URL and a credential show no secret when dumped")
    func credentialDescription() {
        for credential in [Credential.header(name: "X-Key", value: "hush"), .query(name: "key", value: "hush")] {
            var dumped = ""
            dump(credential, to: &dumped)
            #expect(!"\(credential)\(String(reflecting: credential))\(dumped)\([credential])".contains("hush"))
        }
    }
}

extension String {
    /// The case of percent-encoded digits is the parser's choice.
    fileprivate var lowercasedPercents: String {
        replacing(#/%[0-9A-Fa-f]{2}/#) { $0.output.lowercased() }
    }
}
