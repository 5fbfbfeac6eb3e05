import Testing

@testable import Web

@Suite struct HTMLWriterTests {
    @Test(
        "Text is text, whatever it says",
        arguments: [
            ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"), ("a & b", "a &amp; b"),
            ("\" onload=\"x", "&quot; onload=&quot;x"), ("a\u{0}b\u{1b}[31m", "a\u{FFFD}b\u{FFFD}[31m"),
            ("é 漢 🎉", "é 漢 🎉"),
        ])
    func text(given: String, written: String) {
        var html = HTMLWriter()
        html.element("p", .plain(.title, given), text: given)
        #expect(String(decoding: html.bytes, as: UTF8.self) == "<p title=\"\(written)\">\(written)</p>")
    }

    @Test(
        "A link leads to the web or to a page of ours",
        arguments: [
            "javascript:alert(1)", "JAVASCRIPT:alert(1)", "data:text/html,x", " https://a.example", "//a.example",
            "https://a.example/\u{202E}", "https://a.example/\n", "vbscript:x", "", "https://a.example@b.example/",
            "http://me:pass@b.example",
        ])
    func noLink(text: String) { #expect(Link.web(text) == nil) }

    @Test(
        "A link to the web may have an @ behind its host", arguments: ["https://a.example/@me", "http://a.example?x=@"])
    func link(text: String) { #expect(Link.web(text) != nil) }

    @Test("Paths and parameters of ours are encoded")
    func own() {
        var html = HTMLWriter()
        html.element("a", .href(.own("item", "a/b", query: [("key", "\"x y&z\"")])), text: "")
        #expect(String(decoding: html.bytes, as: UTF8.self) == "<a href=\"/item/a%2Fb?key=%22x+y%26z%22\"></a>")
    }

    @Test(
        "A clause is shown as a sentence, where a file or code at its beginning and another mark at its end stay",
        arguments: [
            ("page 3 of about 10", "Page 3 of about 10."), ("", ""), ("done", "Done."),
            ("well-known, as ever", "Well-known, as ever."),
            ("feedsync.yaml:9:67: no such variable", "feedsync.yaml:9:67: no such variable."),
            ("on_change failed", "on_change failed."),
            ("`kye` is unknown; did you mean `key`?", "`kye` is unknown; did you mean `key`?"),
            ("the server said:", "The server said:"), ("the rest is cut…", "The rest is cut…"),
        ])
    func sentence(clause: String, shown: String) { #expect(Shown.sentence(clause) == shown) }
}
