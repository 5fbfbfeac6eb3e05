internal import HTTP

/// A page that came, decoded, with what it leads to.
struct LoadedPage: Sendable {
    let page: PreparedPage
    let fetched: FetchedPage
    let content: PageCommit.Content
    /// Where the walk goes on.
    let end: PageEnd
    /// Where the upstream says that the pages go on; the walk may end before.
    let upstreamNext: Continuation?
    let leftOut: LeftOut
    let incompleteReason: IncompleteReason?
    let validators: Validators

    /// Whether the page has no elements at all.
    var isEmpty: Bool {
        switch content {
        case .decoded(let page): page.elementCount == 0
        case .empty: true
        case .notModified(let stored): stored.elements == 0
        }
    }
}

/// What a walk had come to before a page.
struct WalkSoFar: Sendable {
    /// The pages.
    var pages = 0
    /// The elements of their items arrays.
    var elements = 0
    /// How many of the last pages running were empty.
    var emptyPages = 0
    /// The elements that the upstream said there are.
    var total: Int?
}

/// Fetches and decodes a page: the diagram's first two stages.
struct PageLoader: Sendable {
    let definition: FeedDefinition
    let requests: RequestPlan
    let fetcher: Fetcher
    let decoder: PageDecoder
    let store: Store
    let options: EngineOptions

    /// A response, or why there is none; together with the validators that it was asked with.
    struct Fetch: Sendable {
        let page: PreparedPage
        let result: Result<FetchedPage, FetchFailure>
        let stored: StoredPage?
    }

    /// Requests a page, conditionally if the store has it with validators. Silent: nothing is stored or logged.
    func fetch(_ page: PreparedPage) async throws(FeedError) -> Fetch {
        try await awaitQuota(of: page)
        return await fetch(page, stored: try await store.storedPage(page, of: definition.name))
    }

    /// Whether the page may be requested now, before the one that led to it is committed: the host, in its answer to
    /// that one or before, did not say to wait.
    func mayLookAhead(_ page: PreparedPage, after fetched: FetchedPage) async throws(FeedError) -> Bool {
        guard fetched.quota.allSatisfy({ $0.blockedUntil == nil }) else { return false }
        return try await store.blockedUntil(page, of: definition.name, now: options.wallClock.text) == nil
    }

    /// Requests a page, conditionally if `stored` has validators. Touches nothing but the network.
    func fetch(_ page: PreparedPage, stored: StoredPage?) async -> Fetch {
        // A 304 would not tell that the header has come since.
        let mayHaveGoneOn = definition.pagination.endsByAbsence && stored?.continuation == nil
        let result = await attempt(page, mayHaveGoneOn ? nil : stored?.validators)
        return Fetch(page: page, result: result, stored: stored)
    }

    /// Makes a page of a response.
    ///
    /// - Parameter walk: what came before the page.
    func load(_ fetch: Fetch, after walk: WalkSoFar) async throws(FetchFailure) -> LoadedPage {
        var fetched = try fetch.result.get()
        if fetched.kind == .notModified {
            if let stored = try await current(fetch, fetched), !leadsElsewhere(fetch.page, fetched, than: stored) {
                let end = PageEnd(next: stored.continuation, total: stored.total, notice: nil)
                return loaded(
                    fetch.page, fetched, .notModified(stored), end, after: walk, count: stored.elements,
                    validators: stored.validators.refreshed(by: fetched.response).without(fetch.page.secrets),
                    leftOut: LeftOut(count: stored.leftOut))
            }
            let again = try await attempt(fetch.page, nil).get()
            fetched = FetchedPage(
                kind: again.kind, response: again.response, requestCount: fetched.requestCount + again.requestCount,
                byteCount: fetched.byteCount + again.byteCount, quota: fetched.quota + again.quota)
        }
        do throws(FeedError) {
            return try decode(fetch.page, fetched, after: walk)
        } catch {
            throw FetchFailure(
                error: error, requestCount: fetched.requestCount, byteCount: fetched.byteCount, quota: fetched.quota)
        }
    }

    private func attempt(_ page: PreparedPage, _ validators: Validators?) async -> Result<FetchedPage, FetchFailure> {
        do throws(FetchFailure) {
            return .success(try await fetcher.fetch(page, validators: validators))
        } catch {
            return .failure(error)
        }
    }

    /// The stored page that a 304 speaks of, if no row of it was written while the request was on its way.
    private func current(_ fetch: Fetch, _ fetched: FetchedPage) async throws(FetchFailure) -> StoredPage? {
        do throws(FeedError) {
            guard let asked = fetch.stored, let now = try await store.storedPage(fetch.page, of: definition.name),
                now.validators == asked.validators, now.id == asked.id
            else { return nil }
            return now
        } catch {
            throw FetchFailure(
                error: error, requestCount: fetched.requestCount, byteCount: fetched.byteCount, quota: fetched.quota)
        }
    }

    /// Whether the 304's own headers lead to another page than those that came with the body; they outrank them.
    private func leadsElsewhere(_ page: PreparedPage, _ fetched: FetchedPage, than stored: StoredPage) -> Bool {
        guard definition.pagination.endsByAbsence else { return false }
        do throws(FeedError) {
            let end = try next(page, fetched, after: WalkSoFar(), count: stored.elements, values: [])
            return end.next.map { $0 != stored.continuation } ?? false
        } catch {
            return true
        }
    }

    private func decode(
        _ page: PreparedPage, _ fetched: FetchedPage, after walk: WalkSoFar
    ) throws(FeedError) -> LoadedPage {
        let validators = Validators(of: fetched.response).without(page.secrets)
        switch fetched.kind {
        case .end:
            return loaded(page, fetched, .empty, .end(), after: walk, count: 0, validators: validators)
        case .beyondEnd:
            let end = try endBeyondLast(page, fetched, after: walk)
            // An error's validators say nothing of the page that may come to be there.
            let none = Validators(etag: nil, lastModified: nil)
            return loaded(page, fetched, .empty, end, after: walk, count: 0, validators: none)
        case .empty, .notModified:
            let end = try next(page, fetched, after: walk, count: 0, values: [])
            return loaded(page, fetched, .empty, end, after: walk, count: 0, validators: validators)
        case .content:
            let decoded: DecodedPage
            let leftOut: LeftOut
            do throws(FeedError) {
                decoded = try decoder.decode(fetched.response.body, secrets: page.secrets)
                leftOut = try decoded.leftOut()
            } catch {
                throw FeedError(
                    error.kind, page.secrets.mask(error.message), advice: error.advice,
                    httpStatus: fetched.response.status, url: page.shown(fetched.response.url))
            }
            let end = try next(
                page, fetched, after: walk, count: decoded.elementCount, values: decoded.bodyValues,
                lastItem: decoded.lastItemValues)
            return loaded(
                page, fetched, .decoded(decoded), end, after: walk, count: decoded.elementCount,
                validators: validators, leftOut: leftOut)
        }
    }

    /// The end that an error in answer to a page stands for, which was worked out from the one before.
    ///
    /// - Throws: `FeedError` where the total says that the page is there, and the answer that it is not.
    private func endBeyondLast(
        _ page: PreparedPage, _ fetched: FetchedPage, after walk: WalkSoFar
    ) throws(FeedError) -> PageEnd {
        let response = fetched.response
        if response.status == 404, let total = walk.total, total > walk.elements {
            let kind = ResponseMeaning.failure(response.status)
            let error = FetchReport(page, bodyValue: BodyProbe.value).failure(kind, response).error
            throw FeedError(
                kind, error.message,
                advice: "run it again later, for \(walk.elements) of \(total) items have come; "
                    + "if the upstream serves no more, say `responses: [{status: 404, do: end}]`",
                httpStatus: error.httpStatus, url: error.url)
        }
        let words = UpstreamText.quotation(of: response, secrets: page.secrets, bodyValue: BodyProbe.value)
        let place = page.continuation.map { " to `\($0)`" } ?? ""
        return .end(
            notice:
                "the upstream answered \(StatusText.text(response.status))\(place)\(words.map { ": \($0)" } ?? ""); "
                + "it is taken for the end, unless `responses` says `fail`")
    }

    private func next(
        _ page: PreparedPage, _ fetched: FetchedPage, after walk: WalkSoFar, count: Int, values: [JSONScalar?],
        lastItem: [JSONScalar?] = []
    ) throws(FeedError) -> PageEnd {
        let facts = PageFacts(
            continuation: page.continuation.map { Continuation(page.secrets.reveal($0.text)) }, elementCount: count,
            walkElementCount: walk.elements + count, emptyPagesBefore: walk.emptyPages, values: values,
            lastItemValues: lastItem,
            headers: fetched.response.headers.fields.map { PageFacts.Header(name: $0.name, value: $0.value) },
            url: fetched.response.url.text, secrets: page.secrets)
        do throws(PagingError) {
            let end = try definition.pagination.next(after: facts)
            let next = end.next.map { Continuation(page.secrets.conceal($0.text)) }
            return PageEnd(next: next, total: end.total, notice: end.notice.map(page.secrets.mask))
        } catch {
            throw FeedError(
                .unfollowable, page.secrets.mask(error.problem), advice: "check `pagination` in the feed's definition",
                httpStatus: fetched.response.status,
                url: page.shown(fetched.response.url))
        }
    }

    private func loaded(
        _ page: PreparedPage, _ fetched: FetchedPage, _ content: PageCommit.Content, _ end: PageEnd,
        after walk: WalkSoFar, count: Int, validators: Validators, leftOut: LeftOut = LeftOut()
    ) -> LoadedPage {
        var effective = end
        var reason: IncompleteReason?
        if end.next == nil {
            // An end where there should be more is a cap.
            if let total = end.total ?? walk.total, total > walk.elements + count { reason = .cap }
        } else if let most = definition.maxPages, walk.pages + 1 >= most {
            effective = .end(total: end.total, notice: end.notice)
            reason = .maxPages
        }
        return LoadedPage(
            page: page, fetched: fetched, content: content, end: effective, upstreamNext: end.next, leftOut: leftOut,
            incompleteReason: reason, validators: validators)
    }

    /// Waits as long as the host said to an earlier request, perhaps of another process.
    private func awaitQuota(of page: PreparedPage) async throws(FeedError) {
        let now = options.wallClock
        guard let until = try await store.blockedUntil(page, of: definition.name, now: now.text) else { return }
        let wait = Duration.seconds(max(0, min(until - now.seconds, 86_400)))
        guard wait <= options.maxWait else {
            let time = Timestamp(sinceEpoch: until)?.text ?? "later"
            throw FeedError(
                .limited, "\(page.quotaOrigin) said to make no request before \(time)",
                advice: "run it again then, or wait for it with --max-wait", url: page.shown(page.request.url))
        }
        do { try await options.clock.sleep(for: wait) } catch { throw .cancelled }
    }
}

extension FeedError {
    /// The run was stopped.
    static var cancelled: FeedError { FeedError(.cancelled, "the command was stopped") }
}
