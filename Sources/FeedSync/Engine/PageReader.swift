internal import HTTP

/// Reads the page in a response: discovers what the definition leaves open, decodes the items, and finds where the page
/// leads.
struct PageReader: Sendable {
    let finder: NextPageFinder

    private var loader: PageLoader { finder.loader }
    private var definition: FeedDefinition { loader.definition }
    private var page: PreparedPage { finder.page }
    private var fetched: FetchedPage { finder.fetched }

    /// The same response, read by another loader.
    private func by(_ loader: PageLoader, _ fetched: FetchedPage? = nil) -> PageReader {
        PageReader(
            finder: NextPageFinder(loader: loader, page: page, fetched: fetched ?? self.fetched, crawl: finder.crawl))
    }

    /// Reads the page that a 304 confirms.
    func unchanged(_ stored: StoredPage) throws(FeedSyncError) -> LoadedPage {
        let end = try finder.next(afterUnchanged: stored)
        var loaded = loaded(
            PageContent(
                .notModified(stored), skipped: SkippedItems(count: stored.skipped, sameKey: stored.sameKey)),
            end,
            validators: stored.validators.refreshed(by: fetched.response).without(page.secrets))
        loaded.further = finder.further(behind: loaded.end, count: stored.elements)
        return loaded
    }

    /// Reads a page that is not unchanged.
    func read() async throws(FeedSyncError) -> LoadedPage {
        do throws(FeedSyncError) { return try await readOpen() } catch {
            throw error.keeping(fetched.response, to: page)
        }
    }

    private func readOpen() async throws(FeedSyncError) -> LoadedPage {
        if leadsByNoURL {
            var findings = loader.shape.findings
            findings.pagination = nil
            return try await by(loader.following(try ResolvedFeed(loader.shape.declared, findings))).readOpen()
        }
        let isOpen =
            !definition.isResolved || definition.items == nil
            || (page.cursor == nil && definition.hasOpenPagination)
        // Nothing can be discovered from a list that has become empty, and left out the member of its items.
        guard fetched.kind == .content, isOpen, !definition.isResolved || !isEmptyEnvelope else {
            return try decode()
        }
        let discovered = try await discover()
        let before = loader.shape
        let shape = try ResolvedFeed(before.declared, before.findings.adding(discovered.findings))
        let reader = by(loader.following(shape), fetched.adding(discovered))
        var kept = shape.findings
        // An empty list may be an object by name once it has items, as PHP writes it.
        if discovered.itemCount == 0, !shape.definition.isResolved { kept.items = before.findings.items }
        let keptShape = kept == before.findings ? nil : try ResolvedFeed(before.declared, kept)
        var loaded = try reader.decode(shape: keptShape)
        if shape.findings.triedElementCount != before.findings.triedElementCount {
            loaded.end = loaded.end.adding(notice: reader.noticeOfOpenEnd(loaded))
        }
        return loaded
    }

    /// True for a first page whose next page was found to be a URL, as it was null then, and is a token or a number.
    private var leadsByNoURL: Bool {
        let pagination = definition.pagination
        guard fetched.kind == .content, page.cursor == nil, loader.shape.declared.hasOpenPagination,
            pagination.cursorKind == .address, !pagination.endsByAbsence, let path = pagination.bodyPaths.first
        else { return false }
        switch BodyProbe.value(of: fetched.response.body, at: path) {
        case .integer, .real: return true
        case .text(let text): return !text.isEmpty && !text.contains { "/?:.".contains($0) }
        default: return false
        }
    }

    /// Discovers the settings that the definition leaves open.
    private func discover() async throws(FeedSyncError) -> DiscoveryResult {
        // Guesses are not tried while the host asks for no requests.
        let mayTry = page.cursor == nil && fetched.quota.allSatisfy { $0.blockedUntil == nil }
        let discovery = Discovery(
            definition, options: loader.options, salt: loader.salt, span: loader.requests.span,
            meter: loader.fetcher.meter)
        return try await discovery.discover(
            from: fetched, of: page, effort: mayTry ? .search : .signs, known: loader.shape.findings)
    }

    // MARK: - Content

    /// - Parameters:
    ///   - shape: The loader's own shape, if the page changed it.
    ///   - mayGrow: True if the shape may be extended for the page's items.
    private func decode(shape: ResolvedFeed? = nil, mayGrow: Bool = true) throws(FeedSyncError) -> LoadedPage {
        switch fetched.kind {
        // The rule ends the list; items on the page itself still count.
        case .end(let status) where (200..<300).contains(status) && hasItems:
            return try decodeContent(shape: shape, mayGrow: mayGrow, isEnd: true)
        case .end: return loaded(PageContent(.empty, shape: shape), try finder.next(afterEnd: .end()))
        // The page is then requested without overlap.
        case .beyondEnd where page.overlap > 0: return loaded(PageContent(.empty, shape: shape), .end())
        case .beyondEnd:
            // The validators of an error say nothing about a page that may exist later.
            let none = Validators(etag: nil, lastModified: nil)
            return loaded(PageContent(.empty, shape: shape), try finder.nextBeyondLast(), validators: none)
        case .empty, .notModified:
            return loaded(PageContent(.empty, shape: shape), try finder.nextAfterEmpty())
        case .content:
            let decoded =
                definition.isResolved
                ? try? loader.decoder.decode(fetched.response.body, maskKeys: page.maskKeys) : nil
            if decoded == nil, isEmptyEnvelope {
                let end = try finder.next(count: 0, values: valuesOutsideItems)
                return loaded(PageContent(.empty, shape: shape), end)
            }
            return try decodeContent(decoded, shape: shape, mayGrow: mayGrow, isEnd: false)
        }
    }

    /// Reads the page of a response with items.
    ///
    /// - Parameters:
    ///   - known: The decoded body; nil if it was not or cannot be decoded.
    ///   - isEnd: True if a rule of the definition says that the list ends with this page.
    private func decodeContent(
        _ known: DecodedPage? = nil, shape: ResolvedFeed?, mayGrow: Bool, isEnd: Bool
    ) throws(FeedSyncError) -> LoadedPage {
        let decoded: DecodedPage
        let skipped: SkippedItems
        do throws(FeedSyncError) {
            decoded = if let known { known } else { try loader.decoder.decode(page, fetched.response.body) }
            let isNew = shape != nil || decoded.needsNewColumns
            if mayGrow, isNew, decoded.elementCount == 1, let listInItem { throw listInItem }
            if mayGrow, decoded.needsNewColumns {
                let grown = try loader.shape.grown(for: decoded)
                return try by(loader.following(grown)).decode(shape: grown, mayGrow: false)
            }
            skipped = try skippedItems(of: decoded)
            // An error without items is a failed page, not an empty one.
            if decoded.elementCount == 0, let errorInBody { throw errorInBody }
        } catch {
            throw shown(errorInBody ?? error)
        }
        let end =
            isEnd
            ? try finder.next(afterEnd: .end(isStated: true))
            : try finder.next(
                count: decoded.elementCount, values: decoded.bodyValues, lastItem: decoded.lastItemValues,
                edges: definition.pagination.continuesBehindValues ? decoded.edgeItemValues : [],
                elements: definition.items?.keyedBy == nil ? decoded.elementsRange : nil)
        // Without items no columns could be found, and there is nothing to store.
        let items = definition.isResolved ? PageContent.Items.decoded(decoded) : .empty
        var loaded = loaded(
            PageContent(items, skipped: skipped, shape: shape), end.adding(notice: decoded.limitNotice))
        loaded.further = finder.further(
            behind: loaded.end, count: decoded.elementCount, values: decoded.bodyValues)
        return loaded
    }

    /// The items of a page that are not stored. A delta may name an item once for each of its changes, the last one
    /// last.
    private func skippedItems(of decoded: DecodedPage) throws(FeedSyncError) -> SkippedItems {
        var skipped = try decoded.skipped(secrets: page.secrets)
        if case .delta? = loader.requests.span { (skipped.sameKey, skipped.firstSameKey) = (0, nil) }
        return skipped
    }

    /// The content of the page, decoded again with the loader's shape.
    ///
    /// - Parameter known: The content as it was decoded before.
    func contentAgain(
        _ known: PageContent
    ) throws(FeedSyncError) -> PageContent {
        guard known.decoded != nil else { return PageContent(known.items, skipped: known.skipped) }
        do throws(FeedSyncError) {
            var decoded = try loader.decoder.decode(page, fetched.response.body)
            var grown: ResolvedFeed?
            if decoded.needsNewColumns {
                let shape = try loader.shape.grown(for: decoded)
                decoded = try loader.following(shape).decoder.decode(page, fetched.response.body)
                grown = shape
            }
            return PageContent(.decoded(decoded), skipped: try skippedItems(of: decoded), shape: grown)
        } catch {
            throw shown(error).keeping(fetched.response, to: page)
        }
    }

    /// An error of the body, with its request and without secrets.
    private func shown(_ error: FeedSyncError) -> FeedSyncError {
        FeedSyncError(
            error.kind, page.secrets.mask(error.message), advice: error.advice,
            httpStatus: fetched.response.status, url: page.shown(fetched.response.url))
    }

    /// The error in a body without items that came with success.
    private var errorInBody: FeedSyncError? {
        ErrorBody.failure(
            fetched.response, items: definition.items?.path, secrets: page.secrets, mayBeBeyondEnd: page.mayBeBeyondEnd)
    }

    /// The error of a body that was taken for the only item, and now has a list: it may have been an envelope of no
    /// items. An item that gets a list has a new member, so other bodies need no look.
    private var listInItem: FeedSyncError? {
        guard loader.shape.declared.items == nil, let items = definition.items, items.keyedBy == nil,
            let body = try? JSONValue(fetched.response.body, memory: definition.memory)
        else { return nil }
        return DiscoveryFault.listInItem(in: body, of: items.path, url: fetched.response.url)
    }

    /// True if the body has a value at the path of the items.
    private var hasItems: Bool {
        guard definition.isResolved, let items = definition.items else { return false }
        guard !items.path.segments.isEmpty else { return true }
        let body = fetched.response.body
        guard let value = BodyProbe.value(of: body, at: items.path) else { return false }
        // The probe reads a value below a null as null, but items are not there.
        guard value == .null, items.path.segments.count > 1 else { return true }
        return (try? JSONValue(body, memory: definition.memory))?.value(at: items.path) != nil
    }

    /// True if the page is an envelope without the member of its items. Many upstreams leave out an empty list.
    private var isEmptyEnvelope: Bool {
        guard let items = definition.items, items.keyedBy == nil, !items.path.segments.isEmpty, !hasItems,
            errorInBody == nil
        else { return false }
        // A page with the token of a delta may have nothing else.
        let isFirst = page.cursor == nil && loader.token(of: fetched.response) == nil
        return EmptyEnvelope.holds(
            fetched.response.body, items: items.path, isFirst: isFirst, pagination: definition.pagination)
    }

    private var valuesOutsideItems: [JSONScalar?] {
        definition.pagination.bodyPaths.map { BodyProbe.value(of: fetched.response.body, at: $0) }
    }

    // MARK: - The page

    /// - Parameter validators: nil for those of the response.
    private func loaded(
        _ content: PageContent, _ end: NextPage, validators: Validators? = nil
    ) -> LoadedPage {
        var effective = end
        if definition.pageLimit.left(behind: finder.crawl.pages + 1) == 0 { effective.next = nil }
        // A 304 would not report the sign again, nor the doubt.
        let mustAskAgain = end.sign.map { $0.kind != .total } ?? false || end.isDoubtful
        let notice = end.partitionOutcome == .cut ? nil : noticeOfSign(end.sign, isFollowed: end.next != nil)
        // A refusal is not a sign on the page before it.
        let sign = end.sign?.kind == .cap ? nil : end.sign
        let shape = end.next == nil ? noting(sign, in: content.shape) : content.shape
        return LoadedPage(
            page: page, fetched: fetched,
            content: PageContent(content.items, skipped: content.skipped, shape: shape),
            end: effective.adding(notice: notice),
            upstreamNext: end.next,
            validators: mustAskAgain
                ? Validators(etag: nil, lastModified: nil) : validators ?? page.validators(of: fetched.response))
    }

    /// The shape with the sign on the feed's last page; nil if nothing changed.
    private func noting(_ sign: SignOfMore?, in shape: ResolvedFeed?) -> ResolvedFeed? {
        let known = shape ?? loader.shape
        guard definition.part == nil, known.findings.sign != sign?.description else { return shape }
        var findings = known.findings
        findings.sign = sign?.description
        return (try? ResolvedFeed(known.declared, findings)) ?? shape
    }

    /// The notice about a sign on a page, which may lead on; nil for a total, which is reported at the end of the
    /// crawl, and for a refusal, which has a notice already.
    private func noticeOfSign(_ sign: SignOfMore?, isFollowed: Bool) -> String? {
        guard let sign, ![.total, .cap].contains(sign.kind) else { return nil }
        guard sign.kind != .untried else {
            return "\(sign), as a request failed or the host wanted none: the next sync tries again; "
                + "if this is the whole list, write `pagination: none`"
        }
        guard sign.kind != .sameToken else {
            return "\(sign), and the page is as long as the others, so there may be more: a token that stays the same "
                + "cannot be followed; if the list ends there, say so with `more`, `last` or `total` in the feed's "
                + "`pagination`"
        }
        guard !isFollowed, !sign.isOfFailure else {
            return "\(sign), so the upstream left items out: the next sync asks again; if it stays so, "
                + "ask for fewer at once"
        }
        return definition.hasOpenPagination
            ? "\(sign), so there is more, and nothing was found that leads there: "
                + "say how with `pagination` in the feed's definition, or add the feed with --paginate"
            : "\(sign), so there is more, but the pages end here: correct `pagination` if it is that"
    }

    /// The notice about a page that may be the first of several, given once; nil if it looks like the whole list.
    private func noticeOfOpenEnd(_ loaded: LoadedPage) -> String? {
        let end = loaded.end
        guard definition.hasOpenPagination, end.next == nil, end.sign == nil, end.total == nil,
            PaginationInput.usualSizes.contains(loaded.content.elementCount)
        else { return nil }
        return
            "the page has \(loaded.content.elementCount) items, as many as pages often have, and says nothing of others: "
            + "if this is the whole list, write `pagination: none`; if not, say how it goes on"
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

extension ResolvedFeed {
    /// The shape with room for all values of a page's items: more columns and wider ones.
    ///
    /// Items are read one at a time, because all values together would take several times the page's memory.
    ///
    /// - Throws: `FeedSyncError` of kind `undecodable` if an item has too many values.
    fileprivate func grown(for page: DecodedPage) throws(FeedSyncError) -> ResolvedFeed {
        var shape = ItemShape(definition.found)
        for index in 0..<page.elementCount {
            let item: JSONValue
            do throws(JSONSyntaxError) {
                item = try page.value(at: index)
            } catch {
                throw DiscoveryFault.notJSON(error, contentType: nil)
            }
            if let members = item.members { shape.add(members) }
        }
        let names = Set(definition.columns.map(\.name))
        let columns = shape.columns(extending: definition.columns, fixed: names.subtracting(openColumns))
        var findings = findings
        findings.columns = Array(columns.dropFirst(declared.columns.count))
        return try ResolvedFeed(declared, findings)
    }
}
