import Testing

@testable import Pagination

@Suite("The URL of a page") struct PageURLTests {
    @Test(
        "The URL of a page is joined with a reference as in RFC 3986, section 5.4",
        arguments: [
            ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
            ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"), (";x", "http://a/b/c/;x"),
            ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("..", "http://a/b/"), ("../g", "http://a/b/g"),
            ("../..", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"),
            ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), ("./../g", "http://a/b/g"),
            ("g/../h", "http://a/b/c/h"), ("g?y/../x", "http://a/b/c/g?y/../x"), ("?y:z//", "http://a/b/c/d;p?y:z//"),
            ("https://other.example/x", "https://other.example/x"), ("http://A:80", "http://a/"),
            ("//[FE80::A]:8080/x", "http://[fe80::a]:8080/x"), ("?", "http://a/b/c/d;p"),
        ])
    func joined(reference: String, expected: String) throws {
        #expect(try PageURL("http://a/b/c/d;p?q").resolving(reference).text == expected)
    }

    @Test("The URL of a page over http is taken for its https twin, and only that")
    func upgrade() throws {
        let base = try PageURL("https://example.com/a")
        #expect(try base.resolving("http://example.com/b?c").text == "https://example.com/b?c")
        for other in ["http://example.com:8080/b", "http://other.example/b", "https://other.example/b"] {
            #expect(try base.resolving(other).text == other)
        }
    }

    @Test(
        "The URL of a page outside the web is refused",
        arguments: [
            "ftp://example.com/", "javascript:alert(1)", "mailto:a@b.c", "http://user@example.com/", "a\nb", "a\u{0}b",
            "https://", "https:x", "https://exa mple.com/", "https://a:99999/", "https://a:b/",
            "https://bücher.example/",
            "//", "//:80/",
        ])
    func refused(reference: String) throws {
        let base = try PageURL("https://example.com/")
        #expect(throws: PagingError.self) { try base.resolving(reference) }
    }

    @Test("The URL of a page is read only from an absolute one", arguments: ["", "/a", "example.com/a", "?a", "//a/b"])
    func relative(text: String) {
        #expect(throws: PagingError.self) { try PageURL(text) }
    }
}
