import Concurrency
import SQLite
import SeededGenerator
import Testing

@Suite struct TextFunctionTests {
    private let connection: Connection

    init() throws { connection = try Connection(path: ":memory:") }

    private func has(_ text: Value, _ word: Value) throws -> Value? {
        try connection.scalar("SELECT _has_text(?, ?)", text, word)
    }

    @Test(
        "A word is found anywhere in a text, whatever the case of ASCII letters, and nothing in it is a pattern",
        arguments: [
            ("The Otter", "otter", true), ("The Otter", "OTT", true), ("otter", "otters", false), ("", "a", false),
            ("", "", true), ("abc", "", true), ("50% off", "0%", true), ("500 off", "0%", false), ("a_b", "A_B", true),
            ("axb", "a_b", false), ("Ärger", "ärger", false), ("Ärger", "ÄRGER", true), ("[ab]", "{AB}", false),
        ])
    func finds(text: String, word: String, isFound: Bool) throws {
        #expect(try has(.text(text), .text(word)) == .integer(isFound ? 1 : 0))
    }

    @Test("A number is looked into as its text, and NULL has and is nothing")
    func otherValues() throws {
        #expect(try has(.integer(12_345), .text("234")) == .integer(1))
        #expect(try has(.real(0.5), .text("0.5")) == .integer(1))
        #expect(try has(.null, .text("a")) == .null)
        #expect(try has(.text("a"), .null) == .null)
    }

    @Test("The function says the same as LIKE, also where a word lies across two parts of a long text")
    func sameAsLike() throws {
        var generator = SeededGenerator(7)
        for size in [10, 1_000, 65_535, 65_536, 65_537, 65_600, 131_072, 200_000] {
            let letters = (0..<size).map { _ in UInt8.random(in: 97...98, using: &generator) }
            let text = String(decoding: letters, as: UTF8.self)
            let ends = [0, size / 2, 65_530, 65_536, 131_070, size - 18].map { max(0, min($0, size - 18)) }
            var words = ends.map { String(text.dropFirst($0).prefix(18)).uppercased() }
            words += words.map { $0 + "A" } + [text, text + "a"]
            for word in words {
                // A pattern has at most 50,000 bytes: https://sqlite.org/limits.html
                guard word.utf8.count < 40_000 else { continue }
                let wanted = try connection.scalar("SELECT ? LIKE '%' || ? || '%'", .text(text), .text(word))
                #expect(try has(.text(text), .text(word)) == wanted)
            }
            #expect(try has(.text(text), .text(text)) == .integer(1))
            #expect(try has(.text(text), .text(text + "a")) == .integer(0))
        }
    }

    @Test("The work grows with the sum of the lengths, not with their product")
    func linear() throws {
        // With LIKE, this takes 16 thousand million steps.
        let text = Value.text(String(repeating: "a", count: 16_000_000))
        let word = Value.text(String(repeating: "a", count: 999) + "b")
        let limit = WorkLimit(.seconds(20))
        let found = try WorkLimit.$current.withValue(limit) { try has(text, word) }
        #expect(found == .integer(0))
        #expect(!limit.isExceeded)
    }

    @Test("A limit of work ends it within one text")
    func limit() throws {
        let text = Value.text(String(repeating: "a", count: 1_000_000))
        WorkLimit.$current.withValue(WorkLimit(.zero)) {
            do {
                let found = try has(text, .text("b"))
                Issue.record("it was not ended: \(String(describing: found))")
            } catch {
                #expect((error as? SQLiteError)?.isInterrupted == true)
            }
        }
        #expect(try has(text, .text("b")) == .integer(0))
    }
}
