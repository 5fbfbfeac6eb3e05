/// The answer of a handler.
public struct ServerResponse: Sendable {
    /// The transfer of the answer to the client.
    public enum Delivery: Sendable {
        /// With its length, at once.
        case whole

        /// In chunks, without a length.
        case chunked

        /// Announces the whole length, then closes the connection after that many bytes of the body.
        case truncated(after: Int)

        /// Announces the whole length, sends that many bytes of the body, calls `wait`, then sends the rest.
        case paused(after: Int, wait: @Sendable () -> Void)

        /// Closes the connection without an answer; status, headers and body are not used.
        ///
        /// A client that had used the connection before may take this for an idle close and ask again at once.
        case reset

        /// Writes the body to the socket as it is, instead of an HTTP message, and closes the connection.
        case verbatim
    }

    /// The status code, 200…599; a 1xx or anything beyond is answered as 500.
    public var status: Int

    /// The header fields; `Content-Length`, `Date` and `Transfer-Encoding` are the server's.
    public var headers: [(name: String, value: String)]

    /// The body.
    public var body: [UInt8]

    /// The transfer of the answer to the client.
    public var delivery: Delivery

    /// Makes a response.
    public init(
        status: Int = 200,
        headers: [(name: String, value: String)] = [],
        body: [UInt8] = [],
        delivery: Delivery = .whole
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.delivery = delivery
    }

    /// A JSON document.
    public static func json(
        _ text: String, status: Int = 200, headers: [(name: String, value: String)] = []
    ) -> ServerResponse {
        json(Array(text.utf8), status: status, headers: headers)
    }

    /// A JSON document, in UTF-8.
    public static func json(
        _ text: [UInt8], status: Int = 200, headers: [(name: String, value: String)] = []
    ) -> ServerResponse {
        let type = (name: "Content-Type", value: "application/json; charset=utf-8")
        return ServerResponse(status: status, headers: [type] + headers, body: text)
    }

    /// An HTML page.
    public static func html(_ text: String, status: Int = 200) -> ServerResponse {
        let type = (name: "Content-Type", value: "text/html; charset=utf-8")
        return ServerResponse(status: status, headers: [type], body: Array(text.utf8))
    }

    /// A status without a body.
    public static func status(_ status: Int, headers: [(name: String, value: String)] = []) -> ServerResponse {
        ServerResponse(status: status, headers: headers)
    }
}
