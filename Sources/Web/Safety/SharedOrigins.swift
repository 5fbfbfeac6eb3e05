internal import HTTPServer

/// The origins of other sites whose scripts may use the API.
///
/// They send no cookies, and send the token with requests that need it. The pages, and the word that pages send, are
/// not theirs.
///
/// Source: https://fetch.spec.whatwg.org/#http-cors-protocol
struct SharedOrigins: Sendable {
    let origins: [String]

    private static let paths: Set = [
        "feeds", "runs", "changes", "quota", "events", "health", "metrics", "openapi.json",
    ]
    private static let readable = "Link, ETag, X-Total-Count"
    private static let sendable = "Authorization, Content-Type, If-None-Match, Last-Event-ID"

    /// True for a request of a script that may use the API.
    func includes(_ request: ServerRequest) -> Bool {
        guard let origin = request.header("Origin") else { return false }
        return origins.contains(origin) && Self.isOfAPI(request)
    }

    private static func isOfAPI(_ request: ServerRequest) -> Bool {
        request.path.split(separator: "/").first.map { paths.contains(String($0)) } ?? false
    }

    /// The answer to a browser that asks whether a script may send a request; nil for any other request.
    func preflight(_ request: ServerRequest) -> ServerResponse? {
        guard request.method == "OPTIONS", includes(request) else { return nil }
        return shared(
            .status(
                204,
                headers: [
                    ("Access-Control-Allow-Methods", "GET, HEAD, POST"),
                    ("Access-Control-Allow-Headers", Self.sendable), ("Access-Control-Max-Age", "600"),
                ]), with: request)
    }

    /// The response with the word that lets a script read it.
    func shared(_ response: ServerResponse, with request: ServerRequest) -> ServerResponse {
        guard !origins.isEmpty, Self.isOfAPI(request) else { return response }
        var response = response
        response.vary(on: "Origin")
        guard includes(request), let origin = request.header("Origin") else { return response }
        response.headers += [
            ("Access-Control-Allow-Origin", origin), ("Access-Control-Expose-Headers", Self.readable),
        ]
        return response
    }
}
