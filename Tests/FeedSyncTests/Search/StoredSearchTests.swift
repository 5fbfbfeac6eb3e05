import Foundation
import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync
@testable import MirrorStore

@Suite("Search of what is stored, as somebody types", .timeLimit(.minutes(2)))
struct StoredSearchTests {
    private func definition(_ bench: EngineBench) throws -> FeedDefinition {
        try FeedDefinition(
            "things",
            [
                "url": "\(bench.server.url)/found", "items": "items", "key": "id", "pagination": "none", "retries": 0,
                "columns": ["id": "id", "name": "name"], "search": ["name"],
            ])
    }

    private func load(_ items: String, _ bench: EngineBench, _ mirror: Mirror) async throws {
        bench.server.route("/found") { _ in .json(#"{"items":[\#(items)]}"#) }
        try await mirror.feed(definition(bench)).perform(.reload)
    }

    private static let three = #"{"id":1,"name":"Swift"},{"id":2,"name":"Rust"},{"id":3,"name":"Swim"}"#

    @Test("An empty text is the whole list, in feed order; a text filters it; clearing the text brings the list back")
    func typed() async throws {
        let bench = try await EngineBench()
        let mirror = Mirror(bench.store, options: EngineBench.options)
        try await load(Self.three, bench, mirror)
        let search = StoredSearch(in: mirror)
        var results = search.results.makeAsyncIterator()
        func keys(_ text: String) async throws -> [String] {
            search.send(text)
            while let found = await results.next(isolation: nil) {
                #expect(found.error == nil)
                if found.text == text { return found.hits.map(\.key) }
            }
            return []
        }
        #expect(try await keys("") == ["1", "2", "3"])
        #expect(try await keys("swi") == ["1", "3"])
        #expect(try await keys("swift") == ["1"])
        #expect(try await keys("") == ["1", "2", "3"])
    }

    @Test("Of words that hundreds of titles have, the newest are given, the shortest titles first")
    func common() async throws {
        let bench = try await EngineBench()
        let mirror = Mirror(bench.store, options: EngineBench.options)
        let names = [5: "Swift", 990: "Swift", 7: "Rare swift", 8: "Swiftly rare"]
        let items = (1...1_000).map { #"{"id":\#($0),"name":"\#(names[$0] ?? "A swift thing")"}"# }
        try await load(items.joined(separator: ","), bench, mirror)
        func keys(_ text: String) async throws -> [String] {
            try await mirror.search(text, in: ["things"], limit: 3).map(\.key)
        }
        #expect(try await keys("swift") == ["990", "801", "802"])
        #expect(try await keys("swi") == ["990", "801", "802"])
        #expect(try await keys("swift thin") == ["800", "801", "802"])
        // What few have is ranked among all.
        #expect(try await keys("rare swift") == ["7", "8"])
    }

    @Test("Results come again when the store changes, and end with the mirror")
    func follows() async throws {
        let bench = try await EngineBench()
        let mirror = Mirror(bench.store, options: EngineBench.options)
        try await load(Self.three, bench, mirror)
        let search = StoredSearch(in: mirror, feeds: ["things"])
        search.send("swi")
        var results = search.results.makeAsyncIterator()
        while let found = await results.next(isolation: nil), found.text != "swi" {}
        try await load(#"{"id":4,"name":"Switch"},"# + Self.three, bench, mirror)
        let found = await results.next(isolation: nil)
        #expect(found?.hits.map(\.key).sorted() == ["1", "3", "4"])
        #expect(found?.hits.first?.title.pieces.first?.isMatch == true)
        await mirror.close()
        while await results.next(isolation: nil) != nil {}
    }

    @Test("The best come first, and no more than are wanted")
    func ranked() async throws {
        let bench = try await EngineBench()
        let mirror = Mirror(bench.store, options: EngineBench.options)
        let items = (1...300).map { id in
            let name = id == 250 ? "needle" : "a needle in hay number \(id)"
            return #"{"id":\#(id),"name":"\#(name)"}"#
        }
        try await load(items.joined(separator: ","), bench, mirror)
        #expect(try await mirror.search("needle", limit: 3).map(\.key).first == "250")
        #expect(try await mirror.search("needle", limit: 3).count == 3)
        #expect(try await mirror.search("needle", limit: nil).count == 300)
        #expect(try await mirror.search("", limit: 7).map(\.key) == (1...7).map(String.init))
        #expect(try await mirror.search("needle", in: ["other"]).isEmpty)
        #expect(try await mirror.search("needle", limit: -1).isEmpty)
    }
}
