internal import Concurrency
internal import Editing
internal import FeedSync

/// The feeds that pages are typing. Each page has one, whose latest draft is looked at.
actor Forms {
    private struct Entry {
        let feed: TypedFeed
        /// The use count at the last use.
        var use = 0
    }

    private let options: EngineOptions
    private let store: @Sendable () async -> Store?
    private var entries: [String: Entry] = [:]
    private var useCount = 0

    /// The maximum number of pages that may type at a time.
    private static let mostPages = 4
    /// The most looks at a time: each has a page of an upstream in memory.
    private let gate = Gate(places: 2)

    /// - Parameter store: The store with the rows that a list may belong to; nil while nothing is stored.
    init(options: EngineOptions, store: @escaping @Sendable () async -> Store?) {
        (self.options, self.store) = (options, store)
    }

    /// The result of a look at a page's draft; nil if a later draft of the page replaced it.
    ///
    /// - Parameter page: An id of the page; empty for a page without scripts, whose draft is looked at directly.
    func outcome(of draft: FeedDraft, page: String) async -> TypedFeed.Outcome? {
        guard !page.isEmpty else { return await Self.look(at: draft, options, store, gate) }
        return await feed(of: page).outcome(of: draft)
    }

    /// Drops the draft of a page, because its form makes no feed now.
    func drop(page: String) async {
        if let entry = entries[page] { _ = await entry.feed.outcome(of: nil) }
    }

    private func feed(of page: String) -> TypedFeed {
        useCount += 1
        if let known = entries[page]?.feed {
            entries[page]?.use = useCount
            return known
        }
        if entries.count >= Self.mostPages, let oldest = entries.min(by: { $0.value.use < $1.value.use })?.key {
            entries[oldest] = nil
        }
        let feed = TypedFeed { [options, store, gate] draft in await Self.look(at: draft, options, store, gate) }
        entries[page] = Entry(feed: feed, use: useCount)
        return feed
    }

    private static func look(
        at draft: FeedDraft, _ options: EngineOptions, _ store: @Sendable () async -> Store?, _ gate: Gate
    ) async -> TypedFeed.Outcome {
        await gate.enter()
        defer { gate.leave() }
        var options = options
        options.folder = draft.file.folder
        return await Result { () async throws(EditingError) in
            try await FeedLook(at: draft, options: options, store: await store())
        }
    }
}

/// A place that so many may be at; the others wait, in order.
final class Gate: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Lock<State>

    init(places: Int) { state = Lock(State(free: places)) }

    func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
