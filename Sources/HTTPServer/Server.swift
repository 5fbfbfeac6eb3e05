internal import CMicroHTTPD
internal import Concurrency
internal import Platform

/// An HTTP/1.1 server on the loopback interface, for tests and demonstrations.
///
/// - Isolation: any thread. Each connection has a thread of its own, so handlers run at the same time and one may
///   block without holding up the others.
package final class Server: Sendable {
    /// Answers the requests.
    package typealias Handler = @Sendable (ServerRequest) -> ServerResponse

    /// The port it listens on.
    package let port: UInt16

    /// The root URL, such as `http://127.0.0.1:54321`, without a slash at the end.
    package var url: String { "http://127.0.0.1:\(port)" }

    private let context: Context
    private let daemon: Lock<OpaquePointer?>

    /// Starts a server on 127.0.0.1; port 0 selects any free one.
    ///
    /// - Throws: `ServerError` if the port is taken or not allowed, or libmicrohttpd is missing.
    package init(port: UInt16 = 0, handler: @escaping Handler) throws(ServerError) {
        if let problem = missingLibrary {
            throw ServerError(port: port, code: 0, missingLibrary: problem)
        }
        let socket = try ListeningSocket(.tcp(host: "127.0.0.1", port: port), waits: true)
        let context = Context(handler)
        // A megabyte per connection, mapped as it is used: tests send header fields of hundreds of kilobytes.
        let daemon = cmhd_start_daemon(
            socket.descriptor, 1 << 20, beginRequest, receiveRequest, endRequest,
            Unmanaged.passUnretained(context).toOpaque())
        // The socket is not closed here: the library closes it in some failures, and does not say in which.
        guard let daemon else { throw ServerError(port: port, code: errno) }
        self.port = socket.port
        self.context = context
        self.daemon = Lock(daemon)
    }

    deinit { stop() }

    /// Closes the port and every connection, once the handlers that are running have returned.
    ///
    /// The second and later calls do nothing. A handler must not call it: it would wait for itself.
    package func stop() {
        daemon.withLock { daemon in
            guard let running = daemon else { return }
            let descriptor = cmhd_quiesce_daemon(running)
            // A child that is being started has the socket, too, until it becomes another program: closing is not
            // enough.
            if descriptor >= 0 { shutdown(descriptor, Int32(SHUT_RDWR)) }
            cmhd_stop_daemon(running)
            if descriptor >= 0 { close(descriptor) }
            daemon = nil
        }
    }
}

/// The reason for which libmicrohttpd cannot be used; nil if it can. The first use opens the library.
let missingLibrary = cmhd_load().map { String(cString: $0) }

/// The state for the library's callbacks; kept alive by the server, which outlives them.
private final class Context: Sendable {
    let handler: Server.Handler

    init(_ handler: @escaping Server.Handler) {
        self.handler = handler
    }
}

/// The first callback of a request, and the only one that sees the target undecoded.
private func beginRequest(
    _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    Unmanaged.passRetained(BlockingExchange(target: target.map { String(cString: $0) } ?? "")).toOpaque()
}

private func receiveRequest(
    _ context: UnsafeMutableRawPointer?,
    _ connection: OpaquePointer?,
    _ url: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?,
    _ version: UnsafePointer<CChar>?,
    _ piece: UnsafePointer<CChar>?,
    _ size: UnsafeMutablePointer<Int>?,
    _ exchange: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let context, let connection, let size, let exchange = exchange?.pointee else { return .NO }
    let bytes = UnsafeRawBufferPointer(start: piece, count: piece == nil ? 0 : size.pointee)
    size.pointee = 0
    return Unmanaged<BlockingExchange>.fromOpaque(exchange).takeUnretainedValue().receive(
        method: method, piece: bytes, connection: connection,
        handler: Unmanaged<Context>.fromOpaque(context).takeUnretainedValue().handler)
}

private func endRequest(
    _ context: UnsafeMutableRawPointer?,
    _ connection: OpaquePointer?,
    _ exchange: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ reason: MHD_RequestTerminationCode
) {
    guard let pointer = exchange?.pointee else { return }
    exchange?.pointee = nil
    Unmanaged<BlockingExchange>.fromOpaque(pointer).release()
}
