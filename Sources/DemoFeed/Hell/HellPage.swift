internal import HTTPServer

/// A request for a page of a kind's list, and the answer of a sound upstream: three pages of five items.
struct HellPage: Sendable {
    static let pages = "{style: page, param: page}"
    static let cursors = "{style: cursor, param: cursor, next: cursor}"
    static let nextURLs = "{style: next_url, next: next}"
    static let links = "{style: link}"

    static let count = 3
    static let size = 5

    let request: ServerRequest
    /// The kind's name.
    let name: String
    /// From 1; a page beyond the last is empty.
    let number: Int
    /// The number of earlier requests for this kind.
    let asked: Int

    init(_ request: ServerRequest, name: String, asked: Int, number: Int? = nil) {
        self.request = request
        self.name = name
        self.asked = asked
        let word = request.parameter("page") ?? request.parameter("cursor")
        self.number = number ?? word.flatMap { Int($0.drop { !$0.isNumber }) } ?? 1
    }

    var items: String {
        guard (1...Self.count).contains(number) else { return "" }
        let first = (number - 1) * Self.size + 1
        return (first..<first + Self.size).map { #"{"id":\#($0),"name":"thing \#($0)"}"# }.joined(separator: ",")
    }

    /// The URL of another page.
    func url(_ number: Int) -> String { "\(origin)/\(name)?page=\(number)" }

    var origin: String { "http://\(request.header("Host") ?? "127.0.0.1")" }

    private var hasNext: Bool { number < Self.count }

    /// The page as text; `cursor` and `next` as JSON.
    func text(cursor: String? = nil, next: String? = nil, total: String = "15") -> String {
        let cursor = cursor ?? (hasNext ? "\"c\(number + 1)\"" : "null")
        let next = next ?? (hasNext ? "\"\(url(number + 1))\"" : "null")
        return #"{"total":\#(total),"cursor":\#(cursor),"next":\#(next),"items":[\#(items)]}"#
    }

    var link: [(name: String, value: String)] {
        hasNext ? [(name: "Link", value: "<\(url(number + 1))>; rel=\"next\"")] : []
    }

    /// The page as a sound upstream sends it, with more or other fields.
    func sound(_ headers: [(name: String, value: String)] = []) -> ServerResponse {
        .json(text(), headers: link + headers)
    }

    /// A body instead of the page.
    func body(_ text: String, type: String = "application/json") -> ServerResponse {
        bytes(Array(text.utf8), type: type)
    }

    func bytes(
        _ bytes: [UInt8], type: String = "application/json", headers: [(name: String, value: String)] = []
    ) -> ServerResponse {
        ServerResponse(headers: [(name: "Content-Type", value: type)] + headers, body: bytes)
    }

    /// An answer that is sent verbatim; then the connection is closed.
    func raw(_ head: String, _ body: [UInt8] = []) -> ServerResponse {
        let lines = head.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
        return ServerResponse(body: Array(lines.utf8) + body, delivery: .verbatim)
    }

    /// A whole answer with fields that no server library sends.
    func raw(fields: String, length: Int? = nil) -> ServerResponse {
        let body = Array(text().utf8)
        return raw(
            "HTTP/1.1 200 OK\nContent-Type: application/json\nContent-Length: \(length ?? body.count)\n\(fields)\n\n",
            body)
    }

    /// A status with a field or two.
    func status(_ status: Int, _ headers: [(name: String, value: String)] = []) -> ServerResponse {
        .json(#"{"message":"no"}"#, status: status, headers: headers)
    }
}
