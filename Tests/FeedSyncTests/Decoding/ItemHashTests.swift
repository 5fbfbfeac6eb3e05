import Concurrency
import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync

@Suite("A key that is the content's hash")
struct ItemHashTests {
    private func bench(_ items: [String], _ members: String = "") async throws -> EngineBench {
        try await EngineBench(
            items, members: members, paging: "pagination: {style: page}", columns: "items: items\nkey: $hash")
    }

    @Test("A key that is the content's hash keeps every item, even equal ones")
    func all() async throws {
        let bench = try await bench([#"{"v":1}"#, #"{"v":1}"#, #"{"v":2}"#])
        try await bench.reload()
        #expect(try bench.query("SELECT v FROM things ORDER BY _position") == ["1", "1", "2"])
        #expect(try bench.query("SELECT count(*) FROM things WHERE length(hash) = 32") == ["3"])
        try await bench.reload()
        #expect(try bench.feed("item_count") == "3")
    }

    @Test("The hash depends on an item's content, not on its notation; it is the same on every machine")
    func canonical() async throws {
        let bench = try await bench([#"{"v":1,"w":"ä"}"#])
        bench.upstream.sendsETag = false
        try await bench.reload()
        let hash = try bench.query("SELECT hash FROM things")
        #expect(hash == ["31e36835a2635942748ed338d3bd6f6c"])
        bench.upstream.items = [#"{ "w" : "\u00e4", "v":1 }"#]
        try await bench.reload()
        #expect(try bench.query("SELECT hash FROM things") == hash)
        bench.upstream.items = [#"{"v":2,"w":"ä"}"#]
        try await bench.reload()
        #expect(try bench.query("SELECT count(*) FROM things") == ["2"])
    }

    @Test("The hash gives way to a column of its name, and leaves out ignored members")
    func collision() async throws {
        let bench = try await EngineBench(
            [#"{"hash":"x","views":1}"#], members: "ignore: [views]", paging: "pagination: {style: page}",
            columns: "items: items\nkey: $hash\ncolumns: {hash: hash, views: views}")
        bench.upstream.sendsETag = false
        try await bench.reload()
        bench.upstream.items = [#"{"hash":"x","views":2}"#]
        try await bench.reload()
        #expect(try bench.query("SELECT hash, length(hash_2) FROM things") == ["x|32"])
    }

    @Test("The hash is the key if nothing else identifies items, and loses none")
    func found() async throws {
        let bench = try await EngineBench([#"{"v":1}"#, #"{"v":1}"#, #"{"v":2}"#], paging: "", columns: "")
        try await bench.reload()
        #expect(try bench.query("SELECT v FROM things ORDER BY _position") == ["1", "1", "2"])
    }

    @Test(
        "The place of an element in a list of values is no part of its key",
        arguments: [
            (#"["a","b","c"]"#, #"["d","a","b","c"]"#, "value", ["d", "a", "b", "c"]),
            (#"["a","b","b","c"]"#, #"["d","a","b","b","c"]"#, "hash", ["d", "a", "b", "b", "c"]),
            ("[1.5,2.5]", "[3.5,1.5,2.5]", "hash", ["3.5", "1.5", "2.5"]),
        ])
    func places(before: String, after: String, key: String, values: [String]) async throws {
        let bench = try await EngineBench(paging: "", columns: "")
        let list = Lock(before)
        bench.server.route("/things") { _ in .json(list.withLock { $0 }) }
        try await bench.sync()
        #expect(try await bench.store.findings(of: "things")?.key == [key])
        list.withLock { $0 = after }
        try await bench.sync()
        #expect(try bench.query("SELECT value FROM things ORDER BY _generation DESC, _position") == values)
        #expect(try bench.feed("item_count, complete") == "\(values.count)|1")
    }

    @Test("The hash is written `$hash`, and a member of that name in quotes")
    func path() throws {
        #expect(try Path("$hash") == .itemHash)
        #expect(Path.itemHash.description == "$hash")
        #expect(try Path(#""$hash""#) == Path([.member("$hash")]))
        #expect(Path([.member("$hash")]).description == #""$hash""#)
    }
}
