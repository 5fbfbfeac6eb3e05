internal import Platform

/// The file into which libcurl writes the keys of TLS connections: with it and the traffic, credentials can be read.
///
/// Source: <https://www.ietf.org/archive/id/draft-ietf-tls-keylogfile-02.html>
enum KeyLog {
    /// The variable that every program obeys, and that may have been set for another one.
    static let variable = "SSLKEYLOGFILE"
    /// The variable that asks feedsync for it.
    static let ownVariable = "FEEDSYNC_SSLKEYLOGFILE"

    /// Follows the environment; a warning where the common variable is refused. Call it before the first request.
    static func follow(_ environment: [String: String]) -> String? {
        if let path = environment[ownVariable], !path.isEmpty {
            setenv(variable, path, 1)
            return nil
        }
        guard let path = environment[variable], !path.isEmpty else { return nil }
        return "warning: $\(variable) is ignored, as it would lay credentials open; to have it, set $\(ownVariable)"
    }
}
