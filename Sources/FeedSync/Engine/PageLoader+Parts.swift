internal import HTTP

/// How the pages of a feed in parts follow each other; all others pass through.
extension PageLoader {
    /// The first page that a walk asks for; nil for a feed that is not split.
    func start(of standing: FeedStanding) -> Continuation? {
        definition.split?.start(at: options.wallClock.seconds, known: standing.firstPart)
    }

    /// The part that a page belongs to; nil for a feed that is not split.
    func part(of page: PreparedPage) -> PagePart? {
        guard definition.split != nil, let asked = page.continuation else { return nil }
        return SplitRule.partName(in: asked).map { PagePart(asked: asked, name: $0) }
    }

    /// What a walk has come to before a page; of a feed in parts, what of it belongs to the page's part.
    ///
    /// - Parameters:
    ///   - walk: nil before the first page.
    ///   - cap: How many items of a part the upstream served to the walk before.
    func soFar(_ walk: WalkState?, _ page: PreparedPage, emptyPages: Int, cap: Int?) -> WalkSoFar {
        var soFar = WalkSoFar(pages: walk?.pages ?? 0)
        soFar.cap = walk?.cap ?? cap
        soFar.fullPageCount = walk?.mostElements ?? 0
        if definition.split == nil {
            (soFar.elements, soFar.total, soFar.emptyPages) = (walk?.elements ?? 0, walk?.total, emptyPages)
        } else if let part = walk?.part, part.name == self.part(of: page)?.name {
            (soFar.elements, soFar.total, soFar.emptyPages) = (part.elements, part.total, emptyPages)
        }
        return soFar
    }

    /// What paging has to know of a page: of a feed in parts, as if its part were all there is.
    func facts(
        _ page: PreparedPage, _ fetched: FetchedPage, after walk: WalkSoFar, count: Int, values: [JSONScalar?] = [],
        lastItem: [JSONScalar?] = []
    ) -> PageFacts {
        let continuation = page.continuation.map { Continuation(page.secrets.reveal($0.text)) }
        let place = continuation.flatMap { try? definition.split?.place(of: $0) }
        var facts = PageFacts(
            continuation: place.map(\.page) ?? continuation, elementCount: count,
            walkElementCount: walk.elements + count, emptyPagesBefore: walk.emptyPages, values: values,
            lastItemValues: lastItem,
            headers: fetched.response.headers.fields.map { PageFacts.Header(name: $0.name, value: $0.value) },
            url: fetched.response.url.text, secrets: page.secrets)
        facts.fullPageCount = max(walk.fullPageCount, count)
        return facts
    }

    /// Where the walk goes on, of the end that the pagination or the response tells of.
    ///
    /// - Throws: `PagingError` if the page is not of the part that was asked for.
    func inParts(
        _ end: PageEnd, _ page: PreparedPage, _ facts: PageFacts, after walk: WalkSoFar
    ) throws(PagingError) -> PageEnd {
        guard let split = definition.split, let continuation = page.continuation else { return end }
        let place = try split.place(of: Continuation(page.secrets.reveal(continuation.text)))
        var end = end
        if let path = split.total, let value = facts.values.last {
            let figure = Figure(path, value, atLeast: facts.walkElementCount, secrets: page.secrets)
            end = PageEnd(next: end.next, total: figure.value, notice: PageEnd.notice(end.notice, figure.notice))
        }
        if facts.elementCount > 0, let value = facts.lastItemValues.last {
            try split.check(value, isOf: place.part, secrets: page.secrets)
        }
        // What other pages said is not stored with this one: it may be true no more when this one still is.
        return split.following(
            end, at: place, facts, total: end.total ?? walk.total, cap: walk.cap, now: options.wallClock.seconds)
    }

    /// The end that a response stands for.
    func ended(
        _ end: PageEnd, _ page: PreparedPage, _ fetched: FetchedPage, after walk: WalkSoFar
    ) throws(FeedError) -> PageEnd {
        let facts = facts(page, fetched, after: walk, count: 0)
        do throws(PagingError) {
            return try inParts(end, page, facts, after: walk).concealing(page.secrets)
        } catch {
            throw unfollowable(error, page, fetched)
        }
    }

    /// Where the walk goes on behind a page that is as it was stored.
    func end(
        of stored: StoredPage, _ page: PreparedPage, _ fetched: FetchedPage, after walk: WalkSoFar
    ) throws(FeedError) -> PageEnd {
        let end = PageEnd(next: stored.continuation, total: stored.total, notice: nil)
        guard let split = definition.split else { return end }
        let facts = facts(page, fetched, after: walk, count: stored.elements)
        do throws(PagingError) {
            let next = try stored.continuation.map { next throws(PagingError) in
                try split.place(of: Continuation(page.secrets.reveal(next.text)))
            }
            // Another part stands behind the last page of one.
            let isSame = SplitRule.partName(in: stored.continuation) == SplitRule.partName(in: page.continuation)
            let inner = PageEnd(next: isSame ? next?.page : nil, total: stored.total, notice: nil)
            return try inParts(inner, page, facts, after: walk).concealing(page.secrets)
        } catch {
            throw unfollowable(error, page, fetched)
        }
    }

    /// The error that a page stands for which leads nowhere.
    func unfollowable(_ error: PagingError, _ page: PreparedPage, _ fetched: FetchedPage) -> FeedError {
        FeedError(
            .unfollowable, page.secrets.mask(error.problem),
            advice: "check `pagination`\(definition.split == nil ? "" : " and `split`") in the feed's definition",
            httpStatus: fetched.response.status, url: page.shown(fetched.response.url))
    }

    /// Tells a failure with what the response cost.
    func failing<Result>(
        _ fetched: FetchedPage, _ body: () throws(FeedError) -> Result
    ) throws(FetchFailure) -> Result {
        do throws(FeedError) { return try body() } catch { throw FetchFailure(error, after: fetched) }
    }
}

extension PageEnd {
    /// The end, fit to be stored and shown.
    func concealing(_ secrets: Secrets) -> PageEnd {
        PageEnd(
            next: next.map { Continuation(secrets.conceal($0.text)) }, total: total, notice: notice.map(secrets.mask),
            part: part)
    }
}

extension FeedDefinition {
    /// Whether a stored page of which a header's absence said that it was the last may have gone on since.
    ///
    /// - Parameters:
    ///   - page: The page's own continuation.
    ///   - next: The one that is stored with it; nil for the end.
    func mayHaveGoneOn(from page: Continuation?, to next: Continuation?) -> Bool {
        guard pagination.endsByAbsence else { return false }
        guard split != nil else { return next == nil }
        return next == nil || SplitRule.partName(in: page) != SplitRule.partName(in: next)
    }
}
