import Testing

@testable import Web

@Suite struct ForeignHTMLTests {
    @Test(
        "HTML is one line of text in a list",
        arguments: [
            ("<p>Short <strong>summary</strong> of&nbsp;post&#8230;</p><p>Next</p>", "Short summary of post… Next"),
            ("a &lt;b&gt; &amp;amp; &#x263a; &unknown; & <", "a <b> &amp; ☺ &unknown; & <"),
            ("<script>alert(1)</script>x<style>p{}</style>y<!-- no -->z", "xyz"),
            ("<ul><li>one<li>two</ul>a<br>b", "one two a b"), ("<script>never ends", ""), ("<p title='a>b'>c", "c"),
            ("<p title=\"never ends", ""), ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"), ("", ""), ("<", "<"), ("<a", ""),
            ("&#0;&#55296;&#x110000;", "&#0;\u{FFFD}\u{FFFD}"),
        ])
    func line(html: String, text: String) {
        #expect(ForeignHTML.text(of: html, most: 200) == text)
    }

    @Test("A long text is cut at a word")
    func cut() {
        #expect(ForeignHTML.text(of: "<p>one two three four", most: 10) == "one two…")
    }

    @Test(
        "An item keeps what is allowed of its HTML, closed and in order",
        arguments: [
            ("<p>a <b>b<i>c</b>d", "<p>a <strong>b<em>c</em></strong>d</p>"),
            ("<h1 onclick=x style=y class=z>t</h1>", "<h2>t</h2>"), ("</div></article>x", "x"),
            (
                "<a href='https://a.example/?x=1&amp;y'>l</a>",
                #"<a href="https://a.example/?x=1&amp;y" rel="noreferrer noopener nofollow" target="_blank">l</a>"#
            ),
            ("<font color=red>x</font>", "x"), ("a<br/>b<hr>c", "a<br>b<hr>c"), ("&lt;b&gt;", "&lt;b&gt;"),
            (
                "<img src='https://a.example/b.png' alt='&quot;q'>",
                #"<img src="/picture/0" alt="&quot;q" loading="lazy">"#
            ),
        ])
    func allowed(html: String, expected: String) {
        #expect(Self.written(html) == expected)
    }

    /// Each is a way in which something would run, load, or leave its place.
    private static let attacks = [
        "<script>alert(1)</script>", "<SCRIPT SRC=//x.example></SCRIPT>", "<scr<script>ipt>alert(1)</scr</script>ipt>",
        "<img src=x onerror=alert(1)>", "<img src='javascript:alert(1)'>", "<img/src=x/onerror=alert(1)>",
        "<img src=\"data:image/svg+xml,<svg onload=alert(1)>\">",
        "<svg onload=alert(1)><script>alert(1)</script></svg>",
        "<math><mtext><script>alert(1)</script></mtext></math>", "<a href='javascript:alert(1)'>x</a>",
        "<a href='JaVaScRiPt:alert(1)'>x</a>", "<a href='&#106;avascript:alert(1)'>x</a>",
        "<a href='\u{1}javascript:alert(1)'>x</a>", "<a href='data:text/html,<script>'>x</a>",
        "<a href='vbscript:x'>x</a>", "<a href=\"https://x.example/\" onmouseover=\"alert(1)\">x</a>",
        "<iframe src=https://x.example></iframe>", "<iframe srcdoc='<script>'></iframe>", "<object data=x></object>",
        "<embed src=x>", "<form action=https://x.example><input name=a><button>x</button></form>",
        "<style>@import 'https://x.example'</style>", "<link rel=stylesheet href=https://x.example>",
        "<meta http-equiv=refresh content='0;url=https://x.example'>", "<base href=https://x.example>",
        "<p style='background:url(https://x.example)'>x</p>", "<video src=https://x.example autoplay></video>",
        "<body onload=alert(1)>", "</article></main><h1>x</h1>", "<!--><script>alert(1)</script>-->",
        "<textarea></textarea><script>alert(1)</script>",
        "<noscript><p title=\"</noscript><script>alert(1)</script>\">",
        "<p title='\"><script>alert(1)</script>'>x</p>", "<img srcset='https://x.example/a 1x'>",
        "<template><script>alert(1)</script></template>", "<p id=main class=notice>x</p>",
    ]

    @Test("Nothing of others runs, is loaded, or leaves its place", arguments: attacks)
    func hostile(html: String) {
        for text in [html, "<p>" + html, html + html, "<table><tr><td>" + html, html.replacing("<", with: "<\u{0}")] {
            // Only what is an element for a browser: text may say anything.
            let written = Self.written(text).split(separator: "<", omittingEmptySubsequences: false).dropFirst()
                .map { "<" + $0.prefix { $0 != ">" } }.joined()
            for word in [
                "<script", "<svg", "<iframe", "<object", "<embed", "<form", "<input", "<style", "<link", "<meta",
                "<base", "<video", "<body", "<math", "<template", "srcset=", " style=", " id=", " class=", "src=\"x",
                "src=\"h",
                "src=\"d", "src=\"j", "href=\"j", "href=\"d", "href=\"v", "</main", "</article", "<h1", " onerror=\"",
                " onload=\"", " onmouseover=\"",
            ] {
                #expect(!written.lowercased().contains(word), "\(word) in \(written)")
            }
        }
    }

    @Test(
        "Reading takes as long as the text is long, whatever it is",
        arguments: ["<", "<a ", "<!--", "&", "<svg>", "</a", "<p>"])
    func linear(part: String) {
        let clock = ContinuousClock()
        let took = clock.measure { _ = Self.written(String(repeating: part, count: 100_000)) }
        #expect(took < .seconds(20))
    }

    @Test(
        "HTML differs from Markdown and from plain text",
        arguments: [
            ("<p>Hello</p>", true), ("Text <a href='x'>link</a> on", true), ("a < b and c > d", false),
            ("**bold** [x](y) <br>", false), ("```\n<p>code</p>\n```", false), ("List<String>", false), ("", false),
        ])
    func likely(text: String, isHTML: Bool) {
        #expect(ForeignHTML.isLikely(text) == isHTML)
    }

    @Test(
        "Texts without tags are HTML where characters are written as in it, and an ampersand never by itself",
        arguments: [
            (["a &quot;b&quot;", "c"], true), (["AT&amp;T"], true), (["it&#39;s"], true),
            (["&#8220;a&#8221;"], true), (["&#x27;"], true), (["a&hellip;"], true), (["&#;"], false), (["&#x;"], false),
            (["&#12"], false), (["C&#maj;"], false),
            (["AT&T", "a &amp; b"], false),
            (["a & b"], false), (["a"], false), ([], false), (["a &amp; b & c"], false), (["&unknown;"], false),
        ])
    func escaped(texts: [String], areEscaped: Bool) {
        #expect(ForeignHTML.areEscaped(texts) == areEscaped)
    }

    private static func written(_ html: String) -> String {
        var page = HTMLWriter()
        ForeignHTML.write(html, to: &page) { number, address in
            Link.web(address).map { _ in Link.own("picture", String(number)) }
        }
        return String(decoding: page.bytes, as: UTF8.self)
    }
}
