import SQLite
import SeededGenerator
import Testing

@testable import PostgreSQLStore

@Suite("A column's type in PostgreSQL")
struct FieldTypeTests {
    @Test(
        "A column's type holds a value exactly, or as near as it can",
        arguments: [
            (FieldType.text, CopiedValue.text("a"), "a" as String?, true), (.text, .integer(7), "7", false),
            (.text, .text("a\0b"), "a\u{10FFFF}0b", true), (.text, .text("\u{10FFFF}"), "\u{10FFFF}1", true),
            (.text, .blob([1]), nil, false), (.text, .otherText([0xff]), nil, false),
            (.bigint, .integer(.max), "9223372036854775807", true), (.bigint, .text("7"), nil, false),
            (.bigint, .real(7), nil, false), (.bigint, .text("12345678901234567890"), nil, false),
            (.numeric, .integer(-7), "-7", true), (.numeric, .real(7), "7.0", true),
            (.numeric, .text("12345678901234567890"), "12345678901234567890", true),
            (.numeric, .text("7"), nil, false), (.numeric, .text("007"), nil, false),
            (.numeric, .real(1e16), nil, false),
            (.numeric, .real(-0.0), nil, false),
            (.double, .real(0.1), "0.1", true), (.double, .real(-0.0), "-0.0", true),
            (.double, .integer(7), "7", false),
            (.double, .real(.infinity), "inf", true), (.double, .text("7"), nil, false),
            (.boolean, .integer(1), "t", true), (.boolean, .integer(0), "f", true), (.boolean, .integer(2), nil, false),
            (.boolean, .text("true"), nil, false),
            (.timestamp, .text("2026-11-21T02:20:11.123Z"), "2026-11-21 02:20:11.123+00", true),
            (.timestamp, .text("2026-11-21T02:20:11.000Z"), "2026-11-21 02:20:11+00", true),
            (.timestamp, .text("2026-11-21T02:20:11.123456Z"), "2026-11-21 02:20:11.123456+00", true),
            (.timestamp, .text("2026-11-21T02:20:11.123400Z"), "2026-11-21 02:20:11.1234+00", false),
            (.timestamp, .text("2026-11-21T02:20:11.123456789Z"), "2026-11-21 02:20:11.123456+00", false),
            (.timestamp, .text("2026-11-21"), nil, false), (.timestamp, .text("0000-01-01T00:00:00.000Z"), nil, false),
            (.timestamp, .text("soon"), nil, false), (.timestamp, .integer(7), nil, false),
            (.jsonb, .text("[1,\"a\",null]"), "[1,\"a\",null]", true), (.jsonb, .text("[1, 2]"), "[1,2]", false),
            (.jsonb, .text("{\"b\":1,\"aa\":2}"), "{\"b\":1,\"aa\":2}", true),
            (.jsonb, .text("{\"aa\":2,\"b\":1}"), "{\"b\":1,\"aa\":2}", false),
            (.jsonb, .text("{\"a\":1,\"a\":2}"), "{\"a\":2}", false), (.jsonb, .text("1e5"), "1e5", false),
            (.jsonb, .text("-0"), "-0", false), (.jsonb, .text("1e99999"), nil, false),
            (.jsonb, .text("\"\\u0000\""), "\"\u{10FFFF}0\"", false),
            (.jsonb, .text("\"\\ud800\""), "\"\u{FFFD}\"", false),
            (.jsonb, .text("\"\\u007f\""), "\"\u{7F}\"", false), (.jsonb, .text("\"\u{7F}\""), "\"\u{7F}\"", true),
            (.jsonb, .text("no JSON"), nil, false), (.jsonb, .integer(7), "7", false),
            (.json, .text("{ \"b\": 1 }"), "{ \"b\": 1 }", true), (.json, .integer(1), nil, false),
            (.anyAsJSON, .integer(7), "7", true), (.anyAsJSON, .text("007"), "\"007\"", true),
            (.anyAsJSON, .real(1e16), "1e+16", true), (.anyAsJSON, .real(7), "7.0", true),
            (.anyAsJSON, .blob([1]), nil, false),
        ])
    func field(type: FieldType, value: CopiedValue, text: String?, isExact: Bool) {
        #expect(type.field(value) == FieldType.Field(text: text, isExact: isExact))
        if isExact, let text { #expect(type.value(text) == value) }
    }

    @Test("NULL comes back as NULL from a column of any type", arguments: FieldType.allCases)
    func null(type: FieldType) {
        #expect(type.field(.null) == FieldType.Field(text: nil, isExact: true))
    }

    @Test(
        "A column's type reads PostgreSQL's own text",
        arguments: [
            (FieldType.timestamp, "2026-11-21 02:20:11+00", CopiedValue.text("2026-11-21T02:20:11.000Z")),
            (.timestamp, "2026-11-21 02:20:11.5+00", .text("2026-11-21T02:20:11.500Z")),
            (.jsonb, "{\"b\": [1, 2], \"aa\": \"x, y: \\\" z\"}", .text("{\"b\":[1,2],\"aa\":\"x, y: \\\" z\"}")),
            (.double, "Infinity", .real(.infinity)), (.double, "1e+16", .real(1e16)),
        ])
    func read(type: FieldType, field: String, value: CopiedValue) {
        #expect(type.value(field) == value)
    }

    @Test(
        "A field that is bound byte by byte is the value that the type reads from it",
        arguments: [
            (FieldType.text, ["", "a", "Grüße 東京 🚂", "a\u{10FFFF}0b", "t", "7"]), (.json, ["{\"a\": 1}"]),
            (
                .bigint,
                [
                    "0", "7", "-7", "999999999999999999", "-999999999999999999", "9223372036854775807",
                    "-9223372036854775808",
                ]
            ),
            (.boolean, ["t", "f"]), (.numeric, ["7", "0.5"]), (.double, ["0.5", "Infinity"]),
            (
                .timestamp,
                [
                    "2026-11-21 02:20:11+00", "2026-11-21 02:20:11.5+00", "2026-11-21 02:20:11.05+00",
                    "2026-11-21 02:20:11.123+00", "2026-11-21 02:20:11.1234+00", "2026-11-21 02:20:11.123456+00",
                    "0044-03-15 12:00:00+00 BC", "12026-11-21 02:20:11+00", "infinity", "-infinity", "",
                ]
            ),
        ])
    func bind(type: FieldType, fields: [String]) throws {
        let connection = try Connection(path: ":memory:")
        for field in fields {
            let statement = try connection.prepare("SELECT ?")
            let isBound = try Array(field.utf8).withUnsafeBytes { bytes in
                try type.bindOften(bytes, to: statement, at: 1)
            }
            if !isBound { try #require(type.value(field)).bind(to: statement, at: 1) }
            #expect(try statement.step())
            #expect(CopiedValue(statement, at: 0) == type.value(field), "\(field)")
            try statement.reset()
            #expect(try type.bindOften(nil, to: statement, at: 1) && statement.step())
            #expect(CopiedValue(statement, at: 0) == .null)
        }
    }

    @Test(
        "A value that a column cannot hold comes back from `_exact`",
        arguments: [
            CopiedValue.null, .integer(.min), .real(1e16), .real(-0.0), .real(.infinity), .text("a\0\u{10FFFF}"),
            .text(""), .blob([]), .blob([0, 255]), .otherText([0xff, 0]),
        ])
    func exact(value: CopiedValue) {
        #expect(ExactValue.value(ExactValue.json(value)) == value)
    }

    @Test("A name that is too long for PostgreSQL is shortened, in characters and unlike others")
    func names() {
        let long = String(repeating: "é", count: 40)
        let names = [long + "a", long + "b", String(repeating: "x", count: 63)].map {
            CopiedTable.Column(name: $0, type: .text).shortName
        }
        #expect(Set(names).count == 3)
        #expect(names.allSatisfy { $0.utf8.count <= 63 })
        #expect(names[0].hasPrefix("ééé") && names[2].count == 63)
    }
}
