internal import Text

/// The way to a request's host, where it differs from the client's other requests.
package struct ConnectionOptions: Sendable, Hashable {
    /// The TLS client certificate.
    package struct ClientCertificate: Sendable, Hashable {
        /// The PEM file of the certificate.
        package var file: String
        /// The PEM file of the private key; nil where it is in the same file.
        package var keyFile: String?
        /// The password of the key.
        package var password: String?

        /// A certificate with its key in the same file.
        package init(file: String) { self.file = file }
    }

    /// The PEM file of certificates to trust in place of the client's.
    package var caFile: String?
    /// Sent to the origin alone that the request's credentials are for.
    package var clientCertificate: ClientCertificate?
    /// The proxy's URL with its credentials, empty for none; nil to use the environment's.
    package var proxy: String?
    /// The `User-Agent`; nil for the client's own.
    package var userAgent: String?

    /// No changes to the client's settings.
    package init() {}
}

extension ConnectionOptions: SecretHolder {
    /// A description without secrets.
    package var description: String { "connection options" }
}

extension Client {
    /// The file of certificates that the environment asks for, by the variables that curl and OpenSSL have for it.
    ///
    /// Source: https://curl.se/docs/sslcerts.html
    package static func caFile(in environment: [String: String]) -> String? {
        ["CURL_CA_BUNDLE", "SSL_CERT_FILE"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    }
}
