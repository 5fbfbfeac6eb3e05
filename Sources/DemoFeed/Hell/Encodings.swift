internal import HTTPServer

extension HellKind {
    /// Codings and character sets that contradict the header fields.
    static let encodings: [HellKind] = [
        kind("gzip", 0, "gzip, as it should be") { coded($0, "gzip", Gzip.stored(Array($0.text().utf8))) },
        kind("gzip-not", 65, "called gzip, and is not") { coded($0, "gzip", Array($0.text().utf8)) },
        kind("gzip-cut", 69, "gzip that is cut off") {
            coded($0, "gzip", Gzip.stored(Array($0.text().utf8)).dropLast(30))
        },
        kind("gzip-cut-csv", 69, "CSV in gzip that is cut off between two rows") { page in
            let rows = Array("id,name\n1,one\n2,two\n3,three\n".utf8)
            return coded(page, "gzip", Gzip.stored(rows).dropLast(16), type: "text/csv")
        },
        kind("gzip-checksum", 65, "gzip whose checksum is wrong") { page in
            var bytes = Gzip.stored(Array(page.text().utf8))
            bytes[bytes.count - 6] ^= 1
            return coded(page, "gzip", bytes)
        },
        kind("gzip-and-more", 65, "gzip with bytes behind it") {
            coded($0, "gzip", Gzip.stored(Array($0.text().utf8)) + Array("and more".utf8))
        },
        kind("gzip-block", 65, "gzip with an impossible block") { page in
            var bytes = Gzip.stored(Array(page.text().utf8))
            bytes[10] = 7
            return coded(page, "gzip", bytes)
        },
        kind("gzip-twice", 65, "called gzip twice, and is once") {
            coded($0, "gzip, gzip", Gzip.stored(Array($0.text().utf8)))
        },
        kind("gzip-bomb", 65, "500 kB of gzip that are 80 MB of spaces") { coded($0, "gzip", bomb) },
        tiny("numbers-many", "numbers", "1,"), tiny("nulls-many", "nulls", "null, "),
        tiny("texts-many", "texts", "\"\","),
        tiny("objects-many", "objects", "{},"), tiny("arrays-many", "arrays", "[],"),
        tiny("deep-many", "arrays in one another", "["),
        tiny("members-many", "members of one item", "\"a\":1,", behind: "{"),
        kind("deflate-not", 65, "called deflate, and is not") { coded($0, "deflate", Array($0.text().utf8)) },
        kind("brotli-not", 65, "called br, and is not") { coded($0, "br", Array($0.text().utf8)) },
        kind("coding-unknown", 65, "a coding that nobody knows") { coded($0, "rot13", Array($0.text().utf8)) },
        kind("coding-many", 65, "a hundred codings") { page in
            coded(page, Array(repeating: "gzip", count: 100).joined(separator: ", "), Array(page.text().utf8))
        },
        kind("coding-identity", 0, "a coding that does nothing") { coded($0, "identity", Array($0.text().utf8)) },
        kind("latin-1", 0, "Latin-1, and says so") { latin($0, charset: "iso-8859-1") },
        kind("latin-1-hidden", 65, "Latin-1 that is called UTF-8") { latin($0, charset: "utf-8") },
        kind("charset-wrong", 0, "ASCII that is called UTF-16") {
            $0.bytes(Array($0.text().utf8), type: "application/json; charset=utf-16")
        },
        kind("charset-unknown", 0, "a character set that nobody knows") {
            $0.bytes(Array($0.text().utf8), type: "application/json; charset=klingon")
        },
        kind("utf-16-le", 0, "UTF-16, little-endian, with a mark") { page in
            page.bytes([0xff, 0xfe] + page.text().utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })
        },
        kind("utf-16-be", 0, "UTF-16, big-endian, without a mark") { page in
            page.bytes(page.text().utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] })
        },
        kind("utf-32", 65, "UTF-32") { page in
            page.bytes([0, 0, 0xfe, 0xff] + page.text().unicodeScalars.flatMap { [0, 0, 0, UInt8($0.value & 255)] })
        },
        kind("byte-order-mark", 0, "UTF-8 with a byte order mark") {
            $0.bytes([0xef, 0xbb, 0xbf] + Array($0.text().utf8))
        },
        kind("utf-8-broken", 65, "a sequence of UTF-8 that is cut off") { name($0, [0xe2, 0x82]) },
        kind("utf-8-overlong", 65, "a slash that takes two bytes") { name($0, [0xc0, 0xaf]) },
        kind("utf-8-surrogate", 65, "half a surrogate pair in UTF-8") { name($0, [0xed, 0xa0, 0x80]) },
        kind("utf-8-beyond", 65, "a character beyond U+10FFFF") { name($0, [0xf5, 0x80, 0x80, 0x80]) },
        kind("nul", 65, "a NUL byte in a string") { name($0, [0]) },
    ]

    private static let bomb = Gzip.head + Gzip.repeating(" ", count: 80 << 20)

    /// A small body that needs much memory: each of its parts is larger once it is decoded.
    private static func tiny(
        _ name: String, _ what: String, _ text: String, behind start: String = ""
    ) -> HellKind {
        let body = Gzip.repeating(text, behind: "{\"items\":[" + start, count: 60 << 20)
        return kind(name, 65, "60 MB of \(what), which are some 300 kB of deflate") { coded($0, "deflate", body) }
    }

    private static func kind(_ name: String, _ code: Int32, _ summary: String, _ answer: @escaping Answer) -> HellKind {
        HellKind(name, .encodings, code, summary, answer: answer)
    }

    private static func coded(
        _ page: HellPage, _ coding: String, _ bytes: some Sequence<UInt8>, type: String = "application/json"
    ) -> ServerResponse {
        page.bytes(Array(bytes), type: type, headers: [(name: "Content-Encoding", value: coding)])
    }

    /// The page with `café` beside its items.
    private static func latin(_ page: HellPage, charset: String) -> ServerResponse {
        let head = Array(#"{"place":"caf"#.utf8) + [0xe9] + Array(#"","#.utf8)
        return page.bytes(head + page.text().utf8.dropFirst(), type: "application/json; charset=\(charset)")
    }

    /// An item with these bytes in its name.
    private static func name(_ page: HellPage, _ bytes: [UInt8]) -> ServerResponse {
        page.bytes(Array(#"{"items":[{"id":1,"name":"a"#.utf8) + bytes + Array(#""}]}"#.utf8))
    }
}
