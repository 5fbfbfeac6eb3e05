internal import Concurrency
package import HTTPServer
internal import Platform

/// An HTTP server on loopback whose answers a test writes and whose requests it can read afterwards.
///
/// A path without a script is answered with 404.
package final class ScriptedServer: Sendable {
    private let server: Server
    private let script: Lock<Script>
    private let closedPort = Lock<ClosedPort?>(nil)

    /// Starts on a free port.
    package init() throws(ServerError) {
        let script = Lock(Script())
        self.script = script
        server = try Server { request in
            // Looked up under the lock, called without it: a handler may wait at a gate.
            let handler = script.withLock { $0.handler(for: request) }
            return handler(request)
        }
    }

    deinit { stop() }

    /// The root URL, without a slash at the end.
    package var url: String { server.url }

    /// Every request so far, in order of arrival.
    package var requests: [ServerRequest] { script.withLock { $0.requests } }

    /// The requests for one path so far, in order of arrival.
    package func requests(for path: String) -> [ServerRequest] { requests.filter { $0.path == path } }

    /// Answers a path by `handler`, in place of an earlier answer.
    package func route(_ path: String, _ handler: @escaping Server.Handler) {
        script.withLock { $0.routes[path] = .handler(handler) }
    }

    /// Answers a path, and `more` below it, by a feed, in place of earlier answers.
    package func route(_ path: String, to feed: PagedFeed) {
        for path in [path, "\(path)/more"] { route(path) { feed.answer($0) } }
    }

    /// Answers the paths without a script.
    package func answerOthers(_ handler: @escaping Server.Handler) { script.withLock { $0.others = handler } }

    /// Answers the next requests for a path one after the other; the last response repeats.
    ///
    /// Responses enqueued later follow those that have not been given yet.
    package func enqueue(_ path: String, _ responses: [ServerResponse]) {
        script.withLock { $0.enqueue(responses, for: path) }
    }

    /// A gate that opens by itself when the server stops.
    package func gate() -> Gate {
        let gate = Gate()
        script.withLock { $0.gates.append(gate) }
        return gate
    }

    /// Opens its gates and closes the port, which stays reserved while this object lives; later calls do nothing.
    package func stop() {
        for gate in script.withLock({ $0.gates }) { gate.open() }
        closedPort.withLock { closedPort in
            guard closedPort == nil else { return }
            server.stop()
            closedPort = ClosedPort(server.port)
        }
    }
}

/// A port that refuses connections. Without it, a server of another test could get the port, and answer.
private final class ClosedPort: Sendable {
    private let descriptor = platform_socket(AF_INET, platform_stream, 0, 1)

    init(_ port: UInt16) {
        var isReused: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        _ = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    deinit { close(descriptor) }
}

private struct Script {
    enum Route {
        case handler(Server.Handler)
        case queue([ServerResponse], lastWasGiven: Bool)
    }

    var routes: [String: Route] = [:]
    var others: Server.Handler = { _ in .json(#"{"message":"Not Found"}"#, status: 404) }
    var requests: [ServerRequest] = []
    var gates: [Gate] = []

    mutating func enqueue(_ responses: [ServerResponse], for path: String) {
        guard case .queue(let waiting, let lastWasGiven) = routes[path] else {
            routes[path] = .queue(responses, lastWasGiven: false)
            return
        }
        routes[path] = .queue((lastWasGiven ? [] : waiting) + responses, lastWasGiven: false)
    }

    mutating func handler(for request: ServerRequest) -> Server.Handler {
        requests.append(request)
        switch routes[request.path] {
        case .handler(let handler): return handler
        case .queue(let responses, _):
            guard let next = responses.first else { break }
            let isLast = responses.count == 1
            routes[request.path] = .queue(isLast ? responses : Array(responses.dropFirst()), lastWasGiven: isLast)
            return { _ in next }
        case nil: break
        }
        return others
    }
}
