internal import Text

/// The way to a request's host, where it differs from the client's other requests.
public struct ConnectionOptions: Sendable, Hashable {
    /// The TLS client certificate.
    public struct ClientCertificate: Sendable, Hashable {
        /// The PEM file of the certificate.
        public var file: String
        /// The PEM file of the private key; nil where it is in the same file.
        public var keyFile: String?
        /// The password of the key.
        public var password: String?

        /// A certificate with its key.
        public init(file: String, keyFile: String? = nil, password: String? = nil) {
            self.file = file
            self.keyFile = keyFile
            self.password = password
        }
    }

    /// The PEM file of certificates to trust in place of the client's.
    public var caFile: String?
    /// Sent to the origin alone that the request's credentials are for.
    public var clientCertificate: ClientCertificate?
    /// The proxy's URL with its credentials, empty for none; nil to use the environment's.
    public var proxy: String?
    /// The `User-Agent`; nil for the client's own.
    public var userAgent: String?

    /// No changes to the client's settings.
    public init() {}
}

extension ConnectionOptions: CustomStringConvertible, CustomReflectable {
    /// A description without secrets.
    public var description: String { "connection options" }

    /// A mirror without children, so that `dump` shows no secret.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension Client {
    /// The file of certificates that the environment asks for, by the variables that curl and OpenSSL have for it.
    ///
    /// Source: https://curl.se/docs/sslcerts.html
    public static func caFile(in environment: [String: String]) -> String? {
        ["CURL_CA_BUNDLE", "SSL_CERT_FILE"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    }
}
