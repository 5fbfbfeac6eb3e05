import JSON
import Testing

@Suite("A path")
struct PathTests {
    @Test(
        "A path is names, indices and conditions",
        arguments: [
            ("id", [.member("id")], "id"),
            ("data.list", [.member("data"), .member("list")], "data.list"),
            ("$.a.b", [.member("a"), .member("b")], "a.b"),
            ("a[0].b", [.member("a"), .index(0), .member("b")], "a[0].b"),
            ("[2]", [.index(2)], "[2]"),
            ("$[2]", [.index(2)], "[2]"),
            ("$", [], "$"),
            ("$ref", [.member("$ref")], "$ref"),
            ("a.$", [.member("a"), .member("$")], "a.\"$\""),
            ("\"odd.name\".x", [.member("odd.name"), .member("x")], "\"odd.name\".x"),
            ("a[\"b.c\"]", [.member("a"), .member("b.c")], "a.\"b.c\""),
            ("\"a\\\"b\\\\c\"", [.member("a\"b\\c")], "\"a\\\"b\\\\c\""),
            ("\"\"", [.member("")], "\"\""),
            (
                "links[rel=next].href", [.member("links"), .first(where: "rel", equals: "next"), .member("href")],
                "links[rel=next].href"
            ),
            ("a[v=1.0]", [.member("a"), .first(where: "v", equals: "1.0")], "a[v=\"1.0\"]"),
            ("a[\"x y\"=\"\"]", [.member("a"), .first(where: "x y", equals: "")], "a[\"x y\"=\"\"]"),
            ("@id-x.日本", [.member("@id-x"), .member("日本")], "@id-x.日本"),
        ] as [(String, [Path.Segment], String)])
    func segments(text: String, segments: [Path.Segment], description: String) throws {
        let path = try Path(text)
        #expect(path.segments == segments)
        #expect(path.description == description)
        #expect(try Path(path.description) == path)
    }

    @Test(
        "The error of an invalid path has its place",
        arguments: [
            ("", 0), (".a", 0), ("a.", 2), ("a..b", 2), ("a[", 2), ("a[]", 2), ("a[1", 1), ("a[-1]", 2), ("a[x]", 2),
            ("a[99999999999999999999]", 2), ("a[x=]", 4), ("a b", 1), ("\"a", 0), ("\"a\\n\"", 2), ("a]", 1),
            ("a\"b\"", 1),
            ("a[0]b", 4), ("items[*].id", 6), ("items.*", 6), ("$.", 2), ("a=b", 1),
        ])
    func wrong(text: String, offset: Int) {
        let error = #expect(throws: PathError.self) { try Path(text) }
        #expect(error?.offset == offset)
    }

    @Test(
        "A path with wildcards is the steps between them",
        arguments: [
            ("a.b", [[.member("a"), .member("b")]]), ("*", [[], []]), ("$.*", [[], []]),
            (
                "rooms.join.*.timeline.events",
                [[.member("rooms"), .member("join")], [.member("timeline"), .member("events")]]
            ),
            ("a.*.*[0].\"*\"", [[.member("a")], [], [.index(0), .member("*")]]),
        ] as [(String, [[Path.Segment]])])
    func groups(text: String, groups: [[Path.Segment]]) throws {
        #expect(try Path.groups(text) == groups)
    }

    @Test("A path reads back whatever its names are", arguments: 1...200)
    func roundTrip(seed: Int) throws {
        let letters = Array("ab.[]\"\\=$ *\n\t🚀é")
        var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15
        func pick(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        func name() -> String { String((0..<pick(4)).map { _ in letters[pick(letters.count)] }) }
        let path = Path(
            (0..<pick(5)).map { _ in
                switch pick(3) {
                case 0: .index(pick(1_000))
                case 1: .first(where: name(), equals: name())
                default: .member(name())
                }
            })
        #expect(try Path(path.description) == path, "seed \(seed): \(path)")
    }
}
