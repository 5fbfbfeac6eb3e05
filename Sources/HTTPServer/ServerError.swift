internal import Platform

/// A server that could not start.
public struct ServerError: Error, Equatable, CustomStringConvertible {
    /// The requested port; 0 selects any free one.
    public let port: UInt16

    /// The `errno` of the call that failed; 0 if `missingLibrary` says why.
    public let code: Int32

    /// The dynamic linker's message, if it could not open libmicrohttpd.
    public let missingLibrary: String?

    /// The address at which it should have listened, as the user wrote it.
    public let address: String

    init(port: UInt16, code: Int32, missingLibrary: String? = nil, address: String? = nil) {
        self.port = port
        self.address = address ?? "127.0.0.1:\(port)"
        self.code = code
        self.missingLibrary = missingLibrary
    }

    /// The failure, with the port and the system's words, and with the package to install for a library.
    public var description: String {
        if let missingLibrary {
            return "libmicrohttpd cannot be loaded (Debian's package is libmicrohttpd12): \(missingLibrary)"
        }
        let reason = strerror(code).map { String(cString: $0) } ?? "error \(code)"
        return "cannot listen on \(address): \(reason)"
    }
}
