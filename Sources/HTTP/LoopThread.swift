internal import CCurl
internal import Glibc

/// The thread of a transfer loop.
enum LoopThread {
    /// The thread's arguments.
    private final class Parts {
        let inbox: Inbox
        let configuration: ClientConfiguration
        let multi: UnsafeMutableRawPointer

        init(_ inbox: Inbox, _ configuration: ClientConfiguration, _ multi: UnsafeMutableRawPointer) {
            self.inbox = inbox
            self.configuration = configuration
            self.multi = multi
        }
    }

    /// Starts the thread, which takes over `multi`; it ends by itself when the inbox is closed.
    ///
    /// - Throws: `HTTPError` if no thread can be started.
    static func start(
        inbox: Inbox, configuration: ClientConfiguration, multi: UnsafeMutableRawPointer
    ) throws(HTTPError) {
        let parts = Unmanaged.passRetained(Parts(inbox, configuration, multi))
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, main, parts.toOpaque())
        guard code == 0 else {
            parts.release()
            ccurl_multi_cleanup(multi)
            throw HTTPError(.other(code: code), "the transfer thread could not be started")
        }
        pthread_detach(thread)
    }

    private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { start in
        guard let start else { return nil }
        let parts = Unmanaged<Parts>.fromOpaque(start).takeRetainedValue()
        blockSignals()
        TransferLoop(inbox: parts.inbox, configuration: parts.configuration, multi: parts.multi).run()
        return nil
    }

    /// TLS writes to sockets that may be closed, which must be an error and not a SIGPIPE (CURLOPT_NOSIGNAL leaves that
    /// to us); the signals that stop a program are for other threads.
    private static func blockSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT] { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
