internal import Concurrency

/// A response that is on its way, for one who waits for it.
///
/// A task's own value would do, but whoever waits for one goes on by way of the global pool: a thread that is woken for
/// nothing, twice a page.
final class PendingFetch: Sendable {
    private enum State: Sendable {
        case underWay
        case awaited(Reply<PageLoader.Fetch>)
        case here(PageLoader.Fetch)
    }

    private let state = Lock(State.underWay)

    /// The response is here; once.
    func finish(_ fetch: PageLoader.Fetch) {
        let waiting = state.withLock { state -> Reply<PageLoader.Fetch>? in
            defer { state = .here(fetch) }
            if case .awaited(let waiting) = state { return waiting }
            return nil
        }
        waiting?.resume(returning: fetch)
    }

    /// Waits for the response; once.
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
