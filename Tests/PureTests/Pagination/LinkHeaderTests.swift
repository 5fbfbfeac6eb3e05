import SeededGenerator
import Testing

@testable import Pagination

@Suite("A Link header")
struct LinkHeaderTests {
    @Test(
        "A Link header leads to its next page in any notation",
        arguments: [
            (#"<https://a.b/c?page=2>; rel="next", <https://a.b/c?page=9>; rel="last""#, "https://a.b/c?page=2"),
            (#"<https://a.b/c?page=1>; rel="prev", </c?page=3>; rel="next""#, "/c?page=3"),
            ("<u>; rel=next", "u"), ("<u>;rel=next", "u"), ("\t<u> \t;\trel = next ,", "u"), ("<u>; REL=Next", "u"),
            (#"<u>; title="first"; rel="next""#, "u"), (#"<u>; rel="last  NEXT prev""#, "u"),
            (#"<?a=1,2;b=3>; rel=next"#, "?a=1,2;b=3"), (#"<u>; title="a, <v>; rel=\"next\"; b"; rel=next"#, "u"),
            (#"<v>; title="x\\", <u>; rel=next"#, "u"), (#"<u>; title*=UTF-8''%e2%82%ac; rel=next"#, "u"),
            (", ,<u>;rel=next,,", "u"), ("<u>; crossorigin; rel=next", "u"), ("<u>;; rel=next", "u"),
            ("<>; rel=next", ""), ("< u >; rel=next", "u"), ("<u>; rel=\"n\\ext\"", "u"),
            ("<u>; rel='next'", "u"), ("<u>; rel = 'last NEXT', <v>; rel=prev", "u"),
            (#"<v>; rel="prev"; <u>; rel="next""#, "u"),
            ("<ü>; title=ö; rel=next", "ü"), ("<a>; rel=next, <b>; rel=next", "a"),
        ] as [(String, String)])
    func next(value: String, target: String) {
        #expect(LinkHeader([value]).target(of: "next") == target)
    }

    @Test(
        "A Link header without a link to a next page has none",
        arguments: [
            "", ",", "<u>", "<u>; rel=prev", "<u>; rel=nextpage", "<u>; rel=\"\"", "<u>; rev=next",
            "<u>; title=next", "<u>; rel=prev; rel=next", "<u>; rel=next; anchor=\"/other\"",
            "<u>; anchor=\"#part\"; rel=next", "u; rel=next", "<u; rel=next", "<u>; title=\"; rel=next",
            "<u>; title=\"rel=next\"",
        ])
    func noNext(value: String) {
        #expect(LinkHeader([value]).target(of: "next") == nil)
    }

    @Test(
        "A Link header keeps the links before a malformed part",
        arguments: ["x", "<v", "v>; rel=next", "<v>; rel=\"last", "<v>x"])
    func malformed(tail: String) {
        #expect(LinkHeader(["<u>; rel=next, " + tail]).target(of: "next") == "u")
    }

    @Test("Several Link headers are joined; a malformed one does not lose the others")
    func fields() {
        let header = LinkHeader(["<a>; rel=first", "<b; rel=next", "<c>; title=\"", "<d>; rel=next"])
        #expect(header.target(of: "next") == "d")
        #expect(header.target(of: "FIRST") == "a")
        #expect(header.links.map(\.target) == ["a", "c", "d"])
    }

    @Test("A Link header reads back every link that was written, whatever its texts contain", arguments: 0..<200)
    func roundTrip(seed: UInt64) {
        var random = SeededGenerator(seed)
        let links = (0..<Int.random(in: 0...6, using: &random)).map { _ in Self.link(&random) }
        let separator = Self.pick([",", ", ", " ,\t", ",,"], &random)
        let text = links.map { Self.text($0, &random) }.joined(separator: separator)
        #expect(LinkHeader([text]).links == links)
    }

    @Test("A Link header is read safely, wherever it is cut or damaged", arguments: 0..<200)
    func spoilt(seed: UInt64) {
        var random = SeededGenerator(seed)
        let whole = (0..<4).map { _ in Self.link(&random) }
        var bytes = Array(whole.map { Self.text($0, &random) }.joined(separator: ", ").utf8)
        let position = Int.random(in: 0..<bytes.count, using: &random)
        bytes[position] = Self.pick(Array(#"<>;,="\ x"#.utf8), &random)
        let intact = LinkHeader([String(decoding: bytes[..<position], as: UTF8.self)]).links.dropLast()
        let spoilt = LinkHeader([String(decoding: bytes, as: UTF8.self)]).links
        #expect(Array(spoilt.prefix(intact.count)) == Array(intact), "the links before the spoilt byte stay")
    }

    @Test(
        "A Link header of 64 KB is read in one pass",
        arguments: [
            (",", "u"), (" ", "u"), ("<u>,", "u"), ("<v>; rel=item,", "u"), ("<>", nil), (";", nil), ("\"", nil),
            ("\\", nil), ("=", nil), ("<v>; title=\"", nil),
        ] as [(String, String?)])
    func long(part: String, target: String?) {
        let value = String(repeating: part, count: 65_536 / part.utf8.count) + ", <u>; rel=next"
        #expect(LinkHeader([value]).target(of: "next") == target)
    }

    @Test("A Link header of 64 KB of links has them all")
    func many() {
        let value = (1...4000).map { "</p/\($0)>; rel=item" }.joined(separator: ",") + ", <u>; rel=next"
        let header = LinkHeader([value])
        #expect(header.links.count == 4001)
        #expect(header.target(of: "next") == "u")
    }
}

extension LinkHeaderTests {
    private static func link(_ random: inout SeededGenerator) -> LinkHeader.Link {
        let target = text(of: Array("abc/?&=;,%20ü\"\\:."), &random)
        let types = (0..<Int.random(in: 0...3, using: &random)).map { _ in
            text(of: Array("nextprv-.:/;,=<>\"\\"), &random) + "x"
        }
        let anchor = Bool.random(using: &random) ? nil : text(of: Array("ab#/ ;,\"\\<>"), &random)
        return LinkHeader.Link(target: target, relations: types, anchor: anchor, hasResults: true)
    }

    private static func text(_ link: LinkHeader.Link, _ random: inout SeededGenerator) -> String {
        var parameters = ["\(pick(["rel", "Rel", "REL"], &random))=\(quoted(link.relations.joined(separator: " ")))"]
        if let anchor = link.anchor { parameters.append("anchor=\(quoted(anchor))") }
        parameters.append(pick(["title=\"a, <b>; rel=next\"", "hreflang=de", "flag", "x*=UTF-8'en'%e2"], &random))
        parameters.shuffle(using: &random)
        return "<\(link.target)>" + parameters.map { pick([";", "; ", " ;\t"], &random) + $0 }.joined()
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.map { "\"\\".contains($0) ? "\\\($0)" : "\($0)" }.joined() + "\""
    }

    private static func text(of letters: [Character], _ random: inout SeededGenerator) -> String {
        String((0..<Int.random(in: 0...8, using: &random)).map { _ in pick(letters, &random) })
    }

    private static func pick<Element>(_ elements: [Element], _ random: inout SeededGenerator) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }
}
