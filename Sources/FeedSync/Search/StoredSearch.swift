internal import Concurrency
internal import Text

extension FeedMirror {
    /// The stored items that have all words of a text, the best first; all items, in feed order, for an empty text.
    /// Nothing is requested.
    ///
    /// A word matches if a word of the item begins with it, regardless of case and accents; in Chinese and other
    /// scripts without spaces, anywhere. Items that have it only inside of a word come last. Only feeds with `search`
    /// in their definitions are searched, once they were synced with it.
    ///
    /// - Parameters:
    ///   - text: The typed text.
    ///   - feeds: The feeds' names; nil for all.
    ///   - limit: The maximum number of items; nil for all.
    /// - Throws: `FeedSyncError` of kind `store`.
    public func search(
        _ text: String, in feeds: [String]? = nil, limit: Int? = 100
    ) async throws(FeedSyncError) -> [SearchHit] {
        try await store.hits(text, in: feeds, limit: limit)
    }
}

extension Store {
    func hits(_ text: String, in feeds: [String]?, limit: Int?) throws(FeedSyncError) -> [SearchHit] {
        var names = feeds ?? []
        if feeds == nil { names = try searchableFeeds().map(\.feed) }
        var hits: [SearchHit] = []
        try search(SearchQuery(SearchText(text), in: names, limit: limit)) { hit in
            hits.append(hit)
            return true
        }
        return hits
    }
}

/// Filters stored items while the user types: texts in, items out; the latest text wins, and an empty one brings the
/// whole list back. Nothing is requested.
///
///     let search = StoredSearch(in: mirror, feeds: ["repositories"])
///     search.send("swi")
///     for await results in search.results { … }
///
/// Results come for each text, and again when the store changes. A text that is replaced during its search has no
/// results.
///
/// - Isolation: any thread. It ends with its last reference, or when its mirror is closed.
public final class StoredSearch: Sendable {
    /// The results for a text.
    public struct Results: Sendable {
        /// The text.
        public let text: String
        /// The items, the best first; none after an error.
        public let hits: [SearchHit]
        /// The error of searching the store, if any.
        public let error: FeedSyncError?
    }

    private let text = Lock("")
    private let wake: AsyncStream<Void>.Continuation
    private let found: Broadcast<Results>
    private let watching: Task<Void, Never>

    /// A search in a mirror, which begins with an empty text.
    ///
    /// - Parameters:
    ///   - mirror: The mirror to search.
    ///   - feeds: The feeds' names; nil for all that can be searched.
    ///   - limit: The maximum number of items.
    public init(in mirror: FeedMirror, feeds: [String]? = nil, limit: Int = 100) {
        let (stream, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let found = Broadcast<Results>(nil, buffering: .bufferingNewest(1))
        (self.wake, self.found) = (wake, found)
        let changes = mirror.watch.values
        watching = Task {
            for await _ in changes { wake.yield() }
            wake.finish()
        }
        Task { [weak text, store = mirror.store] in
            var last: Results?
            for await _ in stream {
                guard let wanted = text?.withLock({ $0 }) else { break }
                let results = await Self.results(wanted, in: feeds, of: store, limit: limit)
                // The results of a replaced text are dropped.
                guard text?.withLock({ $0 }) == wanted else { continue }
                if let last, last.text == wanted, last.hits == results.hits, last.error == nil, results.error == nil {
                    continue
                }
                last = results
                found.send(results)
            }
            found.finish()
        }
    }

    deinit {
        watching.cancel()
        wake.finish()
    }

    /// Takes the present text of the field.
    public func send(_ text: String) {
        self.text.withLock { $0 = text }
        wake.yield()
    }

    /// The last results, then all further ones.
    public var results: some AsyncSequence<Results, Never> & Sendable { found.values }

    private static func results(
        _ text: String, in feeds: [String]?, of store: Store, limit: Int
    ) async -> Results {
        do throws(FeedSyncError) {
            return Results(text: text, hits: try await store.hits(text, in: feeds, limit: limit), error: nil)
        } catch {
            return Results(text: text, hits: [], error: error)
        }
    }
}
