import HTTPServer
import Testing

@Suite struct ServerRequestTests {
    @Test(
        "A query is split and percent-decoded in order",
        arguments: [
            ("/", []), ("/?", []), ("/?a=1&b=2&a=3", ["a=1", "b=2", "a=3"]), ("/?a=x%2By+z", ["a=x+y z"]),
            ("/?flag&empty=", ["flag=", "empty="]), ("/?a=b=c", ["a=b=c"]), ("/?q=%E6%97%A5%F0%9F%A7%AD", ["q=日🧭"]),
            ("/?bad=%zz%4", ["bad=%zz%4"]), ("/?&&a=1&", ["a=1"]), ("/?a=?b", ["a=?b"]),
        ])
    func query(target: String, parameters: [String]) {
        #expect(ServerRequest(target: target).query.map { "\($0.name)=\($0.value)" } == parameters)
    }

    @Test("A path is decoded, and kept as sent beside it")
    func path() {
        let request = ServerRequest(target: "/a%20b+c/%e4%b8%80?x=%20")
        #expect(request.path == "/a b+c/一")
        #expect(request.rawPath == "/a%20b+c/%e4%b8%80")
    }

    @Test("A header is found whatever its case, a parameter only as spelled")
    func lookUp() {
        let request = ServerRequest(
            target: "/?Page=2", headers: [(name: "ETAG", value: "1"), (name: "etag", value: "2")])
        #expect(request.header("ETag") == "1")
        #expect(request.header("Link") == nil)
        #expect(request.parameter("Page") == "2")
        #expect(request.parameter("page") == nil)
    }

    @Test("A request arrives with its method, target, header fields and body")
    func arrives() throws {
        let server = try Server { request in
            let fields = request.headers.filter { $0.name.hasPrefix("X-") }.map { "\($0.name):\($0.value)" }
            return .json(
                "\(request.method) \(request.path) \(request.query) \(fields) \(String(decoding: request.body, as: UTF8.self))"
            )
        }
        let answer = try exchange("PUT /a%2Fb?c=%26", fields: "X-One: 1\r\nX-two:  2\r\n", body: "täxt", with: server)
        #expect(answer.text.messageBody == #"PUT /a/b [(name: "c", value: "&")] ["X-One:1", "X-two:2"] täxt"#)
    }

    @Test("A body of several megabytes arrives whole")
    func largeBody() throws {
        let server = try Server { .json("\($0.body.count)") }
        let body = String(repeating: "0123456789", count: 300_000)
        #expect(try exchange("POST /", body: body, with: server).text.messageBody == "3000000")
    }
}
