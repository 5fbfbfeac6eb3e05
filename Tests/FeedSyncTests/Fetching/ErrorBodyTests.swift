import HTTP
import Testing

@testable import Upstream

@Suite("An error in the body of a successful response")
struct ErrorBodyTests {
    private func failure(_ body: String) throws -> FeedSyncError? {
        let response = Response(
            status: 200, headers: [:], url: try WebURL("https://a.b/things"), body: Body(Array(body.utf8)))
        return ErrorBody.failure(response, secrets: Secrets([]))
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
        ])
    func error(body: String) throws {
        #expect(try failure(body)?.kind == .rejected)
    }

    @Test(
        "A body without items that says that all is well is a page",
        arguments: [
            "[]", "{}", #"{"data":[]}"#, #"{"error":null,"errors":[],"data":[]}"#, #"{"success":true,"data":[]}"#,
            #"{"success":1}"#, #"{"code":0,"data":[]}"#, #"{"code":200,"data":[]}"#, #"{"code":20000,"data":[]}"#,
            #"{"code":404,"data":[]}"#, #"{"status":"ok"}"#, #"{"status":"active"}"#, #"{"status":200}"#,
            #"{"errcode":0,"errmsg":"ok"}"#, #"{"ret_code":"0"}"#, #"{"return_code":"SUCCESS"}"#,
            #"{"meta":{"code":200},"data":[]}"#, #"{"code":"EUR","data":[]}"#, #"{"isError":false}"#,
            #"{"paging":{"code":500},"data":[]}"#,
        ])
    func page(body: String) throws {
        #expect(try failure(body) == nil)
    }
}
