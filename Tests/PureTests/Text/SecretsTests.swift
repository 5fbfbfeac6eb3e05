import SeededGenerator
import Testing

@testable import Text

@Suite("Secrets") struct SecretsTests {
    @Test(
        "are masked however they are written",
        arguments: [
            ("hunter2", "a hunter2 b", "a *** b"),
            ("hunter2", "hunter2hunter2", "******"),
            ("a/b c+d", "x=a%2Fb%20c%2Bd&y", "x=***&y"),
            ("a/b c+d", "x=a%2fb+c%2bd", "x=***"),
            ("a/b c+d", "x=a/b%20c%2Bd", "x=***"),
            ("a/b c+d", "x=a/b%20c+d", "x=***"),
            ("a/b c+d", "x=a%2Bb c+d", "x=a%2Bb c+d"),
            ("say \"hi\"", #"{"m":"say \"hi\""}"#, #"{"m":"***"}"#),
            ("a/bcd", #"a\/bcd"#, "***"),
            ("a/bcd", #"a\u002fbcd"#, "***"),
            ("tökén", "t%C3%B6k%C3%A9n tökén", "*** ***"),
            ("hunter2", "hunter3", "hunter3"),
            ("100%sure", "100%sure 100%25sure", "*** ***"),
            ("hunter2", "%", "%"),
            ("ab", "ab cab ab1 (ab) ?k=ab&", "*** cab ab1 (***) ?k=***&"),
            ("", "text", "text"),
        ])
    func masked(secret: String, text: String, expected: String) {
        let secrets = Secrets([secret])
        #expect(secrets.mask(text) == expected)
        #expect(secrets.occur(in: text) == (text != expected))
    }

    @Test("that contain one another leave nothing behind")
    func nested() {
        #expect(Secrets(["abcd", "abcdefgh"]).mask("abcdefgh abcd") == "*** ***")
    }

    @Test(
        "that overlap leave nothing behind",
        arguments: [("abcab", "xabcabcaby"), ("abcabcab", "xabcabcaby"), ("abcab", "xabcababcaby")])
    func overlapping(secret: String, text: String) {
        let masked = Secrets([secret, "cabca"]).mask(text)
        #expect(masked.hasPrefix("x***") && masked.hasSuffix("***y") && !masked.contains("ab"))
    }

    @Test("that reach into a part of a text or out of it are masked as in the whole", arguments: 0...9)
    func part(start: Int) {
        let text = Array("..hunter2..a%2fb%20c%2Bd..".utf8)
        let secrets = Secrets(["hunter2", "a/b c+d"])
        let part = secrets.mask(text, in: start..<(start + 8))
        #expect(secrets.mask(String(decoding: text, as: UTF8.self)).contains(part))
        #expect(part.contains("***") || start == 9)
    }

    @Test(
        "are concealed by placeholders that give them back",
        arguments: [
            ("/n?t=hunter2", "/n?t=${secret:1}"), ("/n?t=a%2Fb%20c", "/n?t=${secret:2:percent}"),
            ("/n?t=a/b c", "/n?t=${secret:2}"), ("48", "48"), ("/n?t=${secret:1}", "/n?t=${secret:0}1}"),
        ])
    func concealed(text: String, stored: String) {
        let secrets = Secrets(["hunter2", "a/b c", "48"])
        #expect(secrets.conceal(text) == stored)
        #expect(secrets.reveal(stored) == text)
    }

    @Test("written in an unusual way come back as a URL that means the same")
    func unusual() {
        let secrets = Secrets(["a/b c"])
        #expect(secrets.reveal(secrets.conceal("t=a%2fb+c")) == "t=a%2Fb%20c")
    }

    @Test("come back from any text", arguments: [UInt64(1), 2, 3, 4, 5, 6, 7, 8])
    func roundTrip(seed: UInt64) {
        var generator = SeededGenerator(seed)
        let secrets = Secrets(["hunter2", "a/b c+d", "${secret:1}", "}{}{"])
        let pieces = [
            "hunter2", "a/b c+d", "a%2Fb%20c%2Bd", "${secret:", "${secret:0}", "${secret:1}", "2:percent}", "}", "{",
            "$",
            "%", "ö", "\0", "x",
        ]
        for _ in 0..<500 {
            let text = (0..<Int.random(in: 0...8, using: &generator))
                .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            let stored = secrets.conceal(text)
            #expect(secrets.reveal(stored) == text)
            #expect(!stored.contains("hunter2") && !stored.contains("a/b c+d"))
        }
    }

    @Test("have a fingerprint of 32 bits that depends on each of them and on the salt")
    func fingerprint() {
        let fingerprints = [
            Secrets(["ab", "c"]).fingerprint(salt: ""), Secrets(["a", "bc"]).fingerprint(salt: ""),
            Secrets(["c", "ab"]).fingerprint(salt: ""), Secrets(["ab", "c"]).fingerprint(salt: "s"),
        ]
        #expect(Set(fingerprints).count == 4)
        #expect(fingerprints.allSatisfy { (1...0xFFFF_FFFF).contains($0) })
        #expect(Secrets().fingerprint(salt: "s") == 0)
    }

    @Test("are not shown by print and dump")
    func descriptions() {
        var dumped = ""
        dump(Secrets(["hunter2"]), to: &dumped)
        #expect(!"\(Secrets(["hunter2"]))\(dumped)".contains("hunter2"))
    }
}
