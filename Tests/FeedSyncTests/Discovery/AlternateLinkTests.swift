import HTTP
import Testing
import Upstream

@Suite("The feed that a web page names")
struct AlternateLinkTests {
    @Test(
        "The feed's URL is relative to the first `<base>` with an address, wherever that stands",
        arguments: [
            ("", "https://a.example/blog/feed"),
            ("<base href=/first/><base href=/second/>", "https://a.example/first/feed"),
            ("<base target=x><base href=https://b.example/>", "https://b.example/feed"),
            ("<base href='https://['><base href=/second/>", "https://a.example/blog/feed"),
            ("<!--><base href=/first/>", "https://a.example/first/feed"),
            ("<!-- <base href=/first/> --><base href=&#47;second/>", "https://a.example/second/feed"),
        ])
    func base(tags: String, url: String) throws {
        let link = "<link rel=alternate type=application/rss+xml href=feed>"
        for page in [tags + link, link + tags] {
            let found = AlternateLink.all(
                in: Body(Array(page.utf8)), at: try WebURL("https://a.example/blog/post"))
            #expect(found.map(\.url.text) == [url])
        }
    }
}
