internal import HTTP

extension PageLoader {
    /// Makes a page of a response that is not a 304.
    func read(
        _ page: PreparedPage, _ fetched: FetchedPage, after walk: WalkSoFar
    ) async throws(FetchFailure) -> LoadedPage {
        let isOpen =
            !definition.isSettled || definition.items == nil
            || (page.continuation == nil && definition.hasOpenPagination)
        guard fetched.kind == .content, isOpen else {
            do throws(FeedError) {
                return try decode(page, fetched, after: walk)
            } catch {
                throw FetchFailure(error, after: fetched)
            }
        }
        let discovered = try await discover(from: fetched, of: page)
        let all = fetched.adding(discovered)
        do throws(FeedError) {
            let shape = try FeedShape(shape.declared, shape.findings.adding(discovered.findings))
            let isNew = shape.findings != self.shape.findings
            return try following(shape).decode(page, all, after: walk, shape: isNew ? shape : nil)
        } catch {
            throw FetchFailure(error, after: all)
        }
    }

    /// Looks for what the definition leaves open.
    private func discover(from fetched: FetchedPage, of page: PreparedPage) async throws(FetchFailure) -> Discovered {
        // Ways that nothing speaks of are not tried while the host wants no requests.
        let mayTry = page.continuation == nil && fetched.quota.allSatisfy { $0.blockedUntil == nil }
        let discovery = Discovery(definition, options: options, salt: store.salt)
        do throws(FetchFailure) {
            return try await discovery.discover(
                from: fetched, of: page, effort: mayTry ? .search : .signs,
                triedElementCount: shape.findings.triedElementCount)
        } catch {
            throw FetchFailure(
                error: error.error, requestCount: fetched.requestCount + error.requestCount,
                byteCount: fetched.byteCount + error.byteCount, quota: fetched.quota + error.quota)
        }
    }

    /// - Parameters:
    ///   - shape: The loader's own, where the page brought something new of it.
    ///   - mayGrow: Whether the shape may follow what the page's items have.
    private func decode(
        _ page: PreparedPage, _ fetched: FetchedPage, after walk: WalkSoFar, shape: FeedShape? = nil,
        mayGrow: Bool = true
    ) throws(FeedError) -> LoadedPage {
        let validators = page.validators(of: fetched.response)
        switch fetched.kind {
        case .end:
            let end = try ended(.end(), page, fetched, after: walk)
            return loaded(page, fetched, .empty, end, after: walk, count: 0, validators: validators, shape: shape)
        case .beyondEnd:
            let end = try ended(try endBeyondLast(page, fetched, after: walk), page, fetched, after: walk)
            // An error's validators say nothing of the page that may come to be there.
            let none = Validators(etag: nil, lastModified: nil)
            return loaded(page, fetched, .empty, end, after: walk, count: 0, validators: none, shape: shape)
        case .empty, .notModified:
            let end = try next(page, fetched, after: walk, count: 0, values: [])
            return loaded(page, fetched, .empty, end, after: walk, count: 0, validators: validators, shape: shape)
        case .content:
            let decoded: DecodedPage
            let leftOut: LeftOut
            do throws(FeedError) {
                // The shape may have grown since.
                let early = fetched.response.prepared as? DecodedPage
                decoded =
                    if let early, early.plan === decoder.plan { early } else {
                        try decoder.decode(fetched.response.body, secrets: page.secrets)
                    }
                if mayGrow, decoded.outgrowsPlan {
                    let grown = try self.shape.grown(for: fetched.response.body)
                    return try following(grown).decode(page, fetched, after: walk, shape: grown, mayGrow: false)
                }
                leftOut = try decoded.leftOut()
            } catch {
                throw FeedError(
                    error.kind, page.secrets.mask(error.message), advice: error.advice,
                    httpStatus: fetched.response.status, url: page.shown(fetched.response.url))
            }
            let end = try next(
                page, fetched, after: walk, count: decoded.elementCount, values: decoded.bodyValues,
                lastItem: decoded.lastItemValues)
            // Without items there was nothing to tell the columns from, and there is nothing to store.
            var loaded = loaded(
                page, fetched, definition.isSettled ? .decoded(decoded) : .empty, end.adding(decoded.limitNotice),
                after: walk,
                count: decoded.elementCount, validators: validators, leftOut: leftOut, shape: shape)
            loaded.further = further(
                behind: loaded.end,
                facts(page, fetched, after: walk, count: decoded.elementCount, values: decoded.bodyValues))
            return loaded
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

    func next(
        _ page: PreparedPage, _ fetched: FetchedPage, after walk: WalkSoFar, count: Int, values: [JSONScalar?],
        lastItem: [JSONScalar?] = []
    ) throws(FeedError) -> PageEnd {
        let facts = facts(page, fetched, after: walk, count: count, values: values, lastItem: lastItem)
        do throws(PagingError) {
            let end = try definition.pagination.next(after: facts)
            return try inParts(end, page, facts, after: walk).concealing(page.secrets)
        } catch {
            throw unfollowable(error, page, fetched)
        }
    }

    /// The continuations behind a page's next one that can be told already.
    func further(behind end: PageEnd, _ facts: @autoclosure () -> PageFacts) -> [Continuation] {
        let pagination = definition.pagination
        guard definition.split == nil, let next = end.next else { return [] }
        return pagination.predicted(behind: next, after: facts(), total: end.total)
    }

    func loaded(
        _ page: PreparedPage, _ fetched: FetchedPage, _ content: PageCommit.Content, _ end: PageEnd,
        after walk: WalkSoFar, count: Int, validators: Validators, leftOut: LeftOut = LeftOut(),
        shape: FeedShape? = nil
    ) -> LoadedPage {
        var effective = end
        var reason: IncompleteReason?
        if end.next == nil {
            // An end where there should be more is a cap.
            let total = end.total ?? walk.total
            if definition.split == nil, let total, total > walk.elements + count { reason = .cap }
        } else if let most = definition.maxPages, walk.pages + 1 >= most {
            effective = .end(total: end.total, notice: end.notice)
            reason = .maxPages
        }
        return LoadedPage(
            page: page, fetched: fetched, content: content, end: effective, upstreamNext: end.next, leftOut: leftOut,
            incompleteReason: reason, validators: validators, shape: shape)
    }
}

extension PageEnd {
    /// The end with something more to tell.
    fileprivate func adding(_ notice: String?) -> PageEnd {
        guard let notice else { return self }
        return PageEnd(next: next, total: total, notice: self.notice.map { "\($0); \(notice)" } ?? notice)
    }
}

extension DecodedPage {
    /// What to tell of members that there is no column for any more.
    fileprivate var limitNotice: String? {
        guard plan.isFull, hasStrangers else { return nil }
        return
            "its items have more members than the 1,000 columns that are found for a feed, and the rest is not stored; "
            + "choose some with `columns:`, or keep whole items with `raw: true`"
    }
}
