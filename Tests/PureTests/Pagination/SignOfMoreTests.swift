import Feeds
import Testing

/// A page of 20 items with something beside them.
private struct SignedPage: Sendable, CustomTestStringConvertible {
    let body: String
    var headers: [String: String] = [:]
    var cursor: String?
    var count = 20
    var seen: Int?
    var number: Int? = 1

    init(
        _ body: String, headers: [String: String] = [:], cursor: String? = nil, count: Int = 20, seen: Int? = nil,
        number: Int? = 1
    ) {
        (self.body, self.headers, self.cursor, self.count) = (body, headers, cursor, count)
        (self.seen, self.number) = (seen, number)
    }

    var testDescription: String { "\(body) \(headers) \(cursor ?? "")" }

    var sign: SignOfMore? {
        get throws {
            let members = body.isEmpty ? "" : ",\(body)"
            let value = try JSONValue(parsing: #"{"data":[]\#(members)}"#)
            let page = PaginationInput(
                cursor: cursor.map { PageCursor($0) }, elementCount: count, crawlElementCount: seen ?? count,
                headers: headers.map { NamedValue(name: $0.key, value: $0.value) },
                url: "https://a.b/things?page=\(number ?? 1)")
            return SignOfMore.first(
                in: PageEnvelope(of: value, besides: Path([.member("data")])).adding(page.headers), after: page,
                number: number)
        }
    }
}

@Suite("Signs that a list goes on")
struct SignOfMoreTests {
    private static let listed: [(page: SignedPage, kind: SignOfMore.Kind)] = [
        (SignedPage(#""has_more":true"#), .flag), (SignedPage(#""hasNextPage":"true""#), .flag),
        (SignedPage(#""have_more_results":true"#), .flag),
        (SignedPage(#""HasMoreItems":1"#), .flag), (SignedPage(#""has-more":true"#), .flag),
        (SignedPage(#""isLast":false"#), .flag), (SignedPage(#""last":false"#), .flag),
        (SignedPage(#""pageInfo":{"hasNextPage":true,"endCursor":"abc"}"#), .flag),
        (SignedPage(#""after_cursor":"abc","end_of_stream":false"#), .flag), (SignedPage(#""moreItems":true"#), .flag),
        (SignedPage(#""hasMore":"Y""#), .flag), (SignedPage(#""has_more":"1""#), .flag),
        (SignedPage(#""more":5"#), .flag), (SignedPage(#""moreItemsAvailable":true"#), .flag),
        (SignedPage(#""isFinalPage":false"#), .flag), (SignedPage(#""endReached":"N""#), .flag),
        (SignedPage("", headers: ["X-Has-More": "1"]), .flag),
        (SignedPage("", headers: ["X-Pagination": #"{"HasNext":true,"CurrentPage":1}"#]), .flag),
        (SignedPage(#""info":{"more_records":true}"#), .flag), (SignedPage("", headers: ["X-Has-More": "true"]), .flag),
        (SignedPage(#""has_more":true"#, cursor: "4", count: 0, seen: 60, number: 4), .flag),
        (SignedPage(#""IsTruncated":true,"NextMarker":"abc""#), .partial), (SignedPage(#""truncated":true"#), .partial),
        (SignedPage(#""exceededTransferLimit":true"#), .partial), (SignedPage(#""incomplete_results":true"#), .partial),
        (SignedPage(#""search_cutoff":true"#), .partial), (SignedPage(#""jobComplete":false"#, count: 0), .partial),
        (SignedPage(#""done":false"#), .partial), (SignedPage(#""complete":false"#), .partial),
        (SignedPage(#""errors":[{"message":"no access","path":["nodes",3]}]"#), .partial),
        (SignedPage(#""failures":["shard 1"]"#), .partial), (SignedPage(#""error":{"code":1}"#), .partial),
        (SignedPage(#""error":"shard 2 timed out""#), .partial), (SignedPage(#""meta":{"errors":[1]}"#), .partial),
        (SignedPage(#""unreachable":["locations/us-east1"]"#), .partial),
        (SignedPage(#""responseHeader":{"segmentTerminatedEarly":true}"#), .partial),
        (SignedPage(#""type":"FeatureCollection","properties":{"exceededTransferLimit":true}"#), .partial),
        (SignedPage(#""partial_failure":true"#), .partial), (SignedPage(#""hasErrors":true"#), .partial),
        (SignedPage(#""_shards":{"total":3,"successful":2,"failed":1}"#), .partial),
        (SignedPage(#""_shards":{"total":3,"failed":3}"#, cursor: "2", count: 0), .partial),
        (SignedPage(#""meta":{"failed_shards":1}"#), .partial),
        (SignedPage(#""_clusters":{"total":2,"successful":1,"skipped":1}"#), .partial),
        (SignedPage(#""total":{"value":20,"relation":"gte"}"#), .partial),
        (SignedPage(#""numFound":20,"numFoundExact":false"#), .partial),
        (SignedPage(#""partial":true"#), .partial), (SignedPage(#""is_partial":true"#), .partial),
        (SignedPage(#""timed_out":true"#), .partial), (SignedPage(#""meta":{"status":"timeout"}"#), .partial),
        (SignedPage(#""status":"partial""#), .partial), (SignedPage(#""status":"PARTIAL""#), .partial),
        (SignedPage(#""status":"PartialData""#), .partial), (SignedPage(#""status":"incomplete""#, count: 0), .partial),
        (SignedPage(#""state":"completed with errors and partial results""#), .partial),
        (SignedPage(#""response":{"status":{"code":"TIMED_OUT"}}"#), .partial),
        (SignedPage(#""id":1,"jsonrpc":"2.0","meta":{"status":"deadline exceeded"}"#), .partial),
        (SignedPage(#""status":"truncated""#), .partial), (SignedPage(#""completeness":"partial""#), .partial),
        (SignedPage(#""id":"x","warning":{"code":"UNREACHABLE","message":"zone a"}"#), .partial),
        (SignedPage(#""warning":{"code":"LIST_OVERHEAD_QUOTA_EXCEED"}"#), .partial),
        (SignedPage(#""warnings":["store 3: partial response"]"#), .partial),
        (
            SignedPage(#""warnings":{"result":{"*":"This result was truncated because it would be too large."}}"#),
            .partial
        ),
        (SignedPage(#""warnings":[{"detail":"Results may be incomplete.","title":"x"}]"#), .partial),
        (SignedPage(#""coverage":{"coverage":50,"full":false}"#), .partial),
        (SignedPage(#""meta":{"request_id":"x","page_number":1,"status":"timeout"}"#), .partial),
        (SignedPage(#""summary":{"truncated":1}"#), .partial),
        (SignedPage(#""token":"abc""#), .lead),
        (SignedPage(#""pages":3"#), .pages), (SignedPage(#""total_pages":3,"page":1"#), .pages),
        (SignedPage(#""pages":{"current":1,"total":3}"#), .pages), (SignedPage(#""pages":{"total":3}"#), .pages),
        (SignedPage(#""lastPageNumber":3"#), .pages), (SignedPage(#""pagination":{"last":{"page":3}}"#), .pages),
        (SignedPage(#""links":[{"rel":"last","href":"/things?page=3"}]"#), .pages),
        (SignedPage(#""links":{"last":"/things?page%5Bnumber%5D=3&page%5Bsize%5D=20"}"#), .pages),
        (SignedPage("", headers: ["Paging-Headers": #"{"totalPages":3}"#]), .pages),
        (SignedPage(#""total_pages":6"#, cursor: "4", count: 0, seen: 60, number: 4), .pages),
        (SignedPage("", headers: ["X-Total-Pages": "6"], cursor: "3", seen: 60, number: 3), .pages),
        (SignedPage("", headers: ["X-WP-TotalPages": "6"]), .pages),
        (
            SignedPage("", headers: ["Link": #"</things?page=6>; rel="last""#], cursor: "/things?page=3", number: 3),
            .pages
        ),
        (SignedPage(#""links":{"last":"/things?page=6"}"#, cursor: "/things?page=3", number: 3), .pages),
        (SignedPage(#""incompleteSearch":true"#), .partial), (SignedPage(#""hits_truncated":true"#), .partial),
        (SignedPage(#""errorMessages":["node 3 is down"]"#), .partial),
        (SignedPage(#""remark":"runtime error: Query timed out in \"query\" at line 1""#), .partial),
        (SignedPage(#""remaining":40"#), .rest), (SignedPage(#""remaining":40,"limit":20"#), .rest),
        (SignedPage(#""size":90,"pagelen":10"#), .total),
        (SignedPage(#""metadata":{"remainingItemCount":40}"#), .rest), (SignedPage(#""pending":40"#), .rest),
        (SignedPage(#""rows_remaining":40"#), .rest),
        (SignedPage(#""next_page_token":"abc""#), .lead), (SignedPage(#""nextPageToken":"abc""#), .lead),
        (SignedPage(#""NextToken":"abc==""#), .lead), (SignedPage(#""LastEvaluatedKey":{"id":{"N":"20"}}"#), .lead),
        (SignedPage(#""next":{"page":2,"limit":20}"#), .lead),
        (SignedPage(#""next_cursor":"abc""#), .lead), (SignedPage(#""meta":{"next_cursor":"abc"}"#), .lead),
        (SignedPage(#""next":2"#), .lead), (SignedPage(#""paging":{"next":{"after":"20"}}"#), .lead),
        (SignedPage(#""metadata":{"continue":"abc"}"#), .lead), (SignedPage(#""_scroll_id":"abc""#), .lead),
        (SignedPage(#""response_metadata":{"next_cursor":"abc"}"#), .lead), (SignedPage(#""bookmark":"abc""#), .lead),
        (SignedPage(#""next":"Things?page=2""#), .lead),
        (SignedPage(#""@odata.nextLink":"Things?$skiptoken=20""#), .lead),
        (SignedPage(#""links":[{"rel":"next","href":"/things?page=2"}]"#), .lead),
        (SignedPage(#""_links":{"next":[{"href":"/things?page=2"}]}"#), .lead),
        (SignedPage(#""links":[{"rel":["self"],"href":"/things"},{"rel":["next"],"href":"/things?page=2"}]"#), .lead),
        (SignedPage(#""pagination":{"next":{"page":2,"limit":20}}"#), .lead),
        (SignedPage(#""next_page":{"offset":"eyJ0","path":"/things"}"#), .lead),
        (SignedPage(#""link":{"@rel":"next","@href":"/things?page=2"}"#), .lead),
        (SignedPage(#""link":[{"@rel":"next","@href":"/things?page=2"}]"#), .lead),
        (SignedPage(#""queries":{"nextPage":[{"startIndex":21,"count":20}]}"#), .lead),
        (SignedPage(#""offset":"itrX8fQ/recY2""#), .lead), (SignedPage(#""next_max_id":"17_x""#), .lead),
        (SignedPage(#""nextForwardToken":"f/381""#), .lead),
        (SignedPage(#""more_topics_url":"/latest?page=1""#), .lead),
        (SignedPage("", headers: ["Link": "</things?page=2>; rel='next'"]), .lead),
        (SignedPage(##""resumptionToken":{"@cursor":"0","#text":"abc"}"##), .lead),
        (SignedPage(##""resumptionToken":{"@completeListSize":"60","#text":"abc"}"##, cursor: "x", seen: 60), .lead),
        (SignedPage(#""start":"t1","end":"t2""#), .lead), (SignedPage(#""search_after":[1,"a"]"#), .lead),
        (SignedPage("", headers: ["x-ms-continuationtoken": "abc"]), .lead),
        (SignedPage("", headers: ["X-Nomad-NextToken": "abc"]), .lead),
        (SignedPage("", headers: ["Next-Page": "https://a.b/things?_token=x"]), .lead),
        (SignedPage("", headers: ["Link": #"</things?page=2>; rel="next""#]), .lead),
        (SignedPage(#""nextPageToken":"abc""#, count: 0), .lead),
        (SignedPage(#""total":60"#), .total), (SignedPage(#""num_items":60"#), .total),
        (SignedPage(#""meta":{"totalCount":"60"}"#), .total), (SignedPage(#""estimatedTotalHits":60"#), .total),
        (SignedPage("", headers: ["X-Pagination": #"{"TotalCount":60}"#]), .total),
        (SignedPage(#""total_data":60"#), .total), (SignedPage(#""numberMatched":60"#), .total),
        (SignedPage(#""total":"1,234""#), .total),
        (SignedPage(#""meta":{"hits":87,"offset":0}"#), .total),
        (SignedPage(#""total_pages":2,"total":0"#, count: 0), .pages),
        (SignedPage(#""total_pages":1,"total":5"#, count: 0), .total),
        (SignedPage(#""total_pages":2"#, cursor: "2", count: 0, seen: 0, number: 2), .pages),
        // A size would be usual, and the page not full; a total of the page is none of the list.
        (SignedPage(#""paging":{"start":0,"count":87}"#), .total),
        (SignedPage(#""paging":{"start":0,"count":50}"#), .total), (SignedPage(#""count":100"#, count: 17), .total),
        (SignedPage(#""paging":{"start":20,"count":100}"#, cursor: "20", count: 17, seen: 37, number: 2), .total),
        (SignedPage(#""count":87,"total":20"#), .total), (SignedPage(#""count":20,"total":87"#), .total),
        (SignedPage("", headers: ["X-Pagination": #"{"total":"1 234"}"#]), .total),
    ]

    @Test("Each kind is understood, however it is spelled", arguments: listed)
    private func heard(page: SignedPage, kind: SignOfMore.Kind) throws {
        #expect(try page.sign?.kind == kind)
    }

    private static let others: [SignedPage] = [
        SignedPage(#""remaining":4999,"limit":5000"#), SignedPage(#""remaining":4999,"reset":1790000000"#),
        SignedPage(#""next_cursor":"0""#), SignedPage(#""next_cursor":"-1""#), SignedPage(#""next_cursor":-1"#),
        SignedPage(#""nextCursorMark":"*""#), SignedPage(#""cursor":"0""#), SignedPage(#""size":90"#),
        SignedPage(#""remark":"read again tomorrow""#), SignedPage(#""summary":{"errors":{"fatal":3}}"#),
        SignedPage(#""stats":{"clusters":{"total":4,"failed":1}}"#), SignedPage(#""offset":"UTC+02:00""#),
        SignedPage(#""more_url":"https://www.a.b/things""#),
        SignedPage(""), SignedPage(#""has_more":false"#), SignedPage(#""has_more":null"#),
        // A cursor that never is null.
        SignedPage(#""has_more":false,"next_cursor":"abc""#), SignedPage(#""end_of_stream":true,"after_cursor":"abc""#),
        SignedPage(#""pageInfo":{"hasNextPage":false,"endCursor":"abc"}"#), SignedPage(#""last":true,"totalPages":2"#),
        SignedPage(#""next_cursor":"""#), SignedPage(#""next_cursor":"null""#), SignedPage(#""bookmark":"nil""#),
        SignedPage(#""next":0"#), SignedPage(#""LastEvaluatedKey":{}"#),
        SignedPage(#""next":{"title":"a"}"#),
        SignedPage(#""next":{"page":3}"#, cursor: "3", number: 3),
        SignedPage(#""hasMore":"N","next_cursor":"abc""#), SignedPage(#""has_more":"0","next_cursor":"abc""#),
        SignedPage(#""last_page":"1","last":"0""#),
        SignedPage("", headers: ["X-Last-Page": "0", "X-Pagination": #"{"TotalCount":20,"TotalPages":1}"#]),
        SignedPage(#""next_cursor":"abc""#, headers: ["X-Pagination": #"{"HasNext":false}"#]),
        SignedPage("", headers: ["X-Debug": #"{"HasNext":true}"#, "X-Pagination": "{TotalPages: 3"]),
        SignedPage(#""_links":{"next":[]},"links":[{"rel":["next"],"href":null},{"rel":["prev"],"href":"/x"}]"#),
        SignedPage(#""pagination":{"next":{"page":null},"last":{"page":1}}"#),
        SignedPage(#""pages":{"total":1,"current":1}"#), SignedPage(#""pages":{"total":20,"limit":20}"#),
        SignedPage(#""pages":{"count":10}"#, cursor: "2", count: 10, seen: 30, number: 2),
        SignedPage(#""resumptionToken":{"@cursor":"40"}"#),
        SignedPage(#""resumptionToken":{"@cursor":"40","@completeListSize":"1050"}"#), SignedPage(#""offset":"20""#),
        SignedPage(#""offset":"+02:00""#), SignedPage(#""offset":"undefined""#),
        SignedPage(#""name":"Next","url":"https://next.example","link":{"rel":"self","href":"/things?page=2"}"#),
        SignedPage(#""next_events":[{"page":2,"url":"/x"}],"more_info_url":"https://a.b/about""#),
        SignedPage(#""unreachable":[],"properties":{"hasMore":true,"exceededTransferLimit":false}"#),
        // A page that no server cuts at that length: the token is that of a session.
        SignedPage(#""token":"abc""#, count: 17),
        // A page that leads to itself, and one that comes behind the last.
        SignedPage(#""next_cursor":"abc""#, cursor: "abc"), SignedPage(#""next":"/things?page=1""#),
        SignedPage(#""next":"/things?page=7""#, cursor: "/things?page=6", count: 0, seen: 57, number: 6),
        SignedPage("", headers: ["Link": #"</things?page=6>; rel="last""#], cursor: "6", count: 0, seen: 50, number: 6),
        SignedPage("", headers: ["Link": #"</things?page=2>; rel="next"; results="false""#]),
        SignedPage(#""links":{"last":"/things?page=3"}"#, cursor: "/things?page=3", number: 3),
        SignedPage(#""total_pages":3"#, cursor: "3", seen: 57, number: 3),
        SignedPage(#""page":2,"pages":3"#, cursor: "x", seen: 57, number: nil),
        SignedPage(#""total_pages":3"#, cursor: "4", count: 0, seen: 57, number: 4),
        // All have come.
        SignedPage(#""total":57,"next_cursor":"abc","pages":9"#, cursor: "3", count: 17, seen: 57, number: 3),
        SignedPage(#""total":57,"scroll_id":"abc""#, cursor: "x", count: 17, seen: 57, number: 3),
        // Another thing's next, total or end.
        SignedPage(#""next":"2026-12""#), SignedPage(#""next":{"date":"2026-12-01","title":"Advent"}"#),
        SignedPage(#""next_event":"party","next_run_at":"2026-12-01T00:00:00Z""#),
        SignedPage(#""nextSyncToken":"abc""#),
        SignedPage(#""start":"2026-11-01","end":"2026-11-30""#),
        SignedPage(#""user":{"next_cursor":"abc","total":60}"#),
        SignedPage(#""previous_cursor":"abc","prev_page_token":"x","first":1"#), SignedPage(#""created_after":"abc""#),
        SignedPage(#""next":"/things{?page}""#), SignedPage(#""quota_remaining":297,"rate":{"remaining":40}"#),
        SignedPage(#""total":20"#), SignedPage(#""count":20"#), SignedPage(#""total_price":900"#),
        SignedPage(#""last_page":1"#),
        // The one page of an empty list.
        SignedPage(#""last_page":1,"total":0"#, count: 0), SignedPage("", headers: ["X-Total-Pages": "1"], count: 0),
        SignedPage(#""pages":1"#, count: 0, number: nil),
        // The items themselves, and counts that are the most items of a page.
        SignedPage(#""response":{"hits":[1,2],"other":{"hits":87}}"#), SignedPage(#""meta":{"hits":{"x":87}}"#),
        SignedPage(#""paging":{"count":100,"total":5,"page":1,"pages":1}"#, count: 5),
        SignedPage(#""count":100,"total":57,"page":3"#, cursor: "3", count: 17, seen: 57, number: 3),
        SignedPage(#""paging":{"start":0,"count":10,"links":[]}"#, count: 5),
        SignedPage(#""paging":{"start":0,"count":10}"#, count: 7),
        SignedPage(#""page":1,"count":100"#, count: 17),
        // An estimate of what has come.
        SignedPage(#""estimatedTotalHits":20"#), SignedPage(#""nbHits":20,"exhaustiveNbHits":false"#),
        SignedPage(#""total":20,"total_is_estimate":true"#),
        // Nothing failed, or something else did.
        SignedPage(#""errors":[],"failures":[],"error":null"#), SignedPage(#""errors":{},"error":"""#),
        SignedPage(#""error":{"code":0,"message":"OK"}"#), SignedPage(#""error":"none","errors":0"#),
        SignedPage(#""_shards":{"total":3,"successful":3,"skipped":2,"failed":0},"timed_out":false"#),
        SignedPage(#""jobs":{"failed":4},"hasErrors":false"#), SignedPage(#""user":{"errors":["x"],"error":"x"}"#),
        // All is well, or the words are about something else.
        SignedPage(#""status":"ok","state":"complete","warning":null,"warnings":[]"#),
        SignedPage(
            #""status":"success","warnings":["limit is deprecated, and so is `partial`","the timeout was lowered"]"#),
        SignedPage(#""status":206,"coverage":{"full":true},"full":false"#), SignedPage(#""status":"partially_paid""#),
        SignedPage(#""status":"not partial""#), SignedPage(#""order_id":7,"status":"partial""#),
        SignedPage(#""build_num":5,"status":"timedout""#),
        SignedPage(#""warnings":["Some records are missing geocodes"]"#),
        SignedPage(#""warning":{"code":"NO_RESULTS_ON_PAGE","message":"none"}"#),
        SignedPage(#""warning":{"code":"DEPRECATED_RESOURCE_USED"},"warnings":{"status":3}"#),
        SignedPage(#""id":7,"name":"order","status":"partial""#), SignedPage(#""build":{"status":"timeout"}"#),
        SignedPage(#""query":{"status":"incomplete"}"#), SignedPage(#""counts":{"partial":1,"complete":19}"#),
        SignedPage(#""status":"1""#),
        // The error of a page without items is that of the request.
        SignedPage(#""errors":["x"]"#, cursor: "2", count: 0),
        SignedPage(#""total":{"value":10,"relation":"gte"}"#, cursor: "x", count: 0, seen: 20, number: nil),
        SignedPage("", headers: ["X-Next-Poll": "60", "X-Total-Pages": "1", "X-Total-Count": "20"]),
    ]

    @Test("A value that only looks like a sign of more is none", arguments: others)
    private func unheard(page: SignedPage) throws {
        #expect(try page.sign == nil)
    }

    @Test("A status that the page was asked for says nothing of the list")
    func echo() throws {
        let value = try JSONValue(parsing: #"{"data":[],"status":"Partial"}"#)
        let sign = { (url: String) in
            SignOfMore.first(
                in: PageEnvelope(of: value, besides: Path([.member("data")])),
                after: PaginationInput(cursor: nil, elementCount: 1, crawlElementCount: 1, url: url), number: 1)
        }
        #expect(sign("https://a.b/orders?status=partial&n=2") == nil)
        #expect(sign("https://a.b/orders?status=p%61rtial&n=2") == nil)
        #expect(sign("https://a.b/orders?status=partially&n=2")?.kind == .partial)
    }

    @Test(
        "A token with which the page was asked for leads back to it",
        arguments: [
            // The query of the page's URL, the members, and true if they lead on.
            ("starting_after=x%2B1", #""pagination":{"starting_after":"x+1"}"#, false),
            ("cursor=NDA%3D", #""cursor":"NDA=","next_url":null"#, false),
            ("cursor=NDA%3D", #""cursor":"NTA=","next_url":null"#, true),
            ("page_token=abc#x", #""nextPageToken":"abc""#, true),
            ("t=abcdefgh", #""nextPageToken":"abcdefgh""#, false),
            // Another thing's value.
            ("limit=20", #""next_offset":20"#, true), ("limit=20", #""next_offset":"20""#, true),
            ("sort=b", #""next_cursor":"b""#, true), ("next=5", #""next":5"#, false), ("next=5", #""next":6"#, true),
        ])
    func own(query: String, members: String, leadsOn: Bool) throws {
        let value = try JSONValue(parsing: #"{"data":[],\#(members)}"#)
        let sign = SignOfMore.first(
            in: PageEnvelope(of: value, besides: Path([.member("data")])),
            after: PaginationInput(
                cursor: PageCursor("/x"), elementCount: 1, crawlElementCount: 2, url: "https://a.b/things?\(query)"),
            number: nil)
        #expect(sign?.kind == (leadsOn ? .lead : nil))
    }

    @Test(
        "A page that leads on and has not all of its own differs from one that is merely cut",
        arguments: [
            (#""status":"timeout""#, true), (#""warning":{"code":"UNREACHABLE"}"#, true),
            (#""coverage":{"full":false}"#, true), (#""warnings":["This result was truncated."]"#, false),
            (#""status":"truncated""#, false), (#""truncated":true"#, false), (#""status":"ok""#, false),
        ])
    func leftOut(body: String, isLeftOut: Bool) throws {
        let value = try JSONValue(parsing: #"{"data":[],\#(body)}"#)
        let sign = SignOfMore.partial(
            in: PageEnvelope(of: value, besides: Path([.member("data")])),
            after: PaginationInput(cursor: nil, elementCount: 1, crawlElementCount: 1))
        #expect((sign != nil) == isLeftOut)
    }

    @Test("A sign of more says where it is and what it says, and keeps a secret")
    func words() throws {
        let sign = try SignedPage(#""meta":{"next_cursor":"abc"}"#).sign
        #expect(sign?.description == #"`meta.next_cursor` is the text "abc""#)
        let page = PaginationInput(
            cursor: nil, elementCount: 1, crawlElementCount: 1,
            headers: [.init(name: "x-next-token", value: "hush-hush")],
            secrets: Secrets(["hush-hush"]))
        let header = SignOfMore.first(
            in: PageEnvelope(of: .null, besides: Path([])), after: page, number: 1)
        #expect(header?.description.hasPrefix("the header `x-next-token` is the text") == true)
        #expect(header?.description.contains("hush") == false)
    }

    @Test("Tokens for the borders of a page lead on, unless URLs lead from page to page", arguments: [false, true])
    func borders(isLinked: Bool) throws {
        let value = try JSONValue(parsing: #"{"data":[],"paging":{"cursors":{"before":"a","after":"b"}}}"#)
        let sign = SignOfMore.first(
            in: PageEnvelope(of: value, besides: Path([.member("data")])),
            after: PaginationInput(cursor: nil, elementCount: 1, crawlElementCount: 1), number: 1, isLinked: isLinked)
        #expect(sign?.kind == (isLinked ? nil : .lead))
    }

    @Test(
        "An error behind a full page that speaks of a limit is a cap",
        arguments: [
            // The words; the elements of the page before, of a full page and of all pages; the total.
            ("Only the first 40 results", 10, 10, 40, nil, true), ("Window is too large", nil, 10, 40, nil, true),
            ("pagination is limited", 10, 10, 40, 50, true), ("pagination is limited", 10, 10, 10, nil, true),
            ("pagination is limited", 10, 10, 40, 40, false), ("pagination is limited", 9, 10, 39, nil, false),
            ("pagination is limited", nil, 10, 39, nil, false), ("pagination is limited", 7, 7, 7, nil, false),
            ("pagination is limited", nil, 0, 0, nil, false), ("there is no page here", 10, 10, 40, nil, false),
            (nil, 10, 10, 40, nil, false), ("page 5 exceeds the maximum of 4", 10, 10, 40, nil, false),
            ("page 5 exceeds the maximum of 5", 10, 10, 40, nil, true),
            ("'page' must be between 0 and 3", 10, 10, 40, nil, false),
            ("'page' must be between 1 and 4", 10, 10, 40, nil, false),
            ("'page' must be between 1 and 100", 10, 10, 40, nil, true),
            ("'page' must be between 0 and 99", 10, 10, 40, nil, true),
            ("'page' must be between 0 and 3", 10, 10, 40, 87, false),
        ] as [(String?, Int?, Int, Int, Int?, Bool)])
    func cap(words: String?, last: Int?, full: Int, elements: Int, total: Int?, isCap: Bool) {
        let sign = SignOfMore.cap(words, behind: last, full: full, pages: 4, elements: elements, total: total)
        #expect(sign?.kind == (isCap ? .cap : nil))
    }

    @Test(
        "A part that failed differs from one that other pages may have",
        arguments: [
            (#""errors":[{"message":"no access"}]"#, true), (#""_shards":{"failed":1}"#, true),
            (#""status":"timeout""#, true), (#""status":"truncated""#, false), (#""truncated":true"#, false),
            (#""has_more":true"#, false),
        ])
    func failure(members: String, isFailure: Bool) throws {
        #expect(try SignedPage(members).sign?.isOfFailure == isFailure)
    }

    @Test("An explicit end, found by the paginator, outranks links and tokens")
    func stated() throws {
        let value = try JSONValue(parsing: #"{"data":[],"next_cursor":"abc","truncated":true}"#)
        let envelope = PageEnvelope(of: value, besides: Path([.member("data")]))
        let page = PaginationInput(cursor: nil, elementCount: 1, crawlElementCount: 1)
        #expect(SignOfMore.first(in: envelope, after: page, number: 1, isStated: true)?.kind == .partial)
    }
}
