import Foundation
import ScriptedServer
import SeededGenerator
import Testing

@testable import FeedSync

@Suite("Values survive the way into the store")
struct SurvivingValuesTests {
    /// Columns that are found, and columns that are written by hand.
    private static let ways = ["", "items: items\nkey: id\ncolumns: {id: id, v: v}"]

    private static let values = [
        #""""#, #"" ""#, #""a\u0000b""#, #""\u0000""#, #""it's \"quoted\" \\ and /slashed\/""#, #""👩‍👩‍👧‍👦 \ud83d\ude00""#,
        #""\u2028\u2029\u0085\ufeff\u202e""#, #""é e\u0301 \u00e9""#, "\"\u{FFFF}\u{10FFFF}\u{1FFFE}\"", #""007""#,
        #""1.10""#,
        #""1e5""#, #""null""#, #""true""#, #""2026-11-21T00:00:00Z""#, #""\b\f\n\r\t""#,
        "9223372036854775807", "-9223372036854775808", "9223372036854775808", "9223372036854775809",
        "-9223372036854775809",
        "18446744073709551616", "123456789012345678901234567890", "1e308", "-1e308", "1e-400", "5e-324", "0", "-0",
        "-0.0",
        "0.1", "0.1000000000000000055", "1.10", "1.0", "1E5", "9007199254740993", "9007199254740993.0",
        "0.30000000000000004",
        "true", "false", "null", "[]", "{}", "[null]", #"[1, "a\u0000", {"b": [true]}]"#,
        #"{"a": {"b": {"c": {"d": [1]}}}}"#,
        #"{"$base64": true, "encoded": "AAECAwQ="}"#, #"{"": 1, "a.b": {"c[0]": 2}, "a_b": {"c[0]": 3}}"#,
        #"{"1": "a", "2": "b"}"#,
    ]

    @Test("Values survive one by one", arguments: ways)
    func oneByOne(columns: String) async throws {
        for value in Self.values {
            let items = [#"{"id":1,"v":\#(value)}"#, #"{"id":2}"#]
            let bench = try await EngineBench(items, columns: columns)
            try await bench.reload()
            let losses = try await MirroredValues(bench).losses(of: items)
            #expect(losses.isEmpty, "\(value)")
        }
    }

    @Test("Values survive in every plane of Unicode", arguments: ways)
    func everyPlane(columns: String) async throws {
        var scalars: [Unicode.Scalar] = []
        for code in UInt32(0)...0x10_FFFF {
            let place = code & 0xFFFF
            guard place < 0x300 || place > 0xFF00 || code % 251 == 0 else { continue }
            if let scalar = Unicode.Scalar(code) { scalars.append(scalar) }
        }
        let items = try stride(from: 0, to: scalars.count, by: 500).map { start in
            let text = String(String.UnicodeScalarView(scalars[start..<min(start + 500, scalars.count)]))
            let json = try String(decoding: JSONEncoder().encode(text), as: UTF8.self)
            return #"{"id":\#(start),"v":\#(json)}"#
        }
        let bench = try await EngineBench(items, columns: columns)
        try await bench.more(.allPages)
        #expect(try await MirroredValues(bench).losses(of: items) == [])
    }

    @Test("Values of a megabyte survive", arguments: ways)
    func long(columns: String) async throws {
        let text = String(repeating: #"\u00e9\"x"#, count: 120_000)
        let items = [#"{"id":1,"v":"\#(text)"}"#, #"{"id":2,"v":[\#(String(repeating: "[1],", count: 200_000))2]}"#]
        let bench = try await EngineBench(items, columns: columns)
        try await bench.reload()
        #expect(try await MirroredValues(bench).losses(of: items) == [])
    }

    @Test("Values survive that are nested as deep as a page may be", arguments: ways)
    func deep(columns: String) async throws {
        let value = String(repeating: "[", count: 1_020) + String(repeating: "]", count: 1_020)
        let bench = try await EngineBench([#"{"id":1,"v":\#(value)}"#], columns: columns)
        try await bench.reload()
        #expect(try bench.query("SELECT v FROM things") == [value])
    }

    @Test(
        "Values survive that Foundation does not read",
        arguments: ways,
        [
            (#""\ud800""#, "\u{FFFD}"), (#""\udc00x""#, "\u{FFFD}x"), (#""\ud800\ud800\udc00""#, "\u{FFFD}\u{10000}"),
            (#""\ud800\u0041""#, "\u{FFFD}A"), ("1e400", "1e400"), ("-1e400", "-1e400"),
        ])
    func unread(columns: String, _ value: (json: String, stored: String)) async throws {
        let bench = try await EngineBench([#"{"id":1,"v":\#(value.json)}"#], columns: columns)
        try await bench.reload()
        #expect(try bench.query("SELECT v, typeof(v) FROM things") == ["\(value.stored)|text"])
    }

    @Test("Values survive mixed on one page and across pages; and met again they are the same", arguments: 0..<15)
    func mixed(_ round: Int) async throws {
        // Seeds that failed once: a negative zero before texts; an empty object among others, on one page and later.
        let known: [UInt64] = [
            5_638_597_002_930_070_739, 10_985_293_982_060_284_204, 11_337_436_889_891_859_049,
            2_590_232_186_984_632_994,
        ]
        let seed = round < known.count ? known[round] : UInt64.random(in: 0...(.max))
        var random = SeededGenerator(seed)
        let items = (1...12).map { id in
            // Digits that no double has are not there any more to be written into a text.
            let value =
                Int.random(in: 0..<8, using: &random) == 0
                ? nil : Self.values.filter { $0 != "9007199254740993.0" }.randomElement(using: &random)
            return #"{"id":\#(id)\#(value.map { #","v":\#($0)"# } ?? "")}"#
        }
        let paging = "pagination: {style: page, size_param: per_page, size: 2, total: total_count}"
        let bench = try await EngineBench(
            items, paging: paging, columns: round % 4 == 3 ? Self.ways[1] : "items: items\nkey: id")
        bench.upstream.sendsETag = false
        try await bench.more(.allPages)
        #expect(try await MirroredValues(bench).losses(of: items) == [], "seed \(seed): \(items)")
        try await bench.reload()
        try await bench.more(.allPages)
        // An object whose members have columns is written whole when it comes again after a scalar in its place.
        if !items.contains(where: { $0.contains(#""v":{""#) }) {
            #expect(
                try bench.query("SELECT sum(inserted), sum(updated) FROM run") == ["12|0"], "seed \(seed): \(items)")
        }
        #expect(try await MirroredValues(bench).losses(of: items) == [], "seed \(seed)")
    }
}
