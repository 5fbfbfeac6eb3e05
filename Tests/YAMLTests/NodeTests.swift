import Testing
import YAML

@Suite("A YAML text")
struct NodeTests {
    private func parse(_ text: String) throws -> Node {
        try #require(try Node.parse(text, source: "test.yaml"))
    }

    @Test("A YAML text keeps members in the order written, with their places")
    func order() throws {
        let node = try parse("b: 1\na:\n  - x\n  - \"y\"\n")
        #expect(node.pairs?.map { $0.key.text } == ["b", "a"])
        let element = try #require(node["a"]?.elements?.last)
        #expect(element.mark == Mark(source: "test.yaml", line: 4, column: 5))
        #expect(element.scalar?.style == .quoted)
    }

    @Test(
        "A YAML text keeps a scalar's text exactly as written",
        arguments: ["1.10", "007", "0x1F", "no", "2026-11-21", "1e3", "~"])
    func textStays(text: String) throws {
        #expect(try parse("v: \(text)")["v"]?.text == text)
    }

    @Test(
        "Plain scalars have the meaning of the core schema",
        arguments: [
            ("", .null), ("~", .null), ("null", .null), ("NULL", .null), ("nUll", .text),
            ("true", .boolean(true)), ("False", .boolean(false)), ("yes", .text), ("no", .text), ("on", .text),
            ("0", .integer(0)), ("-12", .integer(-12)), ("+7", .integer(7)), ("007", .integer(7)),
            ("0o17", .integer(15)), ("0o8", .text), ("0xFf", .integer(255)), ("0x", .text), ("-0x1", .text),
            ("0b1", .text), ("1_000", .text), ("12:30", .text),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .oversizedInteger), ("0xFFFFFFFFFFFFFFFFFF", .oversizedInteger),
            ("1.", .real(1)), (".5", .real(0.5)), ("-1.5e+3", .real(-1500)), ("1e2", .real(100)),
            ("1e999", .real(.infinity)),
            (".inf", .real(.infinity)), ("-.INF", .real(-.infinity)), ("inf", .text), ("nan", .text), ("0x1p3", .text),
            (".", .text), ("e5", .text), ("1e", .text), ("-", .text), ("+", .text), ("1.2.3", .text), ("${X}", .text),
        ] as [(String, Scalar.Resolution)])
    func resolution(text: String, expected: Scalar.Resolution) {
        #expect(Scalar(text).resolution == expected)
    }

    @Test("Quoted and block scalars are text", arguments: ["\"1\"", "'true'", "|-\n  null"])
    func quoted(text: String) throws {
        #expect(try parse("v: \(text)")["v"]?.scalar?.resolution == .text)
    }

    @Test("A tag decides the meaning of a scalar")
    func tags() throws {
        let node = try parse("a: !!str 12\nb: !!int \"12\"\nc: ! 12\nd: !!float 1\ne: !!seq [1]\n")
        #expect(node["a"]?.scalar?.resolution == .text)
        #expect(node["b"]?.scalar?.resolution == .integer(12))
        #expect(node["c"]?.scalar?.resolution == .text)
        #expect(node["d"]?.scalar?.resolution == .real(1))
        #expect(node["e"]?.elements?.count == 1)
    }

    @Test("A YAML text may be JSON")
    func json() throws {
        let node = try parse("{\"a\":[1,null,\"x\\ty\"],\n\t\"b\":{\"c\":\"\\u00e9\\/\"}, \"e\":\"\"}")
        #expect(node["a"]?.elements?.map { $0.text } == ["1", "null", "x\ty"])
        #expect(node["b"]?["c"]?.text == "é/")
        #expect(node["e"]?.text == "")
    }

    @Test("A YAML text may hold any character, a zero byte by escape too")
    func characters() throws {
        #expect(try parse("v: \"日本 🚀 \\0x\"")["v"]?.text == "日本 🚀 \0x")
    }

    @Test("A YAML text may begin with a byte order mark and have CRLF line ends")
    func windows() throws {
        #expect(try parse("\u{FEFF}a: 1\r\nb: 2\r\n")["b"]?.mark.line == 2)
    }

    @Test("A YAML text has an alias's whole node in place of the alias")
    func alias() throws {
        let node = try parse("a: &x {k: [1, 2]}\nb: *x\n")
        #expect(node["b"]?["k"]?.elements?.map { $0.text } == ["1", "2"])
        #expect(node["b"]?.mark.line == 2)
    }

    @Test("A YAML text of comments alone has no node", arguments: ["", "# nothing\n", "\n\n"])
    func empty(text: String) throws {
        #expect(try Node.parse(text, source: "test.yaml") == nil)
    }
}
