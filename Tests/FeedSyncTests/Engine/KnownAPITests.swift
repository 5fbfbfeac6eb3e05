import Foundation
import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync

/// A list of a well-known API, with 57 items in pages of 20, that ends as the API's lists do.
private struct KnownAPI: Sendable, CustomTestStringConvertible {
    /// The feed's name in Docs/apis.md.
    let name: String
    let key: String
    /// An item's members besides its key, of the item with that number.
    var members: @Sendable (Int) -> String = { #""name":"item \#($0)""# }
    /// The key of the item with that number, as JSON.
    var id: @Sendable (Int) -> String = { "\($0)" }
    /// The requests that a crawl needs to come to the end.
    var pageCount = 3
    /// The response to a request, given the list and the address of the server.
    let answer: @Sendable (KnownAPI, ServerRequest) -> ServerResponse

    var testDescription: String { name }

    static let count = 57
    static let size = 20

    func item(_ number: Int) -> String { #"{"\#(key)":\#(id(number)),\#(members(number))}"# }

    /// The page after the first `start` items, as the elements of an array.
    func page(after start: Int) -> String { Self.range(after: start).map(item).joined(separator: ",") }

    static func range(after start: Int) -> Range<Int> { min(start, count) + 1..<end(after: start) + 1 }

    /// The number of items up to the end of the page after the first `start` ones.
    static func end(after start: Int) -> Int { min(min(start, count) + size, count) }

    var ids: Set<String> { Set((1...Self.count).map { id($0).filter { $0 != "\"" } }) }

    /// A token for the place behind so many items, with characters that a URL does not take as they are.
    static func token(_ place: Int) -> String { "AoJ/\(place)+w==" }

    static func place(_ token: String?) -> Int? {
        guard let token, token != "*" else { return 0 }
        return Int(token.dropFirst(4).prefix { $0.isNumber })
    }

    static func origin(_ request: ServerRequest) -> String { "http://\(request.header("Host") ?? "")\(request.path)" }

    private static let refused = ServerResponse.json(#"{"error":"not understood"}"#, status: 400)

    static let all = [
        crossref, solr, zendesk("zendesk-tickets", "tickets"), zendesk("zendesk-users", "users"), zendeskByTime,
        sentry, ckan, magento, steamApps, steamReviews, couchDB,
    ]

    /// https://www.crossref.org/documentation/retrieve-metadata/rest-api/tips-for-using-the-crossref-rest-api/
    static let crossref = KnownAPI(
        name: "crossref", key: "DOI", members: { #""title":["title \#($0)"],"type":"journal-article","score":1.0"# },
        id: { #""10.5555/\#($0)""# }, pageCount: 4
    ) { api, request in
        guard let start = place(request.parameter("cursor")) else { return refused }
        return .json(
            """
            {"status":"ok","message-type":"work-list","message-version":"1.0.0","message":{"facets":{},\
            "next-cursor":"\(token(end(after: start)))","total-results":\(count),"items":[\(api.page(after: start))],\
            "items-per-page":\(size),"query":{"start-index":0,"search-terms":null}}}
            """)
    }

    /// https://solr.apache.org/guide/solr/latest/query-guide/pagination-of-results.html#fetching-a-large-number-of-sorted-results-cursors
    static let solr = KnownAPI(
        name: "solr", key: "id", members: { #""title":"title \#($0)","_version_":\#(1_700_000_000_000_000_000 + $0)"# },
        id: { #""d\#($0)""# }, pageCount: 4
    ) { api, request in
        guard let start = place(request.parameter("cursorMark")), request.parameter("start") == nil else {
            return refused
        }
        return .json(
            """
            {"responseHeader":{"status":0,"QTime":1,"params":{"q":"*:*","rows":"500"}},"response":{"numFound":\(count),\
            "start":0,"numFoundExact":true,"docs":[\(api.page(after: start))]},\
            "nextCursorMark":"\(token(end(after: start)))"}
            """)
    }

    /// https://developer.zendesk.com/api-reference/ticketing/ticket-management/incremental_exports/
    static func zendesk(_ name: String, _ list: String) -> KnownAPI {
        KnownAPI(
            name: name, key: "id",
            members: { #""subject":"subject \#($0)","updated_at":"2026-01-02T00:00:\#(10 + $0 / 2)Z""# }
        ) { api, request in
            guard let start = place(request.parameter("cursor")) else { return refused }
            let end = end(after: start)
            let sent = token(end).replacing("+", with: "%2B").replacing("=", with: "%3D")
            return .json(
                """
                {"\(list)":[\(api.page(after: start))],"after_url":"\(origin(request))?cursor=\(sent)",\
                "before_url":null,"after_cursor":"\(token(end))","before_cursor":null,"end_of_stream":\(end == count)}
                """)
        }
    }

    /// The same by time: items of the page's last second come again with the next one.
    static let zendeskByTime = KnownAPI(
        name: "zendesk-organizations", key: "id",
        members: { #""name":"name \#($0)","updated":\#(1_700_000_000 + $0 / 2)"# }, pageCount: 4
    ) { api, request in
        guard let from = Int(request.parameter("start_time") ?? "") else { return refused }
        let page = (1...count).filter { 1_700_000_000 + $0 / 2 >= from }.prefix(size)
        let last = page.last.map { 1_700_000_000 + $0 / 2 } ?? from
        return .json(
            """
            {"organizations":[\(page.map(api.item).joined(separator: ","))],"count":\(page.count),\
            "next_page":"\(origin(request))?start_time=\(last)","end_time":\(last)}
            """)
    }

    /// https://docs.sentry.io/api/pagination/
    static let sentry = KnownAPI(
        name: "sentry", key: "id", members: { #""title":"title \#($0)","shortId":"WEB-\#($0)""# }, id: { #""\#($0)""# }
    ) { api, request in
        let start = Int(request.parameter("cursor")?.split(separator: ":").dropFirst().first ?? "0") ?? 0
        let link = { (relation: String, place: Int, isThere: Bool) in
            """
            <\(origin(request))?query=&cursor=0:\(place):0>; rel="\(relation)"; results="\(isThere)"; \
            cursor="0:\(place):0"
            """
        }
        let links = [
            link("previous", max(start - size, 0), start > 0), link("next", start + size, start + size < count),
        ]
        return .json("[\(api.page(after: start))]", headers: [(name: "Link", value: links.joined(separator: ", "))])
    }

    /// https://docs.ckan.org/en/latest/maintaining/datastore.html
    static let ckan = KnownAPI(name: "ckan", key: "_id") { api, request in
        let start = Int(request.parameter("offset") ?? "0") ?? 0
        let link = "\(request.path)?resource_id=4b6d&limit=1000"
        return .json(
            """
            {"help":"https://data.example.com/help","success":true,"result":{"include_total":true,"resource_id":"4b6d",\
            "fields":[{"id":"_id","type":"int"},{"id":"name","type":"text"}],"records_format":"objects",\
            "records":[\(api.page(after: start))],"_links":{"start":"\(link)","next":"\(link)&offset=\(start + size)"},\
            "limit":1000,"offset":\(start),"total":\(count),"total_was_estimated":false}}
            """)
    }

    /// https://developer.adobe.com/commerce/webapi/rest/use-rest/performing-searches/
    static let magento = KnownAPI(
        name: "magento", key: "sku", members: { #""name":"name \#($0)","price":10"# }, id: { #""S-\#($0)""# }
    ) { api, request in
        let last = (count + size - 1) / size
        let number = min(Int(request.parameter("searchCriteria[currentPage]") ?? "") ?? 1, last)
        return .json(
            """
            {"items":[\(api.page(after: (number - 1) * size))],"search_criteria":{"filter_groups":[],\
            "page_size":\(size),"current_page":\(number)},"total_count":\(count)}
            """)
    }

    /// https://partner.steamgames.com/doc/webapi/IStoreService
    static let steamApps = KnownAPI(
        name: "steam-apps", key: "appid",
        members: { #""name":"game \#($0)","last_modified":\#(1_700_000_000 + $0),"price_change_number":\#(900 - $0)"# },
        id: { "\($0 * 10)" }
    ) { api, request in
        let start = (Int(request.parameter("last_appid") ?? "0") ?? 0) / 10
        let end = end(after: start)
        let more = end < count ? #","have_more_results":true,"last_appid":\#(end * 10)"# : ""
        return .json(#"{"response":{"apps":[\#(api.page(after: start))]\#(more)}}"#)
    }

    /// https://partner.steamgames.com/doc/store/getreviews
    static let steamReviews = KnownAPI(
        name: "steam-reviews", key: "recommendationid",
        members: { #""author":{"steamid":"765\#($0)"},"language":"english","review":"text \#($0)","votes_up":\#($0)"# },
        id: { #""\#(9000 + $0)""# }, pageCount: 4
    ) { api, request in
        guard let start = place(request.parameter("cursor")) else { return refused }
        let total = start == 0 ? #","review_score":8,"total_positive":50,"total_reviews":\#(count)"# : ""
        return .json(
            """
            {"success":1,"query_summary":{"num_reviews":\(range(after: start).count)\(total)},\
            "reviews":[\(api.page(after: start))],"cursor":"\(token(end(after: start)))"}
            """)
    }

    /// https://docs.couchdb.org/en/stable/api/database/changes.html
    static let couchDB = KnownAPI(
        name: "couchdb", key: "id", members: { #""seq":"\#($0)-g1AAA","changes":[{"rev":"1-\#($0)"}]"# },
        id: { #""book\#($0)""# }
    ) { api, request in
        let start = Int(request.parameter("since")?.prefix { $0.isNumber } ?? "0") ?? 0
        let end = end(after: start)
        return .json(#"{"results":[\#(api.page(after: start))],"last_seq":"\#(end)-g1AAA","pending":\#(count - end)}"#)
    }
}

@Suite("The lists of well-known APIs")
struct KnownAPITests {
    /// The members of each feed in Docs/apis.md.
    private static func documented() throws -> [String: [String]] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Docs/apis.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let block = try #require(text.split(separator: "```yaml\nfeeds:\n").last?.split(separator: "```").first)
        var feeds: [String: [String]] = [:]
        var name = ""
        for line in block.split(separator: "\n") {
            if line.hasPrefix("    ") {
                feeds[name, default: []].append(String(line.dropFirst(4)))
            } else {
                name = String(line.dropFirst(2).dropLast())
            }
        }
        return feeds
    }

    @Test("Every feed in Docs/apis.md is an API whose end is tried, and each API is there")
    func complete() throws {
        #expect(Set(try Self.documented().keys) == Set(KnownAPI.all.map(\.name)))
    }

    @Test(
        "A well-known API is mirrored completely, from its URL alone and from the documented definition",
        arguments: KnownAPI.all, [false, true])
    private func mirrored(api: KnownAPI, isDefined: Bool) async throws {
        let bench = try await EngineBench()
        let members = try #require(try Self.documented()[api.name])
        let address = try #require(members.first { $0.hasPrefix("url: ") }?.dropFirst("url: https://".count))
        let target = address[try #require(address.firstIndex(of: "/"))...]
        let path = String(target.prefix { $0 != "?" })
        bench.server.route(path) { api.answer(api, $0) }
        let rest = members.filter { isDefined && !$0.hasPrefix("url: ") && !$0.hasPrefix("auth: ") }
        let definition = try EngineBench.definition(
            (["url: '\(bench.server.url)\(target)'", "retries: 0"] + rest).joined(separator: "\n"))
        for number in 1...2 {
            let engine = try await bench.another(definition)
            let before = bench.server.requests.count
            let run = try await engine.perform(.sync)
            #expect(run.reason == nil)
            #expect(try bench.feed("complete, item_count") == "1|\(KnownAPI.count)")
            #expect(Set(try bench.query("SELECT \(api.key) FROM things WHERE _removed_at IS NULL")) == api.ids)
            // Finding the way takes the first run at most two requests.
            let most = api.pageCount + (isDefined || number == 2 ? 1 : 2)
            let count = bench.server.requests.count - before
            #expect((api.pageCount...most).contains(count), "\(count) requests")
        }
    }
}
