import HTTP
import Testing

@testable import Upstream

@Suite("A body without the member of the items")
struct EmptyEnvelopeTests {
    @Test(
        "is an empty page if it is about pages, or comes behind the first one and says nothing else",
        arguments: [
            (#"{"start":0,"total_size":0,"http_etag":"x"}"#, true, true), (#"{"nextPageToken":""}"#, true, true),
            (#"{"kind":"x#list","etag":"y"}"#, false, true), ("{}", false, true), (#"{"rows":[]}"#, false, true),
            (#"{"message":"no such page"}"#, false, false), (#"{"total":0,"error":null}"#, false, false),
            (#"{"other":[1]}"#, false, false), ("[]", false, false), ("x", false, false),
        ])
    func table(body: String, isEmptyFirst: Bool, isEmptyLater: Bool) {
        let body = Body(Array(body.utf8))
        let pagination = SinglePagePaginator()
        #expect(EmptyEnvelope.holds(body, isFirst: true, pagination: pagination) == isEmptyFirst)
        #expect(EmptyEnvelope.holds(body, isFirst: false, pagination: pagination) == (isEmptyFirst || isEmptyLater))
    }

    @Test("is an empty first page if a path of the pagination stands in it")
    func path() throws {
        let pagination = CursorPaginator(parameter: "c", source: .body(try Path("way.on")))
        #expect(EmptyEnvelope.holds(Body(Array(#"{"way":{"on":null}}"#.utf8)), isFirst: true, pagination: pagination))
    }
}
