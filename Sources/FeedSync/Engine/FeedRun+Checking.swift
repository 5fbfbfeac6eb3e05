/// Pages of the crawl that are requested again.
extension FeedRun {
    /// Requests a page of the crawl again, and stores it if it has gained items.
    func check(
        _ place: PageOfCrawl
    ) async throws(FeedSyncError) -> PageComparison {
        let cursor = try await store.cursor(of: place, of: feed)
        // A page that was read again since then has lost its place.
        guard cursor != nil || place.number == 1 && start == nil else { return .outgrown }
        let prepared = try loader.requests.page(for: cursor)
        let fetch = try await loader.fetch(prepared)
        let soFar = try await soFar(before: place, known: fetch.stored)
        let loaded: LoadedPage
        do throws(FeedSyncError) { loaded = try await loader.load(fetch, after: soFar) } catch {
            // The page is gone or its cursor has expired: the list has changed, and the next sync reads it.
            guard error.kind.isOfAnswer else { throw error }
            return .outgrown
        }
        let page: DecodedPage? = if case .decoded(let decoded) = loaded.content { decoded } else { nil }
        var result: PageComparison =
            loaded.isNotModified
            ? .same
            : try await store.compare(page, loaded.end, at: place, known: fetch.stored, of: feed)
        if result == .same, rules.isProving, try await !store.isRecord(fetch.stored, of: place, in: feed) {
            result = .overtaken(isLast: loaded.end.next == nil)
        }
        switch result {
        case .same:
            try await store.keep(fetch.stored, loaded, cost: meter.take(), of: feed)
            try await store.markChecked(place, isSame: true, of: feed)
        case .shifted, .overtaken:
            // The new items at the head are read there.
            try await store.spend(meter.take(), on: feed)
            try await store.markChecked(place, isSame: false, of: feed)
        case .outgrown:
            // Its items are left to the next crawl; the stored page does not change.
            try await store.spend(meter.take(), on: feed)
        case .changed, .pushedDown, .movedUp, .detached:
            follow(loaded.shape)
            publish(
                try await store.begin(.footer, on: feed, now: now()))
            try await commit(loaded, at: place)
        }
        return result
    }

    /// The crawl before a page: for a feed with partitions the part in its partition, for others all but the last page.
    private func soFar(
        before place: PageOfCrawl, known: StoredPage?
    ) async throws(FeedSyncError) -> CrawlSoFar {
        let crawl = try await store.progress(of: feed).crawl
        var soFar = CrawlSoFar(fullPageCount: crawl?.mostElements ?? 0, cap: crawl?.cap ?? cap)
        if loader.definition.partitioning != nil {
            (soFar.elements, soFar.total) = try await store.partitionSoFar(before: place, of: feed)
        } else if let crawl, place.crawl == crawl.id, place.number >= crawl.pages {
            soFar.elements = max(crawl.elements - (known?.elements ?? 0), 0)
        }
        return soFar
    }

    private func commit(
        _ loaded: LoadedPage, at place: PageOfCrawl
    ) async throws(FeedSyncError) {
        var commit = pageCommit(loaded, .footer, end: loaded.end, wantsNext: false)
        commit.checked = place.number
        _ = try await store(commit, loaded)
        note(loaded)
    }
}
