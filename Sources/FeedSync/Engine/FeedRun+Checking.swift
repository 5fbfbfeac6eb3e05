/// Pages of the crawl that are requested again.
extension FeedRun {
    /// Requests a page of the crawl again, and stores it if it has gained items.
    func check(
        _ place: PageOfCrawl
    ) async throws(FeedSyncError) -> PageComparison {
        let cursor = try committed { try $0.cursor(of: place) }
        // A page that was read again since then has lost its place.
        guard cursor != nil || place.number == 1 && start == nil else { return .outgrown }
        let prepared = try loader.requests.page(for: cursor)
        let fetch = try await requests.fetch(prepared, by: loader)
        let soFar = try soFar(before: place, known: fetch.stored)
        let loaded: LoadedPage
        do throws(FeedSyncError) { loaded = try await load(fetch, after: soFar) } catch {
            // The page is gone or its cursor has expired: the list has changed, and the next sync reads it.
            guard error.kind.isOfAnswer else { throw error }
            return .outgrown
        }
        let page = loaded.content.decoded
        var result: PageComparison =
            loaded.content.isNotModified
            ? .same
            : try committed { try $0.compare(page, loaded.end, at: place, known: fetch.stored) }
        if result == .same, rules.isProving, try !committed({ try $0.list.isRecord(fetch.stored, of: place) }) {
            result = .overtaken(isLast: loaded.end.next == nil)
        }
        switch result {
        case .same, .shifted, .overtaken: note(page?.keys, fetch)
        case .outgrown, .changed, .pushedDown, .movedUp, .detached: break
        }
        switch result {
        case .same:
            try keep(fetch.stored, loaded)
            try committed { try $0.markChecked(place, isSame: true) }
        case .shifted, .overtaken:
            // The new items at the head are read there.
            try spend(requests.meter.take())
            try committed { try $0.markChecked(place, isSame: false) }
        case .outgrown:
            // Its items are left to the next crawl; the stored page does not change.
            try spend(requests.meter.take())
        case .changed, .pushedDown, .movedUp, .detached:
            follow(loaded.content.shape)
            publish(try committed { try $0.begin(.footer, now: now()) })
            try commit(loaded, at: place)
        }
        return result
    }

    /// Requests the first page again without events. If it has changed, a new crawl begins with it.
    func readHeadAgain() async throws(FeedSyncError) -> CrawlRules.Step {
        let prepared = try loader.requests.page(for: start)
        let fetch: PageFetch
        let loaded: LoadedPage
        do throws(FeedSyncError) {
            fetch = try await requests.fetch(prepared, by: loader)
            loaded = try await load(fetch, after: loader.soFar(nil, prepared, emptyPages: 0, cap: cap))
        } catch {
            // The list has been read: a request made only to prove it does not fail the run.
            guard error.kind.isOfRequest || error.kind == .cancelled, !Task.isCancelled,
                let step = rules.headFailed()
            else { throw error }
            return step
        }
        let page = loaded.content.decoded
        let isSame =
            loaded.content.isNotModified
            ? true
            : try committed { try $0.table.holds(page, as: fetch.stored) }
        if isSame {
            note(nil, fetch)
            try keep(fetch.stored, loaded)
            return rules.headIsSame()
        }
        rules.head(hasMovedUp: try committed { try $0.hasMovedUp(page, isFirst: true) })
        follow(loaded.content.shape)
        publish(try committed { try $0.begin(.header, now: now()) })
        mayMeetRange = true
        var commit = pageCommit(loaded, .header, end: loaded.end, wantsNext: true)
        commit.page.isAgain = true
        return try self.commit(commit, loaded)
    }

    /// Records the cost and the validators of a page that came again unchanged.
    func keep(_ page: StoredPage?, _ loaded: LoadedPage) throws(FeedSyncError) {
        try spend(requests.meter.take())
        // The rest of the body may have changed, and a 304 would confirm the stored version of it.
        guard let page, let decoded = loaded.content.decoded, decoded.elementCount == page.elements,
            loaded.content.skipped.count == page.skipped, loaded.content.skipped.sameKey == page.sameKey,
            loaded.upstreamNext == page.cursor, loaded.end.total == page.total
        else { return }
        try committed { try $0.records.storedPages.refresh(page, loaded.validators) }
    }

    /// Records that a page was read again that is not stored.
    ///
    /// - Parameter keys: The keys on it; nil if they are the stored ones.
    func note(_ keys: String?, _ fetch: PageFetch) {
        writer.reads.note(fetch.page.key, keys: keys, stored: fetch.stored?.keys)
    }

    /// The state of the crawl before a page: of its partition if the feed has partitions, else of all but the last
    /// page.
    private func soFar(before place: PageOfCrawl, known: StoredPage?) throws(FeedSyncError) -> CrawlSoFar {
        let crawl = writer.state.crawl
        var soFar = CrawlSoFar(fullPageCount: crawl?.mostElements ?? 0, cap: crawl?.cap ?? cap)
        if loader.definition.partitioning != nil {
            (soFar.elements, soFar.total) = try committed { try $0.list.partitionSoFar(before: place) }
        } else if let crawl, place.crawl == crawl.id, place.number >= crawl.pages {
            soFar.elements = max(crawl.elements - (known?.elements ?? 0), 0)
        }
        return soFar
    }

    private func commit(_ loaded: LoadedPage, at place: PageOfCrawl) throws(FeedSyncError) {
        var commit = pageCommit(loaded, .footer, end: loaded.end, wantsNext: false)
        commit.page.checked = place.number
        _ = try store(commit, loaded)
        note(loaded)
    }
}
