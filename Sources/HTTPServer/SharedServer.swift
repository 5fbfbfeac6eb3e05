internal import CMicroHTTPD
internal import Concurrency
internal import Glibc

/// An HTTP/1.1 server whose connections share one thread, so that hundreds of them cost little.
///
/// A handler is asynchronous: its connection is suspended until it has an answer, and delays no other.
///
/// - Isolation: any thread.
public final class SharedServer: Sendable {
    /// Answers the requests.
    public typealias Handler = @Sendable (ServerRequest) async -> SharedAnswer

    /// The resources that a client may use.
    public struct Limits: Sendable {
        /// Connections at a time; further ones wait to be accepted.
        public var connections = 1_000
        /// The largest number of connections from one address, if other machines can reach the server.
        public var connectionsPerAddress = 250
        /// The bytes of a request's head, and of its unsent answer.
        public var connectionMemory = 16 * 1024
        /// The bytes of a request's body.
        public var body = 256 * 1024
        /// The time for which a connection may be silent.
        public var idleSeconds = 30
        /// The time in which a request must arrive.
        public var receivingSeconds = 60

        /// Room for a thousand browsers.
        public init() {}
    }

    /// The server's address, with the port that the system chose in place of port 0.
    public let address: ListenAddress

    private let context: SharedContext
    private let daemon: Lock<OpaquePointer?>

    /// Starts a server.
    ///
    /// - Throws: `ServerError` if it cannot listen there, or libmicrohttpd is missing.
    public init(
        _ address: ListenAddress, limits: Limits = Limits(), handler: @escaping Handler
    ) throws(ServerError) {
        if let problem = missingLibrary {
            throw ServerError(port: 0, code: 0, missingLibrary: problem)
        }
        let socket = try ListeningSocket(address)
        let context = SharedContext(
            handler, bodyLimit: limits.body, receiving: ReceivingTimes(seconds: limits.receivingSeconds))
        let daemon = cmhd_start_shared_daemon(
            socket.descriptor, limits.connectionMemory,
            UInt32(clamping: Self.room(for: limits.connections, at: socket.descriptor)),
            address.isLocal ? 0 : UInt32(clamping: limits.connectionsPerAddress),
            UInt32(clamping: limits.idleSeconds), changeConnection, beginRequest, receiveRequest, endRequest,
            Unmanaged.passUnretained(context).toOpaque())
        guard let daemon else { throw ServerError(port: socket.port, code: errno, address: address.description) }
        if case .tcp(let host, _) = address {
            self.address = .tcp(host: host, port: socket.port)
        } else {
            self.address = address
        }
        context.receiving.start()
        self.context = context
        self.daemon = Lock(daemon)
    }

    deinit { stop() }

    /// The number of files besides connections: a store's, and those that answers need.
    private static let otherFiles = 64

    /// The number of connections that may be open, so that files are left for everything else.
    ///
    /// - Parameter socket: The newest file: about as many are open.
    private static func room(for connections: Int, at socket: Int32) -> Int {
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(files, &limit) == 0 else { return connections }
        let wanted = rlim_t(clamping: connections + otherFiles + Int(socket))
        if limit.rlim_cur < wanted {
            limit.rlim_cur = min(wanted, limit.rlim_max)
            guard setrlimit(files, &limit) == 0 || getrlimit(files, &limit) == 0 else { return connections }
        }
        let most = max(4, Int(clamping: limit.rlim_cur) - Int(socket))
        return min(connections, most - min(otherFiles, most / 4 * 3))
    }

    /// Accepts no further connection, ends all streams, answers waiting requests with 503, and closes.
    ///
    /// The second and later calls do nothing. It waits for the server's thread, so a handler must not call it.
    public func stop() {
        daemon.withLock { daemon in
            guard let running = daemon else { return }
            let descriptor = cmhd_quiesce_daemon(running)
            // A child that is being started has the socket, too, until it becomes another program: closing is not
            // enough.
            if descriptor >= 0 { shutdown(descriptor, Int32(SHUT_RDWR)) }
            // The library must not be stopped while a connection is set aside.
            context.close()
            // Clients that read get the end of their answers; the others are not waited for.
            for _ in 0..<100 where !context.isIdle { usleep(10_000) }
            context.receiving.stop()
            cmhd_stop_daemon(running)
            if descriptor >= 0 { Glibc.close(descriptor) }
            if case .unix(let path) = address { unlink(path) }
            daemon = nil
        }
    }
}

/// The state for the library's callbacks; kept alive by the server, which outlives them.
final class SharedContext: Sendable {
    let handler: SharedServer.Handler
    let bodyLimit: Int
    let receiving: ReceivingTimes
    /// The executor of handlers: a thread of their own, so that work that blocks Swift's pool delays no answer.
    let executor = ThreadExecutor()
    private let open = Lock(Open())

    private struct Open {
        var exchanges: [ObjectIdentifier: SharedExchange] = [:]
        var isClosed = false
    }

    init(_ handler: @escaping SharedServer.Handler, bodyLimit: Int, receiving: ReceivingTimes) {
        self.handler = handler
        self.bodyLimit = bodyLimit
        self.receiving = receiving
    }

    func add(_ exchange: SharedExchange) {
        let isClosed = open.withLock { open in
            open.exchanges[ObjectIdentifier(exchange)] = exchange
            return open.isClosed
        }
        if isClosed { exchange.abandon() }
    }

    /// True if no request is in progress.
    var isIdle: Bool { open.withLock { $0.exchanges.isEmpty } }

    func remove(_ exchange: SharedExchange) {
        open.withLock { $0.exchanges[ObjectIdentifier(exchange)] = nil }
    }

    func close() {
        let exchanges = open.withLock { open in
            open.isClosed = true
            return Array(open.exchanges.values)
        }
        for exchange in exchanges { exchange.abandon() }
    }
}

/// A connection was opened, or is about to be closed.
private func changeConnection(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ ours: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ change: MHD_ConnectionNotificationCode
) {
    guard let context, let connection else { return }
    let receiving = Unmanaged<SharedContext>.fromOpaque(context).takeUnretainedValue().receiving
    switch change {
    case .CONNECTION_NOTIFY_STARTED: receiving.begin(cmhd_socket(connection))
    case .CONNECTION_NOTIFY_CLOSED: receiving.end(cmhd_socket(connection))
    }
}

/// The first callback of a request, and the only one that sees the target undecoded.
private func beginRequest(
    _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    let exchange = SharedExchange(target: target.map { String(cString: $0) } ?? "")
    if let context, let connection {
        let context = Unmanaged<SharedContext>.fromOpaque(context).takeUnretainedValue()
        context.add(exchange)
        context.receiving.begin(cmhd_socket(connection))
    }
    return Unmanaged.passRetained(exchange).toOpaque()
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
    return Unmanaged<SharedExchange>.fromOpaque(exchange).takeUnretainedValue().receive(
        method: method, piece: bytes, connection: connection,
        context: Unmanaged<SharedContext>.fromOpaque(context).takeUnretainedValue())
}

private func endRequest(
    _ context: UnsafeMutableRawPointer?,
    _ connection: OpaquePointer?,
    _ exchange: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ reason: MHD_RequestTerminationCode
) {
    guard let pointer = exchange?.pointee else { return }
    exchange?.pointee = nil
    let ended = Unmanaged<SharedExchange>.fromOpaque(pointer)
    ended.takeUnretainedValue().end()
    if let context, let connection {
        let context = Unmanaged<SharedContext>.fromOpaque(context).takeUnretainedValue()
        context.remove(ended.takeUnretainedValue())
        // The next request of the connection.
        context.receiving.begin(cmhd_socket(connection))
    }
    ended.release()
}
