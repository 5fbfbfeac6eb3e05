internal import HTTP

extension PageLoader {
    /// Reads a page from a response that is not a 304.
    func read(
        _ page: PreparedPage, _ fetched: FetchedPage, after crawl: CrawlSoFar
    ) async throws(FeedSyncError) -> LoadedPage {
        do throws(FeedSyncError) {
            return try await readOpen(page, fetched, after: crawl)
        } catch {
            throw error.keeping(fetched.response, to: page)
        }
    }

    private func readOpen(
        _ page: PreparedPage, _ fetched: FetchedPage, after crawl: CrawlSoFar
    ) async throws(FeedSyncError) -> LoadedPage {
        let isOpen =
            !definition.isResolved || definition.items == nil
            || (page.cursor == nil && definition.hasOpenPagination)
        guard fetched.kind == .content, isOpen else {
            return try decode(page, fetched, after: crawl)
        }
        let discovered = try await discover(from: fetched, of: page)
        let all = fetched.adding(discovered)
        let shape = try ResolvedFeed(shape.declared, shape.findings.adding(discovered.findings))
        let isNew = shape.findings != self.shape.findings
        let loader = following(shape)
        var loaded = try loader.decode(page, all, after: crawl, shape: isNew ? shape : nil)
        if shape.findings.triedElementCount != self.shape.findings.triedElementCount {
            let notice = loader.doubt(of: loaded.end, elementCount: loaded.elementCount)
            loaded.end = loaded.end.adding(notice: notice)
        }
        return loaded
    }

    /// Discovers the settings that the definition leaves open.
    private func discover(from fetched: FetchedPage, of page: PreparedPage) async throws(FeedSyncError)
        -> DiscoveryResult
    {
        // Guesses are not tried while the host asks for no requests.
        let mayTry = page.cursor == nil && fetched.quota.allSatisfy { $0.blockedUntil == nil }
        let discovery = Discovery(definition, options: options, salt: salt, meter: fetcher.meter)
        return try await discovery.discover(
            from: fetched, of: page, effort: mayTry ? .search : .signs,
            known: shape.findings)
    }

    /// - Parameters:
    ///   - shape: The loader's own shape, if the page changed it.
    ///   - mayGrow: True if the shape may be extended for the page's items.
    private func decode(
        _ page: PreparedPage, _ fetched: FetchedPage, after crawl: CrawlSoFar, shape: ResolvedFeed? = nil,
        mayGrow: Bool = true
    ) throws(FeedSyncError) -> LoadedPage {
        let validators = page.validators(of: fetched.response)
        switch fetched.kind {
        // The rule ends the list; items on the page itself still count.
        case .end(let status) where (200..<300).contains(status) && hasItems(fetched):
            return try decodeContent(
                page, fetched, after: crawl, shape: shape, mayGrow: mayGrow, isEnd: true, validators: validators)
        case .end:
            let end = try ended(.end(), page, fetched, after: crawl)
            return loaded(page, fetched, .empty, end, after: crawl, count: 0, validators: validators, shape: shape)
        case .beyondEnd where page.overlap > 0:
            // The page is then requested without overlap.
            return loaded(page, fetched, .empty, .end(), after: crawl, count: 0, validators: validators, shape: shape)
        case .beyondEnd:
            let end = try ended(try endBeyondLast(page, fetched, after: crawl), page, fetched, after: crawl)
            // The validators of an error say nothing about a page that may exist later.
            let none = Validators(etag: nil, lastModified: nil)
            return loaded(page, fetched, .empty, end, after: crawl, count: 0, validators: none, shape: shape)
        case .empty, .notModified:
            let end = try next(page, fetched, after: crawl, count: 0, values: [])
            return loaded(page, fetched, .empty, end, after: crawl, count: 0, validators: validators, shape: shape)
        case .content:
            let decoded =
                definition.isResolved ? try? decoder.decode(fetched.response.body, maskKeys: page.maskKeys) : nil
            if decoded == nil, isEmptyEnvelope(page, fetched) {
                let end = try next(page, fetched, after: crawl, count: 0, values: valuesOutsideItems(fetched))
                return loaded(page, fetched, .empty, end, after: crawl, count: 0, validators: validators, shape: shape)
            }
            return try decodeContent(
                page, fetched, decoded, after: crawl, shape: shape, mayGrow: mayGrow, isEnd: false,
                validators: validators)
        }
    }

    /// Reads the page of a response with items.
    ///
    /// - Parameters:
    ///   - known: The decoded body; nil if it was not or cannot be decoded.
    ///   - isEnd: True if a rule of the definition says that the list ends with this page.
    private func decodeContent(
        _ page: PreparedPage, _ fetched: FetchedPage, _ known: DecodedPage? = nil, after crawl: CrawlSoFar,
        shape: ResolvedFeed?, mayGrow: Bool, isEnd: Bool, validators: Validators
    ) throws(FeedSyncError) -> LoadedPage {
        let decoded: DecodedPage
        let skipped: SkippedItems
        do throws(FeedSyncError) {
            decoded =
                if let known { known } else { try decoder.decode(page, fetched.response.body) }
            if mayGrow, decoded.needsNewColumns {
                let grown = try self.shape.grown(for: decoded)
                return try following(grown).decode(page, fetched, after: crawl, shape: grown, mayGrow: false)
            }
            skipped = try decoded.skipped(secrets: page.secrets)
            // An error without items is a failed page, not an empty one.
            if decoded.elementCount == 0, let told = ErrorBody.failure(fetched.response, secrets: page.secrets) {
                throw told
            }
        } catch {
            let error = ErrorBody.failure(fetched.response, secrets: page.secrets) ?? error
            throw FeedSyncError(
                error.kind, page.secrets.mask(error.message), advice: error.advice,
                httpStatus: fetched.response.status, url: page.shown(fetched.response.url))
        }
        let end =
            isEnd
            ? try ended(.end(isStated: true), page, fetched, after: crawl)
            : try next(
                page, fetched, after: crawl, count: decoded.elementCount, values: decoded.bodyValues,
                lastItem: decoded.lastItemValues,
                elements: definition.items?.keyedBy == nil ? decoded.elementsRange : nil)
        // Without items no columns could be found, and there is nothing to store.
        var loaded = loaded(
            page, fetched, definition.isResolved ? .decoded(decoded) : .empty,
            end.adding(notice: decoded.limitNotice), after: crawl, count: decoded.elementCount,
            validators: validators, skipped: skipped, shape: shape)
        loaded.further = further(
            behind: loaded.end,
            facts(page, fetched, after: crawl, count: decoded.elementCount, values: decoded.bodyValues))
        return loaded
    }

    /// True if the body has a value at the path of the items.
    private func hasItems(_ fetched: FetchedPage) -> Bool {
        guard definition.isResolved, let items = definition.items else { return false }
        return items.path.segments.isEmpty || BodyProbe.value(of: fetched.response.body, at: items.path) != nil
    }

    /// True if a page is an envelope without the member of its items. Many upstreams leave out an empty list.
    private func isEmptyEnvelope(_ page: PreparedPage, _ fetched: FetchedPage) -> Bool {
        guard let items = definition.items, items.keyedBy == nil, !items.path.segments.isEmpty, !hasItems(fetched),
            ErrorBody.failure(fetched.response, secrets: page.secrets) == nil
        else { return false }
        // A page with the token of a delta may have nothing else.
        let isFirst = page.cursor == nil && token(of: fetched.response) == nil
        return EmptyEnvelope.holds(fetched.response.body, isFirst: isFirst, pagination: definition.pagination)
    }

    private func valuesOutsideItems(_ fetched: FetchedPage) -> [JSONScalar?] {
        definition.pagination.bodyPaths.map { BodyProbe.value(of: fetched.response.body, at: $0) }
    }

    /// The content of a page, decoded again with the current shape.
    func contentAgain(
        _ loaded: LoadedPage
    ) throws(FeedSyncError) -> (PageCommit.Content, SkippedItems, ResolvedFeed?) {
        guard case .decoded = loaded.content else { return (loaded.content, loaded.skipped, nil) }
        let (body, secrets) = (loaded.fetched.response.body, loaded.page.secrets)
        do throws(FeedSyncError) {
            let page = try decoder.decode(loaded.page, body)
            guard page.needsNewColumns else { return (.decoded(page), try page.skipped(secrets: secrets), nil) }
            let grown = try shape.grown(for: page)
            let all = try following(grown).decoder.decode(loaded.page, body)
            return (.decoded(all), try all.skipped(secrets: secrets), grown)
        } catch {
            throw FeedSyncError(
                error.kind, secrets.mask(error.message), advice: error.advice,
                httpStatus: loaded.fetched.response.status, url: loaded.page.shown(loaded.fetched.response.url)
            ).keeping(loaded.fetched.response, to: loaded.page)
        }
    }

    /// The end that an error means for a page whose cursor was computed from the previous page.
    ///
    /// - Throws: `FeedSyncError` if the total promises the page and the response denies it.
    private func endBeyondLast(
        _ page: PreparedPage, _ fetched: FetchedPage, after crawl: CrawlSoFar
    ) throws(FeedSyncError) -> NextPage {
        let response = fetched.response
        if response.status == 404, let total = crawl.total, total > crawl.elements {
            let kind = ResponseDisposition.failure(response.status)
            let error = FetchReport(page, bodyValue: BodyProbe.value).failure(kind, response)
            throw FeedSyncError(
                kind, error.message,
                advice: "run it again later, for \(crawl.elements) of \(total) items have been received; "
                    + "if the upstream serves no more, set `responses: [{status: 404, do: end}]`",
                httpStatus: error.httpStatus, url: error.url)
        }
        let words = UpstreamText.quotation(of: response, secrets: page.secrets, bodyValue: BodyProbe.value)
        let place = page.cursor.map { " to `\($0)`" } ?? ""
        return .end(
            notice:
                "the upstream answered \(StatusText.text(response.status))\(place)\(words.map { ": \($0)" } ?? ""); "
                + "this counts as the end, unless `responses` says `fail`",
            sign: signOfPageBefore(crawl))
    }

    /// The next page, with the signs that a page has beside its items.
    ///
    /// - Parameter elements: The bytes of the body from the first item to the last one; nil if they are unknown.
    func next(
        _ page: PreparedPage, _ fetched: FetchedPage, after crawl: CrawlSoFar, count: Int, values: [JSONScalar?],
        lastItem: [JSONScalar?] = [], elements: Range<Int>? = nil
    ) throws(FeedSyncError) -> NextPage {
        let facts = facts(page, fetched, after: crawl, count: count, values: values, lastItem: lastItem)
        do throws(PagingError) {
            let end = believing(try definition.pagination.next(after: facts), fetched, facts)
            return try inPartitions(doubting(end, fetched, facts, elements), page, facts, after: crawl)
                .concealing(page.secrets)
        } catch {
            throw unfollowable(error, page, fetched)
        }
    }

    /// The page cursors after a page's next one, as far as they can be predicted.
    func further(behind end: NextPage, _ facts: @autoclosure () -> PaginationInput) -> [PageCursor] {
        let pagination = definition.pagination
        guard definition.partitioning == nil, let next = end.next else { return [] }
        return pagination.predicted(behind: next, after: facts(), total: end.total)
    }

    func loaded(
        _ page: PreparedPage, _ fetched: FetchedPage, _ content: PageCommit.Content, _ end: NextPage,
        after crawl: CrawlSoFar, count: Int, validators: Validators, skipped: SkippedItems = SkippedItems(),
        shape: ResolvedFeed? = nil
    ) -> LoadedPage {
        var effective = end
        if end.next != nil, let most = definition.maxPages, crawl.pages + 1 >= most {
            effective.next = nil
        }
        // A 304 would not report the sign again.
        let isTold = end.sign.map { $0.kind != .total } ?? false
        return LoadedPage(
            page: page, fetched: fetched, content: content,
            end: effective.adding(notice: end.part == .cut ? nil : notice(of: end.sign, isFollowed: end.next != nil)),
            upstreamNext: end.next, skipped: skipped,
            validators: isTold ? Validators(etag: nil, lastModified: nil) : validators,
            shape: end.next == nil ? noting(end.sign, in: shape) : shape)
    }

    /// The shape with the sign on the feed's last page; nil if nothing changed.
    private func noting(_ sign: SignOfMore?, in shape: ResolvedFeed?) -> ResolvedFeed? {
        let known = shape ?? self.shape
        guard definition.part == nil, known.findings.sign != sign?.description else { return shape }
        var findings = known.findings
        findings.sign = sign?.description
        return (try? ResolvedFeed(known.declared, findings)) ?? shape
    }
}

extension DecodedPage {
    /// The notice about members that get no column because of a limit.
    fileprivate var limitNotice: String? {
        guard hasUnknownMembers else { return nil }
        guard plan.isFull else {
            return "a member of the items has no column, as its name is too long; keep whole items with `raw: true`"
        }
        return
            "the items have more members than the 1,000 columns of a feed, and the rest are not stored; "
            + "choose some with `columns:`, or keep whole items with `raw: true`"
    }
}

extension PageDecoder {
    /// Decodes the body of a page that was requested.
    fileprivate func decode(_ page: PreparedPage, _ body: Body) throws(FeedSyncError) -> DecodedPage {
        try decode(body, secrets: page.secrets, maskKeys: page.maskKeys)
    }
}
