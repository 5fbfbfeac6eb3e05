import Foundation
import HTTPServer
import ScriptedServer
import Testing

@Suite("Feeds of one model whose columns are found")
struct GrowingModelTests {
    private func place(_ feeds: [String]) throws -> Workplace {
        let place = try Workplace()
        let lines = feeds.map {
            "  \($0): {url: \"\(place.server.url)/\($0)\", model: thing, items: items, key: id, pagination: {style: page, param: page}, retries: 0}\n"
        }
        try place.write("feedsync.yaml", "feeds:\n" + lines.joined())
        return place
    }

    @Test("The view has the columns of all feeds, whichever one grows")
    func growing() async throws {
        let place = try place(["a", "b"])
        place.server.route("/a", to: PagedFeed([#"{"id":1,"x":1}"#, #"{"id":2,"Y":"two","x":1.5}"#], perPage: 1))
        place.server.route(
            "/b", to: PagedFeed([#"{"id":1,"z":{"w":[1]}}"#, #"{"id":2,"y":true,"feed":"f"}"#], perPage: 1))
        for line in ["reload a", "reload b", "more b", "more a"] { #expect(try await place.run(line).code == 0) }
        #expect(
            try place.query("SELECT group_concat(name, ' ') FROM pragma_table_info('thing') WHERE name NOT GLOB '_*'")
                == ["feed id x Y z_w feed_2"])
        #expect(
            try place.query(
                "SELECT format('%s %d %s %s %s %s', feed, id, x, y, z_w, feed_2) FROM thing ORDER BY feed, id")
                == ["a 1 1.0   ", "a 2 1.5 two  ", "b 1   [1] ", "b 2  1  f"])
        try place.expectSound("a")
        try place.expectSound("b")
    }

    @Test("A view has as many columns as SQLite takes, and the rows of all feeds")
    func tooWide() async throws {
        let place = try place(["a", "b", "c"])
        for feed in ["a", "b", "c"] {
            let members = (0..<900).map { #""\#(feed)\#($0)":1"# }.joined(separator: ",")
            place.server.route("/\(feed)", to: PagedFeed([#"{"id":1,\#(members)}"#]))
        }
        for feed in ["a", "b", "c"] {
            let run = try await place.run("reload \(feed)")
            #expect(run.code == 0, "\(run.errors)")
        }
        #expect(try place.query("SELECT count(*) FROM c WHERE c899 = 1") == ["1"])
        #expect(try place.query("SELECT feed FROM thing WHERE a0 = 1 OR b0 = 1 OR c0 = 1") == ["a", "b", "c"])
        #expect(try place.query("SELECT count(*) FROM pragma_table_info('thing')") == ["2000"])
    }

    @Test("`show --json` prints a table's values as they are")
    func shown() async throws {
        let place = try place(["a"])
        let item =
            #"{"id":1,"s":"\u0000\u2028\"\\\ud83d\ude00\u001b[31m","n":18446744073709551616,"r":-0.0,"big":1e308,"huge":1e400,"deep":\#(String(repeating: "[", count: 400))\#(String(repeating: "]", count: 400)),"a.b":{"":"e"},"select":null,"t":[1.10,{"k":"\u00e9"}]}"#
        place.server.route("/a", to: PagedFeed([item]))
        #expect(try await place.run("reload a").code == 0)
        let output = try await place.run("show a --json").output
        let rows =
            try JSONSerialization.jsonObject(with: Data(output.replacing("1e400", with: "1").utf8)) as? [[String: Any]]
        let row = try #require(rows?.first)
        #expect(row["s"] as? String == "\0\u{2028}\"\\😀\u{1B}[31m")
        #expect(row["n"] as? String == "18446744073709551616" && row["big"] as? Double == 1e308)
        #expect(row["r"] as? Double == 0 && row["select"] is NSNull)
        #expect(row["a.b_"] as? String == "e" && (row["t"] as? [Any])?.count == 2)
        #expect(output.contains("[1.10,") && output.contains(String(repeating: "[", count: 400)))
    }
}
