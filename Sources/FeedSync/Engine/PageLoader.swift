internal import BodyFormats
internal import HTTP

/// A page that came, decoded, with what it leads to.
struct LoadedPage: Sendable {
    let page: PreparedPage
    let fetched: FetchedPage
    let content: PageCommit.Content
    /// Where the crawl goes on.
    var end: NextPage
    /// Where the upstream says that the pages go on; the crawl may end before.
    let upstreamNext: PageCursor?
    let skipped: SkippedItems
    let validators: Validators
    /// The feed's shape, where the page brought something new of it.
    let shape: ResolvedFeed?
    /// The pages behind the next one that can be told already.
    var further: [PageCursor] = []

    /// Whether the stored page is still true.
    var isNotModified: Bool { if case .notModified = content { true } else { false } }

    /// Whether the upstream gives no page that begins with the last element of the page before.
    var isOverlapRefused: Bool {
        guard page.overlap > 0, case .beyondEnd = fetched.kind else { return false }
        return true
    }

    /// How the page begins, where it was to begin with the last element of the page before.
    enum Overlap: Sendable, Hashable {
        /// With that one.
        case exact
        /// With another one of that page: items were pushed down.
        case shifted
        /// With none of that page: items moved up, past the crawl.
        case broken
        /// With an element without a key, or perhaps so: nothing tells whether it is that one.
        case unknown
    }

    /// How the page begins behind one with these keys; nil where it was not to overlap.
    func overlap(behind keys: String?) -> Overlap? {
        guard page.overlap > 0, let keys else { return nil }
        let known = RowKey.texts(ofPage: self.keys)
        let before = RowKey.texts(ofPage: keys)
        if let first = known.first, before.contains(first) { return first == before.last ? .exact : .shifted }
        return mayBeginWithoutKey(known.count) ? .unknown : .broken
    }

    /// Whether the first element has no key, as the last one of the page before may have none.
    private func mayBeginWithoutKey(_ keyCount: Int) -> Bool {
        switch content {
        case .decoded(let page): page.beginsWithoutKey
        case .empty: false
        case .notModified(let stored): stored.elements > keyCount
        }
    }

    private var keys: String {
        switch content {
        case .decoded(let page): page.keys
        case .empty: "[]"
        case .notModified(let stored): stored.keys
        }
    }

    /// Whether the page has no elements at all.
    var isEmpty: Bool { elementCount == 0 }

    /// The elements of its items array.
    var elementCount: Int {
        switch content {
        case .decoded(let page): page.elementCount
        case .empty: 0
        case .notModified(let stored): stored.elements
        }
    }
}

/// What a crawl had come to before a page.
struct CrawlSoFar: Sendable {
    /// The pages.
    var pages = 0
    /// The elements of their items arrays.
    var elements = 0
    /// How many of the last pages running were empty.
    var emptyPages = 0
    /// The elements that the upstream said there are.
    var total: Int?
    /// The elements of a full page.
    var fullPageCount = 0
    /// How many items of a part the upstream was seen to serve.
    var cap: Int?
}

/// Fetches and decodes a page: the diagram's first two stages.
///
/// Never changes; a class because it is handed on for every page, and has much in it.
final class PageLoader: Sendable {
    let shape: ResolvedFeed
    let requests: RequestPlan
    let fetcher: Fetcher
    let store: Store
    let options: EngineOptions
    let decoder: PageDecoder

    convenience init(_ shape: ResolvedFeed, fetcher: Fetcher, store: Store, options: EngineOptions) {
        var requests = RequestPlan(shape.definition, store: store, options: options)
        requests.overlap = shape.definition.pagination.overlappingSize == nil ? 0 : 1
        self.init(shape, requests, fetcher, PageDecoder(shape.plan), store, options)
    }

    private init(
        _ shape: ResolvedFeed, _ requests: RequestPlan, _ fetcher: Fetcher, _ decoder: PageDecoder, _ store: Store,
        _ options: EngineOptions
    ) {
        self.shape = shape
        self.requests = requests
        self.fetcher = fetcher
        self.store = store
        self.options = options
        self.decoder = decoder
    }

    /// A loader that goes on with another shape of the feed.
    func following(_ shape: ResolvedFeed) -> PageLoader {
        let loader = PageLoader(shape, fetcher: fetcher, store: store, options: options).asking(
            from: requests.watermark)
        return requests.overlap == 0 && self.shape.definition.pagination.overlappingSize != nil
            ? loader.withoutOverlap() : loader
    }

    /// Whether pages overlap, and a full one has fewer elements than it was asked to have.
    func isTooShort(_ elementCount: Int) -> Bool {
        guard requests.overlap > 0, let size = definition.pagination.overlappingSize else { return false }
        return elementCount < size
    }

    /// A loader whose pages do not begin with the last element of the page before.
    func withoutOverlap() -> PageLoader {
        var requests = requests
        requests.overlap = 0
        return PageLoader(shape, requests, fetcher, decoder, store, options)
    }

    /// A loader whose requests say how far the mirror reaches.
    func asking(from watermark: PageRequest.Parameter?) -> PageLoader {
        var requests = requests
        requests.watermark = watermark
        return PageLoader(shape, requests, fetcher, decoder, store, options)
    }

    /// A loader that shuts the gate when something speaks against asking for more, and counts its requests.
    func through(_ gate: CircuitBreaker, countingIn meter: RequestMeter) -> PageLoader {
        PageLoader(shape, requests, fetcher.through(gate).counting(in: meter), decoder, store, options)
    }

    var definition: FeedDefinition { shape.definition }

    /// The requests that may still be made; nil without a limit.
    var requestsLeft: Int? { fetcher.requestsLeft }

    /// A response, or why there is none; together with the validators that it was asked with.
    struct Fetch: Sendable {
        let page: PreparedPage
        let result: Result<FetchedPage, FeedSyncError>
        let stored: StoredPage?

        /// Whether it was not sent, because of one before.
        var isHeldBack: Bool {
            if case .failure(let error) = result { error == .heldBack } else { false }
        }
    }

    /// Requests a page, conditionally if the store has it with validators. Silent: nothing is stored or logged.
    func fetch(_ page: PreparedPage) async throws(FeedSyncError) -> Fetch {
        try await awaitQuota(of: page)
        return await fetch(page, stored: try await store.storedPage(page, of: definition.name))
    }

    /// Whether the page may be requested now, before the one that led to it is committed: the host, in its answer to
    /// that one or before, did not say to wait.
    func mayPrefetch(_ page: PreparedPage, after fetched: FetchedPage) async throws(FeedSyncError) -> Bool {
        guard fetched.quota.allSatisfy({ $0.blockedUntil == nil }) else { return false }
        return try await store.blockedUntil(page, of: definition.name, now: options.wallClock.text) == nil
    }

    /// Requests a page, conditionally if `stored` has validators. Touches nothing but the network.
    ///
    /// - Parameter isAhead: Whether another page's turn comes before: it is not sent if that one fails.
    func fetch(_ page: PreparedPage, stored: StoredPage?, isAhead: Bool = false) async -> Fetch {
        // A 304 would not tell that the header has come since.
        let mayHaveGoneOn = definition.mayHaveGoneOn(
            from: page.cursor, to: stored?.cursor, elementCount: stored?.elements ?? 0)
        let (page, result) = await pages.fetch(
            page, validators: mayHaveGoneOn ? nil : stored?.validators, isAhead: isAhead)
        return Fetch(page: page, result: result, stored: stored)
    }

    /// Makes a page of a response.
    ///
    /// - Parameter crawl: what came before the page.
    func load(_ fetch: Fetch, after crawl: CrawlSoFar) async throws(FeedSyncError) -> LoadedPage {
        let loaded = try await readLoaded(fetch, after: crawl)
        options.trace(of: definition.name)?(
            .page(
                TracedPage(
                    number: crawl.pages + 1, cursor: loaded.page.cursor?.text, itemCount: loaded.elementCount,
                    isUnmodified: loaded.isNotModified, next: loaded.end.next?.text)))
        return loaded
    }

    private func readLoaded(_ fetch: Fetch, after crawl: CrawlSoFar) async throws(FeedSyncError) -> LoadedPage {
        var fetched = try fetch.result.get()
        var page = fetch.page
        if fetched.kind == .notModified {
            if let stored = try await current(fetch), !leadsElsewhere(fetch.page, fetched, than: stored),
                !endsTooSoon(stored, fetch.page, after: crawl)
            {
                let end = try end(of: stored, fetch.page, fetched, after: crawl)
                var loaded = loaded(
                    fetch.page, fetched, .notModified(stored), end, after: crawl, count: stored.elements,
                    validators: stored.validators.refreshed(by: fetched.response).without(fetch.page.secrets),
                    skipped: SkippedItems(count: stored.skipped, sameKey: stored.sameKey))
                loaded.further = further(
                    behind: loaded.end, facts(fetch.page, fetched, after: crawl, count: stored.elements))
                return loaded
            }
            let (asked, result) = await pages.fetch(page, validators: nil)
            let again = try result.get()
            page = asked
            fetched = FetchedPage(
                kind: again.kind, response: again.response, quota: fetched.quota + again.quota, format: again.format)
        }
        return doubting(try await read(page, fetched, after: crawl), fetch)
    }

    private var pages: AuthorizedFetcher { AuthorizedFetcher(requests: requests, fetcher: fetcher) }

    /// The stored page that a 304 speaks of, if no row of it was written while the request was on its way.
    private func current(_ fetch: Fetch) async throws(FeedSyncError) -> StoredPage? {
        guard let asked = fetch.stored, let now = try await store.storedPage(fetch.page, of: definition.name),
            now.validators == asked.validators, now.id == asked.id
        else { return nil }
        return now
    }

    /// Whether the 304's own headers lead to another page than those that came with the body; they outrank them.
    private func leadsElsewhere(_ page: PreparedPage, _ fetched: FetchedPage, than stored: StoredPage) -> Bool {
        guard definition.pagination.endsByAbsence else { return false }
        do throws(FeedSyncError) {
            let end = try next(page, fetched, after: CrawlSoFar(), count: stored.elements, values: [])
            // Behind the last page of a part stands what was worked out, not what the upstream said.
            let isEnd = end.next == nil || end.part != nil
            return !isEnd && end.next != stored.cursor
        } catch {
            return true
        }
    }

    /// Whether a stored page was the last one of a crawl that had met more before it, and its total tells of more now.
    private func endsTooSoon(_ stored: StoredPage, _ page: PreparedPage, after crawl: CrawlSoFar) -> Bool {
        guard definition.partitioning == nil, stored.cursor == nil, let total = stored.total else { return false }
        return total > crawl.elements + stored.elements - min(page.overlap, stored.elements)
    }

    /// Waits as long as the host said to an earlier request, perhaps of another process.
    private func awaitQuota(of page: PreparedPage) async throws(FeedSyncError) {
        let now = options.wallClock
        guard let until = try await store.blockedUntil(page, of: definition.name, now: now.text) else { return }
        let wait = Duration.seconds(max(0, min(until - now.seconds, 86_400)))
        guard wait <= options.maxWait else {
            let time = Timestamp(sinceEpoch: until)?.text ?? "later"
            throw FeedSyncError(
                .limited, "\(page.quotaOrigin) asked us to wait until \(time)",
                advice: "run it again then, or allow a longer wait with --max-wait", url: page.shown(page.request.url))
        }
        do { try await options.clock.sleep(for: wait) } catch { throw .cancelled }
    }
}
