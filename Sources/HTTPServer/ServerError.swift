internal import Glibc

/// Why a server could not start.
public struct ServerError: Error, Equatable, CustomStringConvertible {
    /// The port that was asked for; 0 stands for any free one.
    public let port: UInt16

    /// The `errno` of the call that failed.
    public let code: Int32

    /// What failed, with the port and the system's words for the code.
    public var description: String {
        let reason = strerror(code).map { String(cString: $0) } ?? "error \(code)"
        return "cannot listen on 127.0.0.1:\(port): \(reason)"
    }
}
