internal import HTTP

/// The order of the pages of a feed with partitions. Other feeds are not affected.
extension PageLoader {
    /// The first page of a crawl; nil for a feed without partitions.
    func start(of resumePoint: ResumePoint) -> PageCursor? {
        definition.partitioning?.start(at: options.wallClock.seconds, known: resumePoint.firstPartition)
    }

    /// The partition of a page; nil for a feed without partitions.
    func part(of page: PreparedPage) -> PagePartition? {
        guard definition.partitioning != nil, let asked = page.cursor else { return nil }
        return PartitionScheme.partitionName(in: asked).map { PagePartition(asked: asked, name: $0) }
    }

    /// The counts of a crawl before a page; for a feed with partitions, only those of the page's partition.
    ///
    /// - Parameters:
    ///   - crawl: nil before the first page.
    ///   - cap: The number of items of one partition that the upstream served to the previous crawl.
    func soFar(_ crawl: CrawlState?, _ page: PreparedPage, emptyPages: Int, cap: Int?) -> CrawlSoFar {
        var soFar = CrawlSoFar(pages: crawl?.pages ?? 0)
        soFar.cap = crawl?.cap ?? cap
        soFar.fullPageCount = crawl?.mostElements ?? 0
        if definition.partitioning == nil {
            (soFar.elements, soFar.total, soFar.emptyPages) = (crawl?.elements ?? 0, crawl?.total, emptyPages)
        } else if let part = crawl?.part, part.name == self.part(of: page)?.name {
            (soFar.elements, soFar.total, soFar.emptyPages) = (part.elements, part.total, emptyPages)
        }
        return soFar
    }

    /// The input of the paginator for a page. For a feed with partitions, the partition counts as the whole list.
    func facts(
        _ page: PreparedPage, _ fetched: FetchedPage, after crawl: CrawlSoFar, count: Int, values: [JSONScalar?] = [],
        lastItem: [JSONScalar?] = []
    ) -> PaginationInput {
        let cursor = page.cursor.map { PageCursor(page.secrets.reveal($0.text)) }
        let place = cursor.flatMap { try? definition.partitioning?.place(of: $0) }
        var facts = PaginationInput(
            cursor: place.map(\.page) ?? cursor, elementCount: count,
            crawlElementCount: crawl.elements + count - min(page.overlap, count), emptyPagesBefore: crawl.emptyPages,
            values: values,
            lastItemValues: lastItem,
            headers: fetched.response.headers.fields.map { PaginationInput.Header(name: $0.name, value: $0.value) },
            url: fetched.response.url.text, secrets: page.secrets)
        facts.overlap = page.overlap
        facts.isOfPartition = place != nil
        facts.passedOver = definition.pagination.passedOver
        if page.cursor == nil || count == 0 { facts.askedCount = PageSigns.askedCount(in: page.request) }
        facts.fullPageCount = max(crawl.fullPageCount, count - min(page.overlap, count))
        return facts
    }

    /// The next page of the crawl, from the paginator's or the response's next page.
    ///
    /// - Throws: `PagingError` if the page does not belong to the requested partition.
    func inPartitions(
        _ end: NextPage, _ page: PreparedPage, _ facts: PaginationInput, after crawl: CrawlSoFar
    ) throws(PagingError) -> NextPage {
        guard let partitioning = definition.partitioning, let cursor = page.cursor else { return end }
        let place = try partitioning.place(of: PageCursor(page.secrets.reveal(cursor.text)))
        var end = end
        if let path = partitioning.total, let value = facts.values.last {
            let figure = ReportedCount(path, value, atLeast: facts.crawlElementCount, secrets: page.secrets)
            end = NextPage(next: end.next, total: figure.value, notice: NextPage.notice(end.notice, figure.notice))
        }
        if facts.elementCount > 0, let value = facts.lastItemValues.last {
            try partitioning.check(value, isOf: place.partition, secrets: page.secrets)
        }
        // Totals of other pages are not stored with this one: they may be outdated while this page is still valid.
        return partitioning.following(
            end, at: place, facts, total: end.total ?? crawl.total, cap: crawl.cap, now: options.wallClock.seconds)
    }

    /// The next page after a response that means the end.
    func ended(
        _ end: NextPage, _ page: PreparedPage, _ fetched: FetchedPage, after crawl: CrawlSoFar
    ) throws(FeedSyncError) -> NextPage {
        let facts = facts(page, fetched, after: crawl, count: 0)
        do throws(PagingError) {
            return try inPartitions(end, page, facts, after: crawl).concealing(page.secrets)
        } catch {
            throw unfollowable(error, page, fetched)
        }
    }

    /// The next page after an unchanged page.
    func end(
        of stored: StoredPage, _ page: PreparedPage, _ fetched: FetchedPage, after crawl: CrawlSoFar
    ) throws(FeedSyncError) -> NextPage {
        let end = NextPage(next: stored.cursor, total: total(of: stored, fetched), notice: nil)
        guard let partitioning = definition.partitioning else { return end }
        let facts = facts(page, fetched, after: crawl, count: stored.elements)
        do throws(PagingError) {
            let next = try stored.cursor.map { next throws(PagingError) in
                try partitioning.place(of: PageCursor(page.secrets.reveal(next.text)))
            }
            // The page after the last page of a partition belongs to another partition.
            let isSame =
                PartitionScheme.partitionName(in: stored.cursor) == PartitionScheme.partitionName(in: page.cursor)
            let inner = NextPage(next: isSame ? next?.page : nil, total: stored.total, notice: nil)
            return try inPartitions(inner, page, facts, after: crawl).concealing(page.secrets)
        } catch {
            throw unfollowable(error, page, fetched)
        }
    }

    /// The total of an unchanged page. The headers of a 304 take precedence over the stored ones (RFC 9111, section
    /// 3.2), and the body is unchanged. A total from a header that is no longer sent is only compared with the crawl.
    private func total(of stored: StoredPage, _ fetched: FetchedPage) -> Int? {
        let stated = TotalHeaders.total(in: fetched.response.headers)?.count
        return stated.map { $0 - definition.pagination.passedOver }
            ?? (definition.pagination.hasTotal || stored.cursor == nil ? stored.total : nil)
    }

    /// The error for a page that cannot be followed.
    func unfollowable(_ error: PagingError, _ page: PreparedPage, _ fetched: FetchedPage) -> FeedSyncError {
        FeedSyncError(
            .unfollowable, page.secrets.mask(error.problem),
            advice:
                "check `pagination`\(definition.partitioning == nil ? "" : " and `partition`") in the feed's definition",
            httpStatus: fetched.response.status, url: page.shown(fetched.response.url))
    }
}

extension NextPage {
    /// The next page, with its secrets concealed so that it can be stored and shown.
    func concealing(_ secrets: Secrets) -> NextPage {
        var end = self
        end.next = next.map { PageCursor(secrets.conceal($0.text)) }
        end.notice = notice.map(secrets.mask)
        return end
    }
}
