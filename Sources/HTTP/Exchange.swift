/// A request as it is sent to one place: a redirect makes another one of it.
///
/// It holds secrets: mask it before it is shown.
package struct SentRequest: Sendable {
    /// The number of the request within its client; redirected requests keep it.
    package let id: UInt64
    /// The method.
    package let method: String
    /// The URL with its query credentials.
    package let url: WebURL
    /// The header fields: when it begins those that we ask for, when it has ended those that libcurl sent.
    package internal(set) var headers: Headers
    /// The body, if any.
    package let body: [UInt8]?
}

/// One request with its response or its failure.
///
/// It holds secrets: mask it before it is shown.
package struct Exchange: Sendable {
    /// The response, as far as it was received.
    package struct Answer: Sendable {
        /// The status code.
        package let status: Int
        /// The protocol: `HTTP/1.1`.
        package let version: String
        /// The header fields, without interim responses and trailers.
        package let headers: Headers
        /// The decompressed body.
        package let body: Body
        /// The bytes of the header lines.
        package let headerByteCount: Int
        /// The bytes of the body as they were received.
        package let bodyByteCount: Int
    }

    /// The duration of each phase; nil for a phase that did not occur, such as connecting on an open connection.
    package struct Timings: Sendable, Hashable {
        /// Resolving the host's name.
        package let name: Duration?
        /// Connecting, without TLS.
        package let connect: Duration?
        /// The TLS handshake.
        package let tls: Duration?
        /// From the connection to the sending of the request.
        package let send: Duration?
        /// From then to the first byte of the response.
        package let wait: Duration?
        /// From then to the last byte.
        package let receive: Duration?
        /// All of it.
        package let total: Duration
    }

    /// The request as it was sent.
    package let request: SentRequest
    /// The start, in milliseconds since 1970.
    package let startedAt: Int64
    /// The durations of its phases.
    package let timings: Timings
    /// The address that was connected to, of the host or of a proxy; nil without a connection.
    package let address: String?
    /// The response; nil without a status line.
    package let answer: Answer?
    /// The failure; nil for a response of any status.
    package let failure: HTTPError?
}

/// Looks on while a client makes requests.
///
/// - Isolation: it is called on the thread that drives the transfers, which waits for it.
package struct ExchangeObserver: Sendable {
    /// A call before each request that is sent.
    package let began: @Sendable (SentRequest) -> Void
    /// A call after each request, with its outcome.
    package let ended: @Sendable (Exchange) -> Void

    /// An observer that calls these.
    package init(
        began: @escaping @Sendable (SentRequest) -> Void, ended: @escaping @Sendable (Exchange) -> Void
    ) {
        self.began = began
        self.ended = ended
    }
}
