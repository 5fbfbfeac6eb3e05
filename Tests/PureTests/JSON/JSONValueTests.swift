import Testing

@testable import JSON

@Suite("JSON text")
struct JSONValueTests {
    @Test(
        "JSON text is read as in the RFC",
        arguments: [
            ("null", JSONValue.null), (" \t\r\n true ", .bool(true)), ("false", .bool(false)), ("-0", .number("-0")),
            ("12.50e+3", .number("12.50e+3")), ("[]", .array([])), ("{}", .object([:])), ("[ ]", .array([])),
            ("[[],[{}]]", .array([.array([]), .array([.object([:])])])),
            ("[1 , \"a\"]", .array([.number("1"), .string("a")])),
            (#"{"a":{"b":[null]}, "c" : 1}"#, .object(["a": .object(["b": .array([.null])]), "c": .number("1")])),
            (#"{"a":1,"a":2}"#, .object(["a": .number("2")])), (#""""#, .string("")),
            (#""\"\\\/\b\f\n\r\t""#, .string("\"\\/\u{8}\u{C}\n\r\t")), ("\"ü😀\u{7F}\"", .string("ü😀\u{7F}")),
        ])
    func reads(text: String, expected: JSONValue) throws {
        #expect(try JSONValue(parsing: text) == expected)
    }

    @Test("JSON text has a limited number of values", arguments: ["[1,2,3]", #"{"a":[1,{}]}"#])
    func count(text: String) throws {
        var enough = JSONParser(Array(text.utf8), maximumCount: 4)
        #expect(try enough.readAll() == JSONValue(parsing: text))
        var tooFew = JSONParser(Array(text.utf8), maximumCount: 3)
        let error = #expect(throws: JSONSyntaxError.self) { try tooFew.readAll() }
        #expect(error?.isTooLarge == true)
    }

    @Test(
        "JSON text has half a surrogate pair as U+FFFD, and is read on after it",
        arguments: [
            (#"\ud83d\ude00"#, "😀"), (#"\ud83d"#, "\u{FFFD}"), (#"\ude00"#, "\u{FFFD}"), (#"\ud83dx"#, "\u{FFFD}x"),
            (#"\ud83d\n"#, "\u{FFFD}\n"), (#"\ud83d\u0041"#, "\u{FFFD}A"), (#"\ud83d\ud83d\ude00"#, "\u{FFFD}😀"),
            (#"\u0000"#, "\0"), (#"\uFFFF"#, "\u{FFFF}"), (#"\u00e9"#, "é"),
        ])
    func surrogates(escapes: String, expected: String) throws {
        #expect(try JSONValue(parsing: "\"\(escapes)\"") == .string(expected))
    }

    @Test(
        "Invalid JSON text is refused, with the place",
        arguments: [
            ("", 0), ("  ", 2), ("nul", 0), ("nulll", 4), ("True", 0), ("[1,]", 3), ("[,1]", 1), ("[1 2]", 3), ("[", 1),
            ("[1", 2), ("]", 0), ("{\"a\"}", 4), ("{\"a\":}", 5), ("{\"a\":1,}", 7), ("{a:1}", 1), ("{1:1}", 1),
            ("{\"a\":1]", 6), ("[1}", 2), ("01", 1), ("1.", 2), (".5", 0), ("+1", 0), ("-", 1), ("1e", 2), ("1e+", 3),
            ("0x1", 1), ("NaN", 0), ("'a'", 0), ("\"a", 2), ("\"\\x\"", 2), ("\"\\u12g4\"", 5), ("\"\\", 2),
            ("\"a\nb\"", 2), ("\u{FEFF}1", 0), ("1 1", 2), ("// x\n1", 0), ("[\u{A0}1]", 1),
        ])
    func refuses(text: String, offset: Int) {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: text) }
        #expect(error?.offset == offset, "\(error?.message ?? "")")
    }

    @Test(
        "The elements of one array are passed over, whatever they hold",
        arguments: [
            (#"{"a":[1,"]}\"",{"b":[2]},"\\"],"b":[3]}"#, ["a"], #"{"a":[],"b":[3]}"#),
            (#"{"a":{"a":[{"a":[1]}],"b":[]},"c":1}"#, ["a", "a"], #"{"a":{"a":[],"b":[]},"c":1}"#),
            (#"{"a":{"b":1}}"#, ["a"], #"{"a":{"b":1}}"#), ("[1,[2]]", [], "[]"), (#"{"a":[]}"#, ["a"], #"{"a":[]}"#),
        ] as [(String, [String], String)])
    func withoutElements(text: String, names: [String], kept: String) throws {
        #expect(try JSONValue(parsing: Array(text.utf8), withoutElementsAt: names).json == kept)
    }

    @Test(
        "An array that is passed over has to end",
        arguments: [#"{"a":[1"#, #"{"a":["]"#, #"{"a":["\"#, #"{"a":[1]"#])
    func withoutElementsUnended(text: String) {
        #expect(throws: JSONSyntaxError.self) {
            try JSONValue(parsing: Array(text.utf8), withoutElementsAt: ["a"])
        }
    }

    @Test("JSON text may nest 1,024 deep, and no deeper")
    func depth() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[{\"a\":", count: depth / 2) + "1" + String(repeating: "}]", count: depth / 2)
        }
        var value = try JSONValue(parsing: nested(1024))
        var depth = 0
        while true {
            if case .array(let elements) = value { value = elements.first ?? .null }
            guard case .object(let members) = value else { break }
            value = members["a"] ?? .null
            depth += 2
        }
        #expect(depth == 1024)
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: nested(1026)) }
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: String(repeating: "[", count: 1_000_000)) }
    }
}
