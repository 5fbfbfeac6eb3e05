import ScriptedServer
import Testing

@testable import FeedSync

@Suite("Texts in columns with a type")
struct TypedTextTests {
    @Test(
        "A text that is exactly a value of the type becomes one, and any other text stays as it came",
        arguments: [
            ("integer", "3", "3|integer"), ("integer", "-12", "-12|integer"), ("integer", "007", "007|text"),
            ("integer", "+3", "+3|text"), ("integer", "3.0", "3.0|text"), ("integer", " 3", " 3|text"),
            ("integer", "9223372036854775807", "9223372036854775807|integer"),
            ("integer", "9223372036854775808", "9223372036854775808|text"),
            ("real", "10.50", "10.5|real"), ("real", "3", "3.0|real"), ("real", "1.05e1", "10.5|real"),
            ("real", "0.25", "0.25|real"), ("real", "-0.0", "0.0|real"),
            ("real", "0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827|text"),
            ("real", "9007199254740993", "9007199254740993|text"), ("real", "1e999", "1e999|text"),
            ("real", "1,5", "1,5|text"), ("real", "10 EUR", "10 EUR|text"), ("real", "nan", "nan|text"),
            ("boolean", "true", "1|integer"), ("boolean", "false", "0|integer"), ("boolean", "yes", "yes|text"),
            ("timestamp", "1700000000", "2023-11-14T22:13:20.000Z|text"),
            ("timestamp", "1700000000123", "2023-11-14T22:13:20.123Z|text"),
            ("timestamp", "2026", "2026|text"), ("timestamp", "20260101", "20260101|text"),
            ("text", "3", "3|text"),
        ])
    func converts(type: String, text: String, stored: String) async throws {
        let bench = try await EngineBench(
            [#"{"id":1,"v":"\#(text)"}"#], paging: "pagination: none",
            columns: "items: items\nkey: id\ncolumns: {id: id, v: {path: v, type: \(type)}}")
        bench.upstream.sendsETag = false
        let summary = try await bench.sync()
        #expect(try bench.query("SELECT v, typeof(v) FROM things") == [stored])
        let fits = type == "text" || type == "timestamp" && stored.hasSuffix("Z|text") || !stored.hasSuffix("text")
        let notice = "not of their column's type, and stored as they came: 1 value of `v` (\(type))"
        #expect(summary.notices == (fits ? [] : [notice]))
        // The stored values equal those that come.
        #expect(try await bench.sync().outcome == .unchanged)
    }

    @Test("The notice about values that do not fit counts the values that were written, each once")
    func countsWritten() async throws {
        let other = [#"{"id":2,"v":"two"}"#, #"{"id":3,"v":"three"}"#]
        let bench = try await EngineBench(
            other, paging: "pagination: none",
            columns: "items: items\nkey: id\ncolumns: {id: id, v: {path: v, type: integer}}")
        bench.upstream.sendsETag = false
        let notice = "not of their column's type, and stored as they came: "
        #expect(try await bench.sync().notices == [notice + "2 values of `v` (integer)"])
        // Each item with a row follows a new one.
        bench.upstream.items = [#"{"id":5,"v":5}"#, other[0], #"{"id":4,"v":4}"#, #"{"id":3,"v":"drei"}"#]
        #expect(try await bench.sync().notices == [notice + "1 value of `v` (integer)"])
    }
}
