import HTTP
import Testing

@testable import Upstream

@Suite("A body without the member of the items")
struct EmptyEnvelopeTests {
    @Test(
        "An envelope about pages, or one after the first page without other values, is an empty page",
        arguments: [
            (#"{"start":0,"total_size":0,"http_etag":"x"}"#, true, true), (#"{"nextPageToken":""}"#, true, true),
            (#"{"meta":{"result_count":0}}"#, true, true), (#"{"paging":{"next_token":null},"x":1}"#, true, true),
            (#"{"meta":{"count":3}}"#, false, true), (#"{"meta":{"took":3}}"#, false, true),
            (#"{"meta":{"count":0,"message":"no access"}}"#, false, true),
            (#"{"user":{"count":0}}"#, false, true), (#"{"result":{"count":0,"rows":[1]}}"#, false, true),
            (#"{"kind":"x#list","etag":"y"}"#, false, true), ("{}", false, false), (#"{"rows":[]}"#, false, true),
            (#"{"message":"no such page"}"#, false, false), (#"{"Note":"5 calls a minute"}"#, false, false),
            (#"{"total":0,"error":null}"#, false, false),
            (#"{"other":[1]}"#, false, false), ("[]", false, false), ("x", false, false),
        ])
    func table(body: String, isEmptyFirst: Bool, isEmptyLater: Bool) {
        let body = Body(Array(body.utf8))
        let pagination = SinglePagePaginator()
        #expect(EmptyEnvelope.holds(body, isFirst: true, pagination: pagination) == isEmptyFirst)
        #expect(EmptyEnvelope.holds(body, isFirst: false, pagination: pagination) == (isEmptyFirst || isEmptyLater))
    }

    @Test(
        "An envelope whose way to the items ends in nothing is an empty page after the first, if it says all is well",
        arguments: [
            (#"{"code":0,"message":"success","data":null}"#, true), (#"{"msg":"","data":{}}"#, true),
            (#"{"data":[],"errors":[],"note":"ok"}"#, true), (#"{"data":{"list":null},"message":"OK"}"#, true),
            (#"{"message":"please wait","data":null}"#, false), (#"{"message":"ok","data":{"other":1}}"#, false),
            (#"{"message":"ok","other":null}"#, false), (#"{"data":null,"other":[1]}"#, false),
        ])
    func way(body: String, isEmpty: Bool) throws {
        let body = Body(Array(body.utf8))
        let items = try Path("data.list.items")
        let pagination = SinglePagePaginator()
        #expect(EmptyEnvelope.holds(body, items: items, isFirst: false, pagination: pagination) == isEmpty)
        #expect(!EmptyEnvelope.holds(body, items: items, isFirst: true, pagination: pagination))
    }

    @Test("An envelope with a path of the pagination is an empty first page")
    func path() throws {
        let pagination = CursorPaginator(parameter: "c", source: .body(try Path("way.on")))
        #expect(EmptyEnvelope.holds(Body(Array(#"{"way":{"on":null}}"#.utf8)), isFirst: true, pagination: pagination))
    }
}
