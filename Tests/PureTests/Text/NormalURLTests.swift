import Testing
import Text

@Suite("URLs that no parser would change")
struct NormalURLTests {
    @Test(
        "A plain URL of the same origin is taken as it is",
        arguments: [
            ("https://api.example.org/items?page=2", "https://api.example.org/items"),
            ("https://api.example.org/", "https://api.example.org/items?page=1"),
            ("http://127.0.0.1:8080/a/b.json?after=2026-01-01T00:00:00,7&n=10", "http://127.0.0.1:8080/a"),
        ])
    func plain(text: String, url: String) {
        #expect(NormalURL.holds(text, ofOriginOf: url))
    }

    @Test(
        "A URL is parsed if it is relative, of another origin, or has anything to encode, resolve or drop",
        arguments: [
            "/items?page=2", "?page=2", "https://api.example.org", "https://api.example.org?page=2",
            "https://api.example.org.evil.example/items", "https://api.example.org:443/items",
            "https://user@api.example.org/items", "http://api.example.org/items", "HTTPS://api.example.org/items",
            "https://api.example.org/a/../b", "https://api.example.org/./b", "https://api.example.org/a/.",
            "https://api.example.org/a#top", "https://api.example.org/a%2fb", "https://api.example.org/a b",
            "https://api.example.org/ä", "https://api.example.org/a\u{1}", "https://api.example.org/a[0]", "",
        ])
    func parsed(text: String) {
        #expect(!NormalURL.holds(text, ofOriginOf: "https://api.example.org/items?page=1"))
    }

    @Test(
        "The origin of a plain URL is read without a parser",
        arguments: [
            ("https://api.example.org/items?page=2", "https", "api.example.org", 443),
            ("http://localhost:8080/", "http", "localhost", 8_080),
            ("http://a-1.x2/a", "http", "a-1.x2", 80),
            ("http://127.0.0.1:443/a", "http", "127.0.0.1", 443),
        ])
    func origin(text: String, scheme: String, host: String, port: Int) throws {
        let origin = try #require(NormalURL.origin(of: text))
        #expect(origin == (scheme, host, port))
    }

    @Test(
        "A URL is parsed if its host, its port or anything else may be written in another way",
        arguments: [
            "/items", "//a.b/", "ftp://a.b/", "HTTP://a.b/", "http:///a", "http://a.b", "http://a.b?x", "http://A.b/",
            "http://a.b./", "http://.a/", "http://a..b/", "http://u@a.b/", "http://a%2eb/", "http://ä.b/",
            "http://a_b.c/", "http://127.1/", "http://127.0.0.01/", "http://0x7f.0.0.1/", "http://2130706433/",
            "http://1.2.3.256/", "http://1.2.3.4.5/", "http://a.1/", "http://[::1]/", "http://a.b:80/",
            "https://a.b:443/", "http://a.b:/", "http://a.b:0/", "http://a.b:080/", "http://a.b:65536/",
            "http://a.b:+8/", "http://a.b:8:9/", "http://a.b/a/../b", "http://a.b/#x", "http://a.b/ä", "",
        ])
    func uncertainOrigin(text: String) {
        #expect(NormalURL.origin(of: text) == nil)
    }
}
