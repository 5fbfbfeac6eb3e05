import ScriptedServer
import Testing

@testable import FeedSync

@Suite("Different items with one key on one page")
struct SameKeyTests {
    private static let columns = "items: items\nkey: id\ncolumns: {id: id, name: name}"
    private static let fine = [#"{"id":"a","name":"A"}"#, #"{"id":"b","name":"B"}"#, #"{"id":"c","name":"C"}"#]
    private static let clash = [#"{"id":"d","name":"D1"}"#, #"{"id":"d","name":"D2"}"#, #"{"id":"d","name":"D3"}"#]

    private func bench(_ items: [String], _ members: String = "sync: {mode: all}") async throws -> EngineBench {
        try await EngineBench(items, members: members, paging: "pagination: {style: page}", columns: Self.columns)
    }

    @Test(
        "Items that take each other's place make the crawl incomplete, and a note names the key, two items and the loss",
        arguments: ["all", "new", "auto"], [true, false])
    func incomplete(mode: String, sendsETag: Bool) async throws {
        let bench = try await bench(Self.fine, "sync: {mode: \(mode)}")
        bench.upstream.sendsETag = sendsETag
        #expect(try await bench.sync().reason == nil)
        bench.upstream.items = Self.clash + Self.fine
        let summary = try await bench.sync()
        #expect(summary.reason == .sameKey)
        let notice = try #require(summary.notices.first)
        for words in ["2 items were lost", "`id`", "`\"d\"`", "D1", "D2"] {
            #expect(notice.contains(words), "\(notice)")
        }
        #expect(try bench.feed("complete, verified") == "0|0")
        // A page that the upstream calls unchanged has the same items.
        #expect(try await bench.sync().reason == .sameKey)
        #expect(try bench.feed("complete, verified") == "0|0")
        bench.upstream.items = Self.fine + [#"{"id":"e","name":"E"}"#]
        if mode == "all" {
            #expect(try await bench.sync().reason == nil)
            #expect(try bench.feed("complete") == "1")
        }
    }

    @Test("Nothing is removed by a crawl in which different items had one key")
    func removesNothing() async throws {
        let bench = try await bench(Self.fine)
        bench.upstream.sendsETag = false
        try await bench.sync()
        bench.upstream.items = Self.clash + Self.fine.dropFirst()
        for _ in 1...3 { try await bench.sync() }
        #expect(try bench.query("SELECT id FROM things WHERE _removed_at IS NOT NULL") == [])
    }

    @Test(
        "Items that are alike, that differ in what is ignored, or that say that they are gone are no contradiction",
        arguments: [
            ("", #"{"id":"d","name":"D"}"#, #"{ "name": "D", "id": "d" }"#),
            ("ignore: [views]", #"{"id":"d","name":"D","views":1}"#, #"{"id":"d","name":"D","views":2}"#),
            ("removed: gone", #"{"id":"d","name":"D"}"#, #"{"id":"d","gone":true}"#),
        ])
    func alike(members: String, first: String, second: String) async throws {
        let bench = try await bench(Self.fine + [first, second], "sync: {mode: all}\n\(members)")
        let summary = try await bench.sync()
        #expect(summary.reason == nil)
        #expect(summary.notices == [])
    }

    @Test("Secrets are masked where a note quotes items with one key")
    func masked() async throws {
        let bench = try await EngineBench(
            [#"{"id":"d","name":"s3cret-token"}"#, #"{"id":"d","name":"s3cret-token!"}"#],
            members: "auth: {bearer: s3cret-token}", paging: "pagination: {style: page}", columns: Self.columns)
        let summary = try await bench.sync()
        #expect(summary.reason == .sameKey)
        #expect(summary.notices.joined().contains("1 item was lost"))
        #expect(!summary.notices.joined().contains("s3cret-token"))
    }
}
