import Foundation
import JSON
import Testing

@Suite("JSON text")
struct JSONTextTests {
    @Test(
        "JSON text has escapes for forbidden characters, terminal controls and changes of direction",
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

    @Test("A character is escaped in the same way at every place in a text")
    func everywhere() throws {
        func inside(_ json: String) -> Substring { json.dropFirst().dropLast() }
        for value in Array(UInt32(0)...0x17F) + Array(0x2018...0x2070) {
            let scalar = try #require(Unicode.Scalar(value))
            let alone = inside(JSONText.string(String(scalar)))
            // Eight bytes are looked at at a time.
            for (before, after) in [(0, 7), (1, 0), (7, 0), (7, 1), (8, 0), (3, 20), (20, 3), (23, 24)] {
                let (before, after) = (String(repeating: "a", count: before), String(repeating: "~", count: after))
                let text = before + String(scalar) + after
                #expect(inside(JSONText.string(text)) == before + alone + after)
                var bytes: [UInt8] = []
                Array(text.utf8).withUnsafeBytes { JSONText.append(utf8: $0, to: &bytes) }
                #expect(String(decoding: bytes, as: UTF8.self) == JSONText.string(text))
            }
        }
    }

    @Test("JSON text has U+FFFD for bytes that are not UTF-8")
    func broken() {
        var bytes: [UInt8] = []
        let broken: [UInt8] = [0x61, 0xFF, 0x62]
        broken.withUnsafeBytes { JSONText.append(utf8: $0, to: &bytes) }
        #expect(String(decoding: bytes, as: UTF8.self) == "\"a\u{FFFD}b\"")
    }
}
