import Testing

@testable import Text

@Suite("SHA-256") struct SHA256Tests {
    private func digits(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    // https://csrc.nist.gov/projects/cryptographic-standards-and-guidelines/example-values
    @Test(
        "SHA-256 of texts with known hashes",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (String(repeating: "a", count: 1_000), "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
        ])
    func hash(text: String, expected: String) {
        #expect(digits(SHA256.hash(Array(text.utf8))) == expected)
    }

    // https://www.rfc-editor.org/rfc/rfc4231
    @Test("SHA-256 signs as in RFC 4231, with keys of any length")
    func signature() {
        let short = SHA256.signature(of: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
        #expect(digits(short) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        let text = Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)
        let long = SHA256.signature(of: text, key: [UInt8](repeating: 0xaa, count: 131))
        #expect(digits(long) == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }

    @Test("Base64 is read back, and nothing else", arguments: ["", "f", "fo", "foo", "foob", "fooba", "foobar"])
    func base64(text: String) {
        #expect(Base64.decoded(Base64.encoded(text)) == Array(text.utf8))
        #expect(Base64.decoded("?") == nil)
        #expect(Base64.decodedFromEither(Base64.encoded(text)) == Array(text.utf8))
    }
}
