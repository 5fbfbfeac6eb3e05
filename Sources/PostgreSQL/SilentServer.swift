internal import CPostgreSQL
internal import Concurrency
internal import Platform

/// The end of calls that a connected server does not answer, as when its machine or its process is paused.
///
/// libpq waits for ever then. A task looks at all calls once a second, and closes the sockets of those that have waited
/// too long.
package enum SilentServer {
    /// The longest wait for an answer. The server's own limit for a statement, ten minutes, comes first.
    static let longestWait = Duration.seconds(660)
    /// The longest wait once the command is to end.
    static let longestWaitAtEnd = Duration.seconds(10)

    private struct State {
        var calls: [ObjectIdentifier: Call] = [:]
        var endsAt: ContinuousClock.Instant?
        var isWatching = false
    }

    /// A call of libpq that has not returned.
    struct Call: Sendable {
        let socket: Int32
        let since: ContinuousClock.Instant
        /// The time for which it had waited when its socket was closed; nil if that is open.
        var waited: Duration?
    }

    private static let state = Lock(State())

    /// Says when the command is to end: from then on, a call waits for ten seconds at most.
    package static func end(at time: ContinuousClock.Instant) {
        state.withLock { $0.endsAt = min($0.endsAt ?? time, time) }
    }

    /// Begins a call on a connection.
    static func begin(_ owner: ObjectIdentifier, socket: Int32) {
        let isFirst = state.withLock { state in
            state.calls[owner] = Call(socket: socket, since: .now)
            defer { state.isWatching = true }
            return !state.isWatching
        }
        guard isFirst else { return }
        Task.detached {
            while true {
                try? await Task.sleep(for: .seconds(1))
                closeSilent(at: .now)
            }
        }
    }

    /// Ends a call.
    ///
    /// - Returns: The time for which it had waited when its socket was closed; nil if it was not closed.
    static func end(_ owner: ObjectIdentifier) -> Duration? {
        state.withLock { $0.calls.removeValue(forKey: owner)?.waited }
    }

    private static func closeSilent(at now: ContinuousClock.Instant) {
        state.withLock { state in
            for (owner, call) in state.calls where call.waited == nil {
                let isEnding = state.endsAt.map { now >= $0 + longestWaitAtEnd } ?? false
                let waited = now - call.since
                guard waited >= (isEnding ? longestWaitAtEnd : longestWait) else { continue }
                state.calls[owner]?.waited = waited
                _ = shutdown(call.socket, Int32(SHUT_RDWR))
            }
        }
    }
}

extension Connection {
    /// Runs calls of libpq that wait for the server.
    ///
    /// - Throws: The error of `body`; `PostgreSQLError` if the server did not answer in time.
    func waiting<Result>(_ body: () -> Result) throws(PostgreSQLError) -> Result {
        beginWaiting()
        let result = body()
        try endWaiting()
        return result
    }

    /// Begins to wait, or restarts the wait because the server has answered.
    func beginWaiting() { SilentServer.begin(ObjectIdentifier(self), socket: cpq_socket(handle)) }

    /// Ends the wait.
    ///
    /// - Throws: `PostgreSQLError` if the server did not answer in time.
    func endWaiting() throws(PostgreSQLError) {
        guard let waited = SilentServer.end(ObjectIdentifier(self)) else { return }
        throw PostgreSQLError("the server is connected, and has not answered for \(waited.components.seconds) s")
    }
}
