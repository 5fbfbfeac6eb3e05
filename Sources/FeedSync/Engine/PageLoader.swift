internal import BodyFormats
internal import HTTP

/// Fetches and decodes a page: the steps *fetch* and *decode* of Docs/architecture.md.
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
        self.init(
            shape, RequestPlan(shape.definition, salt: salt, options: options), fetcher, PageDecoder(shape.plan), salt,
            options)
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
        PageLoader(shape, requests.overlapping(by: 0), fetcher, decoder, salt, options)
    }

    /// A loader whose requests are not made again if they fail.
    func withoutRetries() -> PageLoader {
        PageLoader(shape, requests, fetcher.withoutRetries(), decoder, salt, options)
    }

    /// A loader whose requests ask for a part of the list.
    func asking(for span: SyncSpan?) -> PageLoader {
        // A full crawl has no token that could be too old.
        let expired = if case .delta? = span { definition.sync.delta?.expired ?? [] } else { [ResponseRule]() }
        let fetcher = fetcher.with(rules: expired + definition.responses)
        return PageLoader(shape, requests.asking(for: span), fetcher, decoder, salt, options)
    }

    /// A loader that shuts the gate if a response speaks against more requests, and that counts its requests.
    func through(_ gate: CircuitBreaker, countingIn meter: RequestMeter) -> PageLoader {
        PageLoader(shape, requests, fetcher.through(gate).counting(in: meter), decoder, salt, options)
    }

    var definition: FeedDefinition { shape.definition }

    /// The number of requests that may still be made; nil without a limit.
    var requestsLeft: Int? { fetcher.requestsLeft }

    /// Requests a page, with the validators of `stored` if it has any. Uses only the network.
    ///
    /// - Parameter isAhead: True if another page comes first; this request is not sent if that page fails.
    func fetch(_ page: PreparedPage, stored: StoredPage?, isAhead: Bool = false) async -> PageFetch {
        let needsBody =
            page.cursor != nil && isNewestFirst
            || definition.needsBody(of: page.cursor, before: stored?.cursor, elementCount: stored?.elements ?? 0)
            // A list that has grown beyond its first page may show that nowhere but in a header.
            || definition.hasOpenPagination && stored?.isOld(at: options.wallClock.seconds * 1000) ?? false
        let (page, result) = await pages.fetch(page, validators: needsBody ? nil : stored?.validators, isAhead: isAhead)
        return PageFetch(page: page, result: result, stored: stored)
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
    var isNewestFirst: Bool { if case .newest? = requests.span { true } else { false } }

    /// Reads a page from a response.
    ///
    /// - Parameters:
    ///   - crawl: The crawl before the page.
    ///   - storedNow: Reads the page as currently stored.
    func load(
        _ fetch: PageFetch, after crawl: CrawlSoFar, storedNow: () throws(FeedSyncError) -> StoredPage?
    ) async throws(FeedSyncError) -> LoadedPage {
        let loaded = try await readLoaded(fetch, after: crawl, storedNow)
        options.trace(of: definition.name)?(
            .page(
                TracedPage(
                    number: crawl.pages + 1, cursor: loaded.page.cursor?.text, itemCount: loaded.content.elementCount,
                    isUnmodified: loaded.content.isNotModified, next: loaded.end.next?.text)))
        return loaded
    }

    private func readLoaded(
        _ fetch: PageFetch, after crawl: CrawlSoFar, _ storedNow: () throws(FeedSyncError) -> StoredPage?
    ) async throws(FeedSyncError) -> LoadedPage {
        var fetched = try fetch.result.get()
        var page = fetch.page
        if fetched.kind == .notModified {
            let finder = NextPageFinder(loader: self, page: page, fetched: fetched, crawl: crawl)
            if let stored = try current(fetch, storedNow), !finder.leadsElsewhere(than: stored),
                !finder.endsTooSoon(stored)
            {
                return try PageReader(finder: finder).unchanged(stored)
            }
            let (asked, result) = await pages.fetch(page, validators: nil)
            let again = try result.get()
            page = asked
            fetched = FetchedPage(
                kind: again.kind, response: again.response, quota: fetched.quota + again.quota, format: again.format)
        }
        let finder = NextPageFinder(loader: self, page: page, fetched: fetched, crawl: crawl)
        return withUnmatchedPaths(try await PageReader(finder: finder).read(), fetch)
    }

    /// The content of a page, decoded again with the current shape.
    func contentAgain(_ loaded: LoadedPage) throws(FeedSyncError) -> PageContent {
        let finder = NextPageFinder(loader: self, page: loaded.page, fetched: loaded.fetched, crawl: CrawlSoFar())
        return try PageReader(finder: finder).contentAgain(loaded.content)
    }

    /// The page with a notice about paths in the definition that match nothing. Only for the first page that was ever
    /// loaded.
    private func withUnmatchedPaths(_ loaded: LoadedPage, _ fetch: PageFetch) -> LoadedPage {
        guard fetch.page.cursor == nil, fetch.stored == nil, loaded.content.decoded != nil,
            loaded.fetched.response.body.count <= 4 << 20,
            let notice = UnmatchedPaths(
                shape.declared, items: (loaded.content.shape ?? shape).definition.items,
                in: loaded.fetched.response.body,
                loaded.end)?.notice
        else { return loaded }
        var loaded = loaded
        loaded.end = loaded.end.adding(notice: loaded.page.secrets.mask(notice))
        return loaded
    }

    private var pages: AuthorizedFetcher { AuthorizedFetcher(requests: requests, fetcher: fetcher) }

    /// The stored page that a 304 confirms, if none of its rows was written while the request was under way.
    private func current(
        _ fetch: PageFetch, _ storedNow: () throws(FeedSyncError) -> StoredPage?
    ) throws(FeedSyncError) -> StoredPage? {
        guard let asked = fetch.stored, let now = try storedNow(), now.validators == asked.validators,
            now.id == asked.id
        else { return nil }
        return now
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

    /// The first page of a crawl; nil for a feed without partitions.
    func start(of resumePoint: ResumePoint) -> PageCursor? {
        definition.partitioning?.start(at: options.wallClock.seconds, known: resumePoint.firstPartition)
    }

    /// True if the crawl asks only for the newest items, and all items behind the page are older.
    ///
    /// - Parameter isSameHead: True if an unchanged page shows that, as the first page of a complete list does.
    func isOlder(_ loaded: LoadedPage, isSameHead: Bool) -> Bool {
        guard case .newest(let mark)? = requests.span, loaded.end.next != nil else { return false }
        return switch loaded.content.items {
        case .decoded(let page): page.ends(before: mark)
        case .notModified: isSameHead
        case .empty: false
        }
    }
}

extension RequestPlan {
    /// The requests of an engine with these options for the pages of a feed.
    convenience init(_ definition: FeedDefinition, salt: String, options: EngineOptions) {
        self.init(
            definition, environment: options.environment, folder: options.folder, salt: salt,
            commands: options.commands, tokens: options.tokens, quotas: options.credentialQuotas,
            now: options.wallClock.seconds, overlap: definition.pagination.overlappingSize == nil ? 0 : 1)
    }
}

extension PreparedPage {
    /// The key under which the page is stored.
    var key: RequestKey { RequestKey(request: identity, credential: credentialFingerprint) }
}
