import FeedSync
import Foundation
import ScriptedServer
import Testing
import Web

@Suite(.timeLimit(.minutes(10))) struct WorkTests {
    @Test(
        "A query beyond its limit of work is given up, and says so",
        arguments: ["/list/things?q=item", "/feeds/things/items?q=item", "/feeds/things/items?q=item&order=place"])
    func limit(target: String) async throws {
        let items = PagedFeed.items(1...2_000)
        try await WebPlace.serving(items: items, change: { $0.work = (.zero, .zero) }) { place in
            try await place.perform(.sync)
            let page = try await place.ask(target, headers: target.hasPrefix("/list") ? ["Accept": "text/html"] : [:])
            #expect(page.status == 503 && page.body.lowercased().contains("this takes too long"), "\(page.body)")
            #expect(try await place.ask("/health").status == 200)
        }
    }

    @Test(
        "A word that almost stands everywhere in a long text is looked for in time, by each way to search",
        arguments: [
            (
                "",
                [
                    "/feeds/things/items?q=WORD", "/feeds/things/items?q=WORD&order=place",
                    "/feeds/things/items?where=name+~+WORD", "/list/things/rows?q=WORD",
                ]
            ),
            ("search: [name]", ["/feeds/things/items?q=WORD", "/feeds/things/items?q=WORD&order=place"]),
        ])
    func almost(extra: String, targets: [String]) async throws {
        let text = String(repeating: "a", count: 4_000_000)
        try await WebPlace.serving(items: [#"{"id":1,"name":"\#(text)"}"#], extra: extra) { place in
            try await place.perform(.sync)
            let word = String(repeating: "a", count: 990) + "b"
            for target in targets {
                let page = try await place.ask(target.replacing("WORD", with: word))
                #expect(page.status == 200, "\(target): \(page.body.prefix(300))")
                #expect(!page.body.contains("aaa") || page.body.utf8.count < 40_000, "\(target)")
                let found = try await place.ask(target.replacing("WORD", with: String(repeating: "a", count: 990)))
                #expect(found.status == 200 && found.body.contains("aaaa"), "\(target)")
            }
        }
    }

    @Test("A list of long texts is a short page, and all of them come by pages of the API")
    func long() async throws {
        let items = (1...30).map { #"{"id":\#($0),"name":"\#(String(repeating: "long \($0) ", count: 150_000))"}"# }
        try await WebPlace.serving(items: items) { place in
            try await place.perform(.sync)
            #expect(try await place.ask("/list/things").body.utf8.count < 200_000)
            #expect(try await place.ask("/list/things/rows?q=long").body.utf8.count < 200_000)
            var (ids, target) = ([String](), "/feeds/things/items?limit=1000")
            for _ in 0..<10 {
                let reply = try await place.ask(target)
                #expect(reply.body.utf8.count < 20_000_000)
                ids += reply.list("id")
                guard let next = reply.next else { break }
                target = next
            }
            #expect(ids.count == 30 && Set(ids).count == 30)
        }
    }

    /// Items of more than a megabyte each, numbered at their beginning.
    private static let largeItems = (1...30).map { number in
        #"{"id":\#(number),"name":"begin \#(number). \#(String(repeating: "long ", count: 220_000))"}"#
    }

    /// Lets a query take as long as it does on a slow machine or under a sanitizer.
    private static let allowWork: @Sendable (inout WebSettings) -> Void = { $0.work = (.seconds(600), .seconds(600)) }

    /// The numbers of the large items in an answer.
    private static func numbers(_ body: String) -> [String] {
        let (bytes, word) = (Data(body.utf8), Data("begin ".utf8))
        var (numbers, rest) = ([String](), bytes[...])
        while let found = rest.range(of: word) {
            rest = rest[found.upperBound...]
            numbers.append(String(decoding: rest.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self))
        }
        return numbers
    }

    @Test("An answer of the API ends at 16 MB with a Link to the rest, whatever its form and its order")
    func ends() async throws {
        try await WebPlace.serving(items: Self.largeItems, change: Self.allowWork) { place in
            try await place.perform(.sync)
            for target in [
                "items?limit=1000&format=csv", "items?limit=1000&format=csv&sort=-id", "items?limit=1000&sort=-id",
                "items?limit=1000&format=ndjson", "changes?limit=1000",
            ] {
                var (found, next) = ([Set<String>](), Optional("/feeds/things/\(target)"))
                while let target = next, found.count < 20 {
                    let reply = try await place.ask(target)
                    #expect(reply.status == 200 && reply.body.utf8.count < 20_000_000, "\(target)")
                    found.append(Set(Self.numbers(reply.body)))
                    next = reply.next
                }
                #expect((2...8).contains(found.count) && found.allSatisfy { !$0.isEmpty }, "\(target)")
                // Each is on one page.
                #expect(found.reduce(0) { $0 + $1.count } == 30 && Set(found.joined()).count == 30, "\(target)")
            }
        }
    }

    @Test("An export of large items has each once and in feed order")
    func export() async throws {
        try await WebPlace.serving(items: Self.largeItems, change: Self.allowWork) { place in
            try await place.perform(.sync)
            for format in ["csv", "ndjson"] {
                let reply = try await place.ask("/feeds/things/export?format=\(format)")
                #expect(Self.numbers(reply.body) == (1...30).map(String.init), "\(format)")
            }
        }
    }
}
