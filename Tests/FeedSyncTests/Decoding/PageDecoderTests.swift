import Foundation
import HTTP
import SQLite
import SeededGenerator
import Testing

@testable import FeedTables

@Suite("Decoding a page")
struct PageDecoderTests {
    private static func decoder(_ members: String = "items: items") throws -> PageDecoder {
        let yaml = """
            url: https://api.example.com/things
            key: id
            columns: {id: id, name: name, owner: owner.login, first: "tags[0]", next: "links[rel=next].href"}
            pagination: {style: page, total: total}
            \(members)
            """
        return PageDecoder(try DecodePlan(try FeedDefinition.parse(name: "things", yaml: yaml)))
    }

    private static func decode(_ json: String, _ members: String = "items: items") throws -> DecodedPage {
        try decoder(members).decode(Body(Array(json.utf8)))
    }

    private func values(_ page: DecodedPage, _ index: Int = 0) -> [JSONScalar?] {
        (0..<page.plan.columns.count).map { JSONScalar(page.element(at: index)[$0]) }
    }

    @Test("A page's keys are written as the numbers that they are")
    func integerKeys() throws {
        for keys in [[], [0], [-1, 9, 10, 99, 100], [.max, .min, 1_000_000_000_000_000_000, -10]] as [[Int64]] {
            let items = keys.map { #"{"id":\#($0)}"# }.joined(separator: ",")
            #expect(
                try Self.decode("{\"items\":[\(items)]}").keys == "[\(keys.map(String.init).joined(separator: ","))]")
        }
        #expect(try Self.decode(#"{"items":[{"id":-0},null,{"id":true},{"id":7}]}"#).keys == "[0,1,7]")
    }

    @Test("Members are found wherever they are, also nested ones, elements and filtered ones")
    func paths() throws {
        let page = try Self.decode(
            #"""
            {"x":{"items":[9]},"items":[{"links":[7,{"rel":"prev","href":"/1"},{"href":"/3","rel":"next"},{"rel":"next","href":"/9"}],
            "owner":{"a":[{"login":0}],"login":"\u00e9\n"},"tags":["a","b"],"name":null,"id":1}],"total":41}
            """#)
        #expect(page.elementCount == 1)
        #expect(values(page) == [.integer(1), .null, .text("é\n"), .text("a"), .text("/3")])
        #expect(page.bodyValues == [.integer(41)])
    }

    @Test("A flag that pagination looks for among the items is read beside them")
    func flagAmongItems() throws {
        let yaml = """
            url: https://api.example.com/things
            items: d.items
            key: id
            columns: {id: id, end: "tags[kind=end].x"}
            pagination: {style: cursor, param: c, next: d.n, more: "d.items[kind=end].x.y", total: "d.items[1].id"}
            """
        let decoder = PageDecoder(try DecodePlan(try FeedDefinition.parse(name: "things", yaml: yaml)))
        let page = try decoder.decode(
            Body(
                Array(
                    #"{"d":{"items":[{"id":1},{"id":2,"kind":"end","x":{"y":"/"}},{"id":3,"kind":"end","x":{"y":9}}],"n":"t"}}"#
                        .utf8)))
        #expect(page.elementCount == 3)
        #expect(values(page, 1) == [.integer(2), nil])
        #expect(page.bodyValues == [.text("t"), .text("/"), .integer(2)])
        #expect(
            try decoder.decode(Body(Array(#"{"d":{"items":[{"id":1,"x":{"y":2}}]}}"#.utf8))).bodyValues
                == [nil, nil, nil])
    }

    @Test("An element that several filters match is read for each, however much of it is escaped")
    func severalFilters() throws {
        let text = String(repeating: #"\n"#, count: 5000)
        let yaml = """
            url: https://api.example.com/things
            items: lists[kind=b].items
            key: id
            columns: {id: id, next: "links[rel=next].href", html: "links[type=html].href", deep: "links[rel=next].in[k=v].x"}
            """
        let decoder = PageDecoder(try DecodePlan(try FeedDefinition.parse(name: "things", yaml: yaml)))
        let link = #"{"rel":"next","type":"html","href":"\#(text)","in":[{"k":"w"},{"k":"v","x":"\#(text)"}]}"#
        let item = #"{"id":1,"links":[{"rel":"x"},\#(link)]}"#
        let json = #"{"lists":[{"kind":"a"},{"kind":"b","items":[\#(item)]},{"kind":"b","items":[]}]}"#
        let page = try decoder.decode(Body(Array(json.utf8)))
        #expect(page.elementCount == 1)
        let unescaped = JSONScalar.text(String(repeating: "\n", count: 5000))
        #expect(values(page) == [.integer(1), unescaped, unescaped, unescaped])
    }

    @Test("An element goes on behind a filter that finds nothing in it, after one that did")
    func filtersThatDiffer() throws {
        let yaml = """
            url: https://api.example.com/things
            key: id
            columns: {id: id, first: "links[0].href", next: "links[rel=next].href", html: "links[type=html].href"}
            pagination: page
            """
        let decoder = PageDecoder(try DecodePlan(try FeedDefinition.parse(name: "things", yaml: yaml)))
        let links = #"[{"rel":"next","href":"/2"},{"type":"html","href":"/h"}]"#
        let page = try decoder.decode(Body(Array(#"[{"links":\#(links),"id":1}]"#.utf8)))
        #expect(values(page) == [.integer(1), .text("/2"), .text("/2"), .text("/h")])
    }

    @Test(
        "A name differs from every other that differs in one letter", arguments: [1, 7, 8, 9, 15, 16, 17, 24, 31, 40])
    func names(_ length: Int) throws {
        let name = String("abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz".prefix(length))
        let others = name.indices.flatMap { place in
            [String(name[..<place]), name.replacingCharacters(in: place...place, with: "_"), name + "a"]
        }
        let decoys = others.map { #""\#($0)":0,"# }.joined()
        let yaml =
            "url: https://api.example.com/things\nkey: id\ncolumns: {id: ID, name: \(name)}\npagination: page"
        let decoder = PageDecoder(try DecodePlan(try FeedDefinition.parse(name: "things", yaml: yaml)))
        for member in [name, #"\u0061"# + name.dropFirst()] {
            let json = #"[{"ID":1,\#(decoys)"\#(member)":2,\#(decoys)"":0}]"#
            #expect(values(try decoder.decode(Body(Array(json.utf8)))) == [.integer(1), .integer(2)])
        }
    }

    @Test("A page of a few bytes an item is not read beyond the memory that a page may take")
    func manyItems() throws {
        let decoder = try Self.decoder()
        let items = [UInt8](repeating: UInt8(ascii: "1"), count: 2_000_000).flatMap { [$0, UInt8(ascii: ",")] }
        let body = Array(#"{"items":["#.utf8) + items + Array("1]}".utf8)
        let error = #expect(throws: FeedSyncError.self) { try decoder.decode(Body(body)) }
        #expect(error?.kind == .undecodable)
        #expect(error?.message.hasPrefix("the page has too many items for 256MiB of memory at byte") == true)
    }

    @Test("A feed's `max_memory` says how much a page may take")
    func maximumMemory() throws {
        let body = Body(Array(("[1" + String(repeating: ",1", count: 1_000_000) + "]").utf8))
        let decode = { (memory: String) throws in
            let yaml = "url: https://api.example.com/things\nkey: id\npagination: page\nmax_memory: \(memory)"
            let decoder = PageDecoder(try DecodePlan(try FeedDefinition.parse(name: "things", yaml: yaml)))
            return try decoder.decode(body).elementCount
        }
        #expect(try decode("64MB") == 1_000_001)
        let error = #expect(throws: FeedSyncError.self) { try decode("16MiB") }
        #expect(error?.kind == .undecodable)
        #expect(error?.message.hasPrefix("the page has too many items for 16MiB of memory at byte") == true)
        #expect(error?.advice?.hasSuffix("or give the feed a larger `max_memory`") == true)
    }

    @Test("The last of two members of one name counts")
    func repeatedMember() throws {
        let page = try Self.decode(#"{"items":[{"id":1}],"items":[{"id":2,"id":3}]}"#)
        #expect(page.elementCount == 1)
        #expect(values(page)[0] == .integer(3))
    }

    @Test(
        "A value keeps what it is",
        arguments: [
            ("9223372036854775807", JSONScalar.integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("0.1", .real(0.1)), ("1e308", .real(1e308)), ("-0.0", .real(-0.0)), ("1E2", .real(100)),
            ("92233720368547758080", .number("92233720368547758080")), ("1e400", .number("1e400")),
            (#""""#, .text("")), (#""a\u0000b""#, .text("a\0b")), (#""\ud83d\ude00""#, .text("😀")),
            (#""\ud83d""#, .text("\u{FFFD}")), (#""\ude00\ud83dx""#, .text("\u{FFFD}\u{FFFD}x")),
            (#""\"\\\/\b\f\n\r\t""#, .text("\"\\/\u{8}\u{c}\n\r\t")), ("true", .boolean(true)),
            ("[1, 2]", .json("[1, 2]")),
            (#""𐀀ü日本""#, .text("𐀀ü日本")),
        ])
    func scalars(_ json: String, _ value: JSONScalar) throws {
        let page = try Self.decode(#"{"items":[{"id":1,"name":\#(json)}]}"#)
        #expect(values(page)[1] == value)
    }

    @Test(
        "A body that is not a page is an error with its place",
        arguments: [
            ("", "is empty"), ("  \n", "is empty"), ("<!DOCTYPE html><html>", "expected JSON, but got HTML"),
            ("{\"items\":[{\"id\":1}", "is cut off"),
            (#"{"items":[{"id":1},{"id":"#, "is cut off"), (#"{"items":[{"name":"abc"#, "is cut off"),
            (#"{"items":[{"id":1}]} x"#, "more follows"), (#"{"items":[]}{"items":[]}"#, "more follows"),
            (#"{"items":[{"id":01}]}"#, "number is malformed"), (#"{"items":[{"id":-}]}"#, "number is malformed"),
            (#"{"items":[{"id":1.}]}"#, "number is malformed"), (#"{"items":[{"id":1e}]}"#, "number is malformed"),
            (#"{"items":[{"id":tru}]}"#, "is broken"), (#"{"items":[{"other":nul1}]}"#, "is broken"),
            (#"{"items":[{"id":1,}]}"#, "is broken"), (#"{"items":[{"id" 1}]}"#, "is broken"),
            (#"{"items":[1 2]}"#, "is broken"),
            (#"{"items":[{"id":1}],}"#, "is broken"), (#"{"items":[,]}"#, "is broken"),
            (#"{"a":"\x","items":[]}"#, "invalid escape"),
            (#"{"a":"\u12g4","items":[]}"#, "invalid escape"), ("{\"a\":\"x\ny\",\"items\":[]}", "control character"),
            (#"{"item":[]}"#, "matches nothing"), (#"{"items":"none"}"#, "is a string"),
            (#"{"items":{"a":1}}"#, "is an object"),
            (#"[1]"#, "matches nothing"), (#"{"items":[]}]"#, "more follows"), ("nul", "is not JSON"),
            ("\"abc", "is cut off"),
        ])
    func faults(_ json: String, _ words: String) throws {
        let error = #expect(throws: FeedSyncError.self) { try Self.decode(json) }
        #expect(error?.kind == .undecodable)
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "") for \(json)")
    }

    @Test("Invalid UTF-8 is named with its byte", arguments: [0, 1, 63, 64, 65, 1000, 5000])
    func invalidUTF8(_ padding: Int) throws {
        var bytes = Array(#"{"items":[],"x":"\#(String(repeating: "é", count: padding))"#.utf8)
        let place = bytes.count
        bytes += [0xff] + Array(#""}"#.utf8)
        let error = #expect(throws: FeedSyncError.self) { try Self.decoder().decode(Body(bytes)) }
        #expect(error?.message == "the body is not UTF-8 at byte \(place) of \(bytes.count)")
    }

    @Test("Nesting is followed to 1,024 and no deeper", arguments: [1000, 1021, 1022, 5000, 200_000])
    func nesting(_ depth: Int) throws {
        let nest = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let json = #"{"items":[{"id":1,"name":\#(nest)}]}"#
        guard depth > 1021 else {
            #expect(values(try Self.decode(json))[1] == .json(nest))
            return
        }
        let error = #expect(throws: FeedSyncError.self) { try Self.decode(json) }
        #expect(error?.message.contains("nested more than 1024 deep") == true)
    }

    @Test("Elements that are not items are distinguished: null is ignored, the rest is skipped")
    func skipped() throws {
        let page = try Self.decode(#"{"items":[null,{"id":1},7,{"name":"x"},{"id":null},{"id":{"a":1}},"text",[]]}"#)
        #expect(page.elementCount == 8)
        let skipped = try page.skipped()
        #expect(skipped.count == 6)
        #expect(skipped.first == "element 2 at byte 24 is a number, not an object")
        #expect(page.keys == "[1]")
    }

    @Test(
        "A page of which nothing can be stored is an error, with the names that the first item has",
        arguments: [
            ("[1,2]", "none of the page's 2 items", "definition"),
            (#"[null,{"name":"x","no":1}]"#, "the page's only item cannot", "the first item has `name`, `no`"),
        ])
    func nothingStorable(_ items: String, _ words: String, _ advice: String) throws {
        let page = try Self.decode(#"{"items":\#(items)}"#)
        let error = #expect(throws: FeedSyncError.self) { try page.skipped() }
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        #expect(error?.advice?.hasSuffix(advice) == true, "\(error?.advice ?? "")")
    }

    @Test(
        "null items are no items; the body itself may be the array",
        arguments: [("items: items", #"{"items":null}"#), ("", " [ ] ")])
    func emptyPages(_ members: String, _ json: String) throws {
        #expect(try Self.decode(json, members).elementCount == 0)
    }

    @Test("A byte order mark is passed over, and places still count from the first byte")
    func byteOrderMark() throws {
        #expect(try Self.decode("\u{FEFF}{\"items\":[{\"id\":1}]}").elementCount == 1)
        let error = #expect(throws: FeedSyncError.self) { try Self.decode("\u{FEFF}{\"items\":[}") }
        #expect(error?.message.contains("at byte 13 of 14") == true, "\(error?.message ?? "")")
    }

    @Test("Every cut of a page is an error, and none a crash")
    func everyCut() throws {
        let json = Array(
            #"{"items":[{"id":1,"name":"a\u00e9\"b","owner":{"login":null},"tags":[true,-1.5e3]}],"total":41}"#.utf8)
        let decoder = try Self.decoder()
        for end in 0..<json.count {
            #expect(throws: FeedSyncError.self, "cut at \(end)") { try decoder.decode(Body(Array(json[..<end]))) }
        }
        #expect(try decoder.decode(Body(json)).elementCount == 1)
    }

    @Test("Random bytes for one byte are either another page or an error, as SQLite sees it too")
    func mutations() throws {
        let seed = UInt64.random(in: 0...(.max))
        var random = SeededGenerator(seed)
        let json = Array(
            #"{"items":[{"id":1,"name":"a\u00e9\"b","owner":{"login":null},"tags":[true,-1.5e3]}],"total":41}"#.utf8)
        let decoder = try Self.decoder()
        let oracle = try Connection(path: ":memory:")
        for _ in 0..<3000 {
            var mutant = json
            mutant[Int.random(in: 0..<json.count, using: &random)] = UInt8.random(in: 1...127, using: &random)
            let isValid = try oracle.scalar("SELECT json_valid(?)", .text(String(decoding: mutant, as: UTF8.self))) == 1
            do {
                _ = try decoder.decode(Body(mutant))
                #expect(isValid, "seed \(seed): \(String(decoding: mutant, as: UTF8.self))")
            } catch {
                let isAboutItems = error.message.hasPrefix("`items: ")
                #expect(
                    isAboutItems || !isValid,
                    "seed \(seed): \(error.message): \(String(decoding: mutant, as: UTF8.self))")
            }
        }
    }

    @Test("A fault in a value has the same message whether the value is wanted or skipped")
    func wantedAndUnwanted() throws {
        let seed = UInt64.random(in: 0...(.max))
        var random = SeededGenerator(seed)
        let json = Array(
            #"{"items" : [{"id":1,"name":"a\u00e9\"b","owner":{"login":[0,{"x":null}]},"tags":[true,-1.5e3 ]}, {"id":-20}]}"#
                .utf8)
        let wanting = try Self.decoder()
        let passing = PageDecoder(
            try DecodePlan(
                try FeedDefinition.parse(
                    name: "things",
                    yaml:
                        "url: https://api.example.com/things\nitems: other\nkey: id\ncolumns: {id: id}\npagination: page"
                )))
        let fault = { (decoder: PageDecoder, body: [UInt8]) -> String? in
            do throws(FeedSyncError) {
                _ = try decoder.decode(Body(body))
                return nil
            } catch {
                // The items are looked for in sound JSON alone.
                return error.message.hasPrefix("`items: ") ? nil : error.message
            }
        }
        for _ in 0..<3000 {
            var mutant = json
            let place = Int.random(in: 0..<json.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: mutant[place] = UInt8.random(in: 1...127, using: &random)
            case 1: mutant.remove(at: place)
            default: mutant.insert(try #require(#"\"{}[],:01-.eutn "#.utf8.randomElement(using: &random)), at: place)
            }
            #expect(
                fault(wanting, mutant) == fault(passing, mutant),
                "seed \(seed): \(String(decoding: mutant, as: UTF8.self))")
        }
    }
}
