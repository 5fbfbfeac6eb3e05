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

/// A request that is being received, owned by the library's per-request pointer.
///
/// - Isolation: the connection's thread.
final class BlockingExchange {
    private let target: String
    private var body: [UInt8] = []
    private var hasHead = false

    init(target: String) {
        self.target = target
    }

    /// Handles one call of the access handler: the head, then pieces of the body, then the end.
    func receive(
        method: UnsafePointer<CChar>?,
        piece: UnsafeRawBufferPointer,
        connection: OpaquePointer,
        handler: Server.Handler
    ) -> MHD_Result {
        // The first call has only the head: an answer here would refuse the body.
        guard hasHead else {
            hasHead = true
            return .YES
        }
        guard piece.isEmpty else {
            body.append(contentsOf: piece)
            return .YES
        }
        let request = ServerRequest(
            method: method.map { String(cString: $0) } ?? "",
            target: target,
            headers: requestHeaders(of: connection),
            body: body
        )
        return answer(handler(request), on: connection)
    }
}

/// A request's header fields, in the order sent.
func requestHeaders(of connection: OpaquePointer) -> [(name: String, value: String)] {
    var fields: [(name: String, value: String)] = []
    withUnsafeMutablePointer(to: &fields) { pointer in
        _ = cmhd_get_connection_values_n(connection, .HEADER_KIND, appendField, pointer)
    }
    return fields
}

private func appendField(
    _ fields: UnsafeMutableRawPointer?,
    _ kind: MHD_ValueKind,
    _ name: UnsafePointer<CChar>?,
    _ nameSize: Int,
    _ value: UnsafePointer<CChar>?,
    _ valueSize: Int
) -> MHD_Result {
    guard let fields else { return .NO }
    let field = (name: text(name, nameSize), value: text(value, valueSize))
    fields.assumingMemoryBound(to: [(name: String, value: String)].self).pointee.append(field)
    return .YES
}

private func text(_ start: UnsafePointer<CChar>?, _ size: Int) -> String {
    String(decoding: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : size), as: UTF8.self)
}

/// Passes the response to the library, or writes to the socket if it is not an HTTP message.
///
/// - Returns: `MHD_NO` to have the connection closed.
func answer(_ response: ServerResponse, on connection: OpaquePointer) -> MHD_Result {
    let body = response.body
    switch response.delivery {
    case .whole:
        return queue(buffered(body), for: response, on: connection)
    case .chunked:
        return queue(stream(ResponseBodyReader(body), size: cmhd_size_unknown()), for: response, on: connection)
    case .truncated(let end):
        let reader = ResponseBodyReader(body, end: end)
        return queue(stream(reader, size: UInt64(body.count)), for: response, on: connection)
    case .paused(let end, let wait):
        let reader = ResponseBodyReader(body, pause: (end, wait))
        return queue(stream(reader, size: UInt64(body.count)), for: response, on: connection)
    case .reset:
        platform_reset(cmhd_socket(connection))
        return .NO
    case .verbatim:
        write(body, to: cmhd_socket(connection))
        return .NO
    }
}

private func queue(_ message: OpaquePointer?, for response: ServerResponse, on connection: OpaquePointer) -> MHD_Result
{
    guard let message else { return .NO }
    defer { cmhd_destroy_response(message) }
    for field in response.headers where cmhd_add_response_header(message, field.name, field.value) != .YES {
        return refuse("the response header \(field.name) is not one that can be sent", on: connection)
    }
    guard let status = UInt32(exactly: response.status), (200...599).contains(status) else {
        return refuse("\(response.status) is not a status that can be sent", on: connection)
    }
    return cmhd_queue_response(connection, status, message)
}

private func buffered(_ body: [UInt8]) -> OpaquePointer? {
    body.withUnsafeBytes { bytes in
        // The library does not write to the buffer: its parameter lacks a const. It copies, because an array's
        // storage may move.
        cmhd_create_response_from_buffer(
            bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
    }
}

/// An error in the handler, reported as a 500 rather than by a dropped connection.
private func refuse(_ reason: String, on connection: OpaquePointer) -> MHD_Result {
    let message = buffered(Array(reason.utf8))
    guard let message else { return .NO }
    defer { cmhd_destroy_response(message) }
    return cmhd_queue_response(connection, 500, message)
}

private func write(_ bytes: [UInt8], to socket: Int32) {
    bytes.withUnsafeBytes { bytes in
        var rest = bytes[...]
        while let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
            var ready = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
            guard poll(&ready, 1, -1) == 1 else { return }
            let count = send(socket, start, rest.count, platform_send_quietly)
            // The client is gone.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

/// A body that the library asks for piece by piece.
///
/// - Isolation: the connection's thread.
final class ResponseBodyReader {
    private let body: [UInt8]
    private let end: Int
    private var pause: (position: Int, wait: @Sendable () -> Void)?

    /// Ends with an error after `end` bytes, where that is less than the whole.
    init(_ body: [UInt8], end: Int = .max, pause: (position: Int, wait: @Sendable () -> Void)? = nil) {
        self.body = body
        self.end = min(max(end, 0), body.count)
        self.pause = pause
    }

    func read(at position: UInt64, into buffer: UnsafeMutablePointer<CChar>, size: Int) -> Int {
        guard let position = Int(exactly: position) else { return cmhd_end_with_error() }
        var limit = end
        if let stop = pause {
            if position >= stop.position {
                pause = nil
                stop.wait()
            } else {
                limit = min(limit, stop.position)
            }
        }
        let count = min(size, limit - position)
        guard count > 0 else {
            return end == body.count ? cmhd_end_of_stream() : cmhd_end_with_error()
        }
        body.withUnsafeBytes { bytes in
            UnsafeMutableRawBufferPointer(start: buffer, count: count).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: bytes[position..<(position + count)]))
        }
        return count
    }
}

/// A library response that reads from `reader` and owns it.
func stream(_ reader: ResponseBodyReader, size: UInt64) -> OpaquePointer? {
    let owned = Unmanaged.passRetained(reader)
    let response = cmhd_create_response_from_callback(size, 32 * 1024, readBody, owned.toOpaque(), releaseReader)
    if response == nil { owned.release() }
    return response
}

private func readBody(
    _ reader: UnsafeMutableRawPointer?, _ position: UInt64, _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int
) -> Int {
    guard let reader, let buffer else { return cmhd_end_with_error() }
    return Unmanaged<ResponseBodyReader>.fromOpaque(reader).takeUnretainedValue().read(
        at: position, into: buffer, size: size)
}

private func releaseReader(_ reader: UnsafeMutableRawPointer?) {
    guard let reader else { return }
    Unmanaged<ResponseBodyReader>.fromOpaque(reader).release()
}
