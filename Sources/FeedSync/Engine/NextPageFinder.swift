internal import HTTP

/// Finds the page that a response leads to: by the paginator, within the partition, and with the signs that there is
/// more.
struct NextPageFinder: Sendable {
    let loader: PageLoader
    let page: PreparedPage
    let fetched: FetchedPage
    let crawl: CrawlSoFar

    private var definition: FeedDefinition { loader.definition }

    // MARK: - The next page

    /// The next page of the crawl.
    ///
    /// - Parameters:
    ///   - count: The number of elements in the items array.
    ///   - values: The values of the body that the paginator reads.
    ///   - lastItem: The values of the last item.
    ///   - edges: The values of the first item, and of the one before the last.
    ///   - elements: The bytes of the body from the first item to the last one; nil if they are unknown.
    func next(
        count: Int, values: [JSONScalar?], lastItem: [JSONScalar?] = [],
        edges: [[JSONScalar?]] = [], elements: Range<Int>? = nil
    ) throws(FeedSyncError) -> NextPage {
        var facts = facts(count: count, values: values, lastItem: lastItem)
        facts.edgeItemValues = edges
        return try followable { [facts] () throws(PagingError) in
            var end = withStatedTotal(try definition.pagination.next(after: facts), facts)
            // The page may be cut off, at the end of a row.
            end.isDoubtful = end.isDoubtful || fetched.response.isOpenEnded && !fetched.format.showsItsEnd
            return try inPartition(withSigns(end, facts, elements), facts)
        }
    }

    /// The next page after a response that is an empty page. One without content, as after a fault of the upstream, is
    /// not the end if the page before it has a flag that more follows.
    func nextAfterEmpty() throws(FeedSyncError) -> NextPage {
        var end = try next(count: 0, values: [])
        guard fetched.response.status == 204, page.cursor != nil, end.next == nil, end.sign == nil,
            let sign = signOfPageBefore(), sign.kind == .flag
        else { return end }
        end.sign = sign
        end.notice =
            "the upstream answered 204 No Content, though \(sign): if this is the end, "
            + "set `responses: [{status: 204, do: end}]`"
        return end
    }

    /// The next page after a response that means the end.
    func next(afterEnd end: NextPage) throws(FeedSyncError) -> NextPage {
        try followable { () throws(PagingError) in try inPartition(end, facts(count: 0)) }
    }

    /// The next page after an unchanged page.
    func next(afterUnchanged stored: StoredPage) throws(FeedSyncError) -> NextPage {
        var end = NextPage(next: stored.cursor, total: total(of: stored), notice: nil)
        guard let partitioning = definition.partitioning else {
            // The headers of a 304 take precedence over the stored ones; the body is not there.
            if end.next != nil {
                end.counts = ListCounts(
                    in: PageEnvelope(of: .null, besides: Path([])), of: facts(count: stored.elements))
            }
            return end
        }
        return try followable { () throws(PagingError) in
            let next = try stored.cursor.map { next throws(PagingError) in
                try partitioning.place(of: PageCursor(page.secrets.reveal(next.text)))
            }
            // The page after the last page of a partition belongs to another partition.
            let isSame =
                PartitionScheme.partitionName(in: stored.cursor) == PartitionScheme.partitionName(in: page.cursor)
            let inner = NextPage(next: isSame ? next?.page : nil, total: stored.total, notice: nil)
            return try inPartition(inner, facts(count: stored.elements))
        }
    }

    /// The next page after an error that means the end, because the page's cursor was computed from the previous page.
    ///
    /// - Throws: `FeedSyncError` if the total promises the page and the response denies it.
    func nextBeyondLast() throws(FeedSyncError) -> NextPage {
        let response = fetched.response
        if response.status == 404, let total = crawl.total, total > crawl.elements {
            let kind = ResponseDisposition.failure(response.status)
            let error = FetchReport(page).failure(kind, response)
            throw FeedSyncError(
                kind, error.message,
                advice: "run it again later, for \(crawl.elements) of \(total) items have been received; "
                    + "if the upstream serves no more, set `responses: [{status: 404, do: end}]`",
                httpStatus: error.httpStatus, url: error.url)
        }
        let words = UpstreamText.quotation(of: response, secrets: page.secrets)
        let place = page.cursor.map { " to `\($0)`" } ?? ""
        let said = "\(StatusText.text(response.status))\(place)\(words.map { ": \($0)" } ?? "")"
        let cap = SignOfMore.cap(
            UpstreamText.text(of: response), behind: crawl.before?.content.elementCount,
            full: crawl.fullPageCount, pages: crawl.pages, elements: crawl.elements, total: crawl.total)
        let stranger = isEndOtherwiseKnown ? nil : otherMarkup(response)
        let rule = "set `responses: [{status: \(response.status), do: end}]`"
        let meaning =
            if cap != nil, definition.partitioning == nil {
                "this counts as a limit: if it is the end, \(rule)"
            } else if let stranger {
                "this counts as the end, and proves little, as it is \(stranger) and the pages are not: "
                    + "if it is the end, \(rule)"
            } else {
                "this counts as the end, unless `responses` says `fail`"
            }
        // The pages have said that the list ends before this one.
        let isExpected =
            cap == nil && stranger == nil
            && crawl.counts.areReached(read: crawl.pages, seen: crawl.elements + definition.pagination.passedOver)
        var end = NextPage.end(
            notice: isExpected ? nil : "the upstream answered \(said); \(meaning)", sign: signOfPageBefore() ?? cap)
        end.isDoubtful = stranger != nil
        if end.sign == nil, definition.partitioning == nil {
            // The body describes the error.
            end = withEarlierSign(end, facts(count: 0), PageEnvelope(of: .null, besides: Path([])))
        }
        return try next(afterEnd: end)
    }

    /// True if the total has come, or the page before is not full, so the error need not prove the end.
    private var isEndOtherwiseKnown: Bool {
        if let total = crawl.total, total == crawl.elements { return true }
        let full = crawl.fullPageCount
        if PaginationInput.mayBeWholeList(crawl.elements, fullPage: full) { return true }
        return crawl.before.map { $0.content.elementCount < full } ?? false
    }

    /// The name of an error's format where it is markup and the pages are of another kind: a proxy or a router wrote
    /// it, which knows nothing of the list. Nil for any other answer.
    private func otherMarkup(_ response: Response) -> String? {
        switch BodyFormat(of: response.body) {
        case .html: return "HTML"
        case .feed(.xml):
            let pages = definition.format ?? crawl.before?.fetched.format ?? .json
            return [.xml, .atom, .rss].contains(pages) ? nil : "XML"
        default: return nil
        }
    }

    /// The page cursors after a page's next one, as far as they can be predicted.
    func further(behind end: NextPage, count: Int, values: [JSONScalar?] = []) -> [PageCursor] {
        guard definition.partitioning == nil, let next = end.next else { return [] }
        return definition.pagination.predicted(
            behind: next, after: facts(count: count, values: values), total: end.total)
    }

    /// The next page that `body` finds, with its secrets concealed so that it can be stored and shown.
    private func followable(_ body: () throws(PagingError) -> NextPage) throws(FeedSyncError) -> NextPage {
        do throws(PagingError) {
            var end = try body()
            end.next = end.next.map { PageCursor(page.secrets.conceal($0.text)) }
            end.notice = end.notice.map(page.secrets.mask)
            return end
        } catch {
            throw FeedSyncError(
                .unfollowable, page.secrets.mask(error.problem),
                advice:
                    "check `pagination`\(definition.partitioning == nil ? "" : " and `partition`") in the feed's definition",
                httpStatus: fetched.response.status, url: page.shown(fetched.response.url))
        }
    }

    /// The input of the paginator for the page. For a feed with partitions, the partition counts as the whole list.
    private func facts(
        count: Int, values: [JSONScalar?] = [], lastItem: [JSONScalar?] = []
    ) -> PaginationInput {
        let cursor = page.cursor.map { PageCursor(page.secrets.reveal($0.text)) }
        let place = cursor.flatMap { try? definition.partitioning?.place(of: $0) }
        var facts = PaginationInput(
            cursor: place.map(\.page) ?? cursor, elementCount: count,
            crawlElementCount: crawl.elements + count - min(page.overlap, count), emptyPagesBefore: crawl.emptyPages,
            values: values,
            lastItemValues: lastItem,
            headers: fetched.response.headers.fields,
            url: fetched.response.url.text, secrets: page.secrets)
        facts.overlap = page.overlap
        facts.isOfPartition = place != nil
        facts.passedOver = definition.pagination.passedOver
        if page.cursor == nil || count <= 1 { facts.askedCount = PageSigns.askedCount(in: page.request) }
        facts.fullPageCount = max(crawl.fullPageCount, count - min(page.overlap, count))
        return facts
    }

    /// The next page of the crawl, from the paginator's or the response's next page.
    ///
    /// - Throws: `PagingError` if the page does not belong to the requested partition.
    private func inPartition(_ end: NextPage, _ facts: PaginationInput) throws(PagingError) -> NextPage {
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
            end, at: place, facts, total: end.total ?? crawl.total, cap: crawl.cap,
            now: loader.options.wallClock.seconds)
    }

    // MARK: - Unchanged pages

    /// True if the 304's headers lead to another page than the stored headers did. The headers of the 304 take
    /// precedence.
    func leadsElsewhere(than stored: StoredPage) -> Bool {
        guard definition.pagination.endsByAbsence else { return false }
        do throws(FeedSyncError) {
            let alone = NextPageFinder(loader: loader, page: page, fetched: fetched, crawl: CrawlSoFar())
            let end = try alone.next(count: stored.elements, values: [])
            // The page after the last page of a partition was computed, not given by the upstream.
            let isEnd = end.next == nil || end.partitionOutcome != nil
            return !isEnd && end.next != stored.cursor
        } catch {
            return true
        }
    }

    /// True if the stored page ended a crawl that had read more before it, and its total now promises more items.
    func endsTooSoon(_ stored: StoredPage) -> Bool {
        guard definition.partitioning == nil, stored.cursor == nil, let total = stored.total else { return false }
        return total > crawl.elements + stored.elements - min(page.overlap, stored.elements)
    }

    /// The total of an unchanged page. The headers of a 304 take precedence over the stored ones (RFC 9111, section
    /// 3.2), and the body is unchanged. A total from a header that is no longer sent is only compared with the crawl.
    private func total(of stored: StoredPage) -> Int? {
        let stated = TotalHeaders.total(in: fetched.response.headers)?.count
        return stated.map { $0 - definition.pagination.passedOver }
            ?? (definition.pagination.hasTotal || stored.cursor == nil ? stored.total : nil)
    }

    // MARK: - Signs of more

    /// The next page with a total that the paginator does not read. Such a total only reports items that were not
    /// served.
    private func withStatedTotal(_ end: NextPage, _ facts: PaginationInput) -> NextPage {
        guard end.total == nil,
            let stated = TotalHeaders.total(in: fetched.response.headers)?.count, stated >= facts.seenCount
        else { return end }
        var end = end
        end.total = stated - facts.passedOver
        return end
    }

    /// The next page, with the sign that there are more pages and with a total found outside the items.
    private func withSigns(_ end: NextPage, _ facts: PaginationInput, _ elements: Range<Int>?) -> NextPage {
        var envelope = PageEnvelope(
            of: fetched.response.body, besides: definition.items?.path ?? Path([]), elements: elements
        ).adding(facts.headers)
        // It leads to the changes, not to a page.
        if case .body(let token)? = definition.sync.delta?.source { envelope = envelope.without(token) }
        var end = end
        guard end.next == nil else {
            end.sign = SignOfMore.partial(in: envelope, after: facts)
            if definition.partitioning == nil { end.counts = ListCounts(in: envelope, of: facts) }
            return end
        }
        let isPartition = definition.partitioning != nil
        // The count next to a partition may be that of the whole list.
        if end.total == nil, !isPartition {
            let total = envelope.totals(after: facts).first { total in
                (total.value.count ?? 0) > facts.seenCount && (facts.elementCount > 0 || !envelope.isBound(total))
            }
            end.total = total?.value.count.map { min($0, ReportedCount.most) - facts.passedOver }
        }
        if end.behindCount != nil, SignOfMore.isLast(by: envelope, after: facts) { end.behindCount = nil }
        if end.sign?.kind == .sameToken, SignOfMore.isDenied(by: envelope, after: facts) { end.sign = nil }
        end.sign =
            end.sign
            ?? SignOfMore.first(
                in: envelope, after: facts, number: definition.pagination.number(of: facts.cursor),
                isStated: end.isStated,
                isLinked: definition.pagination.cursorKind == .address,
                isAlone: definition.pagination.cursorKind == .none)
        if isPartition, end.sign?.kind == .total { end.sign = nil }
        if end.sign == nil, !isPartition { end = withEarlierSign(end, facts, envelope) }
        if end.sign == nil, isPart(facts, total: end.total), !SignOfMore.isDenied(by: envelope, after: facts) {
            end.sign = SignOfMore(.partial, "the response has the status 206, for a part of what there is")
        }
        if fetched.format == .events { end.sign = SignOfMore(.flag, "a stream of events goes on") }
        if end.sign == nil, definition.hasOpenPagination, let count = loader.shape.findings.strayItemCount, count > 0 {
            end.sign = SignOfMore(.items, "a page that was tried has \(count) more items")
        }
        if end.sign == nil, definition.hasOpenPagination, loader.shape.findings.failedSearchCount == 1,
            !end.isStated, facts.elementCount > 0
        {
            end.sign = SignOfMore(.untried, "the way to a second page could not be tried")
        }
        return end
    }

    /// True for the answer to a request for the whole list that has the status of a part of it. A later page is a part
    /// in any case.
    private func isPart(_ facts: PaginationInput, total: Int?) -> Bool {
        fetched.response.status == 206 && facts.cursor == nil && facts.passedOver == 0 && facts.elementCount > 0
            && total != facts.seenCount
    }

    /// The end of the list, with the sign that earlier pages gave and the last one does not have.
    private func withEarlierSign(_ end: NextPage, _ facts: PaginationInput, _ envelope: PageEnvelope) -> NextPage {
        // The crawl is compared with a total that is known anyway.
        guard end.total == nil, crawl.total == nil else { return end }
        let number = max(definition.pagination.number(of: facts.cursor) ?? 0, crawl.pages + 1)
        var end = end
        end.sign = crawl.counts.sign(
            atEnd: envelope, of: facts, seen: facts.seenCount + crawl.others.elements,
            read: number + crawl.others.pages, isStated: end.isStated)
        if end.sign?.kind == .total {
            end.total = crawl.counts.elements.map { min($0, ReportedCount.most) - facts.passedOver }
        }
        return end
    }

    /// The sign of more on the page before an error that counts as the end; nil if it has no sign other than a total.
    private func signOfPageBefore() -> SignOfMore? {
        guard definition.partitioning == nil else { return nil }
        // An unchanged page, or one that an earlier run read, still has its sign.
        guard let before = crawl.before, !before.content.isNotModified else {
            return loader.shape.findings.sign.map { SignOfMore(.flag, $0) }
        }
        let count = before.content.elementCount
        let soFar = CrawlSoFar(elements: crawl.elements - (count - min(before.page.overlap, count)))
        let facts = NextPageFinder(loader: loader, page: before.page, fetched: before.fetched, crawl: soFar)
            .facts(count: count)
        let sign = SignOfMore.first(
            in: PageEnvelope(of: before.fetched.response.body, besides: definition.items?.path ?? Path([]))
                .adding(facts.headers),
            after: facts, number: definition.pagination.number(of: facts.cursor))
        return sign?.kind == .total ? nil : sign
    }
}
