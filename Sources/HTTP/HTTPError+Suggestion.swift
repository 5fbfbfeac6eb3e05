extension HTTPError {
    /// What the user could try next, as a sentence; nil if the message says it all.
    public var suggestion: String? {
        switch kind {
        case .invalidURL, .unsupportedScheme: "Write the URL as https://host/path, without a user name."
        case .invalidRequest: "Take control characters and line breaks out of the method and headers."
        case .resolve: "Check the host's name and this machine's DNS and proxy settings."
        case .connect: "Check that the host and port are right and reachable from here."
        case .tls: "Check this machine's clock and its certificates; the host's may have expired."
        case .timeout, .stalled: "Try again later, or allow more time."
        case .connectionLost, .truncated, .protocolError:
            "Try again later; if it persists, the host or a proxy is at fault."
        case .tooLarge: "Ask for smaller pages."
        case .tooManyRedirects, .redirectLoop, .insecureRedirect, .refusedRedirect:
            "Use the URL that the redirects should lead to."
        case .missingLibrary: "Install libcurl; Debian's package is libcurl4."
        case .cancelled, .heldBack, .other: nil
        }
    }
}
