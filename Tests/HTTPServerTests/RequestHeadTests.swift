import Foundation
import HTTPServer
import ScriptedServer
import Testing

/// Requests that two programs may understand in two ways, or that no client sends.
@Suite struct RequestHeadTests {
    /// A request and the status that refuses it.
    struct Forged: Sendable, CustomTestStringConvertible {
        let text: String
        let status: Int

        init(_ text: String, _ status: Int = 400) { (self.text, self.status) = (text, status) }

        var testDescription: String { text.debugDescription }
    }

    private static func get(_ fields: String) -> String { "GET / HTTP/1.1\r\nHost: test\r\n\(fields)\r\n" }

    private static func post(_ fields: String, _ body: String = "") -> String {
        "POST / HTTP/1.1\r\nHost: test\r\n\(fields)\r\n\(body)"
    }

    private static let controls = (UInt8(0)...127).filter { ($0 < 32 || $0 == 127) && ![9, 10, 13].contains($0) }
        .map { String(UnicodeScalar($0)) }

    static let firstLines: [Forged] =
        [
            "", " GET / HTTP/1.1", "GET  / HTTP/1.1", "GET /  HTTP/1.1", "GET / HTTP/1.1 ", "GET\t/ HTTP/1.1",
            "GET /\tHTTP/1.1",
            "GET /", "GET", "GET / / HTTP/1.1", "GET / HTTP/1.1 extra", "G(T / HTTP/1.1", "G\"T / HTTP/1.1",
            "GÉT / HTTP/1.1",
            "G:T / HTTP/1.1", "GET\u{b}/ HTTP/1.1", "GET / http/1.1", "GET / HTTP/1", "GET / HTTP/11", "GET / HTTP/1.",
            "GET / HTTP/.1",
            "GET / HTTP/1.1.1", "GET / HTTP/1.10", "GET / HTTP/01.1", "GET / HTTP/a.b", "GET / HTTPS/1.1",
            "GET / HTP/1.1",
            "GET / HTTP 1.1", "GET / HTTP/1,1", "GET / HTTP/-1.1", "GET / HTTP/ 1.1", "GET * HTTP/1.1",
            "OPTIONS * HTTP/1.1",
            "GET http://test/ HTTP/1.1", "GET https://test/ HTTP/1.1", "CONNECT test:80 HTTP/1.1", "GET test HTTP/1.1",
            "GET ?q HTTP/1.1", "GET /#part HTTP/1.1", "GET \\ HTTP/1.1", "GET \"/\" HTTP/1.1", "GET /\r/ HTTP/1.1",
            "GET /\r HTTP/1.1", "GET / HTTP/1.1\r", "\rGET / HTTP/1.1", "PRI * HTTP/2.0 x",
        ].map { Forged("\($0)\r\nHost: test\r\n\r\n") }
        + controls.map { Forged("GET /\($0)x HTTP/1.1\r\nHost: test\r\n\r\n") }
        + ["0.9", "1.2", "1.9", "2.0", "3.0"].map { Forged("GET / HTTP/\($0)\r\nHost: test\r\n\r\n", 505) }

    static let fields: [Forged] =
        [
            "X : y", "X\t: y", " X: y", "\tX: y", ": y", "X", "X y", "X Y: z", "X\u{b}: y", "(X): y", "X/Y: z",
            "X[1]: y", "X@: y",
            "\"X\": y", "X=: y", "{X}: y", "X,Y: z", "X;: y", "Ho st: other", "Host : other", "X: y\r\n folded",
            "X: y\r\n\tfolded", "X: y\r\n : z", "X: y\r\n Content-Length: 5", "X: y\rz", "X: \ry", "X\r: y", "É: x",
        ].map { Forged(get("\($0)\r\n")) }
        + controls.map { Forged(get("X: a\($0)b\r\n")) }
        + controls.map { Forged(get("X\($0): b\r\n")) }

    static let lineEnds: [Forged] = [
        "GET / HTTP/1.1\nHost: test\n\n", "GET / HTTP/1.1\r\nHost: test\n\r\n", "GET / HTTP/1.1\nHost: test\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: test\r\n\n", "GET / HTTP/1.1\r\nHost: test\nX: y\r\n\r\n",
        "GET / HTTP/1.1\r\nX: y\n\nGET /other HTTP/1.1\r\nHost: test\r\n\r\n", "\nGET / HTTP/1.1\r\nHost: test\r\n\r\n",
        "\r\nGET / HTTP/1.1\r\nHost: test\r\n\r\n", "GET / HTTP/1.1\r\n\nHost: test\r\n\r\n",
        "GET / HTTP/1.1\r\n Host: test\r\n\r\n", "GET / HTTP/1.1\r\n\tHost: test\r\n\r\n",
    ].map { Forged($0) }

    static let hosts: [Forged] = [
        "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nX: y\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nhOST: b\r\n\r\n",
        "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\nHOST: a\r\n\r\n",
    ].map { Forged($0) }

    static let lengths: [Forged] =
        [
            "", "-1", "+1", "1.0", "1e1", "0x1", "1 1", "1,1", "1, 1", "1;", "1a", "a", "٣", "１", "\"1\"", " ,1", "1,",
            "0,0",
            "9223372036854775807", "9223372036854775808", "18446744073709551616", "99999999999999999999", "-0", "+0",
        ].map { Forged(post("Content-Length: \($0)\r\n", "1")) }
        + [
            "Content-Length: 1\r\nContent-Length: 1\r\n", "Content-Length: 1\r\nContent-Length: 2\r\n",
            "Content-Length: 0\r\ncontent-length: 1\r\n", "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
            "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n",
            "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n",
            "Content-Length: 1\r\nTransfer-Encoding: identity\r\n", "Content-Length: 1\r\nTransfer-Encoding:\r\n",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "Content-Length : 1\r\n",
            "Transfer-Encoding : chunked\r\n", "Transfer-Encoding\u{b}: chunked\r\n",
            "Transfer-Encoding: \u{b}chunked\r\n",
            "Transfer-Encoding: chunked\u{0}\r\n", "Content-Length: 1\u{0}\r\n",
            "X: y\r\n Transfer-Encoding: chunked\r\n",
        ].map { Forged(post($0, "1\r\na\r\n0\r\n\r\n")) }
        + [
            "gzip", "gzip, chunked", "chunked, gzip", "chunked, chunked", "identity", "chunked;q=1", "xchunked",
            "\"chunked\"",
            "chunked,", ",chunked", "", "chunk", "c hunked",
        ].map { Forged(post("Transfer-Encoding: \($0)\r\n", "0\r\n\r\n"), 501) }
        + [
            Forged("POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            Forged(post("Expect: 200-ok\r\nContent-Length: 1\r\n", "1"), 417),
            Forged(post("Content-Length: 300000\r\n"), 413),
            Forged(get("Cookie: \(String(repeating: "c", count: 8_192))\r\n"), 431),
            Forged(get(String(repeating: "X: y\r\n", count: 101)), 431),
            Forged("GET /\(String(repeating: "x", count: 9_000)) HTTP/1.1\r\nHost: test\r\n\r\n", 431),
            Forged("GET /\(String(repeating: "x", count: 9_000))", 431),
        ]

    static let chunks: [Forged] =
        [
            "1\na\n0\n\n", "1\r\na\n0\r\n\r\n", "1\r\nab\r\n0\r\n\r\n", "1 \r\na\r\n0\r\n\r\n", " 1\r\na\r\n0\r\n\r\n",
            "g\r\na\r\n",
            "-1\r\na\r\n", "0x1\r\na\r\n0\r\n\r\n", "+1\r\na\r\n0\r\n\r\n", "\r\na\r\n0\r\n\r\n",
            "1;x=y\r\na\r\n0\r\n\r\n",
            "1;\na\r\n0\r\n\r\n", "000000001\r\na\r\n0\r\n\r\n", "1\r\r\na\r\n", "0\r\nX: y\r\n\r\n",
            "0\r\nHost: other\r\n\r\n",
            "0\n\n", "0\r\n\n", "0\r\nGET / HTTP/1.1\r\n", "1\r\na\r\n0\u{0}\r\n\r\n", "１\r\na\r\n0\r\n\r\n",
            "1\r\na0\r\n\r\n",
        ].map { Forged(post("Transfer-Encoding: chunked\r\n", $0)) }
        + [Forged(post("Transfer-Encoding: chunked\r\n", "ffffffff\r\na"), 413)]

    static let all = firstLines + fields + lineEnds + hosts + lengths + chunks

    @Test("The table has more than 250 forged requests")
    func count() { #expect(Self.all.count > 250, "\(Self.all.count)") }

    @Test("A forged request is refused, answered once, and the connection closed", arguments: all)
    func forged(request: Forged) async throws {
        try await onThread {
            let server = try SharedServer(.tcp(host: "127.0.0.1", port: 0)) { _ in .whole(.html("taken")) }
            defer { server.stop() }
            guard case .tcp(_, let port) = server.address else { return }
            let connection = try RawConnection(port: port)
            // The bytes behind it must never be taken for a request.
            connection.send(request.text + "GET /second HTTP/1.1\r\nHost: test\r\n\r\n")
            let (text, end) = connection.readToEnd()
            #expect(text.hasPrefix("HTTP/1.1 \(request.status) "), "\(text)")
            #expect(text.components(separatedBy: "HTTP/1.1 ").count == 2 && !text.contains("taken"), "\(text)")
            #expect(end == .closed)
        }
    }

    @Test("A head that comes byte by byte is refused as soon as it is wrong")
    func early() throws {
        var search = HeadSearch()
        var input: [UInt8] = []
        #expect(throws: RequestRefusal.self) {
            for byte in "GET / HTTP/1.1\r\nHost: test\nX: y".utf8 {
                input.append(byte)
                _ = try search.length(in: input, limit: 8_192)
            }
        }
        #expect(String(decoding: input, as: UTF8.self) == "GET / HTTP/1.1\r\nHost: test\n")
    }

    @Test(
        "A request as clients send it is taken, however it is cut",
        arguments: [
            "GET / HTTP/1.1\r\nHost: test\r\n\r\n",
            "GET /a/b?c=d&e=%20+ HTTP/1.1\r\nHost: test:80\r\nAccept: */*\r\n\r\n",
            "GET /grüße HTTP/1.1\r\nHost: test\r\nX: grüße\r\n\r\n",
            "GET / HTTP/1.1\r\nHost:test\r\nX:\r\nY: \t z \t\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\n\r\nabc",
            "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\nab\r\nA\r\n0123456789\r\n0\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: test\r\nCookie: \(String(repeating: "c", count: 7_000))\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: \r\n\r\n", "M-SEARCH / HTTP/1.1\r\nHost: test\r\n\r\n",
            "GET // HTTP/1.1\r\nHost: test\r\n\r\n",
        ])
    func taken(text: String) async throws {
        try await onThread {
            let server = try SharedServer(.tcp(host: "127.0.0.1", port: 0)) { request in
                .whole(.html("<\(request.body.count)>"))
            }
            defer { server.stop() }
            guard case .tcp(_, let port) = server.address else { return }
            let whole = try RawConnection(port: port)
            // Two in one piece, then one in two pieces: three answers on one connection.
            whole.send(text + text)
            #expect(whole.read(through: ">").contains("HTTP/1.1 200 OK"))
            #expect(whole.read(through: ">").contains("HTTP/1.1 200 OK"))
            let half = text.utf8.count / 2
            whole.send(String(decoding: text.utf8.prefix(half), as: UTF8.self))
            whole.send(String(decoding: text.utf8.dropFirst(half), as: UTF8.self))
            #expect(whole.read(through: ">").contains("HTTP/1.1 200 OK"))
        }
    }
}
