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

    @Test(
        "Without an entity tag, a date counts only if the page was sent a second later or more",
        arguments: [
            ("02:20:11", nil, false), ("02:20:12", nil, true), ("02:21:11", nil, true), ("02:20:10", nil, false),
            ("02:20:11", "\"1\"", true),
        ] as [(String, String?, Bool)])
    func justModified(sentAt: String, etag: String?, counts: Bool) throws {
        let modified = "Sat, 21 Nov 2026 02:20:11 GMT"
        var headers: Headers = ["Date": "Sat, 21 Nov 2026 \(sentAt) GMT", "Last-Modified": modified]
        if let etag { headers.append(name: "ETag", value: etag) }
        let expected = Validators(etag: etag, lastModified: counts ? modified : nil)
        #expect(Validators(of: try response(headers)) == expected)
        let kept = Validators(etag: nil, lastModified: "Fri, 20 Nov 2026 02:20:11 GMT")
        #expect(kept.refreshed(by: try response(headers)) == expected)
    }

    @Test("A date counts without a `Date` to compare it with")
    func undated() throws {
        let modified = "Sat, 21 Nov 2026 02:20:11 GMT"
        #expect(Validators(of: try response(["Last-Modified": modified])).lastModified == modified)
    }
}
