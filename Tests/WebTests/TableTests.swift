import FeedSync
import Foundation
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
            ("at = 2026-11-05T10:00:00Z", 125), ("at >= 2026-11-05T10:00:00Z", 125),
            ("at >= 2026-11-05T11:00:00+01:00", 125), ("at > 2026-10-05T10:00:00Z", 125),
            ("at > 2026-11-05T10:00:00Z", 0), ("at <= 2026-10-05 10:00Z", 125), ("at < 2026-11-05T10:00:00Z", 125),
            ("at < 2026-10-05T10:00:00Z", 0), ("at != 2026-11-05T10:00:00.000Z", 125),
            ("at 2026-11-05T09:30-00:30", 125), ("at 2026-11-05T10", 125), ("at >= 2026-11-05T10:00:00.5Z", 0),
            ("at >= 2026-10-05T10:00:00.0000Z", 250), ("at = 2026-11-05T10:00:00", 125),
            ("day = 2026-11-05T10:00:00Z", 125), ("day = 2026-11-05T11:00:00+01:00", 0),
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

    @Test(
        "A month or a day means all times in it in a column of texts, too, and another value is also none or a text",
        arguments: [
            ("at 2026-11", [1, 2]), ("at = 2026-11-05", [1]), ("at != 2026-11", [3, 4]), ("at > 2026-11-05", [2, 3]),
            ("at <= 2026-11", [1, 2]), ("stars != 5", [2, 3, 4]), ("stars = 5", [1]), ("stars < 100", [1, 2]),
            ("note != x", [2, 3, 4]),
        ])
    func texts(text: String, ids: [Int]) async throws {
        let items = [
            #"{"id":1,"at":"2026-11-05T10:00:00Z","stars":5,"note":"x"}"#,
            #"{"id":2,"at":"2026-11-06T10:00:00Z","stars":50,"note":"y"}"#,
            #"{"id":3,"at":"2026-12-01T10:00:00Z","stars":"many"}"#, #"{"id":4,"at":null,"stars":null,"note":null}"#,
        ]
        let columns = "columns: {id: id, at: {path: at, type: text}, stars: stars, note: {path: note, type: text}}"
        try await WebPlace.serving(items: items, columns: columns) { place in
            try await place.perform(.sync)
            let reply = try await place.ask("/feeds/things/items?where=\(Self.encoded(text))")
            #expect(reply.list("id").sorted() == ids.map(String.init))
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

    /// A place with nine items in two sections, every third of them tea.
    private func servingTea(_ extra: String, _ body: (WebPlace) async throws -> Void) async throws {
        let items = (1...9).map { #"{"id":\#($0),"name":"\#($0 % 3 == 0 ? "tea" : "milk")","kind":"\#($0 % 2)"}"# }
        try await WebPlace.serving(items: items, extra: "section: {path: kind}\n    \(extra)") { place in
            try await place.perform(.sync)
            try await body(place)
        }
    }

    /// The keys of the items of a list as JSON or CSV.
    private static func ids(_ reply: Reply) -> [String] {
        guard reply.header("Content-Type")?.hasPrefix("text/csv") == true else { return reply.list("id") }
        return reply.body.components(separatedBy: "\r\n").dropFirst().filter { !$0.isEmpty }
            .map { String($0.prefix { $0 != "," }) }
    }

    @Test(
        "A text and a section narrow a list, whatever its form, with an index and without",
        arguments: [
            "", "&format=csv", "&format=csv&order=place", "&format=csv&sort=id", "&sort=-id", "&where=id+%3E+0",
            "&columns=id&format=csv", "&offset=0",
        ], ["", "search: [name]"])
    func narrowed(words: String, extra: String) async throws {
        try await servingTea(extra) { place in
            for (narrowing, ids) in [
                ("q=tea", ["3", "6", "9"]), ("section=1", ["1", "3", "5", "7", "9"]), ("q=tea&section=1", ["3", "9"]),
                ("q=zzzz", []), ("section=nope", []),
            ] {
                let reply = try await place.ask("/feeds/things/items?\(narrowing)\(words)")
                #expect(reply.status == 200)
                #expect(Self.ids(reply).sorted() == ids, "\(narrowing)")
                let total = try await place.ask("/feeds/things/items?total=true&limit=1&\(narrowing)\(words)")
                #expect(total.header("X-Total-Count") == String(ids.count), "\(narrowing)")
            }
        }
    }

    @Test(
        "The Link of a page leads to the next one of the same list",
        arguments: [
            ("format=csv", 9), ("section=1&format=csv", 5), ("q=tea&order=place&format=csv", 3),
            ("section=1&sort=-id", 5), ("q=tea&sort=-id&format=csv", 3), ("q=tea&section=1&where=id+%3E+0", 2),
        ])
    func narrowedPages(words: String, count: Int) async throws {
        try await servingTea("") { place in
            var (ids, target) = ([String](), Optional("/feeds/things/items?limit=2&\(words)"))
            while let next = target, ids.count < 20 {
                let reply = try await place.ask(next)
                ids += Self.ids(reply)
                target = reply.next
            }
            #expect(ids.count == count && Set(ids).count == count)
        }
    }

    @Test("CSV of a feed of which nothing is stored has no items") func emptyTable() async throws {
        try await WebPlace.serving { place in
            for target in ["/feeds/things/items?format=csv", "/feeds/things/items?format=csv&q=tea"] {
                let reply = try await place.ask(target)
                #expect(reply.status == 200 && reply.header("Content-Type") == "text/csv; charset=utf-8")
                #expect(Self.ids(reply).isEmpty)
            }
        }
    }

    @Test(
        "A parameter for the feed's order is refused beside one for a table, and both are named",
        arguments: [
            ("after=1.240&where=id+%3E+1", "after", "where"), ("order=place&sort=id", "order", "sort"),
            ("columns=id&after=1.2&format=csv", "after", "columns"), ("offset=0&order=place&q=tea", "order", "offset"),
            ("column=id&after=1.2", "after", "column"),
        ])
    func mixture(words: String, one: String, other: String) async throws {
        try await serving { place in
            let reply = try await place.ask("/feeds/things/items?\(words)")
            #expect(reply.status == 400)
            #expect(reply.body.contains("`\(one)` and `\(other)` do not go together"), "\(reply.body)")
        }
    }

    @Test("A table takes 20 filters, 200 columns and an offset of ten million, and refuses more")
    func most() async throws {
        try await serving { place in
            for (word, most, name) in [("where=id+%3E+", 20, "filters"), ("column=id&limit=", 200, "columns")] {
                let words = (1...most + 1).map { "\(word)\($0)" }
                let taken = words.dropLast().joined(separator: "&")
                #expect(try await place.ask("/feeds/things/items?\(taken)").status == 200)
                let all = words.joined(separator: "&")
                let reply = try await place.ask("/feeds/things/items?\(all)")
                #expect(reply.status == 400 && reply.body.contains("at most \(most) \(name)"), "\(reply.body)")
                #expect(try await place.ask("/table/things?\(all)").body.contains("role=\"alert\""))
            }
            #expect(try await place.ask("/feeds/things/items?offset=10000000").status == 200)
            #expect(try await place.ask("/feeds/things/items?offset=10000001").status == 400)
        }
    }

    @Test("A column whose name has a comma is chosen by a parameter of its own, also by the page")
    func commaInName() async throws {
        let items = [#"{"id":1,"a,b":2,"c":3}"#, #"{"id":2,"a,b":4,"c":5}"#]
        try await WebPlace.serving(items: items, columns: "") { place in
            try await place.perform(.sync)
            let view = "column=a%2Cb&column=id"
            let reply = try await place.ask("/feeds/things/items?\(view)&format=csv&limit=1")
            #expect(reply.body == "\"a,b\",id\r\n2,1\r\n")
            #expect(try await place.ask(try #require(reply.next)).body == "\"a,b\",id\r\n4,2\r\n")
            let page = try await place.ask("/table/things?\(view)").body
            let words = view.replacing("&", with: "&amp;")
            #expect(page.contains("/feeds/things/items?\(words)&amp;format=csv&amp;limit=1000\""))
        }
    }

    @Test("CSV of the server is for spreadsheets: Booleans are words, and only columns of the feed are there")
    func spreadsheet() async throws {
        let items = [#"{"id":1,"sold":true}"#, #"{"id":2,"sold":false}"#]
        let columns = "columns: {id: id, sold: {path: sold, type: boolean}}"
        try await WebPlace.serving(items: items, columns: columns) { place in
            try await place.perform(.sync)
            let text = "id,sold\r\n1,true\r\n2,false\r\n"
            #expect(try await place.ask("/feeds/things/items?format=csv").body == text)
            // Its body comes in chunks.
            #expect(try await place.ask("/feeds/things/export?format=csv").body.contains(text))
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
            #expect(reply.body.contains("did you mean stars?") == words.contains("starz"))
            #expect(reply.body.contains("is no filter") == (words == "where=stars"))
            #expect(try await place.ask("/table/things?\(query)").body.contains("role=\"alert\""))
        }
    }

    @Test("A table without rows says that none match, or that its last row is before the place")
    func none() async throws {
        try await serving { place in
            #expect(try await place.ask("/table/things?where=id%20%3C%200").body.contains("No items match."))
            let page = try await place.ask("/table/things?offset=5000").body
            #expect(page.contains("There are only 250 items.") && !page.contains("No items match."))
            #expect(page.contains("href=\"/table/things?offset=150\" rel=\"prev\""))
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
        "A parameter that a command does not take is refused, and nothing is requested",
        arguments: ["more?pages=3", "sync?full", "reload?limit=1", "pause?until=1"])
    func unknownParameterOfCommand(target: String) async throws {
        try await WebPlace.serving { place in
            let reply = try await place.post("/feeds/things/\(target)")
            #expect(reply.status == 400 && reply.body.contains("there is no parameter"), "\(reply.body)")
            #expect(place.upstream.requests.isEmpty)
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
