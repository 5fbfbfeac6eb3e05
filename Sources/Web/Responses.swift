internal import FeedSync
internal import HTTPServer
internal import Text

/// Headers of every response, and conditional responses.
enum Responses {
    /// Only our scripts, styles and pictures are loaded, and nothing else is loaded, sent to or framed.
    private static let safety: [(name: String, value: String)] = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
                + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"),  // Without it a form of ours would not say where it comes from.
        ("Referrer-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    /// The response with the headers of every response.
    static func finished(_ response: ServerResponse) -> ServerResponse {
        var response = response
        response.headers += safety
        if response.header("Cache-Control") == nil {
            response.headers.append(("Cache-Control", response.status == 200 ? "no-cache" : "no-store"))
        }
        return response
    }

    /// The response with a link to the API's description, if it is one for programs.
    ///
    /// Source: https://www.rfc-editor.org/rfc/rfc8631
    static func described(_ response: ServerResponse) -> ServerResponse {
        let type = response.header("Content-Type") ?? ""
        guard programTypes.contains(where: type.hasPrefix) else { return response }
        var response = response
        response.add("</openapi.json>; rel=\"service-desc\"", to: "Link")
        return response
    }

    private static let programTypes = [
        "application/json", "application/problem+json", "application/x-ndjson", "text/csv", "text/event-stream",
        "text/yaml", "text/plain; version=",
    ]

    /// The refusal of a visitor without a token.
    static var tokenNeeded: ServerResponse {
        var refusal = problem(401, .refused, "a token is needed", advice: "send it as Authorization: Bearer TOKEN")
        refusal.headers.append(("WWW-Authenticate", "Bearer"))
        return refusal
    }

    /// A response to a GET with its tag, or 304 if the client has it.
    static func conditional(_ response: ServerResponse, _ request: ServerRequest, tag: String? = nil) -> ServerResponse
    {
        guard response.status == 200 else { return response }
        var tag = tag ?? self.tag(of: response.body)
        // The tag covers the headers, too.
        for name in ["Link", Self.totalHeader] {
            guard let value = response.header(name) else { continue }
            tag = self.tag(of: Array((tag + value).utf8))
        }
        var result = response
        result.headers.append(("ETag", tag))
        if request.knows(tag: tag) {
            result.status = 304
            result.body = []
        }
        return result
    }

    /// A tag for a body, the same as long as the body is the same.
    static func tag(of body: [UInt8]) -> String {
        var hash = WordHash()
        hash.add(body)
        return "\"\(hash.digits)-\(body.count)\""
    }

    /// A JSON document.
    static func json(_ text: String, status: Int = 200, headers: [(name: String, value: String)] = []) -> ServerResponse
    {
        .json(text + "\n", status: status, headers: headers)
    }

    /// A list of objects that are already JSON, each in one line.
    static func list(
        _ objects: [String], for request: ServerRequest? = nil, headers: [(name: String, value: String)] = []
    ) -> ServerResponse {
        guard request?.wantsLines == true else {
            return json("[\(objects.joined(separator: ",\n"))]", headers: headers)
        }
        return lines(Array(objects.map { $0 + "\n" }.joined().utf8), headers)
    }

    /// A list of items.
    static func list(
        _ listing: ListingText, for request: ServerRequest, headers: [(name: String, value: String)] = []
    ) -> ServerResponse {
        request.wantsLines ? lines(listing.lines, headers) : .json(listing.document, headers: headers)
    }

    private static func lines(_ body: [UInt8], _ headers: [(name: String, value: String)]) -> ServerResponse {
        ServerResponse(headers: headers + [("Content-Type", "application/x-ndjson")], body: body)
    }

    /// The links of a page of a list: to the next page, and from a later one to the first.
    ///
    /// Source: https://www.rfc-editor.org/rfc/rfc8288
    static func links(next: Link?, first: Link?) -> [(name: String, value: String)] {
        let links = [(next, "next"), (first, "first")].compactMap { link, relation in
            link.map { "<\($0.text)>; rel=\"\(relation)\"" }
        }
        return links.isEmpty ? [] : [("Link", links.joined(separator: ", "))]
    }

    /// The field with the number of all that a list has a page of.
    static let totalHeader = "X-Total-Count"

    /// An error as JSON, with the members that every client of HTTP APIs knows.
    ///
    /// Source: https://www.rfc-editor.org/rfc/rfc9457
    static func problem(_ status: Int, _ error: FeedSyncError) -> ServerResponse {
        let fields: JSONFields = [
            "title": error.message, "status": status, "error": error, "advice": error.advice,
            "version": ResultVersion.current,
        ]
        let headers = [(name: "Content-Type", value: "application/problem+json")]
        return ServerResponse(status: status, headers: headers, body: Array("\(fields.json)\n".utf8))
    }

    /// An error as JSON.
    static func problem(_ status: Int, _ kind: FeedSyncError.Kind, _ message: String, advice: String? = nil)
        -> ServerResponse
    {
        problem(status, FeedSyncError(kind, message, advice: advice))
    }

    /// The refusal of a method that a path does not take.
    static func wrongMethod(_ methods: [String]) -> ServerResponse {
        let words = (methods.isEmpty ? ["GET", "HEAD", "POST"] : methods).joined(separator: ", ")
        var refusal = problem(405, .rejected, "this path takes another method", advice: words)
        refusal.headers.append(("Allow", words))
        return refusal
    }

    static func unknownFeed(_ name: String) -> ServerResponse {
        problem(404, .rejected, "no such feed: \(Excerpt.quoted(name, limit: 63))", advice: "GET /feeds lists them")
    }

    /// A piece of a page, for the script.
    static func fragment(_ html: HTMLWriter, headers: [(name: String, value: String)] = []) -> ServerResponse {
        ServerResponse(headers: [("Content-Type", "text/html; charset=utf-8")] + headers, body: html.bytes)
    }

    /// A redirect to a page after a form of a page was sent.
    static func redirect(to page: Link) -> ServerResponse { .status(303, headers: [("Location", page.text)]) }

    /// The status of a response with an error.
    static func status(of error: FeedSyncError) -> Int {
        switch error.kind {
        case .locked, .cancelled, .interrupted: 409
        case .limited: 503
        case .undecodable, .unfollowable, .unreachable, .rejected, .refused: 502
        case .configuration: 422
        case .store, .bug: 500
        }
    }
}

extension ServerRequest {
    /// The parts of the path; those of a list of a feed are the feed's, with the name of the list.
    var pathParts: [String] {
        let raw = rawPath.split(separator: "/")
        let parts = raw.map { PercentCoding.decoded($0.utf8, plus: "+") }
        guard parts.count > 3, parts[0] == "feeds", parts[2] == "parts" else { return parts }
        let key = raw[3].split(separator: ",", omittingEmptySubsequences: false)
            .map { PercentCoding.encoded(PercentCoding.decoded($0.utf8, plus: "+")) }
        return ["feeds", ([parts[1]] + key).joined(separator: "/")] + parts[4...]
    }

    /// True if a browser is to show the answer.
    var wantsPage: Bool { header("Accept")?.contains("text/html") == true }

    /// The maximum number of items that an answer is to have.
    var limit: Int { parameter("limit").flatMap { Int($0) }.map { min(max($0, 1), Self.mostItems) } ?? 100 }

    static let mostItems = 1_000

    /// True if a list is to have each object in a line of its own.
    var wantsLines: Bool { parameter("format") == "ndjson" }

    /// True if items are to come as CSV.
    var wantsCSV: Bool { parameter("format") == "csv" }

    /// True if the number of all objects of a list is to be counted.
    var wantsTotal: Bool { parameter("total") == "true" }

    /// The parameters that another page of the same list has, too.
    func kept(_ names: String...) -> [(name: String, value: String)] {
        query.filter { names.contains($0.name) }.map { (name: $0.name, value: $0.value) }
    }
}
