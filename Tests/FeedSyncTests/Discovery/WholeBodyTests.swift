import HTTP
import SeededGenerator
import Testing

@testable import ResponseBody
@testable import Upstream

@Suite("A JSON tree")
struct WholeBodyTests {
    @Test("A JSON tree keeps members in order and numbers as written; the last of two equal names counts")
    func order() throws {
        let tree = try JSONValue(
            parsing: #" {"b": 1.10, "a": [1e3, -0, 123456789012345678901234567890], "b": null, "": "é\n"} "#)
        #expect(tree.json == #"{"b":null,"a":[1e3,-0,123456789012345678901234567890],"":"é\n"}"#)
        #expect(tree.members?.names == ["b", "a", ""])
    }

    @Test("A JSON tree is read from a body, apart from a byte order mark, with the place of a fault")
    func body() throws {
        #expect(try JSONValue(Body([0xEF, 0xBB, 0xBF] + Array("[1]".utf8))) == .array([.number("1")]))
        let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(Body(Array(#"{"a":"#.utf8))) }
        #expect(error?.offset == 5)
        #expect(throws: JSONSyntaxError.self) { try JSONValue(Body()) }
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: String(repeating: "[", count: 1025)) }
    }

    @Test(
        "A JSON tree has a value at a path",
        arguments: [
            ("a.b", "1"), ("list[1]", "2"), ("links[rel=next].href", #""u""#), ("$", nil), ("a.c", nil),
            ("list[9]", nil),
            ("a.b.c", nil), ("list[99999999999]", nil), ("links[rel=x].href", nil),
        ] as [(String, String?)])
    func path(text: String, expected: String?) throws {
        let tree = try JSONValue(
            parsing: #"{"a":{"b":1},"list":[1,2],"links":[{"rel":"self"},{"rel":"next","href":"u"}]}"#)
        let path = try Path(text)
        #expect(tree.value(at: path)?.json == (path.segments.isEmpty ? tree.json : expected))
    }

    @Test("A JSON tree is written, hashed and released at the greatest depth")
    func depth() throws {
        let text = String(repeating: "[", count: 1024) + String(repeating: "]", count: 1024)
        let tree = try JSONValue(parsing: text)
        #expect(tree.json == text)
        #expect(Set([tree, tree]).count == 1)
    }

    @Test("A JSON tree is searched safely, whatever its content")
    func mutation() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed)
        let url = try WebURL("https://example.org/things?page=1")
        for _ in 0..<300 {
            let elements = (0..<4).map { _ in generator.tree(depth: 4) }
            let tree = JSONValue.object(of: [
                ("items", .array(elements)), (generator.string(), generator.tree(depth: 3)),
            ])
            #expect(try JSONValue(parsing: tree.json) == tree, "seed \(seed): \(tree.json)")
            guard let candidate = ItemsSearch.best(in: tree, url: url) else { continue }
            var shape = ItemShape()
            for item in candidate.items { shape.add(item.members) }
            let columns = shape.columns()
            #expect(Set(columns.map { $0.name.lowercased() }).count == columns.count, "seed \(seed): \(tree.json)")
            #expect(shape.columns(extending: columns).map(\.path) == columns.map(\.path), "seed \(seed): \(tree.json)")
            let key = KeySearch.key(of: candidate.items)
            let signs = PageSigns(
                body: tree, items: candidate.path, itemCount: 4, key: key.paths.first, headers: [:],
                request: Request(url))
            for candidate in PagingSearch(signs).candidates {
                let definition = try FeedDefinition.parse(
                    name: "x", yaml: "url: https://example.org\npagination: \(candidate.yaml())")
                #expect(!definition.hasOpenPagination, "seed \(seed): \(candidate.yaml())")
            }
        }
    }
}

extension SeededGenerator {
    /// A value with names such as upstreams use, and with odd ones.
    mutating func tree(depth: Int) -> JSONValue {
        let names = [
            "id", "next", "total", "page", "has_more", "next_cursor", "a.b", "", "SELECT", "_raw", "7", "links",
        ]
        switch Int.random(in: 0...(depth > 0 ? 6 : 3), using: &self) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &self))
        case 2: return .number("\(Int.random(in: -3...30, using: &self))")
        case 3: return .string(Bool.random(using: &self) ? string() : "/x?y=1")
        case 4: return .array((0..<Int.random(in: 0...4, using: &self)).map { _ in tree(depth: depth - 1) })
        default:
            return .object(
                of: (0..<Int.random(in: 0...6, using: &self)).map { _ in
                    (names.randomElement(using: &self) ?? string(), tree(depth: depth - 1))
                })
        }
    }
}
