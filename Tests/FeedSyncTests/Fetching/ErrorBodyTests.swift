import HTTP
import Testing

@testable import Upstream

@Suite("An error in the body of a successful response")
struct ErrorBodyTests {
    private func failure(
        _ body: String, url: String = "https://a.b/things", items: Path? = nil, mayBeBeyondEnd: Bool = false
    ) throws -> FeedSyncError? {
        let response = Response(
            status: 200, headers: [:], url: try WebURL(url), body: Body(Array(body.utf8)))
        return ErrorBody.failure(response, items: items, secrets: Secrets([]), mayBeBeyondEnd: mayBeBeyondEnd)
    }

    @Test(
        "A body without items that says that the request failed is an error",
        arguments: [
            #"{"error":"no"}"#, #"{"errors":[{"message":"no"}],"data":null}"#, #"{"Error":"no","data":[]}"#,
            #"{"success":false}"#, #"{"Success":false,"items":[]}"#, #"{"success":"false"}"#, #"{"ok":0}"#,
            #"{"isError":true,"data":[]}"#, #"{"code":429,"msg":"slow down","data":[]}"#, #"{"code":"503"}"#,
            #"{"code":-1,"msg":"no","data":[]}"#, #"{"status":429,"data":[]}"#, #"{"status":"failed"}"#,
            #"{"statusCode":503,"body":""}"#, #"{"meta":{"code":429},"data":[]}"#,
            #"{"status":{"error_code":1002},"data":[]}"#, #"{"retCode":10001,"retMsg":"no","result":{}}"#,
            #"{"errcode":40001,"errmsg":"no"}"#, #"{"err_no":"A12"}"#, #"{"return_code":"FAIL"}"#,
            #"{"Response":"False"}"#, #"{"stat":"fail","photos":[]}"#, #"{"result":"error","data":[]}"#,
            #"{"status":"OVER_QUERY_LIMIT","results":[]}"#, #"{"status":"internalError"}"#, #"{"code":404,"data":[]}"#,
            #"{"response":{"error":"no"},"data":[]}"#, #"{"meta":{"errors":["no"]},"data":[]}"#,
            #"{"Note":"Our standard API call frequency is 5 calls per minute"}"#, #"{"Information":"no","next":null}"#,
            #"{"message":"There is no such method"}"#, #"{"code":"50011","msg":"Too Many Requests","data":[]}"#,
            ##"{"OAI-PMH":{"request":"x","error":{"@code":"badResumptionToken","#text":"expired"}}}"##,
            #"{"code":1001,"message":"system busy","data":null}"#, #"{"warnings":["query timed out"],"data":[]}"#,
        ])
    func error(body: String) throws {
        #expect(try failure(body)?.kind == .rejected)
    }

    @Test(
        "A body without items that says that all is well is a page",
        arguments: [
            "[]", "{}", #"{"data":[]}"#, #"{"error":null,"errors":[],"data":[]}"#, #"{"success":true,"data":[]}"#,
            #"{"success":1}"#, #"{"code":0,"data":[]}"#, #"{"code":200,"data":[]}"#, #"{"code":20000,"data":[]}"#,
            #"{"status":"ok"}"#, #"{"status":"OK"}"#, #"{"status":"success"}"#, #"{"status":"ZERO_RESULTS"}"#,
            #"{"status":"no_errors"}"#, #"{"error":{"code":0,"message":""},"data":[]}"#, #"{"error":"OK","data":[]}"#,
            #"{"message":"No more items","data":[]}"#, #"{"description":"Maintenance","data":[]}"#,
            #"{"message":"ok"}"#, #"{"code":"0000","msg":"ok"}"#,
            #"{"result":[],"response":{"docs":[]}}"#, #"{"errorCode":"00000"}"#, #"{"stat":"ok"}"#,
            #"{"status":"active"}"#, #"{"status":200}"#,
            #"{"errcode":0,"errmsg":"ok"}"#, #"{"ret_code":"0"}"#, #"{"return_code":"SUCCESS"}"#,
            #"{"meta":{"code":200},"data":[]}"#, #"{"code":"EUR","data":[]}"#, #"{"isError":false}"#,
            ##"{"OAI-PMH":{"request":"x","error":{"@code":"noRecordsMatch","#text":"none"}}}"##,
            #"{"paging":{"code":500},"data":[]}"#, #"{"status":"0 errors","data":[]}"#,
            #"{"message":"No error occurred","data":[]}"#,
            #"{"warnings":["parameter timeout is deprecated"],"data":[]}"#,
            #"{"message":"Quota remaining: 4998","data":[]}"#, #"{"response":0,"data":[]}"#,
        ])
    func page(body: String) throws {
        #expect(try failure(body) == nil)
    }

    @Test("An empty list may be null, beside a message")
    func noItems() throws {
        let body = #"{"data":null,"message":"No more items"}"#
        #expect(try failure(body, items: Path([.member("data")])) == nil)
        #expect(try failure(body, items: Path([.member("items")])) != nil)
    }

    @Test("A word that the URL asks for is no error", arguments: [("denied", true), ("x", false)])
    func asked(status: String, isPage: Bool) throws {
        let found = try failure(#"{"status":"DENIED","items":[]}"#, url: "https://a.b/things?status=\(status)&page=2")
        #expect((found == nil) == isPage)
    }

    @Test("A page that was worked out says of itself that it is not there, and is the end", arguments: [404, 416, 429])
    func beyondEnd(code: Int) throws {
        let body = "{\"code\":\(code),\"data\":[]}"
        #expect((try failure(body, mayBeBeyondEnd: true) == nil) == (code != 429))
        #expect(try failure(body) != nil)
    }
}
