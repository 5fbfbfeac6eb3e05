import FeedSync
import MirrorReader
import ScriptedServer
import Testing

@testable import Web

@Suite(.timeLimit(.minutes(10))) struct TableTests {
    private static let items = (1...250).map { number in
        #"{"id":\#(number),"name":"item \#(number)","stars":\#(number * 7 % 251),"kind":"\#(["red", "green", "blue"][number % 3])","#
            + #""isOld":\#(number % 2 == 0),"at":"2026-\#(number % 2 == 0 ? "11" : "10")-05T10:00:00Z"}"#
    }

    private func serving(_ body: (WebPlace) async throws -> Void) async throws {
        let columns =
            "columns: {id: id, name: name, stars: stars, kind: kind, day: at, isOld: {path: isOld, type: boolean}, at: {path: at, type: timestamp}}"
        try await WebPlace.serving(items: Self.items, columns: columns) { place in
            try await place.perform(.sync)
            try await body(place)
        }
    }

    private static func encoded(_ text: String) -> String {
        text.utf8.map { "%" + String($0 / 16, radix: 16) + String($0 % 16, radix: 16) }.joined()
    }

    @Test(
        "A filter is a column, a comparison and a value",
        arguments: [
            ("stars > 100", ColumnFilter("stars", .above, "100")),
            ("stars>=100", ColumnFilter("stars", .atLeast, "100")),
            ("  at 2026-11 ", ColumnFilter("at", .equal, "2026-11")),
            ("name ~ a b", ColumnFilter("name", .contains, "a b")),
            ("name != ", ColumnFilter("name", .unequal, "")),
            ("name_2 = x", ColumnFilter("name_2", .equal, "x")), ("names = x", nil),
            ("name", nil), ("> 100", nil), ("", nil), ("nothing = 1", nil),
        ])
    func parsed(text: String, filter: ColumnFilter?) {
        #expect(ColumnFilter(text, columns: ["id", "name", "name_2", "stars", "at"]) == filter)
    }

    @Test(
        "A filter gives the items for which it is true",
        arguments: [
            ("stars > 100", 150), ("stars >= 100", 151), ("stars < 1", 0), ("stars = 7", 1), ("stars != 7", 249),
            ("stars = seven", 0), ("kind = red", 83), ("kind ~ RE", 167), ("kind =", 0), ("kind !=", 250),
            ("isOld yes", 125), ("isOld = false", 125), ("at 2026-11", 125), ("at > 2026-10", 125),
            ("at >= 2026-10", 250),
            ("at <= 2026-10", 125), ("at < 2026-10", 0), ("at != 2026-11", 125), ("day 2026-11", 125),
            ("day > 2026-10-04", 250), ("day 2026-1", 0), ("name ~ 25", 4), ("name ~ %", 0),
            ("name = ' OR 1 = 1 --", 0),
        ])
    func filtered(text: String, count: Int) async throws {
        try await serving { place in
            let reply = try await place.ask("/feeds/things/items?limit=1000&where=\(Self.encoded(text))")
            #expect(reply.list("id").count == count)
            let page = try await place.ask("/table/things?where=\(Self.encoded(text))")
            #expect(page.status == 200)
            #expect(page.body.contains(count == 250 ? "250 items" : "\(count) of 250 items"))
        }
    }

    @Test("Pages of a sorted view follow one another, and none is missed or double")
    func sorted() async throws {
        try await serving { place in
            var (stars, target) = ([String](), "/feeds/things/items?sort=-stars&columns=id,stars&limit=60")
            for _ in 0..<10 {
                let reply = try await place.ask(target)
                stars += reply.list("stars")
                #expect(!reply.body.contains("\"name\""))
                guard let next = reply.next else { break }
                target = next
            }
            #expect(stars == (1...250).reversed().map(String.init))
        }
    }

    @Test("CSV has the columns in the wanted order, and quotes what has to be")
    func commaSeparated() async throws {
        let items = [#"{"id":1,"name":"a, \"b\"\nc"}"#, #"{"id":2,"name":null}"#]
        try await WebPlace.serving(items: items) { place in
            try await place.perform(.sync)
            let reply = try await place.ask("/feeds/things/items?format=csv&columns=name,id&sort=id")
            #expect(reply.header("Content-Type") == "text/csv; charset=utf-8")
            #expect(reply.body == "name,id\r\n\"a, \"\"b\"\"\nc\",1\r\n,2\r\n")
        }
    }

    @Test(
        "A view with a mistake says so",
        arguments: ["sort=starz", "columns=id,nothing", "where=starz > 1", "where=stars"])
    func mistake(words: String) async throws {
        try await serving { place in
            let query = words.replacing(" ", with: "%20")
            let reply = try await place.ask("/feeds/things/items?\(query)")
            #expect(reply.status == 400)
            if words == "sort=starz" { #expect(reply.body.contains("did you mean stars?")) }
            #expect(try await place.ask("/table/things?\(query)").body.contains("role=\"alert\""))
        }
    }

    @Test(
        "A parameter that a path does not take is refused, with the nearest one",
        arguments: [
            ("/feeds/things/items?sorts=stars", "did you mean `sort`?"), ("/feeds/things/items?key=1", "`key` here"),
            ("/feeds/things?limit=3", "`limit` here"), ("/runs?feed=things", "`feed` here"), ("/quota?x", "`x` here"),
            ("/changes?kinds=new", "did you mean `kind`?"), ("/events?feeds=things", "did you mean `feed`?"),
        ])
    func unknownParameter(target: String, words: String) async throws {
        try await serving { place in
            let reply = try await place.ask(target)
            #expect(reply.status == 400)
            #expect(reply.header("Content-Type") == "application/problem+json")
            #expect(reply.member("status") == "400")
            #expect(reply.body.contains(words), "\(reply.body)")
        }
    }

    @Test(
        "A text is JSON by its column's type, or by itself where no type was declared",
        arguments: [
            ("[1, 2]", nil, true), (#"{"a": 1}"#, nil, true), ("[draft] x", nil, false), ("{", nil, false),
            ("1", nil, false), ("[1]", ColumnType.text, false), ("1", .json, true),
        ])
    func structures(text: String, type: ColumnType?, isStructure: Bool) {
        #expect(ValueText.isStructure(text, type) == isStructure)
    }

    @Test("The address holds the view: each link changes one thing of it")
    func links() async throws {
        try await serving { place in
            let page = try await place.ask("/table/things?columns=id,kind,stars&where=stars%20%3E%2010&sort=stars").body
            #expect(page.contains("aria-sort=\"ascending\""))
            // A field says what can be typed for this feed; figures have their heading above them.
            #expect(page.contains("placeholder=\"stars &gt; 100, kind ~ word\""))
            #expect(page.contains("<th class=\"number\" scope=\"col\" aria-sort=\"ascending\""))
            let view = "columns=id%2Ckind%2Cstars&amp;where=stars+%3E+10"
            // Sorted the other way, filtered by a value that is counted, and the next page.
            #expect(page.contains("/table/things?\(view)&amp;sort=-stars\""))
            #expect(page.contains("/table/things?\(view)&amp;where=kind+%3D+red&amp;sort=stars\""))
            #expect(page.contains("/table/things?\(view)&amp;sort=stars&amp;offset=100\""))
            #expect(page.contains("/feeds/things/items?\(view)&amp;sort=stars&amp;format=csv&amp;limit=1000\""))
            #expect(try await place.ask("/table/nothing").status == 404)
        }
    }
}
