import PostgreSQL
import SeededGenerator
import Testing

@Suite("The traits of a text")
struct TextTraitsTests {
    @Test("The traits are found anywhere in a text of any length", arguments: UInt64(1)...20)
    func found(seed: UInt64) {
        var random = SeededGenerator(seed)
        for length in 0..<40 {
            var text = (0..<length).map { _ in UInt8.random(in: 1..<0xf4, using: &random) }
            text = text.map { "\"'\\".utf8.contains($0) || seed.isMultiple(of: 2) && $0 > 127 ? 64 : $0 }
            if length > 0, Bool.random(using: &random) {
                let special: [UInt8] = [0, 1, 0x21, 0x22, 0x23, 0x27, 0x5c, 0x7f, 0x80, 0xf3, 0xf4, 0xff]
                text[Int.random(in: 0..<length, using: &random)] = special.randomElement(using: &random) ?? 0
            }
            let traits = text.withUnsafeBytes { TextTraits($0) }
            #expect(traits.isPlain == !text.contains { "\"'\\".utf8.contains($0) }, "\(text)")
            #expect(traits.isASCII == text.allSatisfy { $0 < 0x80 }, "\(text)")
            #expect(traits.hasExtremes == text.contains { $0 == 0 || $0 >= 0xf4 }, "\(text)")
        }
    }
}
