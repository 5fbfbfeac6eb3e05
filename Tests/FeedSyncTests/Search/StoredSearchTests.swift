import Foundation
import HTTPServer
import ScriptedServer
import SeededGenerator
import Testing

@testable import FeedSync
@testable import MirrorReader
@testable import SQLite
@testable import StoreFile

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

    private func load(_ items: String, _ bench: EngineBench, _ mirror: FeedMirror) async throws {
        bench.server.route("/found") { _ in .json(#"{"items":[\#(items)]}"#) }
        try await mirror.feed(definition(bench)).perform(.reload)
    }

    private static let three = #"{"id":1,"name":"Swift"},{"id":2,"name":"Rust"},{"id":3,"name":"Swim"}"#

    @Test("An empty text is the whole list, in feed order; a text filters it; clearing the text brings the list back")
    func typed() async throws {
        let bench = try await EngineBench()
        let mirror = FeedMirror(bench.store, options: EngineBench.options)
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
        let mirror = FeedMirror(bench.store, options: EngineBench.options)
        let names = [5: "Swift", 990: "Swift", 7: "Rare swift", 8: "Swiftly rare"]
        let items = (1...1_000).map { #"{"id":\#($0),"name":"\#(names[$0] ?? "A swift thing")"}"# }
        try await load(items.joined(separator: ","), bench, mirror)
        func keys(_ text: String) async throws -> [String] {
            try await mirror.search(text, in: ["things"], limit: 3).map(\.key)
        }
        #expect(try await keys("swift") == ["990", "801", "802"])
        #expect(try await keys("swi") == ["990", "801", "802"])
        #expect(try await keys("swift thin") == ["800", "801", "802"])
        // Rows with a rare word are ranked among all.
        #expect(try await keys("rare swift") == ["7", "8"])
    }

    @Test("Characters with a meaning in SQLite's languages can be typed, even before an accent")
    func marks() async throws {
        let bench = try await EngineBench()
        let mirror = FeedMirror(bench.store, options: EngineBench.options)
        try await load(#"{"id":1,"name":"x\"\u0301y"},{"id":2,"name":"x%\u0301y"},{"id":3,"name":"xy"}"#, bench, mirror)
        // The index knows words, whatever stands between them.
        #expect(try await mirror.search("x\"\u{301}y").map(\.key) == ["1", "2"])
        #expect(try await mirror.search("%\u{301}y").map(\.key) == ["1", "2"])
        #expect(try await mirror.search("xy").map(\.key) == ["3"])
    }

    @Test("Results come again when the store changes, and end with the mirror")
    func follows() async throws {
        let bench = try await EngineBench()
        let mirror = FeedMirror(bench.store, options: EngineBench.options)
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
        let mirror = FeedMirror(bench.store, options: EngineBench.options)
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

    @Test("A search finds the same when the words of the index are known as when all rows are looked through")
    func vocabulary() async throws {
        let bench = try await EngineBench()
        let mirror = FeedMirror(bench.store, options: EngineBench.options)
        let seed = UInt64.random(in: 0...(.max))
        var random = SeededGenerator(seed)
        let parts = [
            "Rx", "swift", "é", "caf", "ÀB", "\u{212A}", "İ", "日本", "語", "-", "+", ".", " ", " ", "7", "42", "_", "%",
            "ß",
        ]
        let names = (0..<400).map { _ in
            (0..<Int.random(in: 1...6, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
        }
        let items = names.enumerated().map { #"{"id":\#($0.offset),"name":"\#($0.element)"}"# }
        try await load(items.joined(separator: ","), bench, mirror)

        let options = Store.Options(access: .readOnly)
        let known = FeedMirror(try await Store(path: bench.store.path, options: options), options: EngineBench.options)
        var usesOfWords = 0
        for _ in 0..<80 {
            let name = names.randomElement(using: &random) ?? ""
            let start = name.index(name.startIndex, offsetBy: Int.random(in: 0..<name.count, using: &random))
            let text = String(name[start...].prefix(Int.random(in: 1...8, using: &random)))
            let fresh = FeedMirror(
                try await Store(path: bench.store.path, options: options), options: EngineBench.options)
            let scanned = try await fresh.search(text, limit: 1_000).map(\.key)
            #expect(try await known.search(text, limit: 1_000).map(\.key) == scanned, "seed \(seed): \(text)")
            if try await known.store.knowsWords(of: "things") { usesOfWords += 1 }
            await fresh.close()
        }
        #expect(usesOfWords > 40)
        // One of the names that come now was not known to the index before.
        try await load(#"{"id":9999,"name":"unheardof"},"# + items.joined(separator: ","), bench, mirror)
        for _ in 0..<3 { #expect(try await known.search("heardo").map(\.key) == ["9999"]) }
    }

    @Test("Connections that share the words find the same as one that looks through all rows, also while rows change")
    func sharedVocabulary() async throws {
        let bench = try await EngineBench()
        let mirror = FeedMirror(bench.store, options: EngineBench.options)
        let seed = UInt64.random(in: 0...(.max))
        var random = SeededGenerator(seed)
        let options = Store.Options(access: .readOnly)
        let shared = SharedVocabularies(reader: try await Store(path: bench.store.path, options: options))
        var searches: [FeedMirror] = []
        for _ in 0..<3 {
            let store = try await Store(path: bench.store.path, options: options)
            _ = try await store.share(shared)
            searches.append(FeedMirror(store, options: EngineBench.options))
        }
        var usesOfWords = 0
        for round in 0..<12 {
            let names = (0..<60).map { _ in "item\(Int.random(in: 0..<500, using: &random))of\(round)" }
            let items = names.enumerated().map { #"{"id":\#($0.offset),"name":"\#($0.element)"}"# }
            try await load(items.joined(separator: ","), bench, mirror)
            for _ in 0..<30 {
                let text =
                    "\(Int.random(in: 0..<500, using: &random))of\(round - Int.random(in: 0...1, using: &random))"
                let found = try await searches.randomElement(using: &random)?.search(text, limit: 100).map(\.key) ?? []
                let expected = names.indices.filter { names[$0].contains(text) }.map(String.init)
                #expect(Set(found) == Set(expected), "seed \(seed), round \(round): \(text)")
            }
            // The words are read while searches go on.
            for search in searches where round % 3 == 0 {
                while try await !search.store.knowsWords(of: "things") {
                    _ = try await search.search("7of\(round)", limit: 100)
                    try await Task.sleep(for: .milliseconds(1))
                }
                usesOfWords += 1
                let found = try await search.search("tem\(names[0].dropFirst(4))", limit: 100).map(\.key)
                #expect(found.contains("0"), "seed \(seed), round \(round)")
            }
        }
        #expect(usesOfWords == 12)
    }

    @Test("A word with any letter in it is found by a part of it")
    func foldedWords() throws {
        let seed = UInt64.random(in: 0...(.max))
        var random = SeededGenerator(seed)
        let connection = try Connection(path: ":memory:")
        try connection.execute(#"CREATE VIRTUAL TABLE t USING fts5(name, tokenize="unicode61 remove_diacritics 2")"#)
        var scalars = (0x80...0x24FF).compactMap { Unicode.Scalar(UInt32($0)) }
        scalars += (0..<2_000).compactMap { _ in Unicode.Scalar(UInt32.random(in: 0x2500...0x2FFFF, using: &random)) }
        try connection.transaction(.immediate) {
            for (row, scalar) in scalars.enumerated() {
                try connection.run(
                    "INSERT INTO t (rowid, name) VALUES (?, ?)", Value(row), .text("A\(row)Q\(scalar)z\(row)q"))
            }
        }
        let words = try #require(try Vocabulary(of: "t", on: connection))
        for row in (0..<scalars.count).shuffled(using: &random).prefix(40) {
            let part = try #require(Vocabulary.part(of: "A\(row)Q"))
            let found = try #require(words.words(with: part, most: 9))
            let query = found.map { #""\#($0)""# }.joined(separator: " OR ")
            var rows: [Int64] = []
            try connection.rows("SELECT rowid FROM t WHERE t MATCH ?", [.text(query)]) { rows.append($0.int64(at: 0)) }
            #expect(rows.contains(Int64(row)), "seed \(seed): U+\(String(scalars[row].value, radix: 16))")
        }
    }

    @Test(
        "The part of a word to look for is its longest run of ASCII's letters and digits, in small letters",
        arguments: [("Swift", "swift"), ("foo-barb", "barb"), ("c++", "c"), ("naïve", "na"), ("a\u{301}bc", "bc")])
    func part(of word: String, part: String) {
        #expect(Vocabulary.part(of: word).map { String(decoding: $0, as: UTF8.self) } == part)
        #expect(Vocabulary.part(of: "日本-é") == nil)
    }

    @Test("Words with a part are found wherever they are and however long they are, unless there are too many")
    func words() throws {
        let many = (0..<1_000).map { "w\($0 * 7)x" } + [String(repeating: "long", count: 900), "last"]
        let words = try #require(Vocabulary(many.map { Array($0.utf8) }))
        func found(_ part: String, most: Int = 64) -> [String]? { words.words(with: Array(part.utf8), most: most) }
        #expect(found("w693x") == ["w693x"])
        #expect(found("93") == many.filter { $0.contains("93") })
        #expect(found("93", most: 3) == nil)
        #expect(found("glon") == [String(repeating: "long", count: 900)])
        #expect(found("ast") == ["last"])
        #expect(found("tw") == [])
        #expect(found(String(repeating: "x", count: 5_000)) == [])
        let seed = UInt64.random(in: 0...(.max))
        var random = SeededGenerator(seed)
        let numbers = (0..<20_000).map { "\(1_000_000 + $0)" } + ["abc", "abcd", "z"]
        let ofNumbers = try #require(Vocabulary(numbers.map { Array($0.utf8) }))
        for _ in 0..<300 {
            let word = numbers.randomElement(using: &random) ?? ""
            let part = word.dropFirst(Int.random(in: 0..<word.count, using: &random)).prefix(
                Int.random(in: 1...7, using: &random))
            let all = numbers.filter { $0.contains(part) }
            let most = Int.random(in: 1...200, using: &random)
            #expect(
                ofNumbers.words(with: Array(part.utf8), most: most) == (all.count > most ? nil : all),
                "seed \(seed): \(part)")
        }
        #expect(ofNumbers.words(with: Array("10000001".utf8), most: 64) == [])
        #expect(Vocabulary([[UInt8](repeating: 97, count: 32_768)]) == nil)
        #expect(Vocabulary([]).map { $0.words(with: [97], most: 1) } == [])
    }
}

extension Store {
    /// True if the known words match the feed's present index.
    fileprivate func knowsWords(of feed: String) throws -> Bool {
        let began = ContinuousClock.now
        return try connection.transaction(.deferred) {
            try indexedFeeds.feed(feed, since: began, on: connection)?.vocabulary(on: connection) != nil
        }
    }
}
