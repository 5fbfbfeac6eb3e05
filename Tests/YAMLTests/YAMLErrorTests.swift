import SeededGenerator
import Testing
import YAML

@Suite("An error in YAML")
struct YAMLErrorTests {
    private func problem(_ bytes: [UInt8], limits: YAMLLimits = .standard) -> String? {
        do throws(YAMLError) {
            _ = try Node.parse(bytes, source: "f", limits: limits)
            return nil
        } catch {
            return error.description
        }
    }

    @Test(
        "An error in YAML has its place and plain words",
        arguments: [
            ("a: 1\nb: 2\na: 3\n", "f:3:1: the member `a` is given twice"),
            ("a: 1\n\"a\": 3\n", "f:2:1: the member `a` is given twice"),
            ("a: 1\n---\nb: 2\n", "f:2:1: a second document starts here; there can be only one"),
            ("a: *x\n", "f:1:4: the alias `*x` has no `&x` before it"),
            ("a: &x [1, *x]\n", "f:1:11: the alias `*x` is inside the value that it stands for"),
            ("a:\n\tb: 1\n", "f:2:1: a tab cannot indent; use spaces"),
            ("a: @b\n", "f:1:4: a value cannot start with `@`; put it in quotes"),
            (
                "a: b: c\n",
                "f:1:5: a second `: ` on one line; put the value in quotes, or the member on a line of its own"
            ),
            ("a: \"b\n", "f:2:1: the text ends inside quotes"),
            ("a: [1, 2\nb: 3\n", "f:2:2: expected `,` or `]` here"),
            ("a: {b: 1]\n", "f:1:9: expected `,` or `}` here"),
            (
                "a: 1\n  b: 2\n",
                "f:2:4: a second `: ` on one line; put the value in quotes, or the member on a line of its own"
            ),
            ("a:\n    b: 1\n  c: 2\n", "f:3:3: expected `name: value` here; the indentation may be off by a space"),
            (
                "abc\ndef: 1\n",
                "f:2:4: a second `: ` on one line; put the value in quotes, or the member on a line of its own"
            ),
            ("a: \"\\ud800\"\n", "f:1:7: an escape that is not a character on its own; write the character itself"),
            ("a: [\n", "f:2:1: expected a value here"),
            (
                "[a]]\n",
                "f:1:4: there is more text after the end; the indentation may be off, or a bracket closed too early"
            ),
            ("a: !!int x\n", "f:1:4: `x` is not what its tag `!!int` says"),
            ("a: !thing x\n", "f:1:4: the tag `!thing` is not supported here"),
            ("a: !!set {x}\n", "f:1:4: the tag `!!set` is not supported here"),
        ])
    func place(text: String, expected: String) {
        #expect(problem(Array(text.utf8)) == expected)
    }

    @Test("An error in the bytes has the place at which they stop being text")
    func bytes() throws {
        let invalid = try #require(problem(Array("a: é\nb: x".utf8) + [0xFF, 0x0A]))
        #expect(invalid.hasPrefix("f:2:5: not valid UTF-8"))
        let control = try #require(problem(Array("a: \u{7}\n".utf8)))
        #expect(control == "f:1:4: a control character; YAML allows only tab and line breaks")
    }

    @Test("An alias bomb is refused before it is read")
    func bomb() throws {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...30 {
            let aliases = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(aliases)]\n"
        }
        let found = try #require(problem(Array(text.utf8)))
        #expect(found.hasSuffix("more than 1000000 values, counting each alias in full"))
    }

    @Test("Nesting beyond the limit is an error", arguments: [("[", "]"), ("{a: ", "}")])
    func depth(open: String, close: String) {
        let limits = YAMLLimits(nodes: 1_000_000, depth: 10)
        let nest = { (depth: Int) in
            Array((String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)).utf8)
        }
        #expect(problem(nest(10), limits: limits) == nil)
        #expect(problem(nest(11), limits: limits)?.hasSuffix("nested more than 10 deep") == true)
        #expect(problem(nest(100_000))?.hasSuffix("nested more than 64 deep") == true)
    }

    @Test("Nesting beyond the limit by aliases is an error, too")
    func aliasDepth() {
        let text = "a: &a [[[[1]]]]\nb: &b [[[[*a]]]]\nc: [[[[*b]]]]\n"
        #expect(problem(Array(text.utf8), limits: YAMLLimits(nodes: 100, depth: 13)) == nil)
        #expect(problem(Array(text.utf8), limits: YAMLLimits(nodes: 100, depth: 12))?.hasPrefix("f:3:8:") == true)
    }

    @Test("A YAML text never stops the process, whatever its bytes are")
    func anyBytes() {
        var random = SeededGenerator(20_261_121)
        let pieces = [
            "a", ": ", "\n", "  ", "- ", "[", "]", "{", "}", "\"", "'", "&x", "*x ", "|", ">", "\t", "#", "!!int ", "%",
            "---\n", "é", "?",
        ]
        for _ in 0..<3_000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0..<30, using: &random) {
                if Int.random(in: 0..<20, using: &random) == 0 {
                    bytes.append(UInt8.random(in: 0...255, using: &random))
                } else {
                    bytes += Array(pieces[Int.random(in: 0..<pieces.count, using: &random)].utf8)
                }
            }
            if let text = problem(bytes) { #expect(text.hasPrefix("f:"), "bytes \(bytes)") }
        }
    }
}
