internal import Concurrency

/// A response or the error in its place, with the stored page whose validators the request carried.
struct PageFetch: Sendable {
    let page: PreparedPage
    let result: Result<FetchedPage, FeedSyncError>
    let stored: StoredPage?
    /// The cost of the request, if it was made before its run began.
    var cost = FetchCost()

    /// True if the request was not sent, because of the result of an earlier one.
    var isHeldBack: Bool {
        if case .failure(let error) = result { error == .heldBack } else { false }
    }
}

/// A response under way, for one caller that waits for it.
///
/// The value of a `Task` would do, but its awaiter resumes through the global pool: a thread woken for nothing, twice a
/// page.
final class PendingFetch: Sendable {
    private enum State: Sendable {
        case underWay
        case awaited(Reply<PageFetch>)
        case here(PageFetch)
    }

    private let state = Lock(State.underWay)

    /// Delivers the response; called once.
    func finish(_ fetch: PageFetch) {
        let waiting = state.withLock { state -> Reply<PageFetch>? in
            defer { state = .here(fetch) }
            if case .awaited(let waiting) = state { return waiting }
            return nil
        }
        waiting?.resume(returning: fetch)
    }

    /// Waits for the response; called once.
    func value() async -> PageFetch {
        await Reply.wait { reply in
            let here = state.withLock { state -> PageFetch? in
                if case .here(let fetch) = state { return fetch }
                state = .awaited(reply)
                return nil
            }
            if let here { reply.resume(returning: here) }
        }
    }
}
