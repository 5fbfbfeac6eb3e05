internal import CCurl
internal import Concurrency

/// A `send` on its way to the loop's thread.
struct Submission: Sendable {
    let id: UInt64
    let request: Request
    let route: Route
    let prepare: (@Sendable (Response) -> (any Sendable)?)?
    /// Hears how the request ends.
    let gate: CircuitBreaker?
    /// Whether the request is given up if the gate is shut by its turn.
    let isAhead: Bool
    let reply: CheckedContinuation<Result<Response, HTTPError>, Never>
}

/// What other threads want of the loop, in order; the one thing they share with it.
final class Inbox: Sendable {
    /// What came in since the loop looked last.
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
        /// Whether the loop waits, or is about to: else it looks for mail by itself before it does.
        var isWaiting = false
    }

    private let state = Lock(State())

    /// A number that no other submission has.
    func makeID() -> UInt64 {
        state.withLock { state in
            state.lastID &+= 1
            return state.lastID
        }
    }

    /// Puts a submission in, unless its task is cancelled or the inbox closed; false then, and nobody will reply.
    func submit(_ submission: Submission) -> Bool {
        state.withLock { state in
            // Asked under the lock: a task that is cancelled later finds its submission, as `cancel` takes the lock.
            guard !Task.isCancelled, !state.mail.isClosed else { return false }
            state.mail.submissions.append(submission)
            Self.wake(&state)
            return true
        }
    }

    /// Asks for a transfer to end now; nothing happens if it has.
    func cancel(_ id: UInt64) {
        state.withLock { state in
            state.mail.cancellations.append(id)
            Self.wake(&state)
        }
    }

    /// Asks the loop to end, cancelling what is under way.
    func close() {
        state.withLock { state in
            state.mail.isClosed = true
            Self.wake(&state)
        }
    }

    /// Everything that came in since last time.
    func take() -> Mail {
        state.withLock { state in
            let mail = state.mail
            state.mail.submissions = []
            state.mail.cancellations = []
            state.isWaiting = false
            return mail
        }
    }

    /// Whether there is no mail, so that the loop may wait for some; whatever comes from now on wakes it.
    func mayWait() -> Bool {
        state.withLock { state in
            state.isWaiting =
                state.mail.submissions.isEmpty && state.mail.cancellations.isEmpty && !state.mail.isClosed
            return state.isWaiting
        }
    }

    /// Tells which multi handle to wake for mail; nil before it goes away.
    func attach(_ multi: UnsafeMutableRawPointer?) {
        let address = multi.map { UInt(bitPattern: $0) }
        state.withLock { $0.multi = address }
    }

    // libcurl lets any thread call curl_multi_wakeup, on a handle that exists; the lock sees to that.
    // https://curl.se/libcurl/c/curl_multi_wakeup.html
    private static func wake(_ state: inout State) {
        guard state.isWaiting, let address = state.multi, let multi = UnsafeMutableRawPointer(bitPattern: address)
        else { return }
        // Once is enough: the loop takes all there is.
        state.isWaiting = false
        ccurl_multi_wakeup(multi)
    }
}
