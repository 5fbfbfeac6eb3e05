import HTTP
import Testing

@testable import ResponseBody
@testable import Upstream

@Suite("The items of a body")
struct ItemsSearchTests {
    @Test(
        "Items are found in the usual places of APIs",
        arguments: [
            ("GitHub list", "/repos/o/r/issues", #"[{"id":1,"labels":[{"id":7},{"id":8}]},{"id":2,"labels":[]}]"#, "$"),
            (
                "GitHub search", "/search/repositories",
                #"{"total_count":2,"incomplete_results":false,"items":[{"id":1},{"id":2}]}"#, "items"
            ),
            (
                "HN Algolia", "/api/v1/search",
                #"{"hits":[{"objectID":"1","_tags":["story"]},{"objectID":"2"}],"nbHits":9,"page":0}"#, "hits"
            ),
            (
                "Redmine", "/issues.json",
                #"{"issues":[{"id":1,"project":{"id":1}}],"total_count":9,"offset":0,"limit":25}"#, "issues"
            ),
            (
                "Stack Exchange", "/2.3/questions",
                #"{"items":[{"question_id":1,"tags":["a"]}],"has_more":true,"quota_max":300}"#, "items"
            ),
            (
                "Discourse", "/latest.json",
                #"{"users":[{"id":1},{"id":2},{"id":3},{"id":4}],"topic_list":{"more_topics_url":"/latest?page=1","topics":[{"id":1},{"id":2}]}}"#,
                "topic_list.topics"
            ),
            (
                "MediaWiki list", "/w/api.php",
                #"{"continue":{"apcontinue":"B"},"query":{"allpages":[{"pageid":1,"title":"A"}]}}"#, "query.allpages"
            ),
            (
                "Datasette", "/db/t.json",
                #"{"rows":[{"id":1},{"id":2}],"columns":["id"],"next_url":null,"facet_results":[]}"#, "rows"
            ),
            (
                "JSON Feed", "/feed.json",
                #"{"version":"1.1","authors":[{"name":"x"}],"items":[{"id":"1"}],"next_url":"https://e.org/2"}"#,
                "items"
            ),
            ("DRF", "/things/", #"{"count":3,"next":null,"previous":null,"results":[{"url":"x"}]}"#, "results"),
            (
                "Stripe", "/v1/charges",
                #"{"object":"list","has_more":true,"data":[{"id":"ch_1","refunds":{"data":[{"id":"re_1"}]}}]}"#, "data"
            ),
            (
                "Slack", "/api/users.list",
                #"{"ok":true,"members":[{"id":"U1"}],"response_metadata":{"next_cursor":"x"}}"#, "members"
            ),
            (
                "Gmail", "/gmail/v1/users/me/messages",
                #"{"messages":[{"id":"1","threadId":"2"}],"nextPageToken":"t"}"#, "messages"
            ),
            (
                "Elasticsearch", "/i/_search",
                #"{"took":1,"hits":{"total":{"value":2},"hits":[{"_id":"1","_source":{"a":1}}]},"aggregations":{"x":{"buckets":[{"key":1},{"key":2},{"key":3}]}}}"#,
                "hits.hits"
            ),
            ("OData", "/odata/People", #"{"@odata.context":"c","value":[{"UserName":"a"},{"UserName":"b"}]}"#, "value"),
            (
                "HAL", "/orders",
                #"{"_links":{"self":{"href":"/o"},"next":{"href":"/o?p=2"},"last":{"href":"/o?p=9"}},"_embedded":{"ea:order":[{"total":1}]}}"#,
                #"_embedded.ea:order"#
            ),
            (
                "JSON:API", "/articles",
                #"{"data":[{"id":"1","type":"a"}],"included":[{"id":"9"},{"id":"8"},{"id":"7"}],"links":{"next":"u"}}"#,
                "data"
            ),
            (
                "Spring Data", "/people",
                #"{"content":[{"id":1}],"pageable":{"sort":[{"property":"x"}]},"totalPages":3,"number":0}"#, "content"
            ),
            (
                "Laravel", "/users",
                #"{"data":[{"id":1}],"links":[{"url":null,"label":"1","active":true},{"url":"x","label":"2","active":false}],"current_page":1}"#,
                "data"
            ),
            ("Airtable", "/v0/b/t", #"{"records":[{"id":"rec1","fields":{"A":1}}],"offset":"itr/rec"}"#, "records"),
            (
                "GraphQL nodes", "/graphql",
                #"{"data":{"repository":{"issues":{"nodes":[{"id":"1"}],"edges":[{"node":{"id":"1"}}],"pageInfo":{"endCursor":"c"}}}}}"#,
                "data.repository.issues.nodes"
            ),
            (
                "GraphQL edges", "/graphql", #"{"data":{"repository":{"issues":{"edges":[{"node":{"id":"1"}}]}}}}"#,
                "data.repository.issues.edges"
            ),
            (
                "qf56", "/moreAnchor.ios",
                #"{"status":200,"message":{"anchors":[{"roomid":1,"tags":[{"n":1},{"n":2}]}]}}"#, "message.anchors"
            ),
            (
                "a list in a list", "/v2/country/all/indicator/X",
                #"[{"page":1,"pages":3},[{"date":"2020","value":1},{"date":"2021","value":2}]]"#, "[1]"
            ),
            (
                "several answers", "/1/indexes/*/queries",
                #"{"results":[{"hits":[{"objectID":"1"},{"objectID":"2"}],"nbHits":2}]}"#, "results[0].hits"
            ),
            ("nulls among them", "/x", #"{"list":[null,{"id":1},null,null,{"id":2}]}"#, "list"),
            ("an empty page", "/x", #"{"results":[],"facets":[{"name":"a","count":1}]}"#, "results"),
            ("a count of 0", "/x", #"{"tickets":[],"users":[{"id":5},{"id":6}],"count":0}"#, "tickets"),
            ("a count of others", "/x", #"{"tickets":[],"users":[{"id":5},{"id":6}],"count":2}"#, "users"),
            ("users alone", "/things", #"{"users":[{"id":1,"name":"a"}]}"#, "users"),
            (
                "one order with its items", "/orders",
                #"{"orders":[{"id":1,"items":[{"id":1},{"id":2},{"id":3}]}],"total":1}"#, "orders"
            ),
        ] as [(String, String, String, String)])
    func lists(api: String, path: String, body: String, expected: String) throws {
        let found = ItemsSearch.best(in: try JSONValue(parsing: body), url: try WebURL("https://example.org\(path)"))
        #expect(found?.path.description == expected, "\(api)")
        #expect(found?.shape == .array || found?.shape == .emptyArray)
    }

    @Test(
        "Items may be the members of an object",
        arguments: [
            (#"{"query":{"pages":{"12":{"pageid":12,"title":"a"},"15":{"pageid":15,"title":"b"}}}}"#, "query.pages"),
            (#"{"query":{"pages":{"12":{"pageid":12,"title":"a"}}}}"#, "query.pages"),
            (#"{"DE":{"name":"a","pop":1},"FR":{"name":"b","pop":2},"IT":{"name":"c","pop":3}}"#, "$"),
            (#"{"meta":{"n":1},"rates":{"2020-01-01":{"usd":1},"2020-01-02":{"usd":2}}}"#, "rates"),
        ] as [(String, String)])
    func keyed(body: String, expected: String) throws {
        let found = try #require(ItemsSearch.best(in: try JSONValue(parsing: body)))
        #expect(found.path.description == expected)
        guard case .members = found.shape else {
            Issue.record("\(found.shape)")
            return
        }
    }

    @Test(
        "A body without a list is the only item",
        arguments: [
            (#"{"id":1,"owner":{"id":2,"login":"a"},"license":{"key":"mit"},"topics":["a","b"]}"#, "$"),
            (#"{"id":1,"labels":[{"id":1,"name":"bug"},{"id":2,"name":"ui"}],"title":"x"}"#, "$"),
            (#"{"status":"ok","data":{"id":1,"name":"x"}}"#, "data"),
            (#"{"temperature":3,"wind":{"speed":1}}"#, "$"),
        ] as [(String, String)])
    func single(body: String, expected: String) throws {
        let found = try #require(ItemsSearch.best(in: try JSONValue(parsing: body)))
        #expect(found.path.description == expected && found.shape == .single)
    }

    @Test(
        "Items are not found in a body without objects, or in one that reports a failure",
        arguments: [
            "[]", "[1,2]", "3", "null", #""x""#, "{}", #"{"error":"no"}"#,
            #"{"errors":[{"message":"no"}],"data":null}"#, #"[{"id":"1"},"a"]"#,
        ])
    func none(body: String) throws {
        let found = ItemsSearch.best(in: try JSONValue(parsing: body))
        #expect(found == nil || found?.items.isEmpty == true, "\(String(describing: found?.path))")
    }

    @Test("A text behind the only row of a table is a row that was cut off")
    func cutRow() throws {
        let found = ItemsSearch.best(in: try JSONValue(parsing: #"[{"id":"1"},"a"]"#), isTable: true)
        #expect(found?.items.count == 1)
    }

    @Test("The search for items ends in any deep or wide body")
    func bounded() throws {
        let deep = String(repeating: #"{"a":["#, count: 511) + "1" + String(repeating: "]}", count: 511)
        #expect(ItemsSearch.best(in: try JSONValue(parsing: deep)) != nil)
        let wide = "{" + (0..<20_000).map { #""m\#($0)":{"x":{"y":[1]}}"# }.joined(separator: ",") + "}"
        #expect(ItemsSearch.candidates(in: try JSONValue(parsing: wide)).count > 0)
    }
}
