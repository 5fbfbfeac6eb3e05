import PostgreSQL
import Testing

@Suite("A row of COPY")
struct CopyRowTests {
    @Test(
        "The fields of a row are what was written",
        arguments: [
            ("", [""]), ("a\tb", ["a", "b"]), ("\\N\t\t\\N", [nil, "", nil]), ("\\\\N", ["\\N"]),
            ("a\\tb\\nc\\rd\\be\\ff\\vg\t\\x\\.", ["a\tb\nc\rd\u{8}e\u{c}f\u{b}g", "x."]),
            ("Grüße\t🚂", ["Grüße", "🚂"]),
        ] as [(String, [String?])])
    func fields(_ text: String, _ fields: [String?]) throws {
        var bytes = Array(text.utf8)
        try bytes.withUnsafeMutableBytes { bytes in
            var row = CopyRow()
            // As for each of many rows.
            try row.read(UnsafeMutableRawBufferPointer(rebasing: bytes[..<0]))
            try row.read(bytes)
            #expect((0..<row.count).map { row.text(at: $0) } == fields)
        }
    }

    @Test("A row that ends with a backslash is an error")
    func cut() {
        var bytes = Array("a\\".utf8)
        bytes.withUnsafeMutableBytes { bytes in
            var row = CopyRow()
            #expect(throws: PostgreSQLError.self) { try row.read(bytes) }
        }
    }
}
