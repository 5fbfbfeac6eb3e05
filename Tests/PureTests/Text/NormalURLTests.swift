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
}
