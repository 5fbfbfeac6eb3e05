internal import HTTP

/// The signs on a page that it is not the last one.
extension PageLoader {
    /// The next page with a total that the paginator does not read. Such a total only reports items that were not
    /// served.
    func believing(
        _ end: NextPage, _ fetched: FetchedPage, _ facts: PaginationInput
    ) -> NextPage {
        guard end.total == nil,
            let stated = TotalHeaders.total(in: fetched.response.headers)?.count, stated >= facts.seenCount
        else { return end }
        var end = end
        end.total = stated - facts.passedOver
        return end
    }

    /// The next page, with the sign that there are more pages and with a total found outside the items. Only this
    /// function reads the body outside its items.
    func doubting(
        _ end: NextPage, _ fetched: FetchedPage, _ facts: PaginationInput, _ elements: Range<Int>?
    ) -> NextPage {
        var envelope = PageEnvelope(
            of: fetched.response.body, besides: definition.items?.path ?? Path([]), elements: elements)
        // It leads to the changes, not to a page.
        if case .body(let token)? = definition.sync.delta?.source { envelope = envelope.without(token) }
        var end = end
        guard end.next == nil else {
            end.sign = SignOfMore.partial(in: envelope, after: facts)
            return end
        }
        let isPartition = definition.partitioning != nil
        // The count next to a partition may be that of the whole list.
        if end.total == nil, !isPartition {
            let total = envelope.totals.first { total in
                (total.value.count ?? 0) > facts.seenCount && (facts.elementCount > 0 || !envelope.isBound(total))
            }
            end.total = total?.value.count.map { min($0, ReportedCount.most) - facts.passedOver }
        }
        end.sign =
            end.sign
            ?? SignOfMore.first(
                in: envelope, after: facts, number: definition.pagination.number(of: facts.cursor),
                isStated: end.isStated,
                isLinked: definition.pagination.cursorKind == .address)
        if isPartition, end.sign?.kind == .total { end.sign = nil }
        if fetched.format == .events { end.sign = SignOfMore(.flag, "a stream of events goes on") }
        if end.sign == nil, definition.hasOpenPagination, let count = shape.findings.strayItemCount, count > 0 {
            end.sign = SignOfMore(.items, "a page that was tried has \(count) more items")
        }
        return end
    }

    /// The sign of more on the page before an error that counts as the end; nil if it has no sign other than a total.
    func signOfPageBefore(_ crawl: CrawlSoFar) -> SignOfMore? {
        guard definition.partitioning == nil else { return nil }
        // An unchanged page, or one that an earlier run read, still has its sign.
        guard let before = crawl.before, !before.isNotModified else {
            return shape.findings.sign.map { SignOfMore(.flag, $0) }
        }
        let count = before.elementCount
        let soFar = CrawlSoFar(elements: crawl.elements - (count - min(before.page.overlap, count)))
        let facts = facts(before.page, before.fetched, after: soFar, count: count)
        let sign = SignOfMore.first(
            in: PageEnvelope(of: before.fetched.response.body, besides: definition.items?.path ?? Path([])),
            after: facts, number: definition.pagination.number(of: facts.cursor))
        return sign?.kind == .total ? nil : sign
    }

    /// The notice about a sign on a page, which may lead on; nil for a total, which is reported at the end of the crawl.
    func notice(of sign: SignOfMore?, isFollowed: Bool) -> String? {
        guard let sign, sign.kind != .total else { return nil }
        guard !isFollowed else { return "\(sign), so the upstream left items out: ask for fewer at once" }
        return definition.hasOpenPagination
            ? "\(sign), so there is more, and nothing was found that leads there: "
                + "say how with `pagination` in the feed's definition, or add the feed with --paginate"
            : "\(sign), so there is more, but the pages end here: correct `pagination` if it is that"
    }

    /// The notice about a page that may be the first of several, given once; nil if it looks like the whole list.
    func doubt(of end: NextPage, elementCount: Int) -> String? {
        guard definition.hasOpenPagination, end.next == nil, end.sign == nil, end.total == nil,
            PaginationInput.usualSizes.contains(elementCount)
        else { return nil }
        return "the page has \(elementCount) items, as many as pages often have, and says nothing of others: "
            + "if this is the whole list, write `pagination: none`; if not, say how it goes on"
    }
}
