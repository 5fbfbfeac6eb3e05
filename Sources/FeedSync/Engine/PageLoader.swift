internal import BodyFormats
internal import HTTP

/// A fetched and decoded page, with the next page that it leads to.
struct LoadedPage: Sendable {
    let page: PreparedPage
    let fetched: FetchedPage
    let content: PageCommit.Content
    /// The next page of the crawl.
    var end: NextPage
    /// The next page according to the upstream. The crawl may end before it.
    let upstreamNext: PageCursor?
    let skipped: SkippedItems
    let validators: Validators
    /// The feed's shape, if the page changed it.
    let shape: ResolvedFeed?
    /// The pages after the next one, as far as they can be predicted.
    var further: [PageCursor] = []

    /// True if the stored page is still valid.
    var isNotModified: Bool { if case .notModified = content { true } else { false } }

    /// True if the upstream refuses a page that begins with the last element of the previous page.
    var isOverlapRefused: Bool {
        guard page.overlap > 0, case .beyondEnd = fetched.kind else { return false }
        return true
    }

    /// The beginning of a page that was requested to begin with the last element of the previous page.
    enum Overlap: Sendable, Hashable {
        /// The page begins with that element.
        case exact
        /// The page begins with another element of the previous page: items were pushed down.
        case shifted
        /// The page begins with no element of the previous page: items moved up, past the crawl.
        case broken
        /// The page begins with an element that has or may have no key, so it cannot be compared.
        case unknown
    }

    /// The overlap with a page that has these keys; nil if the page was not requested to overlap.
    func overlap(behind keys: String?) -> Overlap? {
        guard page.overlap > 0, let keys else { return nil }
        let known = PageKeys.texts(self.keys)
        let before = PageKeys.texts(keys)
        if let first = known.first, before.contains(first) { return first == before.last ? .exact : .shifted }
        return mayBeginWithoutKey(known.count) ? .unknown : .broken
    }

    /// True if the first element may have no key. The last element of the previous page may have none either.
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

    /// True if the page has no elements at all.
    var isEmpty: Bool { elementCount == 0 }

    /// The number of elements in its items array.
    var elementCount: Int {
        switch content {
        case .decoded(let page): page.elementCount
        case .empty: 0
        case .notModified(let stored): stored.elements
        }
    }
}

/// The counts of a crawl before a page.
struct CrawlSoFar: Sendable {
    /// The number of pages.
    var pages = 0
    /// The number of elements in their items arrays.
    var elements = 0
    /// The number of the last pages in a row that were empty.
    var emptyPages = 0
    /// The number of elements that the upstream reported.
    var total: Int?
    /// The number of elements in a full page.
    var fullPageCount = 0
    /// The number of items of one partition that the upstream serves, as seen so far.
    var cap: Int?
    /// The previous page itself, if this run read it.
    var before: LoadedPage?
}

/// Fetches and decodes a page: the first two stages of the diagram.
///
/// Immutable. A class, because it is large and is passed on for every page.
final class PageLoader: Sendable {
    let shape: ResolvedFeed
    let requests: RequestPlan
    let fetcher: Fetcher
    let salt: String
    let options: EngineOptions
    let decoder: PageDecoder

    /// - Parameter salt: The salt of the store.
    convenience init(_ shape: ResolvedFeed, fetcher: Fetcher, salt: String, options: EngineOptions) {
        var requests = RequestPlan(shape.definition, salt: salt, options: options)
        requests.overlap = shape.definition.pagination.overlappingSize == nil ? 0 : 1
        self.init(shape, requests, fetcher, PageDecoder(shape.plan), salt, options)
    }

    private init(
        _ shape: ResolvedFeed, _ requests: RequestPlan, _ fetcher: Fetcher, _ decoder: PageDecoder, _ salt: String,
        _ options: EngineOptions
    ) {
        self.shape = shape
        self.requests = requests
        self.fetcher = fetcher
        self.salt = salt
        self.options = options
        self.decoder = decoder
    }

    /// A loader that continues with another shape of the feed.
    func following(_ shape: ResolvedFeed) -> PageLoader {
        let loader = PageLoader(shape, fetcher: fetcher, salt: salt, options: options).asking(
            for: requests.span)
        return requests.overlap == 0 && self.shape.definition.pagination.overlappingSize != nil
            ? loader.withoutOverlap() : loader
    }

    /// True if pages overlap and a full page has fewer elements than requested.
    func isTooShort(_ elementCount: Int) -> Bool {
        guard requests.overlap > 0, let size = definition.pagination.overlappingSize else { return false }
        return elementCount < size
    }

    /// A loader whose pages do not begin with the last element of the previous page.
    func withoutOverlap() -> PageLoader {
        var requests = requests
        requests.overlap = 0
        return PageLoader(shape, requests, fetcher, decoder, salt, options)
    }

    /// A loader whose requests ask for a part of the list.
    func asking(for span: SyncSpan?) -> PageLoader {
        var requests = requests
        requests.span = span
        // A full crawl has no token that could be too old.
        let expired = if case .delta? = span { definition.sync.delta?.expired ?? [] } else { [ResponseRule]() }
        let fetcher = fetcher.with(rules: expired + definition.responses)
        return PageLoader(shape, requests, fetcher, decoder, salt, options)
    }

    /// A loader that shuts the gate if a response speaks against more requests, and that counts its requests.
    func through(_ gate: CircuitBreaker, countingIn meter: RequestMeter) -> PageLoader {
        PageLoader(shape, requests, fetcher.through(gate).counting(in: meter), decoder, salt, options)
    }

    var definition: FeedDefinition { shape.definition }

    /// The number of requests that may still be made; nil without a limit.
    var requestsLeft: Int? { fetcher.requestsLeft }

    /// A response or the error in its place, with the stored page whose validators the request carried.
    struct Fetch: Sendable {
        let page: PreparedPage
        let result: Result<FetchedPage, FeedSyncError>
        let stored: StoredPage?

        /// True if the request was not sent, because of the result of an earlier one.
        var isHeldBack: Bool {
            if case .failure(let error) = result { error == .heldBack } else { false }
        }
    }

    /// Requests a page, with the validators of `stored` if it has any. Uses only the network.
    ///
    /// - Parameter isAhead: True if another page comes first; this request is not sent if that page fails.
    func fetch(_ page: PreparedPage, stored: StoredPage?, isAhead: Bool = false) async -> Fetch {
        // A 304 would not show that the header with the next page has appeared since.
        let mayHaveGoneOn =
            definition.mayHaveGoneOn(from: page.cursor, to: stored?.cursor, elementCount: stored?.elements ?? 0)
            || page.cursor != nil && isNewestFirst || definition.sync.delta != nil
        let (page, result) = await pages.fetch(
            page, validators: mayHaveGoneOn ? nil : stored?.validators, isAhead: isAhead)
        return Fetch(page: page, result: result, stored: stored)
    }

    /// The token for the next sync by delta, as JSON, secrets concealed; nil if the page has none.
    func token(of loaded: LoadedPage) -> String? {
        token(of: loaded.fetched.response).map { JSONText.string(loaded.page.secrets.conceal($0)) }
    }

    /// The token for the next sync by delta, as the upstream gave it; nil if a response has none.
    func token(of response: Response) -> String? {
        guard let rule = definition.sync.delta else { return nil }
        let text: String? =
            switch rule.source {
            case .header(let name): response.headers[name]
            case .body(let path):
                // Names such as `@odata.deltaLink` have a dot in them.
                [path, Path([.member(path.description)])].lazy.compactMap {
                    BodyProbe.value(of: response.body, at: $0)?.tokenText
                }.first
            }
        return text?.isEmpty == false ? text : nil
    }

    /// True if the crawl ends at items that are older than a mark. A 304 would not show how old a page's items are.
    private var isNewestFirst: Bool { if case .newest? = requests.span { true } else { false } }

    /// Reads a page from a response.
    ///
    /// - Parameters:
    ///   - crawl: The crawl before the page.
    ///   - storedNow: Reads the page as currently stored.
    func load(
        _ fetch: Fetch, after crawl: CrawlSoFar, storedNow: () throws(FeedSyncError) -> StoredPage?
    ) async throws(FeedSyncError) -> LoadedPage {
        let loaded = try await readLoaded(fetch, after: crawl, storedNow)
        options.trace(of: definition.name)?(
            .page(
                TracedPage(
                    number: crawl.pages + 1, cursor: loaded.page.cursor?.text, itemCount: loaded.elementCount,
                    isUnmodified: loaded.isNotModified, next: loaded.end.next?.text)))
        return loaded
    }

    private func readLoaded(
        _ fetch: Fetch, after crawl: CrawlSoFar, _ storedNow: () throws(FeedSyncError) -> StoredPage?
    ) async throws(FeedSyncError) -> LoadedPage {
        var fetched = try fetch.result.get()
        var page = fetch.page
        if fetched.kind == .notModified {
            if let stored = try current(fetch, storedNow), !leadsElsewhere(fetch.page, fetched, than: stored),
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

    /// The stored page that a 304 confirms, if none of its rows was written while the request was under way.
    private func current(
        _ fetch: Fetch, _ storedNow: () throws(FeedSyncError) -> StoredPage?
    ) throws(FeedSyncError) -> StoredPage? {
        guard let asked = fetch.stored, let now = try storedNow(), now.validators == asked.validators,
            now.id == asked.id
        else { return nil }
        return now
    }

    /// True if the 304's headers lead to another page than the stored headers did. The headers of the 304 take
    /// precedence.
    private func leadsElsewhere(_ page: PreparedPage, _ fetched: FetchedPage, than stored: StoredPage) -> Bool {
        guard definition.pagination.endsByAbsence else { return false }
        do throws(FeedSyncError) {
            let end = try next(page, fetched, after: CrawlSoFar(), count: stored.elements, values: [])
            // The page after the last page of a partition was computed, not given by the upstream.
            let isEnd = end.next == nil || end.part != nil
            return !isEnd && end.next != stored.cursor
        } catch {
            return true
        }
    }

    /// True if the stored page ended a crawl that had read more before it, and its total now promises more items.
    private func endsTooSoon(_ stored: StoredPage, _ page: PreparedPage, after crawl: CrawlSoFar) -> Bool {
        guard definition.partitioning == nil, stored.cursor == nil, let total = stored.total else { return false }
        return total > crawl.elements + stored.elements - min(page.overlap, stored.elements)
    }

    /// Waits until the time, in seconds since 1970, before which the page's host accepts no request.
    ///
    /// - Throws: `FeedSyncError` of kind `limited` if the wait is longer than the options allow.
    func wait(until: Int64, toRequest page: PreparedPage) async throws(FeedSyncError) {
        let wait = Duration.seconds(max(0, min(until - options.wallClock.seconds, 86_400)))
        guard wait <= options.maxWait else {
            let time = Timestamp(sinceEpoch: until)?.text ?? "later"
            throw FeedSyncError(
                .limited, "\(page.quotaOrigin) asked us to wait until \(time)",
                advice: "run it again then, or allow a longer wait with --max-wait", url: page.shown(page.request.url))
        }
        do { try await options.clock.sleep(for: wait) } catch { throw .cancelled }
    }
}
