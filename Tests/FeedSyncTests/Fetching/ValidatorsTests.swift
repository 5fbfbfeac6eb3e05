import FeedSync
import HTTP
import Testing

private func response(_ headers: Headers) throws -> Response {
    Response(status: 304, headers: headers, url: try WebURL("https://example.com/"))
}

@Suite("Validators") struct ValidatorsTests {
    @Test("Validators are kept byte for byte")
    func bytes() throws {
        let validators = Validators(of: try response(["ETag": #"W/"a b""#, "Last-Modified": "yesterday, about noon"]))
        #expect(validators == Validators(etag: #"W/"a b""#, lastModified: "yesterday, about noon"))
    }

    @Test("A page that was modified in the second of its response has no date to ask with, because it may change again")
    func sameSecond() throws {
        let (now, before) = ("Sat, 21 Nov 2026 02:20:11 GMT", "Sat, 21 Nov 2026 02:20:10 GMT")
        #expect(Validators(of: try response(["Last-Modified": now, "Date": now])).isEmpty)
        #expect(Validators(of: try response(["Last-Modified": before, "Date": now])).lastModified == before)
        let tagged = Validators(of: try response(["ETag": "\"1\"", "Last-Modified": now, "Date": now]))
        #expect(tagged == Validators(etag: "\"1\"", lastModified: now))
    }

    @Test("The validators of a 304 outrank the stored ones, and missing ones stay")
    func refreshed() throws {
        let kept = Validators(etag: "\"1\"", lastModified: "then")
        #expect(kept.refreshed(by: try response(["ETag": "\"2\""])) == Validators(etag: "\"2\"", lastModified: "then"))
        #expect(kept.refreshed(by: try response([:])) == kept)
    }

    @Test("The validators of a response without any are empty")
    func absent() throws {
        #expect(Validators(of: try response([:])).isEmpty)
    }
}
