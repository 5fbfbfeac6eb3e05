import Testing
import YAML

@Suite("The places in a YAML text")
struct LayoutTests {
    private func texts(_ text: String) throws -> [String] {
        let bytes = Array(text.utf8)
        var found: [String] = []
        func crawl(_ layout: Layout) {
            found.append(String(decoding: bytes[layout.bytes], as: UTF8.self))
            layout.children.forEach(crawl)
        }
        crawl(try #require(try Layout.parse(bytes, source: "test.yaml").root))
        return found
    }

    @Test(
        "The places of nodes are those of their own bytes, without comments and line breaks after them",
        arguments: [
            ("a: b  # c\n", ["a: b", "a", "b"]),
            ("# x\n- é: \"ü\"\n- 2\n", ["- é: \"ü\"\n- 2", "é: \"ü\"", "é", "\"ü\"", "2"]),
            ("a: {b: 1, c: [2]} # d\n", ["a: {b: 1, c: [2]}", "a", "{b: 1, c: [2]}", "b", "1", "c", "[2]", "2"]),
            ("a: &x 1\nb: *x\nc:\n", ["a: &x 1\nb: *x\nc:", "a", "&x 1", "b", "*x", "c", ""]),
            ("\u{FEFF}a: b\r\nc: d\r\n", ["a: b\r\nc: d", "a", "b", "c", "d"]),
        ])
    func places(text: String, expected: [String]) throws {
        #expect(try texts(text) == expected)
    }

    @Test(
        "The places of nodes end with the document",
        arguments: [("a: b\n", 5), ("a: b\n...\n", 5), ("---\n...\n# c\n", 4), ("", 0)])
    func end(text: String, end: Int) throws {
        #expect(try Layout.parse(Array(text.utf8), source: "test.yaml").end == end)
    }

    @Test("The places distinguish braces from blocks, and have columns from 0")
    func shapes() throws {
        let root = try #require(try Layout.parse(Array("  a: {b: c}\n".utf8), source: "test.yaml").root)
        #expect(root.shape == .mapping && !root.isFlow && root.column == 2)
        let pair = try #require(root.pairs.first)
        #expect(pair.key.text == "a" && pair.value.isFlow && pair.value.column == 5)
    }
}
