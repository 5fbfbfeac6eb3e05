internal import Concurrency
internal import Platform

/// An HTTP/1.1 server whose connections share one thread, so that hundreds of them cost little.
///
/// A handler is asynchronous: its connection waits for the answer, and delays no other. A client that goes meanwhile
/// cancels the handler's task, but for a POST.
///
/// - Isolation: any thread.
package final class SharedServer: Sendable {
    /// Answers the requests.
    package typealias Handler = @Sendable (ServerRequest) async -> SharedAnswer

    /// The resources that a client may use.
    package struct Limits: Sendable {
        /// Connections at a time; further ones wait to be accepted.
        package var connections = 1_000
        /// The largest number of connections from one address, if other machines can reach the server.
        package var connectionsPerAddress = 250
        /// Streams at a time, so that connections are left for everything else.
        package var streams = 900
        /// The largest number of streams to one address, if other machines can reach the server.
        package var streamsPerAddress = 100
        /// The bytes of a request's head.
        package var head = 8 * 1024
        /// The bytes of a request's body.
        package var body = 256 * 1024
        /// The bytes of all answers that clients do not read; beyond that, the oldest are given up.
        package var unsent = 64 * 1024 * 1024
        /// The time for which a connection may be silent.
        package var idleSeconds = 30
        /// The time in which a request must arrive.
        package var receivingSeconds = 60

        /// Room for a thousand browsers.
        package init() {}
    }

    /// The server's address, with the port that the system chose in place of port 0.
    package let address: ListenAddress

    private let loop: ConnectionLoop
    private let thread: Lock<UInt?>

    /// Starts a server.
    ///
    /// - Throws: `ServerError` if it cannot listen there, or the system has no more threads.
    package init(
        _ address: ListenAddress, limits: Limits = Limits(), handler: @escaping Handler
    ) throws(ServerError) {
        let socket = try ListeningSocket(address)
        var limits = limits
        limits.connections = Self.room(for: limits.connections, at: socket.descriptor)
        limits.streams = min(limits.streams, limits.connections - max(1, limits.connections / 10))
        guard let loop = ConnectionLoop(socket, isLocal: address.isLocal, limits: limits, handler: handler) else {
            throw ServerError(port: socket.port, code: EAGAIN, address: address.description)
        }
        let start = Unmanaged.passRetained(loop)
        let thread = platform_start_thread(runLoop, start.toOpaque())
        guard thread != 0 else {
            let code = errno
            start.release()
            throw ServerError(port: socket.port, code: code, address: address.description)
        }
        if case .tcp(let host, _) = address {
            self.address = .tcp(host: host, port: socket.port)
        } else {
            self.address = address
        }
        self.loop = loop
        self.thread = Lock(thread)
    }

    deinit { stop() }

    /// The number of files besides connections: a store's, and those that answers need.
    private static let otherFiles = 64

    /// The number of connections that may be open, so that files are left for everything else.
    ///
    /// - Parameter socket: The newest file: about as many are open.
    private static func room(for connections: Int, at socket: Int32) -> Int {
        var limit = rlimit()
        guard platform_get_limit(platform_files, &limit) == 0 else { return connections }
        let wanted = rlim_t(clamping: connections + otherFiles + Int(socket))
        if limit.rlim_cur < wanted {
            limit.rlim_cur = min(wanted, limit.rlim_max)
            guard platform_set_limit(platform_files, &limit) == 0 || platform_get_limit(platform_files, &limit) == 0
            else { return connections }
        }
        let most = max(4, Int(clamping: limit.rlim_cur) - Int(socket))
        return min(connections, most - min(otherFiles, most / 4 * 3))
    }

    /// Accepts no further connection, ends all streams, answers waiting requests with 503, and closes.
    ///
    /// The second and later calls do nothing. It waits for the server's thread, so a handler must not call it.
    package func stop() {
        thread.withLock { thread in
            guard let running = thread else { return }
            thread = nil
            loop.post(.stop)
            platform_join_thread(running)
            if case .unix(let path) = address { unlink(path) }
        }
    }
}

private func runLoop(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let start else { return nil }
    // The signals that stop a program are for other threads.
    var signals = sigset_t()
    sigfillset(&signals)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    Unmanaged<ConnectionLoop>.fromOpaque(start).takeRetainedValue().run()
    return nil
}
