import HTTP
import Testing

@testable import ResponseBody
@testable import Upstream

@Suite("The pagination of a page")
struct PagingSearchTests {
    private func search(
        _ url: String, _ body: String, _ headers: Headers = [:], isWebFeed: Bool = false
    ) throws -> PagingSearch {
        let tree = try JSONValue(parsing: body)
        let url = try WebURL("https://example.org\(url)")
        let items = try #require(ItemsSearch.best(in: tree, url: url))
        let key = KeySearch.key(of: items.items)
        return PagingSearch(
            PageSigns(
                body: tree, items: items.path, itemCount: items.items.count,
                key: key.paths.count == 1 ? key.paths[0] : nil, headers: headers,
                request: Request(url), isWebFeed: isWebFeed))
    }

    private static let two = #"[{"id":1},{"id":2}]"#

    @Test(
        "The pagination is found from the page's own links",
        arguments: [
            ("/issues?per_page=2", two, ["Link": #"<https://example.org/2>; rel="next""#], "{style: link}"),
            (
                "/products.json", #"{"products":\#(two)}"#, ["Link": #"<https://e.org/p?page_info=x>; rel="next""#],
                "{style: link}"
            ),
            (
                "/x", #"{"count":9,"next":"https://e.org/x?page=2","previous":null,"results":\#(two)}"#, [:],
                "{style: next_url, next: next, total: count}"
            ),
            ("/x", #"{"items":\#(two),"next_url":"/feed?p=2"}"#, [:], "{style: next_url, next: next_url}"),
            (
                "/x", #"{"value":\#(two),"@odata.nextLink":"https://e.org/x?$skip=2"}"#, [:],
                #"{style: next_url, next: "\"@odata.nextLink\""}"#
            ),
            ("/x", #"{"d":{"results":\#(two),"__next":"https://e.org/x"}}"#, [:], "{style: next_url, next: d.__next}"),
            (
                "/x", #"{"data":\#(two),"links":{"self":"/x","next":"/x?p=2"}}"#, [:],
                "{style: next_url, next: links.next}"
            ),
            (
                "/x", #"{"_embedded":{"xs":\#(two)},"_links":{"next":{"href":"/x?p=2"}}}"#, [:],
                "{style: next_url, next: _links.next.href}"
            ),
            (
                "/x", #"{"entry":\#(two),"link":[{"relation":"self","url":"/x"},{"relation":"next","url":"/x?p=2"}]}"#,
                [:], #"{style: next_url, next: "link[relation=next].url"}"#
            ),
            (
                "/x", #"{"data":\#(two),"next_page_url":"https://e.org/x?page=2","current_page":1}"#, [:],
                "{style: next_url, next: next_page_url}"
            ),
            (
                "/x", #"{"info":{"count":9,"pages":2,"next":"https://e.org/x?page=2","prev":null},"results":\#(two)}"#,
                [:], "{style: next_url, next: info.next, total: info.count}"
            ),
            (
                "/x", #"{"hydra:member":\#(two),"hydra:view":{"hydra:next":"/x?page=2"}}"#, [:],
                #"{style: next_url, next: hydra:view.hydra:next}"#
            ),
            (
                "/w/api.php", #"{"continue":{"apcontinue":"B","continue":"-||"},"query":{"allpages":\#(two)}}"#, [:],
                "{style: cursor, next: continue}"
            ),
            (
                "/rel/Products", #"{"value":\#(two),"@odata.nextLink":"Products?$skiptoken=20"}"#, [:],
                #"{style: next_url, next: "\"@odata.nextLink\""}"#
            ),
            ("/x", #"{"data":\#(two),"next":"Products?page=2"}"#, [:], "{style: next_url, next: next}"),
            (
                "/x", #"{"data":\#(two),"after_cursor":"abc","after_url":"/x?cursor=abc","end_of_stream":false}"#, [:],
                "{style: next_url, next: after_url, last: end_of_stream}"
            ),
            ("/x", two, ["X-Next-Page-Url": "https://e.org/x?page=2"], "{style: next_url, header: X-Next-Page-Url}"),
        ] as [(String, String, Headers, String)])
    func certain(url: String, body: String, headers: Headers, expected: String) throws {
        let found = try search(url, body, headers)
        let best = try #require(found.candidates.first)
        #expect(best.certainty == .certain && best.leadsOn)
        let wanted = try FeedDefinition.parse(name: "x", yaml: "url: https://e.org\npagination: \(expected)")
        let got = try FeedDefinition.parse(name: "x", yaml: "url: https://e.org\npagination: \(best.yaml())")
        #expect(got.pagination.canonicalText == wanted.pagination.canonicalText, "\(best.yaml())")
    }

    @Test(
        "The pagination is found from tokens and numbers",
        arguments: [
            (
                "/latest.json", #"{"topic_list":{"more_topics_url":"/latest?page=1","topics":\#(two)}}"#, [:],
                "{style: next_url, next: topic_list.more_topics_url}"
            ),
            (
                "/i/_search",
                #"{"_shards":{"total":5},"hits":{"total":{"value":9,"relation":"eq"},"hits":[{"_id":"a"},{"_id":"b"}]}}"#,
                [:],
                "{style: offset, param: from, total: hits.total.value}"
            ),
            (
                "/x", #"{"members":\#(two),"response_metadata":{"next_cursor":"dXNlcg=="}}"#, [:],
                "{style: cursor, param: cursor, next: response_metadata.next_cursor}"
            ),
            (
                "/x", #"{"items":\#(two),"nextPageToken":"CAUQAA"}"#, [:],
                "{style: cursor, param: pageToken, next: nextPageToken}"
            ),
            (
                "/x", #"{"items":\#(two),"next_page_token":"CAUQAA"}"#, [:],
                "{style: cursor, param: page_token, next: next_page_token}"
            ),
            ("/x", #"{"records":\#(two),"offset":"itrX/recY"}"#, [:], "{style: cursor, param: offset, next: offset}"),
            (
                "/x", #"{"data":{"r":{"nodes":\#(two),"pageInfo":{"endCursor":"Y3","hasNextPage":true}}}}"#, [:],
                "{style: cursor, param: after, next: data.r.pageInfo.endCursor, more: data.r.pageInfo.hasNextPage}"
            ),
            (
                "/x", #"{"kind":"Listing","data":{"after":"t3_x","children":\#(two)}}"#, [:],
                "{style: cursor, param: after, next: data.after}"
            ),
            ("/x", #"{"items":\#(two),"next_page":2}"#, [:], "{style: cursor, param: page, next: next_page}"),
            (
                "/x", #"{"issues":\#(two),"nextPageToken":"CAUQAA","isLast":false}"#, [:],
                "{style: cursor, param: pageToken, next: nextPageToken, last: isLast}"
            ),
            ("/x", #"{"Things":\#(two),"NextToken":"a=="}"#, [:], "{style: cursor, param: NextToken, next: NextToken}"),
            (
                "/x", #"{"Things":\#(two),"IsTruncated":true,"NextMarker":"m"}"#, [:],
                "{style: cursor, param: Marker, next: NextMarker}"
            ),
            (
                "/x", #"{"Items":\#(two),"LastEvaluatedKey":{"id":{"N":"2"}}}"#, [:],
                "{style: cursor, param: ExclusiveStartKey, next: LastEvaluatedKey}"
            ),
            (
                "/x", #"{"items":\#(two),"metadata":{"continue":"abc"}}"#, [:],
                "{style: cursor, param: continue, next: metadata.continue}"
            ),
            (
                "/x", #"{"data":\#(two),"meta":{"page":{"after":"abc"}}}"#, [:],
                #"{style: cursor, param: "page[cursor]", next: meta.page.after}"#
            ),
            (
                "/x", #"{"data":\#(two),"last_id":"2","has_more":true}"#, [:],
                "{style: cursor, param: after, next: last_id, more: has_more}"
            ),
            (
                "/x", #"{"apps":[{"appid":1},{"appid":2}],"have_more_results":true,"last_appid":2}"#, [:],
                "{style: cursor, param: last_appid, next: last_appid, more: have_more_results}"
            ),
            (
                "/_changes", #"{"results":\#(two),"last_seq":"2-x","pending":7}"#, [:],
                "{style: cursor, param: since, next: last_seq, more: pending}"
            ),
            ("/x", #"{"chunk":\#(two),"start":"t1","end":"t2"}"#, [:], "{style: cursor, param: from, next: end}"),
            (
                "/x", #"{"data":\#(two),"next_batch":"abc"}"#, [:], "{style: cursor, param: since, next: next_batch}"
            ),
            (
                "/x", two, ["x-ms-continuationtoken": "abc"],
                "{style: cursor, param: continuationToken, header: x-ms-continuationtoken}"
            ),
            (
                "/x", two, ["X-Nomad-NextToken": "abc"],
                "{style: cursor, param: next_token, header: X-Nomad-NextToken}"
            ),
            (
                "/x?cursor=*", #"{"message":{"total-results":9,"items":\#(two),"next-cursor":"abc"}}"#, [:],
                "{style: cursor, param: cursor, next: message.next-cursor, total: message.total-results}"
            ),
            (
                "/x?cursor=-1",
                #"{"users":\#(two),"next_cursor":137,"next_cursor_str":"137","previous_cursor":0}"#, [:],
                "{style: cursor, param: cursor, next: next_cursor}"
            ),
            (
                "/x?cursor=0", #"{"items":\#(two),"next_cursor":"17"}"#, [:],
                "{style: cursor, param: cursor, next: next_cursor}"
            ),
            (
                "/x?cursorMark=*", #"{"docs":\#(two),"nextCursorMark":"AoE="}"#, [:],
                "{style: cursor, param: cursorMark, next: nextCursorMark}"
            ),
            (
                "/x?scroll_token=-1", #"{"docs":\#(two),"next_cursor":"AoE="}"#, [:],
                "{style: cursor, param: scroll_token, next: next_cursor}"
            ),
            // https://developers.intercom.com/docs/references/rest-api/api.intercom.io/companies/scrolloverallcompanies
            (
                "/companies/scroll", #"{"data":\#(two),"scroll_param":"25b649f7-4d33-4ef6-88f5-60e5b8244309"}"#, [:],
                "{style: cursor, param: scroll_param, next: scroll_param}"
            ),
            (
                "/Users", #"{"totalResults":9,"startIndex":1,"itemsPerPage":2,"Resources":\#(two)}"#, [:],
                "{style: offset, param: startIndex, base: 1, total: totalResults}"
            ),
            (
                "/query?resultRecordCount=2", #"{"features":\#(two),"exceededTransferLimit":true}"#, [:],
                "{style: offset, param: resultOffset, more: exceededTransferLimit}"
            ),
            (
                "/products?searchCriteria[pageSize]=2", #"{"items":\#(two),"total_count":9}"#, [:],
                #"{style: page, param: "searchCriteria[currentPage]", total: total_count}"#
            ),
            (
                "/x?$top=2", #"{"value":\#(two),"@odata.count":9}"#, [:],
                #"{style: offset, param: $skip, total: "\"@odata.count\""}"#
            ),
            ("/things/page/1", two, [:], "{style: page, param: /page, first: 1}"),
            (
                "/things/p/0?q=x", #"{"items":\#(two),"totalPages":3}"#, [:],
                "{style: page, param: /p, pages: totalPages, first: 0}"
            ),
            ("/x", #"{"items":\#(two),"token":"abc"}"#, [:], "{style: cursor, param: token, next: token}"),
            ("/x", two, ["X-Next-Page": "2", "X-Page": "1"], "{style: cursor, param: page, header: X-Next-Page}"),
            (
                "/x", two, ["x-ms-cursor": "abc"],
                "{style: cursor, param: cursor, header: x-ms-cursor}"
            ),
            (
                "/search", #"{"hits":\#(two),"nbHits":9,"page":0,"nbPages":5,"hitsPerPage":2}"#, [:],
                "{style: page, param: page, total: nbHits, pages: nbPages, first: 0}"
            ),
            (
                "/x", #"{"content":\#(two),"number":0,"totalPages":5,"totalElements":9,"last":false}"#, [:],
                "{style: page, param: page, total: totalElements, pages: totalPages, last: last, first: 0}"
            ),
            (
                "/x", #"{"numberOfElements":2,"content":\#(two),"number":0,"totalPages":5,"totalElements":9}"#, [:],
                "{style: page, param: page, total: totalElements, pages: totalPages, first: 0}"
            ),
            (
                "/x", #"{"size":2,"isLastPage":false,"start":0,"values":\#(two)}"#, [:],
                "{style: offset, param: start, last: isLastPage}"
            ),
            (
                "/wp/v2/posts", two, ["X-WP-Total": "9", "X-WP-TotalPages": "5"],
                "{style: page, param: page, header: X-WP-TotalPages}"
            ),
            (
                "/leads?_limit=2", #"{"has_more":true,"total_results":9,"data":\#(two)}"#, [:],
                "{style: offset, param: _skip, total: total_results, more: has_more}"
            ),
            (
                "/wiki/rest/api/content",
                #"""
                {"results":\#(two),"start":0,"limit":2,
                 "_links":{"base":"https://a.b/wiki","next":"/rest/api/content?limit=2&start=2"}}
                """#, [:], "{style: offset, param: start}"
            ),
            (
                "/x", #"{"data":\#(two),"pages":{"page":1,"total_pages":5,"next":{"page":2,"starting_after":"abc"}}}"#,
                [:], "{style: cursor, param: starting_after, next: pages.next.starting_after}"
            ),
            (
                "/pipeline?org-slug=gh/x", #"{"items":\#(two),"next_page_token":"CAUQAA"}"#, [:],
                "{style: cursor, param: page-token, next: next_page_token}"
            ),
            (
                "/x", #"{"data":{"list":\#(two),"pageCount":3}}"#, [:],
                "{style: page, param: page, pages: data.pageCount}"
            ),
            ("/x?pageNo=1", #"{"list":\#(two)}"#, [:], "{style: page, param: pageNo, first: 1}"),
            (
                "/2.3/questions", #"{"items":\#(two),"has_more":true}"#, [:],
                "{style: page, param: page, more: has_more}"
            ),
            (
                "/issues.json", #"{"issues":\#(two),"total_count":9,"offset":0,"limit":2}"#, [:],
                "{style: offset, param: offset, total: total_count}"
            ),
            (
                "/rest/api/2/search", #"{"startAt":0,"maxResults":2,"total":9,"issues":\#(two)}"#, [:],
                "{style: offset, param: startAt, total: total}"
            ),
            (
                "/x?skip=0&limit=2", #"{"products":\#(two),"total":9,"skip":0,"limit":2}"#, [:],
                "{style: offset, param: skip, total: total}"
            ),
            (
                "/v1/charges", #"{"object":"list","data":\#(two),"has_more":true}"#, [:],
                "{style: keyset, param: starting_after, from: id, more: has_more}"
            ),
            ("/x?since_id=0", two, [:], "{style: keyset, param: since_id, from: id}"),
            (
                "/search/issues", #"{"total_count":9,"incomplete_results":false,"items":\#(two)}"#, [:],
                "{style: page, param: page, total: total_count}"
            ),
        ] as [(String, String, Headers, String)])
    func likely(url: String, body: String, headers: Headers, expected: String) throws {
        let found = try search(url, body, headers)
        #expect(found.isWhole == nil)
        let best = try #require(found.candidates.first)
        #expect(best.certainty == .likely && best.yaml() == expected, "\(best.evidence)")
    }

    @Test(
        "A page that states its end has no further pages",
        arguments: [
            ("/x", #"{"count":2,"next":null,"results":\#(two)}"#, [:], "`next` is null: this is the last page"),
            // Datasette's `next` is a token.
            (
                "/x", #"{"results":\#(two),"next":null,"next_url":null}"#, [:],
                "`next_url` is null: this is the last page"
            ),
            (
                "/x", two, ["Link": #"<https://e.org/1>; rel="first""#],
                #"the header `Link` has `rel="first"` and no `next`: this is the last page"#
            ),
            ("/x", #"{"total":2,"items":\#(two)}"#, [:], "`total` says 2, and the page has all of them"),
            ("/x", #"{"has_more":false,"data":\#(two)}"#, [:], "`has_more` says there is no more"),
            (
                "/x", #"{"members":\#(two),"response_metadata":{"next_cursor":""}}"#, [:],
                "`response_metadata.next_cursor` is empty"
            ),
            (
                "/x?cursor=-1", #"{"users":\#(two),"next_cursor":0,"next_cursor_str":"0","previous_cursor":0}"#, [:],
                "`next_cursor` is 0"
            ),
            ("/x?cursor=0", #"{"users":\#(two),"next_cursor":"0"}"#, [:], "`next_cursor` is \"0\""),
            ("/x", #"{"content":\#(two),"last":true,"totalPages":1}"#, [:], "`last` says this is the last page"),
            ("/x", #"{"list":\#(two),"pageCount":1}"#, [:], "`pageCount` says there is one page"),
            ("/x", two, ["X-Total-Pages": "1"], "the header `X-Total-Pages` says there is one page"),
            ("/x?limit=100", two, [:], "2 came, and 100 were requested"),
        ] as [(String, String, Headers, String)])
    func whole(url: String, body: String, headers: Headers, reason: String) throws {
        #expect(try search(url, body, headers).isWhole == reason)
    }

    @Test("A page that is shorter than requested may be one of several if pages often have its length")
    func usualLength() throws {
        let ten = "[\((1...10).map { #"{"id":\#($0)}"# }.joined(separator: ","))]"
        let found = try search("/x?limit=100", ten)
        #expect(found.isWhole == nil)
        #expect(found.candidates.first?.yaml() == "{style: offset, param: offset}")
    }

    @Test(
        "A web feed without a link to a next page is not at its end if its pages are counted, or its total is larger",
        arguments: [
            ("/feed?paged=1", #""next":null"#, "{style: page, param: paged, first: 1}"),
            ("/query?start=0", #""next":null,"totalResults":9"#, "{style: offset, param: start, total: totalResults}"),
        ])
    func openWebFeed(url: String, members: String, expected: String) throws {
        let found = try search(url, #"{"items":\#(Self.two),\#(members)}"#, isWebFeed: true)
        #expect(found.isWhole == nil)
        #expect(found.candidates.first?.yaml(first: 1) == expected)
        #expect(found.candidates.contains { !$0.leadsOn && $0.yaml().hasPrefix("{style: next_url, next: next") })
    }

    @Test("A web feed without a link to a next page is at its end if nothing speaks of others")
    func wholeWebFeed() throws {
        for url in ["/feed", "/feed?p=1234", "/feed?paged=3"] {
            let found = try search(url, #"{"items":\#(Self.two),"next":null}"#, isWebFeed: true)
            #expect(found.isWhole == "`next` is null: this is the last page")
        }
    }

    @Test("The pagination is found from its sign even on the last page")
    func signAtTheEnd() throws {
        let best = try #require(try search("/x", #"{"count":2,"next":null,"results":\#(Self.two)}"#).candidates.first)
        #expect(best.certainty == .certain && !best.leadsOn && best.yaml() == "{style: next_url, next: next}")
    }

    @Test("The pagination is guessed without any sign, unless there is only one item")
    func guesses() throws {
        let found = try search("/x", Self.two).candidates
        #expect(found.allSatisfy { $0.certainty == .guess } && found.count == 8)
        #expect(found.first?.yaml(first: 1) == "{style: page, param: page, first: 1}")
        #expect(found.last?.yaml() == "{style: keyset, param: after_id, from: id}")
        #expect(try search("/x", #"[{"id":1}]"#).candidates.isEmpty)
    }

    @Test(
        "The pagination is guessed by the parameter that goes with the size",
        arguments: [
            ("$limit", "{style: offset, param: $offset}"), ("take", "{style: offset, param: skip}"),
            ("sysparm_limit", "{style: offset, param: sysparm_offset}"),
            ("_limit", "{style: offset, param: _skip}"), ("page_limit", "{style: offset, param: page_offset}"),
            ("per_page", "{style: page, param: page, first: 1}"),
        ])
    func partner(size: String, expected: String) throws {
        let best = try search("/x?\(size)=2", Self.two).candidates.first
        #expect(best?.certainty == .guess && best?.yaml(first: 1) == expected)
    }

    @Test(
        "The offset is guessed with a dollar sign where the request or the response is written so",
        arguments: [
            ("/x?$where=a", two, [:], true), ("/x?$order=a", two, [:], true), ("/x?$select=a", two, [:], true),
            ("/x", two, ["X-SODA2-Fields": "[]"], true), ("/x?$limit=2", two, [:], true),
            ("/x?$select=a", #"{"value":\#(two)}"#, [:], false), ("/x?$query=a", two, [:], false),
            ("/x?where=a", two, [:], false), ("/x?$filter=a", #"{"value":\#(two)}"#, [:], false),
        ] as [(String, String, Headers, Bool)])
    func dollar(url: String, body: String, headers: Headers, hasDollar: Bool) throws {
        let found = try search(url, body, headers).candidates
        #expect(found.allSatisfy { $0.certainty == .guess })
        #expect((found.first?.yaml() == "{style: offset, param: $offset}") == hasDollar)
        #expect(found.contains { $0.yaml().contains("$offset") } == hasDollar)
    }

    @Test("A token leads on, so the last item's own value is not tried in its place")
    func tokenAlone() throws {
        let found = try search("/x", #"{"results":\#(Self.two),"paging":{"next":{"after":"2"}}}"#).candidates
        #expect(found.first?.yaml() == "{style: cursor, param: after, next: paging.next.after}")
        #expect(!found.contains { $0.trial == .keyset })
    }

    @Test(
        "A token goes back under names with a hyphen only where its own name has words apart",
        arguments: [
            ("next_page_token", ["page_token", "next_page_token", "page-token", "pageToken"]),
            ("nextPageToken", ["pageToken", "nextPageToken", "page_token"]),
        ])
    func spellings(name: String, parameters: [String]) throws {
        let found = try search("/x", #"{"items":\#(Self.two),"\#(name)":"CAUQAA"}"#).candidates
        #expect(
            found.filter { $0.certainty == .likely }.map { $0.yaml() }
                == parameters.map { "{style: cursor, param: \($0), next: \(name)}" })
    }

    @Test("A parameter that filters is no pagination, for its value counts nothing")
    func filter() throws {
        let body = #"{"total":9,"items":\#(Self.two)}"#
        let found = try search("/x?from=2026-01-01&since=2026-01-01", body).candidates
        #expect(!found.contains { $0.certainty != .guess && $0.evidence.contains("the request has") })
        #expect(found.first?.yaml(first: 1) == "{style: page, param: page, total: total, first: 1}")
    }

    @Test("The pagination is not found in the items themselves, nor in names that only sound like it")
    func noSigns() throws {
        let body =
            #"{"learn_more":"https://e.org","next_event":"https://e.org/e","items":[{"next":"/a","total":5},{"next":"/b","total":6}]}"#
        #expect(try search("/x", body).candidates.allSatisfy { $0.certainty == .guess })
    }
}
