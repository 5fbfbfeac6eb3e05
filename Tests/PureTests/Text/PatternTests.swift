import Testing

@testable import Patterns

@Suite("Patterns that replace text")
struct PatternTests {
    private func replaced(_ text: String, _ pattern: String, _ replacement: String) throws -> String? {
        let bytes = Array(text.utf8)
        return try bytes.withUnsafeBytes { bytes in
            try Pattern(pattern).replacing(bytes, with: Array(replacement.utf8)).map {
                String(decoding: $0, as: UTF8.self)
            }
        }
    }

    @Test(
        "Every match is replaced, groups go in by their numbers, and a text without a match stays",
        arguments: [
            ("Dr. Ada Lovelace", #"^Dr\. "#, "", "Ada Lovelace"),
            ("Ada Lovelace", "^(\\S+) (.*)$", "$2, $1", "Lovelace, Ada"),
            ("a-b-c", "-", "", "abc"), ("nothing", "x", "y", "nothing"), ("", "^$", "empty", "empty"),
            ("Ünïcödé", "\\W", "_", "Ünïcödé"), ("a.b", "\\.", "$$", "a$b"), ("10 €", "(\\d+)", "${1}0", "100 €"),
            ("x", "(y)?x", "[$1]", "[]"), ("👍🏽 ok", "\\p{So}", "", "🏽 ok"), ("aaa", "a*", "b", "bb"),
        ])
    func replaces(text: String, pattern: String, replacement: String, expected: String) throws {
        #expect(try replaced(text, pattern, replacement) == expected)
    }

    @Test("A pattern that would take for ever, and a text that is too long, are given up")
    func limits() throws {
        let began = ContinuousClock.now
        #expect(try replaced(String(repeating: "a", count: 4000), "^(a+)+[0-9]", "") == nil)
        #expect(try replaced(String(repeating: "a", count: 40) + "!", "^(([a-z])+.)+[A-Z]([a-z])+$", "") == nil)
        #expect(try replaced(String(repeating: "a", count: 4097), "b", "") == nil)
        #expect(try replaced(String(repeating: "a", count: 4096), "b", "") != nil)
        // Each match becomes a thousand times as long.
        #expect(try replaced(String(repeating: "a", count: 4000), "a", String(repeating: "b", count: 900)) == nil)
        #expect(ContinuousClock.now - began < .seconds(20))
    }

    @Test(
        "The fault of a pattern has its place", arguments: [("a(b", 3), ("é[", 2), ("(?<x", 4)])
    func faults(pattern: String, offset: Int) {
        let error = #expect(throws: PatternError.self) { try Pattern(pattern) }
        #expect(error?.offset == offset && error?.problem.isEmpty == false, "\(String(describing: error))")
    }

    @Test(
        "The fault of a replacement is named",
        arguments: [
            ("$1", nil), ("${1}", nil), ("$$", nil), ("$0", nil), ("$2", "no group 2"), ("${2}", "no group 2"),
            ("$", "number"),
            ("${1", "number"), ("$x", "number"),
        ])
    func replacements(text: String, fault: String?) throws {
        let found = try Pattern("(a)").fault(ofReplacement: text)
        #expect((found == nil) == (fault == nil) && found?.contains(fault ?? "") ?? true, "\(found ?? "none")")
    }
}
