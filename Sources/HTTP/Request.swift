internal import CCurl

/// One request, with the credentials, time-outs and limits it is made under.
package struct Request: Sendable {
    /// The method; `GET` by default.
    package var method: String
    /// The URL, without query credentials.
    package var url: WebURL
    /// The header fields to send, without credentials.
    package var headers: Headers
    /// The body to send, if any.
    package var body: [UInt8]?
    /// Secrets that are sent only while the request's origin is `credentialOrigin`.
    package var credentials: [Credential]
    /// The origin that `credentials` were written for.
    package var credentialOrigin: Origin
    /// The times to wait.
    package var timeouts: Timeouts
    /// The sizes to accept.
    package var limits: ResponseLimits
    /// The number of simultaneous requests to the origin, including this one; nil for the client's number.
    package var maximumPerHost: Int?
    /// The way to the host.
    package var connection = ConnectionOptions()
    /// The end of a response of server-sent events; nil to wait for the upstream's.
    package var stream: StreamEnd?
    /// The redirects to follow.
    package var redirects = RedirectRule.any
    /// The addresses that it may connect to, after redirects too.
    package var addresses = AddressRule.any

    /// A request; its credentials belong to `credentialOrigin`, by default the origin of `url`.
    package init(
        _ url: WebURL, method: String = "GET", headers: Headers = [:], body: [UInt8]? = nil,
        credentials: [Credential] = [], credentialOrigin: Origin? = nil, timeouts: Timeouts = Timeouts(),
        limits: ResponseLimits = ResponseLimits(), maximumPerHost: Int? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.credentials = credentials
        self.credentialOrigin = credentialOrigin ?? url.origin
        self.timeouts = timeouts
        self.limits = limits
        self.maximumPerHost = maximumPerHost
    }
}

/// The time limits of a request; waiting for its turn at a host does not count.
package struct Timeouts: Sendable, Hashable {
    /// For resolving the name, connecting and the TLS handshake; rounded up to milliseconds.
    package var connect: Duration
    /// For everything, redirects included; rounded up to milliseconds.
    package var total: Duration
    /// For a pause in which nothing arrives; rounded up to seconds.
    package var stall: Duration

    /// Time-outs that suit an API: 10 s to connect, 2 min in all, 30 s without a byte.
    package init(connect: Duration = .seconds(10), total: Duration = .seconds(120), stall: Duration = .seconds(30)) {
        self.connect = connect
        self.total = total
        self.stall = stall
    }
}

/// The size limits of a response.
package struct ResponseLimits: Sendable, Hashable {
    /// The bytes of a body after decompression; 64 MiB by default.
    package var body: Int
    /// The bytes of all header lines of one response; 256 KiB by default.
    package var headers: Int
    /// The redirects that are followed; 10 by default.
    package var redirects: Int

    /// Limits that no well-behaved API reaches.
    package init(body: Int = 64 << 20, headers: Int = 256 << 10, redirects: Int = 10) {
        self.body = body
        self.headers = headers
        self.redirects = redirects
    }
}

extension Duration {
    /// Whole milliseconds, rounded up, from 1 (libcurl reads 0 as "for ever") to about 24 days.
    var curlMilliseconds: Int {
        guard self > .milliseconds(1) else { return 1 }
        guard self < .milliseconds(Int64(Int32.max)) else { return Int(Int32.max) }
        let (seconds, attoseconds) = components
        let (milliseconds, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000)
        return Int(seconds * 1000 + milliseconds + (rest > 0 ? 1 : 0))
    }

    /// Whole seconds, rounded up, from 1 to about 24 days.
    var curlSeconds: Int { (curlMilliseconds + 999) / 1000 }
}

extension Request {
    /// Finds out, without sending anything, whether it can be sent.
    ///
    /// - Throws: `HTTPError` of kind `invalidRequest` for a method, a header field or a proxy that cannot be used;
    ///   `missingLibrary`.
    package func check() throws(HTTPError) {
        let route = try Route(self)
        guard let proxy = connection.proxy, !proxy.isEmpty else { return }
        try CurlLibrary.load()
        // As libcurl reads it; it tries one that it cannot read as it tries a host that does not answer.
        let flags = Int32(CURLU_NON_SUPPORT_SCHEME | CURLU_GUESS_SCHEME)
        guard !proxy.utf8.contains(0), let handle = URLHandle(),
            handle.set(CURLUPART_URL, proxy, flags: flags) == CURLUE_OK
        else { throw route.refusal(.invalidRequest, "the proxy is not a URL") }
    }
}

/// The redirects that a request follows; any other ends it with an error of kind `refusedRedirect`.
package enum RedirectRule: Sendable, Hashable {
    /// All of them; some turn a POST into a GET (RFC 9110, section 15.4).
    case any
    /// Redirects that keep method and body.
    case sameRequest
    /// Redirects that keep method and body and stay at the credentials' origin, because the body contains one.
    case sameRequestAtOrigin
    /// No redirect: the requested host must answer.
    case none
}
