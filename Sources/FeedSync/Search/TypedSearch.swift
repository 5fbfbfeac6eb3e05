internal import Concurrency
internal import Text

/// Search as you type: texts in, results out; the latest text wins.
///
///     let search = TypedSearch(in: mirror, as: Repository.self, limit: 20) { text throws(ConfigurationError) in
///         try FeedDefinition("search", ["preset": "github.search", "query": ["q": "\(text)"]])
///     }
///     search.send("swift")
///     for await results in search.results { … }
///
/// Texts of more than two characters are requested, at most one in half a second, and none twice in a row: `least` and
/// `interval` change that. Spaces around a text do not count. A newer request cancels the older one, and so does a
/// shorter text, as of a field that is cleared. Neither a shorter text nor the text that was searched for last sends
/// results. Each text has a feed of its own in the mirror, so that rows of different texts never mix; they stay there,
/// so give searches a mirror that you can delete.
///
/// - Isolation: any thread. It ends with its last reference.
public final class TypedSearch<Item: Decodable & Sendable>: Sendable {
    /// The results for a text.
    public struct Results: Sendable {
        /// The text.
        public let text: String
        /// The items of the first page, in its order; none after an error.
        public let items: [Item]
        /// The error of searching for the text, if any.
        public let error: FeedSyncError?
        /// The number of the latest typed text when the results came.
        package fileprivate(set) var number = 0
        /// The feed of the text; nil if there is none.
        package fileprivate(set) var feed: FeedDefinition?

        package init(text: String, items: [Item], error: FeedSyncError?) {
            (self.text, self.items, self.error) = (text, items, error)
        }
    }

    private enum Event: Sendable {
        case typed(String, number: Int)
        case woke
        /// A request has ended; `request` is its number, from 1.
        case ended(Results, request: Int)
    }

    private let events: AsyncStream<Event>.Continuation
    private let found: Broadcast<Results>
    /// The number of typed texts.
    private let count = Lock(0)

    /// A search in a mirror.
    ///
    /// - Parameters:
    ///   - mirror: The mirror that keeps the results.
    ///   - type: The type of the rows.
    ///   - limit: The maximum number of items; nil for the whole first page.
    ///   - least: The minimum number of characters of a text that is requested, from 1. Two say much in Chinese.
    ///   - interval: The minimum time between two requests.
    ///   - clock: The clock for the time between requests.
    ///   - definition: The feed that searches for a text. Its name becomes the first part of each text's feed; a model
    ///     is left out.
    public init(
        in mirror: FeedMirror, as type: Item.Type = Item.self, limit: Int? = nil, least: Int = 3,
        interval: Duration = .milliseconds(500), clock: some Clock<Duration> = ContinuousClock(),
        definition: @escaping @Sendable (String) throws(ConfigurationError) -> FeedDefinition
    ) {
        let (stream, events) = AsyncStream.makeStream(of: Event.self)
        let found = Broadcast<Results>(nil, buffering: .bufferingNewest(1))
        (self.events, self.found) = (events, found)
        let start = clock.now
        let closing = mirror.closing.values
        Task {
            let end = Task {
                for await _ in closing {}
                events.finish()
            }
            defer { end.cancel() }
            var rules = SearchRules(least: least, interval: interval)
            var request: Task<Void, Never>?
            var requestCount = 0
            var lastNumber = 0
            for await event in stream {
                var effects: [SearchRules.Effect] = []
                let time = start.duration(to: clock.now)
                switch event {
                case .typed(let text, let number):
                    lastNumber = number
                    effects = rules.typed(text, at: time)
                case .woke: effects = rules.woke(at: time)
                case .ended(var results, let number):
                    // A cancelled request may have ended just before.
                    guard number == requestCount else { break }
                    results.number = lastNumber
                    if rules.ended(results.text, failed: results.error != nil) { found.send(results) }
                }
                for effect in effects {
                    switch effect {
                    case .wake(let pause):
                        Task {
                            try? await clock.sleep(for: pause)
                            events.yield(.woke)
                        }
                    case .request(let text):
                        request?.cancel()
                        requestCount += 1
                        request = Task { [requestCount] in
                            let results = await Self.results(text, in: mirror, limit: limit, definition)
                            // The results of a cancelled request are dropped.
                            if !Task.isCancelled { events.yield(.ended(results, request: requestCount)) }
                        }
                    case .cancel: request?.cancel()
                    }
                }
            }
            request?.cancel()
            found.finish()
        }
    }

    deinit { events.finish() }

    /// Takes the present text of the field.
    public func send(_ text: String) { _ = number(sending: text) }

    /// Takes the present text of the field, like `send`.
    ///
    /// - Returns: Its number. A failure with a smaller number is an earlier one, and the text is requested again.
    package func number(sending text: String) -> Int {
        count.withLock { count in
            count += 1
            events.yield(.typed(text, number: count))
            return count
        }
    }

    /// The last results, then those for each later text. The sequence ends with the search, or when its mirror is
    /// closed.
    public var results: some AsyncSequence<Results, Never> & Sendable { found.values }

    private static func results(
        _ text: String, in mirror: FeedMirror, limit: Int?,
        _ definition: (String) throws(ConfigurationError) -> FeedDefinition
    ) async -> Results {
        do throws(FeedSyncError) {
            let feed = try await mirror.feed(try Self.definition(of: text, definition))
            try await feed.perform(.reload)
            // A reload keeps the rows of an earlier search for the text: they may be on further pages.
            let name = feed.definition.name
            let page = try await mirror.store.rowsOfFirstPage(of: name, limit: limit)
            var results = Results(text: text, items: try await page.items(of: name, as: Item.self), error: nil)
            results.feed = feed.definition
            return results
        } catch {
            return Results(text: text, items: [], error: error)
        }
    }

    private static func definition(
        of text: String, _ definition: (String) throws(ConfigurationError) -> FeedDefinition
    ) throws(FeedSyncError) -> FeedDefinition {
        do throws(ConfigurationError) {
            return try definition(text).searching(for: text)
        } catch {
            throw FeedSyncError(.configuration, error.description)
        }
    }
}

extension FeedDefinition {
    /// The same feed with a name, and thus rows, of its own for a text, and in no model's view.
    package func searching(for text: String) -> FeedDefinition {
        var feed = self
        feed.name = "\(name.prefix(46))_\(FNV1a(text).digits)"
        feed.model = nil
        return feed
    }
}
