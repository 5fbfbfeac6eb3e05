import Feeds
import HTTPServer
import ScriptedServer
import Testing

@Suite("An Atom or RSS document")
struct SyndicationTests {
    private let bench = BodyBench(format: .rss)

    @Test("An Atom or RSS document becomes items with the same members, in any dialect", arguments: FeedDocument.all)
    func reads(_ document: FeedDocument) throws {
        let page = try JSONValue(parsing: try #require(try bench.json(document.text)))
        guard case .object(let members) = page, case .array(let items)? = members["items"] else {
            Issue.record("no items: \(page.json)")
            return
        }
        #expect(items.count == document.expected.count)
        for (item, expected) in zip(items, document.expected) {
            guard case .object(let item) = item, case .object(let expected) = try JSONValue(parsing: expected) else {
                Issue.record("no object")
                continue
            }
            for member in expected.all {
                #expect(item[member.name]?.json == member.value.json, "\(document): \(member.name)")
            }
            #expect(item["id"] != .null)
        }
    }

    @Test(
        "An Atom or RSS document has dates in UTC; invalid ones stay as received",
        arguments: [
            ("Sat, 07 Sep 2002 00:00:01 GMT", "2002-09-07T00:00:01.000Z"),
            ("7 Sep 2002 00:00 +0200", "2002-09-06T22:00:00.000Z"),
            ("Sat, 07 Sep 02 00:00:01 EST", "2002-09-07T05:00:01.000Z"),
            ("Saturday, 07 September 2002 10:00:00 PDT", "2002-09-07T17:00:00.000Z"),
            ("07-Sep-99 10:00:00 UT", "1999-09-07T10:00:00.000Z"),
            ("Sep 7, 2002 10:00:00", "2002-09-07T10:00:00.000Z"),
            ("Tue, 07 Sep 2002 10:00:00 -05:30", "2002-09-07T15:30:00.000Z"),
            ("Thu, 01 Jan 1970 24:00:00 GMT", "Thu, 01 Jan 1970 24:00:00 GMT"),
            ("30 Feb 2002 10:00:00 GMT", "30 Feb 2002 10:00:00 GMT"),
            ("2002-09-07", "2002-09-07T00:00:00.000Z"),
            ("yesterday", "yesterday"),
            ("10:00", "10:00"),
        ])
    func dates(_ written: String, _ expected: String) throws {
        let json = try bench.json("<rss><channel><item><pubDate> \(written) </pubDate></item></channel></rss>")
        #expect(json?.contains("\"published\":\"\(expected)\"") == true, "\(json ?? "")")
    }

    @Test(
        "Entries of one id are versions of one entry, whose latest `updated` stays",
        arguments: [
            (["a 2026-02-01 new", "b 2026-01-15 b", "a 2026-01-01 old"], ["new", "b"]),
            (["a 2026-01-01 old", "b 2026-01-15 b", "a 2026-02-01 new", "a 2026-01-20 between"], ["b", "new"]),
            (["a 2026-01-01 first", "a 2026-01-01 second"], ["first"]),
            (["a - first", "a - second", "a 2026-01-01 dated"], ["dated"]),
            (["a 2026-02-01T00:00:00-05:00 later", "a 2026-02-01T03:00:00Z earlier"], ["later"]),
        ])
    func versions(_ written: [String], _ expected: [String]) throws {
        let entries = written.map { words in
            let parts = words.split(separator: " ")
            let updated = parts[1] == "-" ? "" : "<updated>\(parts[1])</updated>"
            return "<entry><id>\(parts[0])</id><title>\(parts[2])</title>\(updated)</entry>"
        }
        let json = try bench.json("<feed xmlns='http://www.w3.org/2005/Atom'>\(entries.joined())</feed>")
        let page = try JSONValue(parsing: try #require(json))
        guard case .object(let members) = page, case .array(let items)? = members["items"] else {
            Issue.record("no items: \(page.json)")
            return
        }
        let titles = items.compactMap { if case .object(let item) = $0 { item["title"]?.json } else { nil } }
        #expect(titles == expected.map { "\"\($0)\"" })
    }

    @Test("RSS whose default namespace is Atom's is read as RSS")
    func misnamedNamespace() throws {
        let item =
            "<item><guid>1</guid><title>t</title><link>http://x.example/1</link><description>d</description></item>"
        let json = try bench.json("<rss xmlns='http://www.w3.org/2005/Atom'><channel>\(item)</channel></rss>")
        for member in [#""id":"1""#, #""title":"t""#, #""link":"http://x.example/1""#, #""summary":"d""#] {
            #expect(json?.contains(member) == true, "\(json ?? "")")
        }
    }

    @Test(
        "Every entity of HTML 4 is read", arguments: ["&forall;=∀", "&theta;=θ", "&Alpha;=Α", "&sub;=⊂", "&frasl;=⁄"])
    func entities(_ written: String) throws {
        let parts = written.split(separator: "=")
        let json = try bench.json("<rss><channel><item><title>\(parts[0])</title></item></channel></rss>")
        #expect(json?.contains("\"title\":\"\(parts[1])\"") == true, "\(json ?? "")")
    }

    @Test("Items of RSS with one guid are all there, for the key to be judged by")
    func sameGuid() throws {
        let item = "<item><guid>1</guid></item>"
        let json = try bench.json("<rss><channel>\(item)\(item)</channel></rss>")
        #expect(json?.split(separator: "\"id\":\"1\"").count == 3)
    }

    @Test(
        "An Atom or RSS document leads to the next page, or to the archive before it",
        arguments: [
            ("<link rel='next' href='?page=2'/>", "\"https://example.org/blog/feed?page=2\""),
            (
                "<link rel='http://www.iana.org/assignments/relation/next' href='/2'/>", "\"https://example.org/2\""
            ),
            ("<link rel='prev-archive' href='/2025'/>", "\"https://example.org/2025\""),
            ("<link rel='prev-archive' href='/2025'/><link rel='next' href='/2'/>", "\"https://example.org/2\""),
            ("<link rel='self' href='/'/>", "null"),
        ])
    func next(_ link: String, _ expected: String) throws {
        let atom = try bench.json("<feed xmlns='http://www.w3.org/2005/Atom'>\(link)<entry><id>1</id></entry></feed>")
        #expect(atom?.hasSuffix("\"next\":\(expected)}") == true)
        let links = link.replacing("<link", with: "<a:link")
        let rss = try bench.json(
            "<rss xmlns:a='http://www.w3.org/2005/Atom'><channel>\(links)<item><guid>1</guid></item></channel></rss>")
        #expect(rss?.hasSuffix("\"next\":\(expected)}") == true)
    }

    @Test(
        "An Atom or RSS document has the counts of a search, whatever prefix they have",
        arguments: [
            ("<o:totalResults>1000</o:totalResults>", #","totalResults":1000"#),
            (
                "<o:startIndex>0</o:startIndex><o:itemsPerPage> 10 </o:itemsPerPage><o:totalResults>1,000</o:totalResults>",
                #","totalResults":"1,000","startIndex":0,"itemsPerPage":10"#
            ),
            ("<old:totalResults>7</old:totalResults>", #","totalResults":7"#),
            ("<openSearch:totalResults>7</openSearch:totalResults>", #","totalResults":7"#),
            ("<o:totalResults/><totalResults>7</totalResults><x:totalResults>7</x:totalResults>", ""),
        ])
    func counts(_ elements: String, _ expected: String) throws {
        let spaces =
            "xmlns:o='http://a9.com/-/spec/opensearch/1.1/' xmlns:old='http://a9.com/-/spec/opensearchrss/1.0/' xmlns:x='x:y'"
        let atom = try bench.json(
            "<feed xmlns='http://www.w3.org/2005/Atom' \(spaces)>\(elements)<entry><id>1</id></entry></feed>")
        #expect(atom?.hasSuffix("\"next\":null\(expected)}") == true, "\(atom ?? "")")
        let rss = try bench.json(
            "<rss \(spaces)><channel><item><guid>1</guid></item>\(elements)</channel></rss>")
        #expect(rss?.hasSuffix("\"next\":null\(expected)}") == true, "\(rss ?? "")")
    }

    @Test("An Atom feed that says that there are more entries is not complete, and one that has them all is")
    func totals() async throws {
        for (total, complete) in [("1,000", "2|0"), ("2", "2|1")] {
            let bench = try await EngineBench(
                paging: "pagination: {style: next_url, next: next}",
                columns: "format: atom\nitems: items\nkey: id\ncolumns: {id: id, title: title}")
            bench.server.route("/things") { _ in
                .json(
                    "<feed xmlns='http://www.w3.org/2005/Atom' xmlns:o='http://a9.com/-/spec/opensearch/1.1/'>"
                        + "<o:totalResults>\(total)</o:totalResults><entry><id>1</id></entry><entry><id>2</id></entry></feed>"
                )
            }
            try await bench.sync()
            #expect(try bench.feed("item_count, complete") == complete)
        }
    }

    @Test("Versions of one entry count in the total of a search, and are one row")
    func versions() throws {
        let entries = ["2026-01-01", "2026-01-02"].map { day in
            "<entry><id>1</id><updated>\(day)T00:00:00Z</updated></entry>"
        }.joined()
        let atom = try bench.json(
            "<feed xmlns='http://www.w3.org/2005/Atom' xmlns:o='http://a9.com/-/spec/opensearch/1.1/'>"
                + "<o:totalResults>2</o:totalResults>\(entries)</feed>")
        #expect(atom?.hasSuffix(#""next":null,"totalResults":1}"#) == true, "\(atom ?? "")")
    }

    @Test(
        "A broken or dangerous document is an error with line and column",
        arguments: [
            ("<rss><channel>\n<item><title>x</title>", "in line 2, column 23: the document is cut off"),
            ("\n\n<rss>\n<a></b></rss>", "in line 4, column 6: mismatched tag"),
            (
                "<!DOCTYPE rss [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]><rss>&b;</rss>",
                "the entity `&b;` is made of other entities"
            ),
            (
                "<!DOCTYPE rss [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><rss><channel>&a;</channel></rss>",
                "it refers to an external entity, and none is loaded"
            ),
            ("<!doctype html><html><head><meta charset=utf-8><title>Log in</title>", "it is HTML"),
            ("<html><body/></html>", "it is HTML"),
            ("<sitemap/>", "it begins with `<sitemap>`"),
            (String(repeating: "<a>", count: 201), "elements are nested more than 200 deep"),
            ("<rss><channel><item>" + String(repeating: "<a/>", count: 200_000) + "</item></channel></rss>", tooMany),
            ("<rss><channel>" + String(repeating: "<a b='c'/>", count: 100_000) + "</channel></rss>", tooMany),
        ])
    func refuses(_ text: String, _ problem: String) throws {
        let message = try #require(try bench.failure(text))
        #expect(message.hasPrefix("the response cannot be read as an RSS feed in line "), "\(message)")
        #expect(message.hasSuffix(problem), "\(message)")
    }

    private static let tooMany = "an item, or what is around the items, has more than 200000 elements"

    @Test("A document may have any number of items, as no more than one is kept")
    func manyItems() throws {
        let items = String(repeating: "<item><guid>1</guid></item>", count: 70_000)
        #expect(try bench.failure("<rss><channel>\(items)</channel></rss>") == nil)
    }

    @Test("A document has no tag and no comment of many megabytes, but text may be as long as the page")
    func longTags() throws {
        let long = String(repeating: "x", count: 12 << 20)
        let refusal = "a tag or a comment has more than 8 MiB"
        for tag in ["<a b='\(long)'/>", "<!--\(long)-->"] {
            let message = try bench.failure("<rss><channel>\(tag)<item><guid>1</guid></item></channel></rss>")
            #expect(message?.hasSuffix(refusal) == true, "\(message ?? "nothing")")
        }
        for text in [long, "<![CDATA[\(long)]]>"] {
            let json = try bench.json("<rss><channel><item><title>\(text)</title></item></channel></rss>")
            #expect(json?.contains(long) == true)
        }
    }

    @Test("A document cannot grow by its entities")
    func bomb() throws {
        let entity = String(repeating: "x", count: 10_000)
        let text =
            "<!DOCTYPE rss [<!ENTITY a \"\(entity)\">]><rss><channel><title>"
            + String(repeating: "&a;", count: 10_000)
        #expect(try bench.failure(text)?.hasSuffix("make it more than four times as long") == true)
    }

    @Test("A document is read in the encoding of the mark, the header or the declaration, in this order")
    func encodings() throws {
        let item = { (text: String) in "<rss><channel><item><title>\(text)</title></item></channel></rss>" }
        let latin =
            Array("<?xml version='1.0' encoding='ISO-8859-1'?>".utf8)
            + item("é€").unicodeScalars.map { $0 == "€" ? 0x80 : UInt8(truncatingIfNeeded: $0.value) }
        #expect(try bench.json(latin)?.contains("\"title\":\"é€\"") == true)
        let wide = ([0xFEFF] + Array("<?xml version='1.0' encoding='utf-16'?>".utf16) + Array(item("é€😀").utf16))
            .flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        #expect(try bench.json(wide)?.contains("\"title\":\"é€😀\"") == true)
        #expect(try bench.json(Array(wide.dropFirst(2)))?.contains("\"title\":\"é€😀\"") == true)
        var told = bench
        told.type = "text/xml; charset=windows-1252"
        #expect(try told.json(Array(latin.dropFirst(43)))?.contains("\"title\":\"é€\"") == true)
        #expect(try bench.failure(Array(latin.dropFirst(43)))?.contains("a byte is not UTF-8") == true)
    }
}
