internal import Concurrency
internal import FeedSync
internal import Platform

/// Searches of upstreams that pages are typing. Each page has one, whose latest text wins.
///
/// The results go into a store of their own, which is deleted when the server ends. They never enter a feed. Each
/// request has rows of its own, so that a text that is searched for again has none of its earlier results.
actor Searches {
    /// The result of a search.
    enum Outcome: Sendable {
        /// The feed with the results, in the store of searches.
        case found(FeedDefinition, Store)
        case failed(FeedSyncError)
        /// The text is too short for a search.
        case tooShort
        /// A later text replaced it.
        case replaced
    }

    /// The type of decoded rows, which is empty because rows are read from the store.
    private struct Nothing: Decodable, Sendable {}

    private struct Entry {
        let search: TypedSearch<Nothing>
        /// The task that waits for the latest text's result.
        var waiting: Task<Outcome, Never>?
        /// The number of the latest text.
        var number = 0
        /// The use count at the last use.
        var use = 0
    }

    private let options: EngineOptions
    private var opening: Task<Result<(mirror: FeedMirror, folder: String), FeedSyncError>, Never>?
    private var entries: [String: Entry] = [:]
    /// The feed with the newest results of each text of a searched feed.
    private var found: [String: FeedDefinition] = [:]
    /// The number of requests.
    private let requestCount = Lock(0)
    private var useCount = 0
    private var textCount = 0

    /// The maximum number of pages that search at a time, and of texts that are kept.
    private static let mostPages = 50
    private static let mostTexts = 500

    init(options: EngineOptions) {
        self.options = options
    }

    /// Searches a feed's upstream for a page's text, like `TypedSearch`.
    ///
    /// - Parameters:
    ///   - page: An id of the page.
    ///   - number: The number of the page's text. Texts use several connections and may overtake each other.
    /// - Throws: `FeedSyncError` if nothing can be searched.
    func outcome(
        _ text: String, in feed: FeedDefinition, page: String, number: Int?
    ) async throws(FeedSyncError) -> Outcome {
        let text = String(text.trimmingSpaces)
        let mirror = try await openMirror()
        let key = "\(feed.name)/\(page)"
        useCount += 1
        textCount += 1
        if entries[key] == nil {
            if entries.count >= Self.mostPages, let oldest = entries.min(by: { $0.value.use < $1.value.use })?.key {
                entries[oldest] = nil
            }
            entries[key] = Entry(
                search: TypedSearch(in: mirror) { [requestCount] text throws(ConfigurationError) in
                    let number = requestCount.withLock { count in
                        count += 1
                        return count
                    }
                    var asking = feed.asking(for: text) ?? feed
                    asking.name = "\(feed.name.prefix(30))_\(number)"
                    return asking
                })
        }
        guard var entry = entries[key], number ?? entry.number >= entry.number else { return .replaced }
        entry.number = number ?? entry.number
        // A request that waited for an earlier text learns that it was replaced.
        entry.waiting?.cancel()
        let sent = entry.search.number(sending: text)
        entry.use = useCount
        let results = entry.search.results
        let task = Task<Outcome, Never> {
            guard text.count >= 3 else { return .tooShort }
            for await found in results where found.text == text {
                if let error = found.error {
                    // A text that failed before is searched for again.
                    guard found.number >= sent else { continue }
                    return .failed(error)
                }
                guard let results = found.feed else { return .replaced }
                return .found(results, mirror.store)
            }
            return .replaced
        }
        entry.waiting = task
        entries[key] = entry
        let outcome = await task.value
        if case .found(let results, _) = outcome { self.found[Self.name(text, feed)] = results }
        return outcome
    }

    /// Requests the next page of a text's results.
    ///
    /// - Returns: The feed with the results; nil for a text that was not searched for, for which nothing is requested.
    /// - Throws: `FeedSyncError`.
    func more(_ text: String, in feed: FeedDefinition) async throws(FeedSyncError) -> (FeedDefinition, Store)? {
        guard let (definition, store) = try await stored(text, of: feed) else { return nil }
        try await openMirror().feed(definition).perform(.nextPage)
        return (definition, store)
    }

    /// The feed with a text's results, for which nothing is requested; nil for a text that was not searched for.
    ///
    /// - Throws: `FeedSyncError`.
    func stored(_ text: String, of feed: FeedDefinition) async throws(FeedSyncError) -> (FeedDefinition, Store)? {
        guard opening != nil else { return nil }
        let store = try await openMirror().store
        return found[Self.name(String(text.trimmingSpaces), feed)].map { ($0, store) }
    }

    private static func name(_ text: String, _ feed: FeedDefinition) -> String { "\(feed.name)/\(text)" }

    /// The store of searches, opened once even if several requests need it at the same time.
    private func openMirror() async throws(FeedSyncError) -> FeedMirror {
        if textCount > Self.mostTexts { await close() }
        let opening = self.opening ?? Task { [options] in await Self.open(options) }
        self.opening = opening
        do throws(FeedSyncError) {
            return try await opening.value.get().mirror
        } catch {
            self.opening = nil
            throw error
        }
    }

    private static func open(
        _ options: EngineOptions
    ) async -> Result<(mirror: FeedMirror, folder: String), FeedSyncError> {
        let parent = options.environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        guard let folder = PrivateFolder.make(beginning: "\(parent)/feedsync-search-") else {
            return .failure(FeedSyncError(.store, "no folder for searches can be made in \(parent)"))
        }
        return await Result { () async throws(FeedSyncError) in
            (FeedMirror(try await Store(path: "\(folder)/search.db"), options: options), folder)
        }
    }

    /// Ends all searches and deletes their results.
    func close() async {
        entries = [:]
        found = [:]
        textCount = 0
        guard let opened = opening else { return }
        opening = nil
        guard case .success(let (mirror, folder)) = await opened.value else { return }
        await mirror.close()
        for name in ["search.db", "search.db-wal", "search.db-shm", "search.db-lock"] { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }
}
