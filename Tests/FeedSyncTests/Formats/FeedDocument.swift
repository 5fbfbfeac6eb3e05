/// A document as feeds in the wild have it, and the members that its items must have.
struct FeedDocument: Sendable, CustomStringConvertible {
    let description: String
    let text: String
    /// One JSON object an item, of the members that are looked at.
    let expected: [String]

    init(_ description: String, _ text: String, _ expected: String...) {
        self.description = description
        self.text = text
        self.expected = expected
    }

    /// An RSS 2.0 document around an item's elements.
    static func rss(_ description: String, _ item: String, _ expected: String, spaces: String = "") -> FeedDocument {
        FeedDocument(
            description,
            "<?xml version=\"1.0\"?>\n<rss version=\"2.0\" \(spaces)><channel><title>T</title><item>\(item)</item></channel></rss>",
            expected)
    }

    /// An Atom document around an entry's elements.
    static func atom(_ description: String, _ entry: String, _ expected: String, spaces: String = "") -> FeedDocument {
        FeedDocument(
            description,
            "<feed xmlns=\"http://www.w3.org/2005/Atom\" \(spaces)><title>T</title><entry>\(entry)</entry></feed>",
            expected)
    }

    static let all = rss + atom

    private static let rss: [FeedDocument] = [
        .rss(
            "guid before link", "<guid isPermaLink=\"false\">g1</guid><link>/a</link>",
            #"{"id":"g1","link":"https://example.org/a"}"#),
        .rss(
            "no guid: the link", "<link> https://e.org/x#top </link>",
            #"{"id":"https://e.org/x#top","link":"https://e.org/x#top"}"#),
        .rss(
            "a guid that is the link", "<guid>https://e.org/1</guid>",
            #"{"id":"https://e.org/1","link":"https://e.org/1"}"#),
        .rss(
            "a guid that is not a link", "<guid isPermaLink='false'>https://e.org/1</guid>",
            #"{"id":"https://e.org/1","link":null}"#),
        .rss(
            "neither guid nor link: a hash", "<title>x</title>",
            #"{"title":"x","link":null}"#),
        .rss(
            "escaped HTML and CDATA are the same",
            "<title>A &amp;amp; B</title><description><![CDATA[<p>x &amp; y</p>]]></description>",
            #"{"title":"A &amp; B","summary":"<p>x &amp; y</p>"}"#),
        .rss("CDATA beside text", "<title>a <![CDATA[<b>]]> c</title>", #"{"title":"a <b> c"}"#),
        .rss(
            "HTML's entities that nobody declared", "<title>caf&eacute;&nbsp;&mdash; &copy;</title>",
            "{\"title\":\"café\u{A0}— ©\"}"),
        .rss("characters by number", "<title>&#8217;&#x1F600;</title>", #"{"title":"’😀"}"#),
        .rss(
            "content beside description",
            "<description>short</description><c:encoded>&lt;p&gt;long&lt;/p&gt;</c:encoded>",
            #"{"summary":"short","content":"<p>long</p>"}"#,
            spaces: "xmlns:c=\"http://purl.org/rss/1.0/modules/content/\""),
        .rss(
            "an author by Dublin Core and its date, under another prefix",
            "<x:creator>Ann</x:creator><x:creator>Bob</x:creator><x:date>2003-12-31T10:14:55-08:00</x:date>",
            #"{"author":"Ann, Bob","published":"2003-12-31T18:14:55.000Z","dc:creator":"Ann"}"#,
            spaces: "xmlns:x=\"http://purl.org/dc/elements/1.1/\""),
        .rss(
            "enclosures and categories",
            "<enclosure url='/a.mp3' length='12' type='audio/mpeg'/><category domain='d'>one</category><category>two</category><category>one</category>",
            #"{"enclosures":[{"url":"https://example.org/a.mp3","type":"audio/mpeg","length":"12"}],"categories":["one","two"]}"#
        ),
        .rss(
            "a podcast's own elements",
            "<itunes:duration>1:02</itunes:duration><itunes:image href='/i.png'/><itunes:author>Ann</itunes:author>",
            #"{"itunes:duration":"1:02","itunes:image":{"href":"https://example.org/i.png"},"author":"Ann"}"#,
            spaces: "xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\""),
        .rss(
            "elements that repeat", "<m:thumbnail url='/1'/><m:thumbnail url='/2'/><m:thumbnail url='/3'/>",
            #"{"media:thumbnail":{"url":"https://example.org/1"},"media:thumbnail_more":[{"url":"https://example.org/2"},{"url":"https://example.org/3"}]}"#,
            spaces: "xmlns:m=\"http://search.yahoo.com/mrss/\""),
        .rss(
            "a prefix that is not declared", "<media:credit role='a'>Ann</media:credit>",
            #"{"media:credit":{"role":"a","text":"Ann"}}"#),
        .rss(
            "a source and comments", "<source url='/s.xml'>S</source><comments>https://e.org/c</comments>",
            #"{"source":{"url":"https://example.org/s.xml","text":"S"},"comments":"https://e.org/c"}"#),
        .rss(
            "an Atom link", "<a:link rel='alternate' href='/1'/><a:link rel='replies' href='/2'/>",
            #"{"link":"https://example.org/1","links":[{"rel":"replies","href":"https://example.org/2"}]}"#,
            spaces: "xmlns:a=\"http://www.w3.org/2005/Atom\""),
        .rss("an element with a common name", "<content>x</content>", #"{"content":null,"own_content":"x"}"#),
        FeedDocument(
            "an empty line before the declaration, and an encoding that is told",
            "\n  <?xml version='1.0' encoding='utf-8' ?>\n<rss><channel><item><guid>1</guid></item></channel></rss>",
            #"{"id":"1"}"#),
        FeedDocument(
            "items beside the channel (RSS 1.0)",
            """
            <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" \
            xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="c"><title>T</title></channel>\
            <item rdf:about="http://e.org/1"><title>one</title><link>http://e.org/1?a</link><dc:subject>s</dc:subject></item>\
            <item rdf:about="http://e.org/2"><title>two</title></item></rdf:RDF>
            """,
            #"{"id":"http://e.org/1","title":"one","link":"http://e.org/1?a","categories":["s"]}"#,
            #"{"id":"http://e.org/2","title":"two","link":null}"#),
        FeedDocument(
            "RSS 0.91 with the DTD that nobody has any more",
            """
            <?xml version="1.0"?><!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" \
            "http://my.netscape.com/publish/formats/rss-0.91.dtd"><rss version="0.91"><channel>\
            <item><title>&laquo;x&raquo;</title><link>http://e.org/</link></item></channel></rss>
            """,
            #"{"id":"http://e.org/","title":"«x»"}"#),
        FeedDocument(
            "an entity that the document declares",
            "<!DOCTYPE rss [<!ENTITY who \"Ann\">]><rss><channel><item><title>&who;!</title></item></channel></rss>",
            #"{"title":"Ann!"}"#),
        FeedDocument("no items", "<rss><channel><title>T</title></channel></rss>"),
    ]

    private static let atom: [FeedDocument] = [
        .atom(
            "the common members",
            "<id>urn:1</id><title>t</title><link href='/1'/><published>2005-07-31T12:29:29.25+02:00</published><updated>2005-07-31T12:29:29Z</updated><summary>s</summary>",
            #"{"id":"urn:1","title":"t","link":"https://example.org/1","published":"2005-07-31T10:29:29.250Z","updated":"2005-07-31T12:29:29.000Z","summary":"s"}"#
        ),
        .atom(
            "xhtml content as markup, without its div",
            "<id>1</id><content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'><p class='a'>x &lt; <b>y</b><br/></p></div></content>",
            #"{"content":"<p class=\"a\">x &lt; <b>y</b><br/></p>"}"#),
        .atom(
            "html content", "<id>1</id><content type='html'>&lt;p&gt;AT&amp;amp;T&lt;/p&gt;</content>",
            #"{"content":"<p>AT&amp;T</p>"}"#),
        .atom(
            "content that stands elsewhere", "<id>1</id><content src='/v.mp4' type='video/mp4'/>",
            #"{"content":null,"content_src":"https://example.org/v.mp4"}"#),
        .atom(
            "xml:base, one in the other", "<id>1</id><link xml:base='b/' href='c'/><link rel='enclosure' href='d'/>",
            #"{"link":"https://e.org/a/c","enclosures":[{"url":"https://e.org/a/d"}]}"#,
            spaces: "xml:base='https://e.org/a/'"),
        .atom(
            "the link to HTML among others",
            "<id>1</id><link rel='self' href='/s'/><link type='application/json' href='/j'/><link type='text/html' href='/h'/>",
            #"{"link":"https://example.org/h","links":[{"rel":"self","href":"https://example.org/s"}]}"#),
        .atom(
            "authors by name, then by address",
            "<id>1</id><author><name>Ann</name></author><author><email>b@e.org</email></author>",
            #"{"author":"Ann, b@e.org"}"#),
        .atom(
            "categories by term", "<id>1</id><category term='a' label='A'/><category label='B'/>",
            #"{"categories":["a","B"]}"#),
        .atom("no id: the link", "<link href='https://e.org/1'/>", #"{"id":"https://e.org/1"}"#),
        .atom(
            "an answer to another entry", "<id>1</id><t:in-reply-to ref='urn:0' href='/0'/>",
            #"{"thr:in-reply-to":{"ref":"urn:0","href":"https://example.org/0"}}"#,
            spaces: "xmlns:t='http://purl.org/syndication/thread/1.0'"),
        .atom(
            "groups of elements", "<id>1</id><media:group><media:title>x</media:title></media:group>",
            #"{"media:group":{"media:title":"x"}}"#, spaces: "xmlns:media='http://search.yahoo.com/mrss/'"),
        FeedDocument(
            "an author of the feed",
            "<feed xmlns='http://www.w3.org/2005/Atom'><author><name>F</name></author><entry><id>1</id></entry></feed>",
            #"{"author":"F"}"#),
        FeedDocument(
            "an author of the source, and a prefix for Atom",
            "<a:feed xmlns:a='http://www.w3.org/2005/Atom'><a:entry><a:id>1</a:id><a:source><a:author><a:name>S</a:name></a:author></a:source></a:entry></a:feed>",
            #"{"id":"1","author":"S"}"#),
        FeedDocument(
            "Atom 0.3",
            "<feed version='0.3' xmlns='http://purl.org/atom/ns#'><entry><id>1</id><title mode='escaped'>&lt;b></title><issued>2004-01-01T00:00:00Z</issued><modified>2004-01-02</modified></entry></feed>",
            #"{"title":"<b>","published":"2004-01-01T00:00:00.000Z","updated":"2004-01-02T00:00:00.000Z"}"#),
    ]
}
