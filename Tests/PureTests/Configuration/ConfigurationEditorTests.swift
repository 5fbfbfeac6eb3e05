import SeededGenerator
import Testing

@testable import Feeds

@Suite("The configuration's editor")
struct ConfigurationEditorTests {
    private static let entry = FeedEntry(
        name: "new",
        members: [.init("url", .text("https://a.b/c")), .init("query", .mapping([.init("q", .text("on"))]))])

    private func added(_ text: String, _ entry: FeedEntry = entry) throws -> String {
        String(decoding: try ConfigurationEditor(Array(text.utf8), file: "f.yaml").adding(entry), as: UTF8.self)
    }

    private func removed(_ name: String, _ text: String) throws -> String {
        String(decoding: try ConfigurationEditor(Array(text.utf8), file: "f.yaml").removing(name), as: UTF8.self)
    }

    /// The new feed as a block indented by two columns.
    private static let block = "  new:\n    url: https://a.b/c\n    query: {q: \"on\"}\n"

    @Test(
        "The editor adds a feed after the last one, and touches nothing else",
        arguments: [
            ("", "feeds:\n\(block)"),
            ("# mine\n", "# mine\nfeeds:\n\(block)"),
            ("store: x.db", "store: x.db\nfeeds:\n\(block.dropLast())"),
            ("feeds:\n", "feeds:\n\(block)"),
            ("feeds:", "feeds:\n\(block.dropLast())"),
            ("feeds:  # none yet\n", "feeds:  # none yet\n\(block)"),
            ("feeds: null # none\nkeep: 1d\n", "feeds:  # none\n\(block)keep: 1d\n"),
            ("feeds:\n  # here they go\n\nkeep: 1d\n", "feeds:\n  # here they go\n\(block)\nkeep: 1d\n"),
            ("feeds:\n  a: {url: x}\n", "feeds:\n  a: {url: x}\n\(block)"),
            ("feeds:\n  a: {url: x}  # good\n# end\n", "feeds:\n  a: {url: x}  # good\n\(block)# end\n"),
            (
                "feeds:\n  a: {url: x}\n  # b: {url: y}\n\n# end\n",
                "feeds:\n  a: {url: x}\n  # b: {url: y}\n\(block)\n# end\n"
            ),
            (
                "feeds:\n  a: {url: x}\n\n  b: {url: x}\n\nkeep: 1d\n",
                "feeds:\n  a: {url: x}\n\n  b: {url: x}\n\n\(block)\nkeep: 1d\n"
            ),
            ("---\nfeeds:\n  a: {url: x}\n...\n", "---\nfeeds:\n  a: {url: x}\n\(block)...\n"),
            ("---\n...\n", "---\nfeeds:\n\(block)...\n"),
            ("\u{FEFF}feeds:\n  a: {url: x}\n", "\u{FEFF}feeds:\n  a: {url: x}\n\(block)"),
            (
                "x: &a {q: 1}\nfeeds:\n  a: {query: *a}\ny: *a\n",
                "x: &a {q: 1}\nfeeds:\n  a: {query: *a}\n\(block)y: *a\n"
            ),
            (
                "feeds:\n  a:\n    url: |-\n      # no comment\n",
                "feeds:\n  a:\n    url: |-\n      # no comment\n\(block)"
            ),
            ("feeds: {}\n", #"feeds: {new: {url: https://a.b/c, query: {q: "on"}}}"# + "\n"),
            ("{feeds: {a: {}, }}", #"{feeds: {a: {}, new: {url: https://a.b/c, query: {q: "on"}}, }}"#),
            ("{}", #"{feeds: {new: {url: https://a.b/c, query: {q: "on"}}}}"#),
            (
                #"{"store": "x", "feeds": {"a": {}}}"#,
                #"{"store": "x", "feeds": {"a": {}, "new": {"url": "https://a.b/c", "query": {"q": "on"}}}}"#
            ),
            (
                "{\n  \"feeds\": {\n    \"a\": {}\n  }\n}\n",
                "{\n  \"feeds\": {\n    \"a\": {},\n    \"new\": {\"url\": \"https://a.b/c\", \"query\": {\"q\": \"on\"}}\n  }\n}\n"
            ),
            (
                "feeds: {\n  a: {} # one\n}\n",
                "feeds: {\n  a: {}, # one\n  new: {url: https://a.b/c, query: {q: \"on\"}}\n}\n"
            ),
        ])
    func additions(text: String, expected: String) throws {
        #expect(try added(text) == expected)
        #expect(try !removed("new", expected).contains("https://a.b/c"))
    }

    @Test("The editor keeps the text's line breaks and indentation")
    func style() throws {
        #expect(
            try added("feeds:\r\n    a:\r\n       url: x\r\n")
                == "feeds:\r\n    a:\r\n       url: x\r\n    new:\r\n       url: https://a.b/c\r\n       query: {q: \"on\"}\r\n"
        )
    }

    @Test(
        "The editor removes a feed with the comments in it; those above it stay",
        arguments: [
            ("feeds:\n  a:\n    url: x\n    # odd\n  b: {}\n", "feeds:\n  b: {}\n"),
            ("feeds:\n  # first\n  a: {}\n  # second\n  b: {}\n", "feeds:\n  # first\n  # second\n  b: {}\n"),
            ("feeds:\n  b: {}\n\n  a: {}\n\n  c: {}\n", "feeds:\n  b: {}\n\n  c: {}\n"),
            ("feeds:\n  a: {}\n\n  c: {}\n", "feeds:\n  c: {}\n"),
            ("feeds:\n  c: {}\n\n  a: {}\nkeep: 1d\n", "feeds:\n  c: {}\nkeep: 1d\n"),
            ("feeds:\n  c: {}\n  a: {}", "feeds:\n  c: {}"),
            ("feeds:\n  a: {}\nkeep: 1d", "feeds:\nkeep: 1d"),
            ("feeds: {b: {}, a: {}, c: {}}", "feeds: {b: {}, c: {}}"),
            ("feeds: {a: {}, c: {}}", "feeds: {c: {}}"),
            ("feeds: {c: {}, a: {}}", "feeds: {c: {}}"),
            ("{feeds: {\n  a: {},\n  c: {}\n}}", "{feeds: {\n  c: {}\n}}"),
            ("{feeds: {\n  c: {}, # c\n  a: {} # a\n}}", "{feeds: {\n  c: {} # c\n}}"),
            ("feeds:\n  a: null\n", "feeds:\n"),
            ("feeds:\n  a:\n  b:\n", "feeds:\n  b:\n"),
        ])
    func removals(text: String, expected: String) throws {
        #expect(try removed("a", text) == expected)
    }

    @Test("The editor names the comment above a removed feed that stays")
    func commentAbove() throws {
        let editor = try ConfigurationEditor(Array("feeds:\n  # about a\n  a: {}\n  b: {}\n".utf8), file: "f.yaml")
        #expect(editor.commentLine(above: "a") == 2)
        #expect(editor.commentLine(above: "b") == nil)
    }

    @Test(
        "The editor refuses a change that would touch more, with the place",
        arguments: [
            ("feeds: *a\n", "f.yaml:1:8: the alias `*a` has no `&a` before it"),
            (
                "x: &a {b: {}}\nfeeds: *a\n",
                "f.yaml:2:1: the feed cannot be added without changing other lines; add it by hand"
            ),
            (
                "feeds: !!null\n",
                "f.yaml:1:1: the feed cannot be added without changing other lines; add it by hand"
            ),
            ("- 1\n", "f.yaml: the feed cannot be added without changing other lines; add it by hand"),
            ("feeds:\n  new: {}\n", "f.yaml:1:1: feed `new` already exists"),
            (
                "feeds: |\n  text\n",
                "f.yaml:1:1: the feed cannot be added without changing other lines; add it by hand"
            ),
            (
                "feeds:\n  a: |\n    text",
                "f.yaml:1:1: the feed cannot be added without changing other lines; add it by hand"
            ),
        ])
    func refusals(text: String, problem: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try added(text) }
        #expect(error?.description == problem)
    }

    @Test("The editor does not remove a feed that an alias elsewhere refers to")
    func anchors() throws {
        let error = #expect(throws: ConfigurationError.self) {
            try removed("a", "feeds:\n  a: {query: &q {x: 1}}\n  b: {query: *q}\n")
        }
        #expect(
            error?.description
                == "f.yaml:1:1: the feed `a` cannot be removed without changing other lines; remove it by hand"
        )
    }

    @Test(
        "The editor writes text so that it reads back unchanged",
        arguments: [
            "on", "yes", "1.10", "007", "0x1F", "null", "~", "", "true", "a: b", "a:", "#", "a #b", "{", "[x]", " a",
            "a ",
            "${NAME}", "-", "- a", "?", "*a", "&a", "!t", "%", "@", "`", "|", ">", "'", "\"", "\\", "a\nb", "a\tb",
            "a\r\n",
            "東京", "👩‍💻", "e\u{301}", "\u{0}", "\u{1B}[31m", "\u{7F}", "\u{85}", "\u{202E}", "\u{2028}", "\u{FEFF}x",
            "\u{FFFE}", "a\u{FFFF}\u{301}b", "\u{FEFF}\u{301}",
            "12:30", "2026-11-21", "1e3", ".inf", "<<", "=", "$", "$.a", "https://a.b/c?d=e&f=g#h", "a,b",
            "language:swift stars:>=2000",
        ])
    func texts(text: String) throws {
        for start in ["feeds:\n", "feeds: {}", #"{"feeds": {"a": {}}}"#] {
            let entry = FeedEntry(
                name: "new",
                members: [.init("url", .text(text)), .init("query", .mapping([.init(text, .list([.text(text)]))]))])
            #expect(throws: Never.self) { try added(start, entry) }
        }
    }

    private func editor(_ text: String) throws -> ConfigurationEditor {
        try ConfigurationEditor(Array(text.utf8), file: "f.yaml")
    }

    @Test(
        "The editor shows the lines of a feed, and puts others in their place",
        arguments: [
            (
                "feeds:\n  a:\n    url: x  # mine\n    # deep\n\n  b: {url: y}\n", "a",
                "a:\n  url: x  # mine\n  # deep",
                "a:\n  url: z\n  query:\n    q: 1\n",
                "feeds:\n  a:\n    url: z\n    query:\n      q: 1\n\n  b: {url: y}\n"
            ),
            ("feeds:\n  a: {url: x}\n# end\n", "a", "a: {url: x}", "a:\n  url: z", "feeds:\n  a:\n    url: z\n# end\n"),
            (
                "feeds:\r\n  a:\r\n    url: x\r\n", "a", "a:\n  url: x", "a:\n\n  url: z",
                "feeds:\r\n  a:\r\n\r\n    url: z\r\n"
            ),
            (
                "feeds: {a: {url: x}, b: {url: y}}\n", "a", "a: {url: x}", "a: {url: z, every: 1h}",
                "feeds: {a: {url: z, every: 1h}, b: {url: y}}\n"
            ),
            (
                "feeds:\n    a:\n        url: |-\n          x\n          y\nkeep: 1d", "a",
                "a:\n    url: |-\n      x\n      y", "a:\n    url: z", "feeds:\n    a:\n        url: z\nkeep: 1d"
            ),
        ])
    func replacements(text: String, name: String, source: String, new: String, expected: String) throws {
        let editor = try editor(text)
        #expect(editor.source(of: name) == source)
        #expect(String(decoding: try editor.replacing(name, with: source), as: UTF8.self) == text)
        #expect(String(decoding: try editor.replacing(name, with: new), as: UTF8.self) == expected)
        #expect(editor.source(of: "other") == nil)
    }

    @Test(
        "The editor refuses lines that are another feed's, two feeds', or would change other lines",
        arguments: [
            ("b:\n  url: z", "must begin with `a:`"), ("a: {url: z}\nb: {url: y}", "have no other feed"),
            ("a", "must begin with `a:`"), ("", "must begin with `a:`"), ("a: {url: [}", "expected a value here"),
            ("a: *x", "the alias `*x`"), ("a: {url: z}\n...\nkeep: 1d", ""), ("a:\n  url: z\n b: 1", ""),
        ])
    func foreignLines(source: String, problem: String) throws {
        let editor = try editor("feeds:\n  a: {url: x}\n  b: {url: y}\n")
        let error = #expect(throws: ConfigurationError.self) { try editor.replacing("a", with: source) }
        #expect(problem.isEmpty || error?.description.contains(problem) == true, "\(error?.description ?? "")")
    }

    @Test(
        "The editor sets a member of a feed, and removes it again with the very bytes of before",
        arguments: [
            ("feeds:\n  a:\n    url: x  # mine\n", "feeds:\n  a:\n    url: x  # mine\n    paused: true\n"),
            (
                "feeds:\n  a:\n    query:\n      q: 1\n    # deep\n\n  b: {url: y}\n",
                "feeds:\n  a:\n    query:\n      q: 1\n    # deep\n    paused: true\n\n  b: {url: y}\n"
            ),
            ("feeds:\n  a: {url: x}  # c\n", "feeds:\n  a: {url: x, paused: true}  # c\n"),
            ("feeds:\n  a:\n    url: x", "feeds:\n  a:\n    url: x\n    paused: true"),
            (#"{"feeds": {"a": {"url": "x"}}}"#, #"{"feeds": {"a": {"url": "x", "paused": true}}}"#),
        ])
    func members(text: String, expected: String) throws {
        let set = try editor(text).setting("paused", of: "a", to: .plain("true"))
        #expect(String(decoding: set, as: UTF8.self) == expected)
        let changed = try editor(expected).setting("paused", of: "a", to: .plain("false"))
        #expect(String(decoding: changed, as: UTF8.self) == expected.replacing("true", with: "false"))
        let removed = try editor(expected).setting("paused", of: "a", to: nil)
        #expect(String(decoding: removed, as: UTF8.self) == text)
        #expect(try editor(text).setting("paused", of: "a", to: nil) == Array(text.utf8))
        #expect(throws: ConfigurationError.self) { try editor(text).setting("paused", of: "c", to: .plain("true")) }
    }

    @Test(
        "The editor sets a mapping in place of any value, in the style of the text",
        arguments: [
            (
                "feeds:\n  a:\n    sync:\n      mode: new\n      # c\n      full: 1d\n    url: x\n",
                "feeds:\n  a:\n    sync: {mode: all}\n    url: x\n"
            ),
            (
                "feeds:\n  a:\n    sync: new  # c\n    url: x\n",
                "feeds:\n  a:\n    sync: {mode: all}  # c\n    url: x\n"
            ),
            ("feeds:\n  a: {sync: {mode: new}, url: x}\n", "feeds:\n  a: {sync: {mode: all}, url: x}\n"),
            (
                #"{"feeds": {"a": {"sync": "new", "url": "x"}}}"#,
                #"{"feeds": {"a": {"sync": {"mode": "all"}, "url": "x"}}}"#
            ),
            (
                "feeds:\n  a:\n    sync: |\n      text\n    url: x\n",
                "feeds:\n  a:\n    sync: {mode: all}\n    url: x\n"
            ),
        ])
    func mappings(text: String, expected: String) throws {
        let value = FeedEntry.Value.mapping([.init("mode", .text("all"))])
        let set = try? editor(text).setting("sync", of: "a", to: value)
        #expect(set.map { String(decoding: $0, as: UTF8.self) } == expected)
    }

    @Test(
        "The editor gives back the very bytes when the lines of a feed are put in their own place", arguments: 1...400)
    func ownLines(seed: Int) throws {
        var random = SeededGenerator(UInt64(seed))
        let text = RandomConfiguration.text(&random)
        let editor = try editor(text)
        for name in editor.names {
            let source = try #require(editor.source(of: name))
            #expect(String(decoding: try editor.replacing(name, with: source), as: UTF8.self) == text, "seed \(seed)")
        }
    }

    @Test(
        "The editor gives back the very bytes when a feed is added and removed, whatever the text", arguments: 1...400)
    func roundTrip(seed: Int) throws {
        var random = SeededGenerator(UInt64(seed))
        let text = RandomConfiguration.text(&random)
        let entry = RandomConfiguration.entry("new", &random)
        let with = try added(text, entry)
        #expect(try removed("new", with) == text, "seed \(seed)")
    }

    @Test(
        "A whole number is written without quotes, negative ones too, and what YAML would change is text",
        arguments: [
            ("0", true), ("100", true), ("-5", true), ("-", false), ("", false), ("-0", false), ("007", false),
            ("-07", false), ("--5", false), ("1.10", false), ("1e3", false), ("0x1F", false),
            ("12345678901234567", false),
        ])
    func numbers(word: String, isNumber: Bool) {
        #expect(FeedEntry.Value(word: word) == (isNumber ? .plain(word) : .text(word)))
    }
}

/// Configurations with the liberties that people take.
private enum RandomConfiguration {
    static func text(_ random: inout SeededGenerator) -> String {
        let names = (0..<Int.random(in: 1...4, using: &random)).map { "f\($0)" }
        let body = Bool.random(using: &random) ? block(names, &random) : flow(names, &random)
        let before = pick(
            ["", "# top\n", "store: x.db\n", "defaults:\n  timeout: 30s  # s\n\n", "---\n# c\nstore: x\n"], &random)
        let after = pick(["", "", "keep: 30d\n", "\n# end\n", "\n\nkeep: 1d\n  # deep\n", "...\n"], &random)
        var text = before + "feeds:" + body + after
        if Int.random(in: 0..<4, using: &random) == 0 { text.removeLast() }
        if Int.random(in: 0..<4, using: &random) == 0 { text = text.replacing("\n", with: "\r\n") }
        return Int.random(in: 0..<8, using: &random) == 0 ? "\u{FEFF}" + text : text
    }

    static func entry(_ name: String, _ random: inout SeededGenerator) -> FeedEntry {
        let words = ["https://a.b/c", "on", "${T}", "a: b", "東京", "1", "-5", String(repeating: "long ", count: 30)]
        let members = ["url", "query", "columns"].prefix(Int.random(in: 0...3, using: &random)).map { name in
            let word = FeedEntry.Value(word: pick(words, &random))
            return FeedEntry.Member(
                name, name == "url" ? word : .mapping([.init("a b", word), .init("c", .list([word]))]))
        }
        return FeedEntry(name: name, members: members)
    }

    private static func block(_ names: [String], _ random: inout SeededGenerator) -> String {
        let indent = String(repeating: " ", count: Int.random(in: 1...4, using: &random))
        let gap = pick(["", "", "\n", "\n\(indent)# about it\n"], &random)
        let entries = names.map { name in
            let value = pick(
                [
                    " {url: x}\n", "\n\(indent)  url: x\n", "\n\(indent) url: x # y\n\(indent) # z\n",
                    " # what\n\(indent)  url: 'x\n\n\(indent)  y'\n", "\n\(indent)   u: [\n\(indent)  ]\n",
                ], &random)
            return "\(indent)\(name):\(value)"
        }
        return pick(["\n", " # all\n", "\n\n", " &a\n"], &random) + entries.joined(separator: gap)
            + pick(["", "\n", "\(indent)# more\n", "\n\(indent)  # deep\n"], &random)
    }

    private static func flow(_ names: [String], _ random: inout SeededGenerator) -> String {
        let isLong = Bool.random(using: &random)
        let entries = names.map {
            pick(["\($0): {url: x}", "\"\($0)\": {\"url\": \"x\"}", "\($0): {\n url: x}"], &random)
        }
        let end = pick(["", ","], &random)
        guard isLong else {
            return " {" + entries.joined(separator: ", ") + end + pick(["}\n", " }\n", "} # c\n"], &random)
        }
        let gap = pick([",\n   ", ", # c\n   ", ",\n\n   "], &random)
        return " {\n   " + entries.joined(separator: gap) + end + pick(["\n}\n", " # last\n  }\n"], &random)
    }

    private static func pick(_ choices: [String], _ random: inout SeededGenerator) -> String {
        choices.randomElement(using: &random) ?? ""
    }
}
