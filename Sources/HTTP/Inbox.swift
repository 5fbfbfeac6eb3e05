internal import CCurl
internal import Concurrency

/// A `send` on its way to the loop's thread.
struct Submission: Sendable {
    let id: UInt64
    let request: Request
    let route: Route
    let prepare: (@Sendable (Response) -> (any Sendable)?)?
    /// Records the request's outcome.
    let breaker: CircuitBreaker?
    /// Receives the exchange; nil for no observer.
    let observer: ExchangeObserver?
    /// True if the request is dropped once the breaker has opened before its turn.
    let isAhead: Bool
    let reply: Reply<Result<Response, HTTPError>>
}

/// The orders of other threads to the loop, in order; the only state that they share with it.
final class Inbox: Sendable {
    /// The orders since the loop last read them.
    struct Mail {
        var submissions: [Submission] = []
        var cancellations: [UInt64] = []
        var isClosed = false
    }

    private struct State {
        var mail = Mail()
        var lastID: UInt64 = 0
        /// The multi handle to wake, as an address: it exists while the loop runs.
        var multi: UInt?
        /// True while the loop waits or is about to; otherwise it checks for mail before it waits.
        var isWaiting = false
    }

    private let state = Lock(State())

    /// A unique number.
    func makeID() -> UInt64 {
        state.withLock { state in
            state.lastID &+= 1
            return state.lastID
        }
    }

    /// Adds a submission; false, and no reply will come, if its task is cancelled or the inbox is closed.
    func submit(_ submission: Submission) -> Bool {
        state.withLock { state in
            // Checked under the lock: if the task is cancelled later, `cancel` takes the lock and finds the submission.
            guard !Task.isCancelled, !state.mail.isClosed else { return false }
            state.mail.submissions.append(submission)
            Self.wake(&state)
            return true
        }
    }

    /// Asks for a transfer to end now; does nothing if it has ended.
    func cancel(_ id: UInt64) {
        state.withLock { state in
            state.mail.cancellations.append(id)
            Self.wake(&state)
        }
    }

    /// Asks the loop to end and to cancel the running transfers.
    func close() {
        state.withLock { state in
            state.mail.isClosed = true
            Self.wake(&state)
        }
    }

    /// Everything that arrived since last time.
    func take() -> Mail {
        state.withLock { state in
            let mail = state.mail
            state.mail.submissions = []
            state.mail.cancellations = []
            state.isWaiting = false
            return mail
        }
    }

    /// True if there is no mail, so that the loop may wait; new mail wakes it from now on.
    func mayWait() -> Bool {
        state.withLock { state in
            state.isWaiting =
                state.mail.submissions.isEmpty && state.mail.cancellations.isEmpty && !state.mail.isClosed
            return state.isWaiting
        }
    }

    /// Sets the multi handle to wake for mail; nil before it is freed.
    func attach(_ multi: UnsafeMutableRawPointer?) {
        let address = multi.map { UInt(bitPattern: $0) }
        state.withLock { $0.multi = address }
    }

    // Any thread may call curl_multi_wakeup on a handle that exists; the lock guarantees that it does.
    // https://curl.se/libcurl/c/curl_multi_wakeup.html
    private static func wake(_ state: inout State) {
        guard state.isWaiting, let address = state.multi, let multi = UnsafeMutableRawPointer(bitPattern: address)
        else { return }
        // Once is enough: the loop takes all mail.
        state.isWaiting = false
        ccurl_multi_wakeup(multi)
    }
}
