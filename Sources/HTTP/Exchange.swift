/// A request as it is sent to one place: a redirect makes another one of it.
///
/// It holds secrets: mask it before it is shown.
public struct SentRequest: Sendable {
    /// The number of the request within its client; redirected requests keep it.
    public let id: UInt64
    /// The method.
    public let method: String
    /// The URL with its query credentials.
    public let url: WebURL
    /// The header fields: when it begins those that we ask for, when it has ended those that libcurl sent.
    public internal(set) var headers: Headers
    /// The body, if any.
    public let body: [UInt8]?
}

/// One request with its response or its failure.
///
/// It holds secrets: mask it before it is shown.
public struct Exchange: Sendable {
    /// The response, as far as it was received.
    public struct Answer: Sendable {
        /// The status code.
        public let status: Int
        /// The protocol: `HTTP/1.1`.
        public let version: String
        /// The header fields, without interim responses and trailers.
        public let headers: Headers
        /// The decompressed body.
        public let body: Body
        /// The bytes of the header lines.
        public let headerByteCount: Int
        /// The bytes of the body as they were received.
        public let bodyByteCount: Int
    }

    /// The duration of each phase; nil for a phase that did not occur, such as connecting on an open connection.
    public struct Timings: Sendable, Hashable {
        /// Resolving the host's name.
        public let name: Duration?
        /// Connecting, without TLS.
        public let connect: Duration?
        /// The TLS handshake.
        public let tls: Duration?
        /// From the connection to the sending of the request.
        public let send: Duration?
        /// From then to the first byte of the response.
        public let wait: Duration?
        /// From then to the last byte.
        public let receive: Duration?
        /// All of it.
        public let total: Duration
    }

    /// The request as it was sent.
    public let request: SentRequest
    /// The start, in milliseconds since 1970.
    public let startedAt: Int64
    /// The durations of its phases.
    public let timings: Timings
    /// The address that was connected to, of the host or of a proxy; nil without a connection.
    public let address: String?
    /// The response; nil without a status line.
    public let answer: Answer?
    /// The failure; nil for a response of any status.
    public let failure: HTTPError?
}

/// Looks on while a client makes requests.
///
/// - Isolation: it is called on the thread that drives the transfers, which waits for it.
public struct ExchangeObserver: Sendable {
    /// A call before each request that is sent.
    public let began: @Sendable (SentRequest) -> Void
    /// A call after each request, with its outcome.
    public let ended: @Sendable (Exchange) -> Void

    /// An observer that calls these.
    public init(
        began: @escaping @Sendable (SentRequest) -> Void, ended: @escaping @Sendable (Exchange) -> Void
    ) {
        self.began = began
        self.ended = ended
    }
}
