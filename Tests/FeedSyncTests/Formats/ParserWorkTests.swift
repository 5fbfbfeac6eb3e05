import Concurrency
import Foundation
import HTTP
import Testing

@testable import BodyFormats
@testable import FeedSync
@testable import ResponseBody
@testable import Upstream

/// The work of reading what an upstream sends: it grows as the length does, or ends with an error.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ParserWorkTests {
    /// A hostile text of any size, and its reader.
    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The size of the smaller of two texts.
        let size: Int
        /// Makes the reader of a text of a size; only the reader's work counts.
        let reader: @Sendable (Int) throws -> () -> Void

        init(_ name: String, _ size: Int, _ reader: @escaping @Sendable (Int) throws -> () -> Void) {
            (testDescription, self.size, self.reader) = (name, size, reader)
        }
    }

    private static func body(_ type: String, _ text: String) throws -> () -> Void {
        let response = try BodyBench(type: type).response(Array(text.utf8))
        return { _ = try? BodyReader(nil).read(response) }
    }

    private static func rss(_ head: String, _ items: String) throws -> () -> Void {
        try body("application/rss+xml", "\(head)<rss version=\"2.0\"><channel>\(items)</channel></rss>")
    }

    private static func tree(_ text: String, _ look: @escaping (JSONValue) -> Void) throws -> () -> Void {
        let tree = try JSONValue(parsing: text)
        return { look(tree) }
    }

    private static func all(_ count: Int, separator: String = "", _ text: (Int) -> String) -> String {
        (0..<count).map(text).joined(separator: separator)
    }

    private static let xml: [Kind] = [
        Kind("attributes that a DTD declares for each item", 500) { size in
            let defaults = all(size) { " a\($0) CDATA \"\"" }
            return try rss(
                "<!DOCTYPE rss [<!ATTLIST item\(defaults)>]>", all(size) { "<item><guid>\($0)</guid></item>" })
        },
        Kind("namespaces, and items that declare one more", 500) { size in
            let spaces = all(size) { " xmlns:n\($0)=\"urn:\($0)\"" }
            return try body(
                "application/rss+xml",
                "<rss\(spaces)><channel>\(all(size) { "<item xmlns:m=\"urn:\($0)\"/>" })</channel></rss>")
        },
        Kind("attributes of the channel", 1_000) { size in
            try body(
                "application/rss+xml",
                "<rss><channel\(all(size) { " a\($0)=\"\"" })>\(all(size) { "<item><link>/\($0)</link></item>" })</channel></rss>"
            )
        },
        Kind("entries without an author among other elements", 500) { size in
            try body(
                "application/atom+xml",
                "<feed xmlns=\"http://www.w3.org/2005/Atom\">\(all(size) { "<x/><entry><id>\($0)</id></entry>" })</feed>"
            )
        },
        Kind("versions of one entry", 500) { size in
            let entries = all(size) { _ in "<entry><id>1</id></entry>" }
            return try body("application/atom+xml", "<feed xmlns=\"http://www.w3.org/2005/Atom\">\(entries)</feed>")
        },
        Kind("elements of one item", 1_000) { size in try rss("", "<item>\(all(size) { "<a\($0)/>" })</item>") },
        Kind("elements of one name in one item", 1_000) { size in
            try rss("", "<item>\(all(size) { _ in "<category>x</category>" })</item>")
        },
        Kind("pieces of one text", 2_000) { size in
            try rss("", "<item><title>\(all(size) { _ in "a&amp;" })</title></item>")
        },
        Kind("references to an entity", 2_000) { size in
            try rss(
                "<!DOCTYPE rss [<!ENTITY e \"0123456789\">]>", "<item><title>\(all(size) { _ in "&e;" })</title></item>"
            )
        },
        Kind("comments and blanks", 2_000) { size in try rss("", all(size) { _ in "<!-- x --> \n" }) },
    ]

    private static let lines: [Kind] = [
        Kind("columns of one name", 400) { size in try body("text/csv", all(size, separator: ",") { _ in "a" } + "\n1")
        },
        Kind("rows", 1_000) { size in try body("text/csv", "a,b\n" + all(size) { "\($0),x\n" }) },
        Kind("quotes in a field", 5_000) { size in try body("text/csv", "a\n\"" + all(size) { _ in "\"\"" } + "\"") },
        Kind("a field that is not closed", 20_000) { size in try body("text/csv", "a\n\"" + all(size) { _ in "x\n" }) },
        Kind("comments before a table", 5_000) { size in try body("text/csv", all(size) { _ in "#,\n" } + "a,b\n1,2") },
        Kind("empty lines", 20_000) { size in try body("application/x-ndjson", all(size) { _ in "\n" } + "{}") },
        Kind("values, a line each", 1_000) { size in try body("application/x-ndjson", all(size) { "{\"a\":\($0)}\n" })
        },
        Kind("members of one name", 1_000) { size in
            try body("application/x-ndjson", "{\(all(size, separator: ",") { _ in "\"a\":1" })}")
        },
        Kind("members", 1_000) { size in
            try body("application/x-ndjson", "{\(all(size, separator: ",") { "\"a\($0)\":1" })}")
        },
        Kind("escapes", 5_000) { size in try body("application/x-ndjson", "\"\(all(size) { _ in "\\u00e9" })\"") },
    ]

    private static let linkParts: [(name: String, part: @Sendable (Int) -> String)] = [
        ("links", { "<http://x.example/\($0)>; rel=\"next\", " }), ("openings", { _ in "<" }),
        ("commas", { _ in "," }), ("parameters", { "; a\($0)=b" }), ("relations", { _ in "x " }),
        ("escapes", { _ in "\\\"" }), ("semicolons", { _ in ";" }),
    ]

    private static let links: [Kind] = linkParts.map { name, part in
        Kind("\(name) of a Link field", 4_000) { size in
            let start = ["relations", "escapes"].contains(name) ? "<a>; rel=\"" : "<a>"
            let value = start + all(size, part)
            return { _ = LinkHeader([value]).target(of: "next") }
        }
    }

    private static let found: [Kind] = [
        Kind("lists beside one another", 200) { size in
            try tree("{\(all(size, separator: ",") { "\"list\($0)\":[{\"id\":1},{\"id\":2}]" })}") {
                _ = ItemsSearch.best(in: $0)
            }
        },
        Kind("objects beside one another with empty lists", 200) { size in
            try tree("{\(all(size, separator: ",") { "\"o\($0)\":{\"data\":[],\"a\":[]}" })}") {
                _ = ItemsSearch.best(in: $0)
            }
        },
        Kind("items with lists", 400) { size in
            try tree("{\"items\":[\(all(size, separator: ",") { "{\"id\":\($0),\"a\":[{\"id\":1}]}" })]}") {
                _ = ItemsSearch.best(in: $0)
            }
        },
        Kind("members of the items", 200) { size in
            let item = "{\(all(size, separator: ",") { "\"a\($0)\":\($0)" })}"
            return try tree("[\(item),\(item)]") { body in
                let items = ItemsSearch.best(in: body)?.items ?? []
                _ = KeySearch.key(of: items)
            }
        },
        Kind("items whose members tell nothing", 400) { size in
            try tree("[\(all(size, separator: ",") { "{\"a\":\($0 % 7),\"b\":\($0 % 5),\"c\":\($0 / 9)}" })]") { body in
                let items = ItemsSearch.best(in: body)?.items ?? []
                _ = KeySearch.key(of: items)
            }
        },
        Kind("elements passed over by a path", 2_000) { size in
            let path = try Path("links[rel=next].href")
            return try tree("{\"links\":[\(all(size, separator: ",") { "{\"rel\":\"r\($0)\"}" })]}") {
                _ = $0.value(at: path)
            }
        },
        Kind("unknown members of a definition", 100) { size in
            let text = "url: http://x.example\n" + all(size) { "member\($0): 1\n" }
            return { _ = try? FeedDefinition.parse(name: "things", yaml: text) }
        },
        Kind("columns of a definition", 100) { size in
            let text = "url: http://x.example\nkey: a0\ncolumns:\n" + all(size) { "  a\($0): b\($0)\n" }
            return { _ = try? FeedDefinition.parse(name: "things", yaml: text) }
        },
    ]

    private static func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The least time of the thread of some runs: what a run takes more is not its own.
    private static func work(_ read: () -> Void) -> Double {
        (0..<4).map { _ in
            let start = threadTime()
            read()
            return threadTime() - start
        }.min() ?? 0
    }

    @Test(
        "A text of eight times the length takes less than twenty times the work, whatever it is made of",
        arguments: xml + lines + links + found)
    func growth(kind: Kind) throws {
        let small = Self.work(try kind.reader(kind.size))
        let large = Self.work(try kind.reader(kind.size * 8))
        // The work of a text without length: reading begins with it. Twice as much for each doubling would be eight times.
        #expect(large < 20 * max(small, 0.000_5), "\(small * 1e3) ms, then \(large * 1e3) ms")
    }

    @Test(
        "A body is not read to its end for somebody who does not want it any more",
        arguments: [
            ("text/csv", "a\n", "0123456789\n"), ("application/x-ndjson", "", "\"0123456789\"\n"),
            ("application/rss+xml", "<rss><channel>", "<item/>"), ("application/rss+xml", "<rss><channel>", "<x/>"),
        ])
    func cancelled(type: String, head: String, part: String) async throws {
        let text = head + String(repeating: part, count: 200_000)
        let response = try BodyBench(type: type).response(Array(text.utf8))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            do throws(FeedSyncError) {
                _ = try BodyReader(nil).read(response)
                return nil as FeedSyncError.Kind?
            } catch {
                return error.kind
            }
        }
        #expect(await task.value == .cancelled)
    }
}
