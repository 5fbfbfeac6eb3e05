/// A request that brought no response, or that could not be written.
///
/// A response of any status is not an error here. Descriptions contain no secret: the URL is redacted and the request's
/// credentials are masked in the message.
package struct HTTPError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    package enum Kind: Sendable, Hashable {
        /// The text is not a URL.
        case invalidURL
        /// The URL is neither http nor https.
        case unsupportedScheme
        /// The method or a header field cannot be sent.
        case invalidRequest
        /// The host's name could not be resolved.
        case resolve
        /// No connection could be made.
        case connect
        /// A certificate cannot be verified, or one of ours cannot be used.
        case tls
        /// The handshake of TLS was cut off, or the other side does not speak it as we do.
        case handshake
        /// The connect or total time-out passed.
        case timeout
        /// Nothing arrived for as long as the stall time-out.
        case stalled
        /// The connection was lost before a response began.
        case connectionLost
        /// The body was cut short.
        case truncated
        /// The body or the headers exceeded their limit.
        case tooLarge
        /// More redirects came than the limit allows.
        case tooManyRedirects
        /// A redirect led back to where this request had been.
        case redirectLoop
        /// A redirect led from https to http.
        case insecureRedirect
        /// The request's `RedirectRule` does not allow the redirect.
        case refusedRedirect
        /// The request's `AddressRule` does not allow the address.
        case refusedAddress
        /// The response is not HTTP.
        case protocolError
        /// The body came as announced, and its content coding is unknown or broken.
        case contentCoding
        /// There is not enough memory for the response.
        case outOfMemory
        /// The task was cancelled, or the client closed.
        case cancelled
        /// The request was not sent, because of a response before it.
        case heldBack
        /// There is no usable libcurl on this machine.
        case missingLibrary
        /// Another of libcurl's errors, by its number.
        case other(code: Int32)
    }

    /// The kind of failure.
    package let kind: Kind
    /// libcurl's error number (https://curl.se/libcurl/c/libcurl-errors.html); nil if we found the error.
    package let code: Int32?
    /// The event in plain words, without a URL.
    package let message: String
    /// The URL, redacted; nil if there is none.
    package let url: String?

    /// An error; the message must not contain a secret, and the URL must be redacted.
    package init(_ kind: Kind, _ message: String, code: Int32? = nil, url: String? = nil) {
        self.kind = kind
        self.code = code
        self.message = message
        self.url = url
    }

    /// True if the same request may succeed a little later.
    package var isRetryable: Bool {
        switch kind {
        case .resolve, .connect, .handshake, .timeout, .stalled, .connectionLost, .truncated, .protocolError,
            .contentCoding:
            true
        case .invalidURL, .unsupportedScheme, .invalidRequest, .tls, .tooLarge, .outOfMemory, .tooManyRedirects,
            .redirectLoop, .insecureRedirect, .refusedRedirect, .refusedAddress, .cancelled, .heldBack,
            .missingLibrary, .other:
            false
        }
    }

    /// The message and the URL.
    package var description: String {
        url.map { "\(message) (\($0))" } ?? message
    }
}
