import HTTP
import SeededGenerator
import Testing
import Text

@Suite("A query") struct QueryTests {
    @Test(
        "A query is percent-encoded except for the unreserved characters",
        arguments: [
            ("language:swift stars:>=2000", "language%3Aswift%20stars%3A%3E%3D2000"), ("1.10", "1.10"),
            ("a-b_c~d", "a-b_c~d"), ("a+b&c=d#e%", "a%2Bb%26c%3Dd%23e%25"), ("größe", "gr%C3%B6%C3%9Fe"),
            ("🦜", "%F0%9F%A6%9C"), ("", ""), ("\r\n\u{0}", "%0D%0A%00"),
        ])
    func encoding(value: String, expected: String) throws {
        let url = try WebURL("https://example.com/").replacingQuery([NamedValue(name: "q", value: value)])
        #expect(url.text == "https://example.com/?q=\(expected)")
        #expect(url.queryItems == [NamedValue(name: "q", value: value)])
    }

    @Test(
        "A query from other programs is read",
        arguments: [
            ("a=b+c", [("a", "b c")]), ("flag", [("flag", "")]), ("a=b=c&&d=", [("a", "b=c"), ("d", "")]),
            ("a=%zz%4", [("a", "%zz%4")]), ("%61=%62", [("a", "b")]),
        ])
    func reading(query: String, expected: [(String, String)]) throws {
        let items = try WebURL("https://example.com/?\(query)").queryItems
        #expect(items == expected.map { NamedValue(name: $0.0, value: $0.1) })
    }

    @Test(
        "A query keeps its order when parameters are replaced",
        arguments: [
            ("", [("page", "2")], "page=2"), ("page=1&size=9", [("page", "2")], "page=2&size=9"),
            ("p%61ge=1&x=+%2b", [("page", "2")], "page=2&x=+%2b"), ("a=1&b=2&a=3", [("a", "4")], "a=4&b=2"),
            ("a=1&b=2", [("a", "3"), ("c", "5"), ("a", "4")], "a=3&a=4&b=2&c=5"),
            ("flag&a=1", [("flag", "")], "flag=&a=1"),
            ("a=1", [], "a=1"),
        ])
    func replacing(query: String, items: [(String, String)], expected: String) throws {
        let url = try WebURL("https://example.com/p" + (query.isEmpty ? "" : "?\(query)"))
        let replaced = url.replacingQuery(items.map { NamedValue(name: $0.0, value: $0.1) })
        #expect(replaced.text == "https://example.com/p?\(expected)")
    }

    @Test("A query loses its question mark with its last parameter")
    func removing() throws {
        let url = try WebURL("https://example.com/p?a=1&a=2")
        #expect(url.removingQuery { $0.name == "a" }.text == "https://example.com/p")
        #expect(url.removingQuery { $0.value == "1" }.text == "https://example.com/p?a=2")
    }

    @Test("A query decodes to any text that was encoded")
    func roundTrip() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(seed)
        let base = try WebURL("https://example.com/p")
        for _ in 0..<500 {
            let items = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                NamedValue(name: "n" + .random(using: &random), value: .random(using: &random))
            }
            let url = base.replacingQuery(items)
            #expect(url.queryItems == items, "seed \(seed)")
            #expect(try WebURL(url.text) == url, "seed \(seed)")
        }
    }
}

extension String {
    fileprivate static func random(using random: inout SeededGenerator) -> String {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            let range: ClosedRange<UInt32> = Bool.random(using: &random) ? 0...0x7F : 0...0x10FFFF
            if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) { scalars.append(scalar) }
        }
        return String(scalars)
    }
}
