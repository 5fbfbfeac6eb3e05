import BodyFormats
import Feeds
import Testing

@Suite("A body with one JSON value per line")
struct JSONLinesFormatTests {
    private let bench = BodyBench(format: .ndjson)

    @Test(
        "A body with one JSON value per line becomes an array",
        arguments: [
            ("{\"id\":1}\n{\"id\":2}\n", #"[{"id":1},{"id":2}]"#),
            ("\u{FEFF}{\"id\":1}\r\n\r\n  \n{\"id\":2}", #"[{"id":1},{"id":2}]"#),
            ("{\"id\":1.10}", #"[{"id":1.10}]"#),
            ("", "[]"),
            // An error behind the items is none of them.
            (#"{"id":1}\n{"error":"late"}\n\n"#.replacing(#"\n"#, with: "\n"), #"[{"id":1},"{\"error\":\"late\"}"]"#),
            ("{\"error\":1}\n{\"error\":2,\"id\":2}\n", #"[{"error":1},{"error":2,"id":2}]"#),
            ("{\"error\":1,\"id\":1}\n{\"error\":2}\n", #"[{"error":1,"id":1},{"error":2}]"#),
        ])
    func reads(_ text: String, _ expected: String) throws {
        #expect(try bench.json(text) == expected)
    }

    @Test("A broken line of JSON is an error with the line and its text")
    func refuses() throws {
        let message = try #require(try bench.failure("{\"id\":1}\n\n{\"id\":}\n{\"id\":3}\n"))
        #expect(message.hasPrefix("the response cannot be read as one JSON value per line in line 3, column 7: "))
        #expect(message.hasSuffix(": `{\"id\":}`"))
        #expect(try bench.failure("{\"id\":1}\n{\"i")?.contains("in line 2") == true)
    }
}

@Suite("The format of a feed that does not name it")
struct FoundFormatTests {
    @Test(
        "The format of a feed is found from Content-Type and the first bytes",
        arguments: [
            ("application/json", "{\"a\":1}\n{\"a\":2}\n", FeedFormat.json),
            ("application/feed+json", "a,b\n1,2\n", .json),
            ("", " [1,2]", .json),
            ("text/plain", "{\"a\":1,\n\"b\":2}\n", .json),
            ("text/html", "<!doctype html><p>no", .json),
            ("application/x-ndjson; charset=utf-8", "{\"a\":1}", .ndjson),
            ("application/jsonl", "", .ndjson),
            ("text/plain", "{\"a\":1}\n{\"a\":2}\n", .ndjson),
            ("text/csv", "a\n1", .csv),
            ("text/tab-separated-values", "a\tb", .csv),
            ("text/plain", "a;b\n1;2\n", .csv),
            ("application/atom+xml", "", .atom),
            ("application/rss+xml", "", .rss),
            ("text/xml", "<?xml version=\"1.0\"?><feed xmlns=\"http://www.w3.org/2005/Atom\"/>", .atom),
            ("text/html", "\n<?xml version=\"1.0\"?><rss version=\"2.0\"/>", .rss),
            ("", "<rdf:RDF xmlns:rdf=\"x\"/>", .rss),
        ])
    func found(_ type: String, _ text: String, _ expected: FeedFormat) throws {
        #expect(FeedFormat(of: try BodyBench(type: type.isEmpty ? nil : type).response(Array(text.utf8))) == expected)
    }
}
