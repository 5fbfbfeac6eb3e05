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
        let fetch = try await self.fetch(prepared)
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
            try spend(meter.take())
            try committed { try $0.markChecked(place, isSame: false) }
        case .outgrown:
            // Its items are left to the next crawl; the stored page does not change.
            try spend(meter.take())
        case .changed, .pushedDown, .movedUp, .detached:
            follow(loaded.content.shape)
            publish(try committed { try $0.begin(.footer, now: now()) })
            try commit(loaded, at: place)
        }
        return result
    }

    /// Records that a page was read again that is not stored.
    ///
    /// - Parameter keys: The keys on it; nil if they are the stored ones.
    func note(_ keys: String?, _ fetch: PageLoader.Fetch) {
        writer.reads.note(fetch.page.key, keys: keys, stored: fetch.stored?.keys)
    }

    /// The state of the crawl before a page: of its partition if the feed has partitions, else of all but the last page.
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
