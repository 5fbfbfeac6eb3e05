internal import HTTP

/// The kind of a failed fetch, and advice.
enum FetchAdvice {
    /// The kind of failure for a feed without a response.
    static func kind(of kind: HTTPError.Kind) -> FeedSyncError.Kind {
        switch kind {
        case .resolve, .connect, .tls, .handshake, .timeout, .stalled, .connectionLost, .truncated, .protocolError,
            .missingLibrary,
            .other:
            .unreachable
        case .tooLarge, .contentCoding, .outOfMemory: .undecodable
        // Our own URLs are checked before they are sent: these are a redirect's.
        case .tooManyRedirects, .redirectLoop, .insecureRedirect, .refusedRedirect, .refusedAddress, .invalidURL,
            .unsupportedScheme:
            .unfollowable
        case .invalidRequest: .configuration
        case .cancelled, .heldBack: .cancelled
        }
    }

    static func advice(_ kind: HTTPError.Kind) -> String? {
        switch kind {
        case .resolve: "check the host in `url`, and the network"
        case .connect, .connectionLost: "check the network, or run it again later"
        case .timeout, .stalled: "run it again later, or give the feed a longer `timeout`"
        case .tls:
            "check the clock of this machine and the certificate of the host; name an authority of your own with `ca`, as in add --set ca=FILE"
        case .handshake:
            "check that the host speaks https at this port, with TLS 1.2 or later; if it does, run it again later"
        case .refusedRedirect: "check the `url`; if you trust the redirect, write its target there"
        case .insecureRedirect, .tooManyRedirects, .redirectLoop, .refusedAddress, .invalidURL, .unsupportedScheme:
            "check where the `url` leads"
        case .tooLarge: "check what the `url` returns, ask for smaller pages, or give the feed a larger `max_memory`"
        case .outOfMemory: PageMemory.advice
        case .invalidRequest: "check `headers`, `auth` and `proxy`, and what they refer to"
        case .missingLibrary: "install libcurl; on Debian: apt-get install libcurl4"
        case .contentCoding: "check what the `url` returns, or run it again later"
        case .truncated, .protocolError, .other: "run it again later"
        case .cancelled, .heldBack: nil
        }
    }

    static func advice(_ kind: FeedSyncError.Kind, _ status: Int) -> String? {
        switch (kind, status) {
        case (.refused, 401): "check the token in `auth` or `headers`; add `auth` to a feed that sends none"
        case (.refused, _): "check what the credential in `auth` can read"
        case (.rejected, 404), (.rejected, 410): "check the `url`"
        case (.rejected, 400..<500): "check the `url`, `query` and `headers`"
        case (.unreachable, _), (.limited, _): "run it again later"
        case (.unfollowable, _): "check where the `url` leads"
        default: nil
        }
    }
}
