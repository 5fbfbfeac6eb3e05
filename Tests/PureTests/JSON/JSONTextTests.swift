import Foundation
import JSON
import Testing

@Suite("JSON text")
struct JSONTextTests {
    @Test(
        "has escapes for what JSON forbids, and for what commands a terminal or turns the direction of writing",
        arguments: [
            ("\0", "\\u0000"), ("\u{1B}", "\\u001b"), ("\u{7F}", "\\u007f"), ("\u{9B}", "\\u009b"),
            ("\u{2028}", "\\u2028"), ("\u{2029}", "\\u2029"), ("\u{202A}", "\\u202a"), ("\u{202E}", "\\u202e"),
            ("\u{2066}", "\\u2066"), ("\u{2069}", "\\u2069"), ("\n", "\\n"), ("\"", "\\\""), ("ä東👩‍💻", "ä東👩‍💻"),
        ])
    func escapes(text: String, escaped: String) throws {
        let json = JSONText.string(text)
        #expect(json == "\"\(escaped)\"")
        #expect(try JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed) as? String == text)
    }
}
