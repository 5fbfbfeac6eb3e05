internal import Concurrency

/// A response under way, for one caller that waits for it.
///
/// The value of a `Task` would do, but its awaiter resumes through the global pool: a thread woken for nothing, twice a
/// page.
final class PendingFetch: Sendable {
    private enum State: Sendable {
        case underWay
        case awaited(Reply<PageLoader.Fetch>)
        case here(PageLoader.Fetch)
    }

    private let state = Lock(State.underWay)

    /// Delivers the response; called once.
    func finish(_ fetch: PageLoader.Fetch) {
        let waiting = state.withLock { state -> Reply<PageLoader.Fetch>? in
            defer { state = .here(fetch) }
            if case .awaited(let waiting) = state { return waiting }
            return nil
        }
        waiting?.resume(returning: fetch)
    }

    /// Waits for the response; called once.
    func value() async -> PageLoader.Fetch {
        await Reply.wait { reply in
            let here = state.withLock { state -> PageLoader.Fetch? in
                if case .here(let fetch) = state { return fetch }
                state = .awaited(reply)
                return nil
            }
            if let here { reply.resume(returning: here) }
        }
    }
}
