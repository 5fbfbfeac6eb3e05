internal import Concurrency
@_exported public import FeedSync
@_exported public import HTTPServer

/// An upstream for tests and previews: a function from request to response, on a free port of this machine.
///
///     let upstream = try TestUpstream { request in
///         request.path == "/things" ? .json(#"[{"id": 1, "name": "one"}]"#) : .status(404)
///     }
///     let feed = try await mirror.feed(FeedDefinition("things", ["url": "\(upstream.url)/things", "key": "id"]))
///
/// Requests take the way of an app's own: through sockets and libcurl. The server is libmicrohttpd, which Debian has as
/// `libmicrohttpd12`.
///
/// - Isolation: any thread. The function is called on threads of the server, several at a time.
public final class TestUpstream: Sendable {
    /// The root URL, such as `http://127.0.0.1:54321`, without a slash at the end.
    public let url: String
    private let server: Server
    private let received: Lock<[ServerRequest]>
    private static let mostRequests = 1_000

    /// Starts the upstream. It ends with its last reference.
    ///
    /// - Parameter answer: Answers a request.
    /// - Throws: `ServerError` if libmicrohttpd is missing or no port is free.
    public init(_ answer: @escaping @Sendable (ServerRequest) -> ServerResponse) throws(ServerError) {
        let received = Lock<[ServerRequest]>([])
        server = try Server { request in
            received.withLock { requests in
                if requests.count == Self.mostRequests { requests.removeFirst() }
                requests.append(request)
            }
            return answer(request)
        }
        url = server.url
        self.received = received
    }

    /// Starts an upstream whose list has these pages: `?page=2` is the second one, and the header `Link` leads from
    /// page to page with the other parameters of the request.
    ///
    /// - Parameter pages: The JSON of each page.
    /// - Throws: `ServerError` if libmicrohttpd is missing or no port is free.
    public convenience init(pages: [String]) throws(ServerError) {
        try self.init { request in
            let number = request.parameter("page").flatMap { Int($0) } ?? 1
            guard number > 0, number <= pages.count else { return .status(404) }
            guard number < pages.count else { return .json(pages[number - 1]) }
            let query = request.target.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
            let others = query.split(separator: "&").filter { $0 != "page" && !$0.hasPrefix("page=") }
            let parameters = (others + ["page=\(number + 1)"]).joined(separator: "&")
            let next = "<\(request.rawPath)?\(parameters)>; rel=\"next\""
            return .json(pages[number - 1], headers: [(name: "Link", value: next)])
        }
    }

    deinit { server.stop() }

    /// The latest 1,000 requests, in the order in which they came.
    public var requests: [ServerRequest] { received.withLock { $0 } }

    /// Closes the port: later requests are refused.
    public func stop() { server.stop() }
}
