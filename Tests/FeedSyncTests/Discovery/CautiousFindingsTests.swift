import HTTPServer
import ScriptedServer
import Testing

@testable import Upstream

@Suite("Discovery is not certain of what may be wrong")
struct CautiousFindingsTests {
    private func found(_ body: String, path: String = "/things") async throws -> DiscoveryResult {
        let bench = try DiscoveryBench()
        bench.server.route(String(path.prefix { $0 != "?" })) { _ in .json(body) }
        return try await bench.found(.signs, path: path)
    }

    private func evidence(_ subject: Evidence.Subject, _ found: DiscoveryResult) throws -> Evidence {
        try #require(found.evidence.first { $0.subject == subject })
    }

    @Test(
        "A key is certain only by the name of an id; ids with times come before texts, and a hash where nothing is left",
        arguments: [
            (#"[{"v":1},{"v":1},{"v":2}]"#, "$hash", .guess),
            (#"[{"v":1},{"v":2}]"#, "$hash", .guess),
            (#"[{"id":1},{"id":1},{"id":2}]"#, "id", .certain),
            (#"[{"slug":"a"},{"slug":"b"}]"#, "slug", .likely),
            (#"[{"name":"a"},{"name":"b"}]"#, "$hash", .guess),
            (
                #"[{"at":"2026-11-21T10:00:00Z","level":"info","msg":"started"},{"at":"2026-11-21T10:00:01Z","level":"info","msg":"ready"}]"#,
                "$hash", .guess
            ),
            (
                #"[{"user_id":1,"at":"2026-11-21T10:00","text":"a"},{"user_id":1,"at":"2026-11-21T11:00","text":"b"}]"#,
                "[user_id, at]", .guess
            ),
            (
                #"[{"pk1":"a","pk2":"a","content":"x"},{"pk1":"a","pk2":"b","content":"y"},{"pk1":"b","pk2":"a","content":"z"}]"#,
                "[pk1, pk2]", .guess
            ),
            (#"[{"country":"DE","year":"2000","value":7},{"country":"DE","year":"2001","value":8}]"#, "year", .guess),
            (
                #"[{"land":"DE","crop":"x","people":7},{"land":"DE","crop":"y","people":8},{"land":"FR","crop":"y","people":9}]"#,
                "[land, crop]", .guess
            ),
            (
                #"[{"type":"edit","pageid":1,"revid":9,"rcid":11,"timestamp":"x"},{"type":"edit","pageid":2,"revid":8,"rcid":12,"timestamp":"x"}]"#,
                "rcid", .certain
            ),
            (#"[{"a":true},{"a":false}]"#, "$hash", .guess),
        ] as [(String, String, Evidence.Certainty)])
    func keys(body: String, key: String, certainty: Evidence.Certainty) async throws {
        let evidence = try evidence(.key, try await found(body))
        #expect(evidence.found == key && evidence.certainty == certainty, "\(evidence)")
        #expect(evidence.text.contains("came twice") == body.contains(#"1},{"v":1}"#) || body.contains(#""id":1},"#))
    }

    @Test("MediaWiki's pages do not have their revisions overwrite each other")
    func revisions() async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/w/api.php") { request in
            let start = request.parameter("arvcontinue") == nil ? 0 : 2
            let pages = (start..<start + 3).map {
                #"{"pageid":\#($0),"revisions":[{"revid":\#($0 * 7 + start)}],"ns":0,"title":"t\#($0)"}"#
            }
            let next = start == 0 ? #""continue":{"arvcontinue":"x"},"# : ""
            return .json("{\(next)\"query\":{\"allrevisions\":[\(pages.joined(separator: ","))]}}")
        }
        let found = try await bench.discover(path: "/w/api.php")
        #expect(found.findings.key == ["hash"])
        #expect(found.findings.pagination == "{style: cursor, next: continue}")
    }

    @Test("Items that the second page does not have are not the items")
    func itemsOfFirstPage() async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/compare/a...b") { request in
            let isFirst = request.parameter("page") == nil
            let commits = (isFirst ? 0..<3 : 3..<5).map { #"{"sha":"c\#($0)"}"# }.joined(separator: ",")
            let files = (0..<9).map { #"{"sha":"f\#($0)","filename":"n\#($0)"}"# }.joined(separator: ",")
            return .json(
                #"{"url":"x","commits":[\#(commits)]\#(isFirst ? ",\"files\":[\(files)]" : "")}"#,
                headers: isFirst ? [("Link", "</compare/a...b?page=2>; rel=\"next\"")] : [])
        }
        let found = try await bench.discover(path: "/compare/a...b")
        #expect(found.findings.items?.description == "commits" && found.findings.key == ["sha"])
        #expect(found.findings.pagination == "{style: link}")
        #expect(try evidence(.items, found).text.contains("second page"))
    }

    @Test("Rows that are lists are not replaced by the facets beside them")
    func facets() async throws {
        let body =
            #"{"rows":[[1,"a"],[2,"b"]],"columns":["id","n"],"suggested_facets":[{"name":"n","toggle_url":"x"},{"name":"m","toggle_url":"y"}]}"#
        let error = await #expect(throws: FeedSyncError.self) { try await found(body) }
        #expect(error?.advice?.contains("_shape=objects") == true)
    }

    @Test("Two lists in one object are both shown")
    func twoLists() async throws {
        let body =
            #"{"users":[{"id":1},{"id":2},{"id":3}],"orders":[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5}]}"#
        let items = try evidence(.items, try await found(body))
        #expect(items.found == "orders" && items.certainty == .likely)
        #expect(items.text.contains("`users` could also be the items"))
        #expect(try evidence(.items, try await found(body, path: "/orders")).certainty == .certain)
    }

    @Test(
        "An empty list is not an item",
        arguments: [
            (#"{"query":{"allpages":[]}}"#, "query.allpages"),
            (#"{"batchcomplete":"","query":{"allpages":[]}}"#, "query.allpages"),
            (#"{"issues":[],"total_count":0}"#, "issues"),
        ])
    func empty(body: String, items: String) async throws {
        let found = try await found(body)
        #expect(found.findings.items?.description == items && found.itemCount == 0)
    }

    @Test(
        "Items that no way leads to are reported",
        arguments: [
            (#"{"hits":{"total":{"value":95},"hits":[{"id":1},{"id":2}]}}"#, [], "hits.total.value"),
            (#"{"total":95,"list":[{"id":1},{"id":2}]}"#, [], "total"),
            (#"[{"id":1},{"id":2}]"#, [("X-Total-Count", "95")], "X-Total-Count"),
            (#"[{"id":1},{"id":2}]"#, [("Content-Range", "items 0-1/95")], "Content-Range"),
        ] as [(String, [(name: String, value: String)], String)])
    func missing(body: String, headers: [(name: String, value: String)], place: String) async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { _ in .json(body, headers: headers) }
        #expect(try await bench.discover().missing == MissingItems(place: place, total: 95))
    }
}
