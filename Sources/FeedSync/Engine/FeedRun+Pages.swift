internal import Concurrency
internal import HTTP

/// The steps of a page from its request to its commit.
extension FeedRun {
    func page(
        _ direction: PageDirection, _ cursor: PageCursor?
    ) async throws(FeedSyncError) -> CrawlRules.Step {
        try await loader.requests.runCommands()
        let crawl = direction == .header ? nil : writer.state.crawl
        // Problems of the definition are found before anything begins.
        var prepared: PreparedPage
        if let asked = requests.next(cursor) {
            prepared = asked
        } else {
            prepared = try loader.requests.page(for: cursor ?? start)
        }
        if let most = crawl?.mostElements, loader.isTooShort(most) {
            // The upstream gives fewer items than requested, so one repeated item would be a large share.
            loader = loader.withoutOverlap()
            prepared = try loader.requests.page(for: cursor ?? start)
        }
        // A footer may have begun with the commit of the previous page.
        if writer.state.open == nil { publish(try committed { try $0.begin(direction, now: now()) }) }
        var loaded = try await load(prepared, after: crawl)
        let isBroken = loaded.overlap(behind: crawl?.lastKeys) == .broken
        let isBrokenAgain = isBroken && (command != .sync || brokenPage == crawl?.pages)
        if isBroken { brokenPage = crawl?.pages }
        if loaded.isOverlapRefused || isBrokenAgain {
            // Some upstreams cannot begin a page at any item or serve one item more.
            try spend(requests.meter.take())
            requests.drop()
            loader = loader.withoutOverlap()
            prepared = try loader.requests.page(for: cursor ?? start)
            loaded = try await load(prepared, after: crawl)
        }
        // A partition with more items than the upstream serves is not stored; its halves are.
        while loaded.end.part == .tooMany, let half = loaded.end.next {
            try spend(requests.meter.take())
            try committed { try $0.narrow(to: half, isFirst: direction == .header) }
            prepared = try loader.requests.page(for: half)
            loaded = try await load(prepared, after: crawl)
        }
        let known = loader
        follow(loaded.content.shape)
        if crawl == nil, loader.isTooShort(loaded.content.elementCount) { loader = loader.withoutOverlap() }
        let overlap = loaded.overlap(behind: crawl?.lastKeys)
        let border = CrawlRules.Border(
            number: (crawl?.pages ?? 0) + 1, total: start != nil ? nil : loaded.end.total,
            totalBefore: crawl?.total, overlaps: overlap == .unknown ? nil : overlap.map { $0 != .broken },
            crawl: crawl?.id ?? 0)
        if let step = rules.came(border) {
            try spend(requests.meter.take())
            // The page is not stored. Its shape will be new again when the page is read again.
            if loaded.content.shape != nil { loader = known }
            return step
        }
        let isOlder = isOlder(loaded, isFirst: direction == .header)
        if isOlder { loaded.end = .end(total: loaded.end.total, notice: loaded.end.notice) }
        if rules.isReadingHeadAgain, let page = loaded.content.decoded {
            rules.head(hasMovedUp: try committed { try $0.hasMovedUp(page, isFirst: false) })
        }
        emptyPages = loaded.content.elementCount == 0 ? emptyPages + 1 : 0
        // An error can mean the end only for a page whose cursor was computed.
        before = loader.definition.pagination.mayAskBeyondEnd ? loaded : nil
        let wantsNext = rules.wantsNext
        // No request is sent that a synced range may make unnecessary.
        if wantsNext, !mayMeetRange {
            try await requests.send(
                behind: loaded, pages: crawl?.pages ?? 0, pagesWanted: rules.pagesWanted, by: loader)
        } else {
            requests.drop()
        }
        var commit = pageCommit(loaded, direction, end: loaded.end, wantsNext: wantsNext)
        commit.page.isOlder = isOlder
        commit.page.overlap = overlap == .exact || overlap == .unknown ? 1 : 0
        commit.page.showsPageBefore = overlap == .exact || overlap == .shifted
        commit.page.isAgain = (crawl?.pages ?? 0) < pagesBefore || direction == .header && rules.isReadingHeadAgain
        commit.page.isLoose =
            command != .sync && isBehindRange && loader.definition.pagination.isShifting && !commit.page.showsPageBefore
            && (border.total == nil || border.total != border.totalBefore)
        isBehindRange = false
        return try self.commit(commit, loaded)
    }

    /// True if the crawl asks only for the newest items, and all items behind the page are older. An unchanged first
    /// page shows that, unless an earlier run was cut off behind it.
    private func isOlder(_ loaded: LoadedPage, isFirst: Bool) -> Bool {
        guard case .newest(let mark)? = loader.requests.span, loaded.end.next != nil else { return false }
        return switch loaded.content.items {
        case .decoded(let page): page.ends(before: mark)
        case .notModified: isFirst && writer.resumePoint.progress.round == nil
        case .empty: false
        }
    }

    func load(
        _ page: PreparedPage, after crawl: CrawlState?
    ) async throws(FeedSyncError) -> LoadedPage {
        let fetch = try await requests.response(for: page, by: loader)
        var soFar = loader.soFar(crawl, page, emptyPages: emptyPages, cap: cap)
        soFar.before = before
        return try await load(fetch, after: soFar, continuing: crawl != nil)
    }

    /// Reads a page from a response.
    ///
    /// - Parameter isContinuing: True if the page continues the crawl, so that a 304 has to confirm rows that the crawl
    ///   has not met yet.
    func load(
        _ fetch: PageFetch, after soFar: CrawlSoFar, continuing isContinuing: Bool = false
    ) async throws(FeedSyncError) -> LoadedPage {
        try await loader.load(fetch, after: soFar) { [self] () throws(FeedSyncError) in
            guard isContinuing else { return try requests.storedPage(fetch.page) }
            return try pending { try $0.list.storedPageToContinue(fetch.page.key) }
        }
    }

    /// The part of the list that the run's crawl asks for; nil for all of it.
    func span(_ resumePoint: ResumePoint, isHeader: Bool) -> SyncSpan? {
        let rule = loader.definition.sync
        let second = (Timestamp.milliseconds(of: now()) ?? 0) / 1000
        guard command == .sync || !isHeader else {
            // A reload wants the newest items, which the first page shows.
            guard case .since(let rule) = rule, rule.start != nil else { return nil }
            return SyncSpan(rule, resumePoint, isNewest: true, now: second)
        }
        // A crawl by watermark stays one, even if another command resumes it.
        if !isHeader || resumePoint.progress.round?.mode == .since {
            return SyncSpan(rule, stored: resumePoint.crawlWatermark)
        }
        return mode == .since ? SyncSpan(rule, resumePoint, now: second) : nil
    }

    func pageCommit(
        _ loaded: LoadedPage, _ direction: PageDirection, end: NextPage, wantsNext: Bool
    ) -> PageCommit {
        let fetched = loaded.fetched
        let page = CrawlPage(
            direction, end: end, upstreamNext: loaded.upstreamNext, httpStatus: fetched.response.status)
        var commit = PageCommit(
            page, content: loaded.content, key: loaded.page.key, validators: loaded.validators,
            serverDate: fetched.serverDate, beginsNext: wantsNext)
        commit.cursorParameters = loader.definition.pagination.cursorParameters
        // The polling advice of other pages is not used.
        if direction == .header { commit.advice = PollingAdvice(fetched.response) }
        commit.waited = requests.waited
        commit.page.part = loader.part(of: loaded.page)
        commit.page.asked = loaded.page.cursor
        commit.watermark = loader.requests.span?.stored
        if case .newest? = loader.requests.span { commit.page.asksNewest = true }
        if let page = loaded.content.decoded { commit.page.furthest = page.furthest?.json }
        if let token = loader.token(of: loaded) { commit.page.furthest = token }
        commit.page.mode = mode
        commit.page.readsThrough = rules.isReadingThrough
        return commit
    }

    func commit(_ commit: PageCommit, _ loaded: LoadedPage) throws(FeedSyncError) -> CrawlRules.Step {
        let committed = try store(commit, loaded)
        // The total of one of many lists is not that of the feed.
        if loader.definition.part == nil, let crawl = writer.state.crawl, let total = crawl.total {
            loader.options.onActivity(.read(crawl.elements, of: total))
        }
        isAtEnd = writer.state.progress.isAtEnd(after: committed.onward)
        note(loaded)
        return rules.committed(committed)
    }

    /// Commits a page, together with the cost of all requests so far.
    func store(_ commit: PageCommit, _ loaded: LoadedPage) throws(FeedSyncError) -> CrawlRules.Committed {
        // The store follows the latest intent: a page that arrives too late is not committed.
        guard !Task.isCancelled else { throw .cancelled }
        var commit = commit
        commit.cost = requests.meter.take()
        do throws(FeedSyncError) {
            while true {
                if let committed = try writer.commit(commit, now: now(), publish: publish) { return committed }
                // Another list of the feed has found new columns since this list's columns were read.
                follow(try pending { try $0.table.catchUp() })
                guard loader.definition.isResolved else {
                    // No shape was found that could decode the page.
                    follow(commit.content.shape)
                    continue
                }
                commit.content = try loader.contentAgain(loaded)
                follow(commit.content.shape)
            }
        } catch {
            // The requests were made all the same.
            requests.meter.add(commit.cost)
            throw error
        }
    }
}
