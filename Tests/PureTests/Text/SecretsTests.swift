import SeededGenerator
import Testing

@testable import Text

@Suite("Secrets") struct SecretsTests {
    @Test(
        "Secrets are masked in any notation",
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
            ("wörd-99", #"{"p":"w\u00f6rd-99"}"#, #"{"p":"***"}"#),
            ("wörd-99", #"w\u00F6rd\u002d99"#, "***"),
            ("key-😀", #"key-\ud83d\ude00"#, "***"),
            ("key-😀", #"key-\ud83d"#, #"key-\ud83d"#),
            ("a/b c+d", "x=a%252Fb%2520c%252Bd", "x=***"),
            ("a/b c+d", "x=a%252fb%2520c%252bd", "x=***"),
            ("wörd-99", "w%25C3%25B6rd%252D99 w%25c3%25b6rd%2D99", "*** ***"),
            ("hunter2", "%2568unter2", "***"),
            ("hunter2", "t=aHVudGVyMg==", "t=***g=="),
            ("Geheim-99", "geheim-99 GEHEIM-99", "*** ***"),
            ("Geheim-WÖRD-ñ9", "geheim-wörd-ñ9 geheim-wÖrd-ñ9 GEHEIM-WÖRD-Ñ9 GEHEIM-WÖRD-ñ9", "*** *** *** ***"),
            ("hunter2", "68756e74657232 68756E74657232", "*** ***"),
            ("ab", "YWI= 6162", "YWI= 6162"),
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

    @Test("Secrets that contain one another leave nothing behind")
    func nested() {
        #expect(Secrets(["abcd", "abcdefgh"]).mask("abcdefgh abcd") == "*** ***")
    }

    @Test(
        "Secrets that overlap leave nothing behind",
        arguments: [("abcab", "xabcabcaby"), ("abcabcab", "xabcabcaby"), ("abcab", "xabcababcaby")])
    func overlapping(secret: String, text: String) {
        let masked = Secrets([secret, "cabca"]).mask(text)
        #expect(masked.hasPrefix("x***") && masked.hasSuffix("***y") && !masked.contains("ab"))
    }

    @Test("Secrets at the border of a text's part are masked as in the whole", arguments: 0...9)
    func part(start: Int) {
        let text = Array("..hunter2..a%2fb%20c%2Bd..".utf8)
        let secrets = Secrets(["hunter2", "a/b c+d"])
        let part = secrets.mask(text, in: start..<(start + 8))
        #expect(secrets.mask(String(decoding: text, as: UTF8.self)).contains(part))
        #expect(part.contains("***") || start == 9)
    }

    @Test(
        "Secrets are concealed by placeholders that give them back",
        arguments: [
            ("/n?t=hunter2", "/n?t=${secret:1}"), ("/n?t=a%2Fb%20c", "/n?t=${secret:2:percent}"),
            ("/n?t=a/b c", "/n?t=${secret:2}"), ("48", "48"), ("/n?t=${secret:1}", "/n?t=${secret:0}1}"),
        ])
    func concealed(text: String, stored: String) {
        let secrets = Secrets(["hunter2", "a/b c", "48"])
        #expect(secrets.conceal(text) == stored)
        #expect(secrets.reveal(stored) == text)
    }

    @Test("Secrets are masked in base64, wherever in it they are", arguments: 0...5)
    func base64(before: Int) {
        let secret = "s3cr?t>~~token-ÿ"
        let bytes = [UInt8](repeating: 0x3A, count: before) + Array(secret.utf8) + Array(" and more".utf8)
        let standard = Base64.encoded(bytes)
        let urlSafe = standard.replacing("+", with: "-").replacing("/", with: "_")
        for text in [standard, urlSafe] {
            let secrets = Secrets([secret])
            let masked = secrets.mask("next=\(text)")
            #expect(masked.contains("***"))
            // At each end is a digit that also depends on what stands beside the secret.
            #expect(masked.utf8.count <= text.utf8.count - Base64.encoded(secret).utf8.count + 3 + 5 + 4)
            let stored = secrets.conceal("next=\(text)")
            #expect(stored.contains("${secret:1:base64"))
            #expect(secrets.reveal(stored) == "next=\(text)")
        }
    }

    @Test("Secrets keep their numbers and those of their forms when another one follows")
    func numbers() {
        let stored = Secrets(["hunter2"]).conceal("68756e74657232")
        #expect(Secrets(["hunter2", "an access token"]).reveal(stored) == "68756e74657232")
        #expect(Secrets(["hunter2"]).fingerprint(salt: "s") == Secrets(["hunter2", ""]).fingerprint(salt: "s"))
    }

    @Test("Secrets in an unusual notation come back as a URL that means the same")
    func unusual() {
        let secrets = Secrets(["a/b c"])
        #expect(secrets.reveal(secrets.conceal("t=a%2fb+c")) == "t=a%2Fb%20c")
    }

    @Test("Secrets come back from any text", arguments: [UInt64(1), 2, 3, 4, 5, 6, 7, 8])
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

    @Test("Secrets have a fingerprint of 32 bits that depends on each of them and on the salt")
    func fingerprint() {
        let fingerprints = [
            Secrets(["ab", "c"]).fingerprint(salt: ""), Secrets(["a", "bc"]).fingerprint(salt: ""),
            Secrets(["c", "ab"]).fingerprint(salt: ""), Secrets(["ab", "c"]).fingerprint(salt: "s"),
        ]
        #expect(Set(fingerprints).count == 4)
        #expect(fingerprints.allSatisfy { (1...0xFFFF_FFFF).contains($0) })
        #expect(Secrets().fingerprint(salt: "s") == 0)
    }

    @Test("Secrets are not shown by print and dump")
    func descriptions() {
        var dumped = ""
        dump(Secrets(["hunter2"]), to: &dumped)
        #expect(!"\(Secrets(["hunter2"]))\(dumped)".contains("hunter2"))
    }
}
