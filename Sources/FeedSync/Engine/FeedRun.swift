internal import Concurrency
internal import HTTP

/// A run, or its part that reads one window: pages are fetched, decoded and stored one after another, in the order that
/// `CrawlRules` gives.
///
/// - Isolation: the store's.
final class FeedRun {
    /// The feed's table and crawl in the store.
    private let writer: FeedWriter
    let requests: RunRequests
    private var loader: PageLoader
    private let now: @Sendable () -> String
    private let publish: @Sendable (StatusEvent) -> Void

    private let command: RequestCommand
    private var mode: CrawlMode
    private var rules: CrawlRules
    /// The first page of a feed with partitions; nil for other feeds.
    private var start: PageCursor?
    private var notices = RunNotices()
    /// The facts about the pages read so far, without the counts of their crawl.
    private var soFar: CrawlSoFar
    /// True if the crawl may meet a synced range, after which it continues elsewhere.
    private var mayMeetRange = true
    /// The number of pages that the crawl had read before it went back to an earlier one.
    private var pagesBefore = 0
    /// The number of pages read when a page last came without the last item of the one before it.
    private var brokenPage: Int?
    /// True if the next page should begin with the last item of the previous one.
    private var comesAgain = false
    /// True if the next page is the first that `more` requests behind a synced range.
    private var isBehindRange = false
    /// The state of the feed when the crawl began.
    private let resumePoint: ResumePoint
    /// True if an earlier window of the run changed anything.
    private var hasChangedBefore = false
    /// True if the last committed page was the end of the list.
    private var isAtEnd = false

    init(
        _ command: RequestCommand, by writer: FeedWriter, loader: PageLoader, gate: CircuitBreaker,
        now: @escaping @Sendable () -> String, publish: @escaping @Sendable (StatusEvent) -> Void,
        launch: @escaping RunRequests.Launch
    ) {
        self.command = command
        self.writer = writer
        requests = RunRequests(of: writer, gate: gate, now: now, launch: launch)
        self.loader = loader.through(gate, countingIn: requests.meter)
        self.now = now
        self.publish = publish
        let definition = loader.definition
        var resumePoint = writer.resumePoint
        resumePoint.isFullDue = definition.isFullCrawlDue(
            after: resumePoint.fullAt, now: Timestamp.milliseconds(of: now()))
        self.resumePoint = resumePoint
        soFar = CrawlSoFar(cap: resumePoint.cap)
        mode = command == .sync ? CrawlMode(definition, resumePoint) : .reload
        rules = CrawlRules(command, CrawlRules.Feed(definition, mode, overlaps: loader.requests.overlap > 0))
    }

    /// Goes on with the run of an earlier window.
    func goOn(after run: FeedRun) {
        notices = run.notices
        hasChangedBefore = run.hasChangedBefore || run.writer.state.hasChanged
    }

    /// Continues with the shape of the feed that a page revealed.
    private func follow(_ shape: ResolvedFeed?) {
        guard let shape else { return }
        loader = loader.following(shape)
        rules.learn(CrawlRules.Feed(shape.definition, mode, overlaps: loader.requests.overlap > 0))
    }

    /// Performs the run, or its part that asks for one window.
    ///
    /// - Returns: nil if another crawl follows: that of the next window, or a full one because a token was too old.
    /// - Throws: `FeedSyncError`. The caller then ends the run with `fail`.
    func perform() async throws(FeedSyncError) -> RunSummary? {
        start = loader.start(of: resumePoint)
        let progress = resumePoint.progress
        mayMeetRange = mode == .all || mode == .since ? progress.round != nil : !progress.synced.isEmpty
        var step = rules.opened(resumePoint)
        if case .end(.noMoreData, _) = step, let event = try committed({ try $0.noteEnd(now: now()) }) {
            publish(event)
        }
        let isHeader = step == .fetch(.header, nil)
        let span = SyncSpan(
            loader.definition.sync, command, mode, resumePoint, isHeader: isHeader,
            now: (Timestamp.milliseconds(of: now()) ?? 0) / 1000)
        if let span { loader = loader.asking(for: span) }
        // The next page may be one too many.
        if case .newest? = span { mayMeetRange = true }
        do throws(FeedSyncError) {
            while true {
                if case .end = step { break }
                step = try await take(step)
                if case .fetch = step { continue }
                requests.drop()
            }
        } catch {
            guard error.isOfOldToken, case .delta? = span else { throw error }
            try await leaveToken(error)
            return nil
        }
        await requests.awaitDropped()
        try spend()
        guard case .end(var outcome, let closing) = step else {
            throw FeedSyncError(.bug, "a run ended without an outcome")
        }
        if outcome == .unchanged, hasChangedBefore { outcome = .ok }
        if let moved = notices.moved, try committed({ try $0.records.state.isNew(address: moved.address) }) {
            notices.add(moved.text)
        }
        notices.add(keptBy: rules)
        let window = closing == nil ? nil : windowEnd(span)
        let (ending, itemCount, seen, hasOnePage) = try writer.finish(
            outcome: outcome, closing: closing, window: window,
            beginsAtStart: Completeness.beginsAtStart(loader.definition.sync, resumePoint), mayReadAgain: mayReadAgain,
            now: now())
        guard window?.window.isLast != false else { return nil }
        let (crawl, metrics) = (writer.state.crawl, writer.state.metrics)
        let reason = Completeness.reason(of: writer.state)
        if reason == nil, hasOnePage, loader.definition.hasOpenPagination {
            let rowsBefore = itemCount - metrics.items.inserted + metrics.items.removed
            let keptBefore = resumePoint.state.crawl.map { rowsBefore - $0.elements } ?? 0
            if keptBefore <= 0 { notices.add(keptBehindPage: itemCount - (crawl?.elements ?? itemCount)) }
        }
        return RunSummary(
            run: Int(writer.run), outcome: ending, figures: metrics, isAtEnd: outcome == .noMoreData || isAtEnd,
            reason: reason, itemCount: itemCount, expectedCount: crawl?.total, seenCount: seen,
            notices: notices.all(
                writer.table.notices, crawl, seen: seen, hasOnePage: hasOnePage, of: loader.definition))
    }

    /// Ends a crawl whose token is too old. The run goes on with a full crawl.
    private func leaveToken(_ error: FeedSyncError) async throws(FeedSyncError) {
        requests.drop()
        await requests.awaitDropped()
        if let event = try writer.leaveToken(error, cost: requests.meter.take(), now: now()) { publish(event) }
        notices.add(unknownToken: error)
    }

    /// True if the next sync may read again what this one read: it has requests for that and for what is new.
    private var mayReadAgain: Bool {
        guard !requests.isQuotaLow, let left = loader.requestsLeft else { return !requests.isQuotaLow }
        return resumePoint.progress.round == nil && left >= writer.state.metrics.requests
    }

    private func windowEnd(_ span: SyncSpan?) -> WindowEnd? {
        guard case .since(let rule) = loader.definition.sync, let window = span?.window else { return nil }
        return WindowEnd(window, of: rule, resumePoint)
    }

    /// Takes a step, and returns the next one.
    private func take(_ step: CrawlRules.Step) async throws(FeedSyncError) -> CrawlRules.Step {
        switch step {
        case .fetch(let direction, let cursor): return try await page(direction, cursor)
        case .goOn(let crawl, let number):
            let place = try committed { try $0.goOn(crawl, from: number, isProved: command == .sync) }
            pagesBefore = max(number == nil ? 0 : place.pages, pagesBefore)
            isBehindRange = number == nil
            soFar.before = nil
            // The page that the end of the range leads to has not been read yet.
            mayMeetRange = writer.state.mayMeetRange
            return try await page(.footer, place.cursor)
        case .readHeadAgain: return try await readHeadAgain()
        case .readThrough:
            mayMeetRange = true
            return try await page(.header, nil)
        case .examine:
            var facts = try committed { try $0.examine() }
            facts.requestsLeft = loader.requestsLeft
            facts.isQuotaLow = requests.isQuotaLow
            return rules.examined(facts)
        case .findMissing:
            if let next = try committed({ try $0.list.cursorBehindEnd() }), let step = rules.found(behindEnd: next) {
                return step
            }
            let isProved = rules.isProved
            let (pages, isUnclear) = try committed { try $0.list.pagesBesideMissing(isProved: isProved) }
            return rules.found(missingBeside: pages, isUnclear: isUnclear)
        case .check(let page):
            let result = try await check(page)
            if rules.countsAsRead(result) { writer.reads.readAgain(page) }
            guard rules.isRemoving, case .shifted(let items, _) = result else { return rules.checked(page, result) }
            return rules.checked(
                page, result, pushedTo: try committed { try $0.list.pages(behind: page, holding: items) })
        case .lookBehindEnd(let next): return try await look(behindEnd: next)
        case .end: return step
        }
    }

    /// Ends the run with an error, and closes the begun event.
    ///
    /// - Throws: The error, or that of the store if it cannot be written.
    func fail(_ error: FeedSyncError) async throws(FeedSyncError) -> Never {
        requests.drop()
        await requests.awaitDropped()
        let event = try writer.fail(error, outcome: rules.failed(error), cost: requests.meter.take(), now: now())
        if let event { publish(event) }
        throw error
    }

    /// Runs `body` on committed data.
    private func committed<Result>(_ body: (FeedWriter) throws -> Result) throws(FeedSyncError) -> Result {
        try writer.committed { try body(writer) }
    }

    /// Adds the cost of the requests since the last commit to the run.
    private func spend() throws(FeedSyncError) {
        let cost = requests.meter.take()
        guard !cost.isEmpty else { return }
        do throws(FeedSyncError) { try committed { try $0.spend(cost) } } catch {
            // The requests were made all the same.
            requests.meter.add(cost)
            throw error
        }
    }

    // MARK: - Pages

    private func page(
        _ direction: PageDirection, _ cursor: PageCursor?
    ) async throws(FeedSyncError) -> CrawlRules.Step {
        try await loader.requests.runCommands()
        let crawl = direction == .header ? nil : writer.state.crawl
        // Problems of the definition are found before anything begins.
        let prepared = try prepare(cursor, behind: crawl)
        // A footer may have begun with the commit of the previous page.
        if writer.state.openDirection == nil { publish(try committed { try $0.begin(direction, now: now()) }) }
        var loaded = try await loadOverlapping(prepared, cursor, behind: crawl)
        if loaded.end.partitionOutcome == .tooMany { loaded = try await loadHalf(of: loaded, direction, behind: crawl) }
        let known = loader
        follow(loaded.content.shape)
        if crawl == nil, loader.isTooShort(loaded.content.elementCount) { loader = loader.withoutOverlap() }
        if direction == .header { try readWholeListIfShort(loaded) }
        let overlap = loaded.overlap(behind: crawl?.lastKeys)
        let border = CrawlRules.Border(
            number: (crawl?.pages ?? 0) + 1, total: start != nil ? nil : loaded.end.total,
            totalBefore: crawl?.total, overlaps: overlap == .unknown ? nil : overlap.map { $0 != .broken },
            crawl: crawl?.id ?? 0)
        if let step = rules.came(border) {
            try spend()
            // The page is not stored. Its shape will be new again when the page is read again.
            if loaded.content.shape != nil { loader = known }
            return step
        }
        // An unchanged first page shows that all behind it is older, unless the sync before did not meet all of that.
        let before = resumePoint.progress
        let isSameHead =
            direction == .header && resumePoint.state.isComplete && before.round == nil && before.reached == nil
        let isOlder = loader.isOlder(loaded, isSameHead: isSameHead)
        if isOlder { loaded.end = .end(total: loaded.end.total, notice: loaded.end.notice) }
        try await lookBehindCount(&loaded, crawl)
        if rules.isReadingHeadAgain, let page = loaded.content.decoded {
            rules.head(hasMovedUp: try committed { try $0.hasMovedUp(page, isFirst: false) })
        }
        soFar.emptyPages = loaded.content.elementCount == 0 ? soFar.emptyPages + 1 : 0
        // An error can mean the end only for a page whose cursor was computed.
        let pagination = loader.definition.pagination
        soFar.before = pagination.mayAskBeyondEnd || pagination.continuesBehindValues ? loaded : nil
        let wantsNext = rules.wantsNext
        // No request is sent that a synced range may make unnecessary.
        if wantsNext, !mayMeetRange {
            try await requests.send(
                behind: loaded, pages: crawl?.pages ?? 0, pagesWanted: rules.pagesWanted, by: loader)
        } else {
            requests.drop()
        }
        var commit = pageCommit(loaded, direction, wantsNext: wantsNext)
        commit.page.isOlder = isOlder
        let repeatsLast = try repeatsLast(loaded, behind: crawl)
        commit.page.overlap = overlap == .exact || overlap == .unknown || repeatsLast ? 1 : 0
        commit.page.showsPageBefore = border.overlaps == true
        commit.page.isAgain = (crawl?.pages ?? 0) < pagesBefore || direction == .header && rules.isReadingHeadAgain
        commit.page.isLoose = isBehindRange && rules.isLoose(border)
        isBehindRange = false
        return try self.commit(commit, loaded)
    }

    /// The request for a page, which may be under way.
    private func prepare(_ cursor: PageCursor?, behind crawl: CrawlState?) throws(FeedSyncError) -> PreparedPage {
        // If the upstream gives fewer items than requested, one repeated item would be a large share.
        if let crawl, loader.isTooShort(crawl.mostElements) {
            loader = loader.withoutOverlap()
        } else if let asked = requests.next(cursor) {
            return asked
        }
        return try loader.requests.page(for: cursor ?? start)
    }

    /// Loads a page that may begin with the last item of the page before it, and loads it again without that item if
    /// the upstream does not begin there.
    private func loadOverlapping(
        _ prepared: PreparedPage, _ cursor: PageCursor?, behind crawl: CrawlState?
    ) async throws(FeedSyncError) -> LoadedPage {
        let loaded = try await load(prepared, after: crawl)
        let isBroken = loaded.overlap(behind: crawl?.lastKeys) == .broken
        let isBrokenAgain = isBroken && (command != .sync || brokenPage == crawl?.pages)
        if isBroken { brokenPage = crawl?.pages }
        guard loaded.isOverlapRefused || isBrokenAgain else { return loaded }
        // Some upstreams cannot begin a page at any item or serve one item more.
        try spend()
        requests.drop()
        loader = loader.withoutOverlap()
        return try await load(try loader.requests.page(for: cursor ?? start), after: crawl)
    }

    /// Loads a part of a partition that has more items than the upstream serves: its half, or a half of that. The page
    /// of the whole is not stored.
    private func loadHalf(
        of whole: LoadedPage, _ direction: PageDirection, behind crawl: CrawlState?
    ) async throws(FeedSyncError) -> LoadedPage {
        var loaded = whole
        while loaded.end.partitionOutcome == .tooMany, let half = loaded.end.next {
            try spend()
            try committed { try $0.narrow(to: half, isFirst: direction == .header) }
            loaded = try await load(try loader.requests.page(for: half), after: crawl)
        }
        return loaded
    }

    /// Goes on behind a page that only a count calls the last one, if the page there has items that the crawl has not
    /// met. If that page cannot be requested, or its request fails, the next sync does it.
    private func lookBehindCount(_ loaded: inout LoadedPage, _ crawl: CrawlState?) async throws(FeedSyncError) {
        guard let next = loaded.end.behindCount, let crawl else { return }
        let keys = loaded.content.keys
        let stored = try writer.pending { try writer.records.storedPages.newest(loaded.page.key) }
        let isAsBefore = stored.map { $0.keys == keys && $0.total == loaded.end.total } ?? false
        let counted = rules.countedEnd(
            onPage: crawl.pages + 1,
            isChecked: isAsBefore && stored?.cursor == nil && resumePoint.progress.checkedEnd == next,
            ledOn: isAsBefore && stored?.cursor == next, mayRequest: loader.requestsLeft != 0)
        switch counted {
        case .believed: return
        case .unchecked: return loaded.leaveEndUnchecked()
        case .toGoOn: return loaded.lead(to: next)
        case .toCheck where requests.isQuotaLow:
            writer.reads.behindEnd = .unknown(isOfPage: false)
            return loaded.leaveEndUnchecked()
        case .toCheck: break
        }
        var soFar = soFar.with(crawl, before: next, isPartitioned: false)
        soFar.pages += 1
        soFar.elements += loaded.content.elementCount - min(loaded.page.overlap, loaded.content.elementCount)
        soFar.before = loaded
        do throws(FeedSyncError) {
            let behind = try await probe(next, after: soFar, by: loader.withoutRetries())
            if let sign = behind.end.sign, sign.kind == .cap {
                loaded.end.sign = sign
                return
            }
            let known = Set(PageKeys.texts(keys))
            let others = PageKeys.texts(behind.content.keys).filter { !known.contains($0) }
            guard !others.isEmpty else {
                loaded.checkedEnd = next
                return
            }
            // Pages may have been requested out of order.
            guard try writer.pending({ try writer.list.meaning(ofKeysBehindEnd: others) }) != .nothing else {
                return loaded.leaveEndUnchecked()
            }
            loaded.lead(to: next)
        } catch {
            guard error.kind.isOfRequest, !Task.isCancelled else { throw error }
            let answer = Completeness.BehindEnd(error)
            guard answer != .nothing else {
                loaded.checkedEnd = next
                return
            }
            writer.reads.behindEnd = answer
            loaded.leaveEndUnchecked()
        }
    }

    /// Requests a page that may not be there. Nothing of it is stored.
    private func probe(
        _ cursor: PageCursor, after soFar: CrawlSoFar, by loader: PageLoader
    ) async throws(FeedSyncError) -> LoadedPage {
        let fetch = try await requests.fetch(try loader.requests.page(for: cursor), by: loader)
        return try await requests.read(fetch, after: soFar, by: loader)
    }

    /// Turns the run into a full crawl if its first page shows that a long list has become short.
    private func readWholeListIfShort(_ first: LoadedPage) throws(FeedSyncError) {
        guard mode == .new, !first.content.isNotModified else { return }
        let stored = try writer.pending { try writer.records.storedPages.newest(first.page.key) }
        // A page with other items may always be short: the one of today.
        let before = stored.flatMap { stored in
            Set(PageKeys.texts(stored.keys)).isSuperset(of: PageKeys.texts(first.content.keys)) ? stored.elements : nil
        }
        guard
            mode.hasShortList(
                loader.definition, first.content.elementCount, before: before, isEnd: first.end.next == nil)
        else { return }
        mode = .all
        mayMeetRange = resumePoint.progress.round != nil
        rules.learn(CrawlRules.Feed(loader.definition, mode, overlaps: loader.requests.overlap > 0))
    }

    /// True if a page begins with the last item of the previous one because `keyset` went on before that item.
    private func repeatsLast(_ loaded: LoadedPage, behind crawl: CrawlState?) throws(FeedSyncError) -> Bool {
        defer { comesAgain = loaded.end.comesAgain }
        let definition = loader.definition
        guard let crawl, definition.pagination.continuesBehindValues, definition.partitioning == nil else {
            return false
        }
        if loaded.beginsWithLast(of: crawl.lastKeys) {
            // A newer head may have led here, in place of the page that ends with the item.
            return try writer.pending { try writer.list.leads(to: loaded.page.cursor) }
        }
        if comesAgain { notices.add(outOfOrder: definition) }
        return false
    }

    private func load(_ page: PreparedPage, after crawl: CrawlState?) async throws(FeedSyncError) -> LoadedPage {
        let fetch = try await requests.response(for: page, by: loader)
        let soFar = soFar.with(
            crawl, before: page.cursor, isPartitioned: loader.definition.partitioning != nil)
        return try await requests.read(fetch, after: soFar, continuing: crawl != nil, by: loader)
    }

    /// The page for the store.
    private func pageCommit(_ loaded: LoadedPage, _ direction: PageDirection, wantsNext: Bool) -> PageCommit {
        let response = loaded.fetched.response
        var page = CrawlPage(
            direction, end: loaded.end, upstreamNext: loaded.upstreamNext, httpStatus: response.status)
        page.mode = mode
        page.asked = loaded.page.cursor
        if loader.definition.partitioning != nil {
            page.partition = PartitionScheme.partitionName(in: loaded.page.cursor)
        }
        page.asksNewest = loader.isNewestFirst
        page.furthest = loader.token(of: loaded) ?? loaded.content.decoded?.furthest?.json
        page.readsThrough = rules.isReadingThrough
        (page.checkedEnd, page.hasUncheckedEnd) = (loaded.checkedEnd, loaded.hasUncheckedEnd)
        var commit = PageCommit(
            page, content: loaded.content, key: loaded.page.key, validators: loaded.validators,
            serverDate: loaded.fetched.serverDate, beginsNext: wantsNext)
        commit.waited = requests.waited
        commit.watermark = loader.requests.span?.stored
        // The polling advice of other pages is not used.
        if direction == .header { commit.advice = PollingAdvice(response) }
        return commit
    }

    private func commit(_ commit: PageCommit, _ loaded: LoadedPage) throws(FeedSyncError) -> CrawlRules.Step {
        let committed = try store(commit, loaded)
        // The total of one of many lists is not that of the feed.
        if loader.definition.part == nil, let crawl = writer.state.crawl, let total = crawl.total {
            loader.options.onActivity(.read(crawl.elements, of: total))
        }
        isAtEnd = writer.state.progress.isAtEnd(after: committed.onward)
        notices.note(loaded, of: loader.definition)
        if let crawl = writer.state.crawl {
            // An unchanged page still has the counts with which it was stored.
            if loaded.content.isNotModified, loaded.end.next != nil, mode != .since {
                soFar.counts = resumePoint.progress.counts.updated(by: soFar.counts)
            }
            if let read = loaded.end.counts { soFar.counts = soFar.counts.updated(by: read) }
            soFar.crawls[crawl.id] = ReadCounts(pages: crawl.pages, elements: crawl.elements)
        }
        return rules.committed(committed)
    }

    /// Stores a page, with the cost of all requests so far. It is committed with the pages that follow soon.
    private func store(_ commit: PageCommit, _ loaded: LoadedPage) throws(FeedSyncError) -> CrawlRules.Committed {
        // The store follows the latest intent: a page that arrives too late is not committed.
        guard !Task.isCancelled else { throw .cancelled }
        var commit = commit
        commit.cost = requests.meter.take()
        do throws(FeedSyncError) {
            while true {
                if let committed = try writer.add(commit, now: now(), publish: publish) { return committed }
                // Another list of the feed has found new columns since this list's columns were read.
                follow(try writer.pending { try writer.table.catchUp() })
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

    // MARK: - Pages that are requested again

    /// Requests a page of the crawl again, and stores it if it has gained items.
    private func check(_ place: PageOfCrawl) async throws(FeedSyncError) -> PageComparison {
        let cursor = try committed { try $0.cursor(of: place) }
        // A page that was read again since then has lost its place.
        guard cursor != nil || place.number == 1 && start == nil else { return .outgrown }
        let prepared = try loader.requests.page(for: cursor)
        let fetch = try await requests.fetch(prepared, by: loader)
        let soFar = try soFar(before: place, known: fetch.stored)
        let loaded: LoadedPage
        do throws(FeedSyncError) { loaded = try await requests.read(fetch, after: soFar, by: loader) } catch {
            // The page is gone or its cursor has expired: the list has changed, and the next sync reads it.
            guard error.kind.isOfAnswer else { throw error }
            return .outgrown
        }
        let page = loaded.content.decoded
        var result: PageComparison =
            loaded.content.isNotModified
            ? .same
            : try committed { try $0.compare(page, loaded.end, at: place, known: fetch.stored) }
        if result.hasSameItems, rules.isProving,
            try !committed({ try $0.records.pages.isRecord(fetch.stored, of: place) })
        {
            result = .overtaken(isLast: loaded.end.next == nil)
            // It is a page of a later crawl by now, and shows the present items.
            writer.reads.readAgain(place)
        }
        switch result {
        case .same:
            note(page?.keys, fetch)
            try keep(fetch.stored, loaded)
            try committed { try $0.markChecked(place, isSame: true) }
        case .shifted, .overtaken:
            note(page?.keys, fetch)
            // The new items at the head are read there.
            try spend()
            try committed { try $0.markChecked(place, isSame: false) }
        case .outgrown:
            // Its items are left to the next crawl; the stored page does not change.
            try spend()
        case .revised, .changed, .pushedDown, .movedUp, .detached:
            try commit(loaded, asPage: place.number)
            if result == .revised { try committed { try $0.markChecked(place, isSame: true) } }
        }
        return result
    }

    /// Requests the page to which the list led on before, behind its end. None of its items is stored, and its failure
    /// does not fail the run: the list has been read. Items that came since may have pushed others there that the crawl
    /// met, so the pages behind it are requested, too. The next sync looks again.
    private func look(behindEnd next: PageCursor) async throws(FeedSyncError) -> CrawlRules.Step {
        let loader = loader.withoutRetries()
        let pages = try committed { try $0.list.pageCount() }
        let known = writer.state.crawl
        let soFar = CrawlSoFar(fullPageCount: known?.mostElements ?? 0, cap: known?.cap ?? resumePoint.cap)
        var answer = Completeness.BehindEnd.nothing
        do throws(FeedSyncError) {
            var next: PageCursor? = next
            while let cursor = next {
                let loaded = try await probe(cursor, after: soFar, by: loader)
                next = loaded.upstreamNext
                let keys = PageKeys.texts(loaded.content.keys)
                answer = try committed { try $0.list.meaning(ofKeysBehindEnd: keys) }
                guard answer == .nothing else { break }
                let wasAsked = try committed { writer in try next.map(writer.list.hasAsked(for:)) ?? true }
                guard !keys.isEmpty, !wasAsked, !rules.hasLookedEnough else { break }
                guard rules.looksFurther() else {
                    answer = .unknown(isOfPage: false)
                    break
                }
            }
        } catch {
            guard error.kind.isOfRequest, !Task.isCancelled else { throw error }
            answer = Completeness.BehindEnd(error)
        }
        try spend()
        writer.reads.behindEnd = answer
        let keepsRows = answer.keepsRows(
            after: writer.state.progress.suspectEnd, added: writer.state.metrics.items.inserted)
        if keepsRows { notices.add(behindEnd: answer, pages: pages, of: loader.definition.owner) }
        return rules.looked(keepsRows: keepsRows)
    }

    /// Requests the first page again without events. If it has changed, a new crawl begins with it.
    private func readHeadAgain() async throws(FeedSyncError) -> CrawlRules.Step {
        let prepared = try loader.requests.page(for: start)
        let fetch: PageFetch
        let loaded: LoadedPage
        do throws(FeedSyncError) {
            fetch = try await requests.fetch(prepared, by: loader)
            loaded = try await requests.read(fetch, after: CrawlSoFar(cap: resumePoint.cap), by: loader)
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
        // Items that came since at the end count only in the later total.
        let total = loaded.end.total.map { min($0, fetch.stored?.total ?? $0) }
        if isSame {
            note(nil, fetch)
            try keep(fetch.stored, loaded)
            return rules.headIsSame(total: total)
        }
        // Other values move no item: some lists have a new address for each image, or count each request.
        if let page, page.keys == fetch.stored?.keys, loaded.upstreamNext == fetch.stored?.cursor {
            try commit(loaded, asPage: 1)
            return rules.headIsSame(hasChanged: true, total: total)
        }
        rules.head(hasMovedUp: try committed { try $0.hasMovedUp(page, isFirst: true) })
        follow(loaded.content.shape)
        publish(try committed { try $0.begin(.header, now: now()) })
        mayMeetRange = true
        var commit = pageCommit(loaded, .header, wantsNext: true)
        commit.page.isAgain = true
        return try self.commit(commit, loaded)
    }

    /// Records the cost and the validators of a page that came again unchanged.
    private func keep(_ page: StoredPage?, _ loaded: LoadedPage) throws(FeedSyncError) {
        try spend()
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
    private func note(_ keys: String?, _ fetch: PageFetch) {
        writer.reads.note(fetch.page.key, keys: keys, stored: fetch.stored?.keys)
    }

    /// The state of the crawl before a page: of its partition if the feed has partitions, else of all but the last
    /// page.
    private func soFar(before place: PageOfCrawl, known: StoredPage?) throws(FeedSyncError) -> CrawlSoFar {
        let crawl = writer.state.crawl
        var soFar = CrawlSoFar(fullPageCount: crawl?.mostElements ?? 0, cap: crawl?.cap ?? resumePoint.cap)
        if loader.definition.partitioning != nil {
            (soFar.elements, soFar.total) = try committed { try $0.list.partitionSoFar(before: place) }
        } else if let crawl, place.crawl == crawl.id, place.number >= crawl.pages {
            soFar.elements = max(crawl.elements - (known?.elements ?? 0), 0)
        }
        return soFar
    }

    /// Commits a page that was requested again, and is still the page of that number. In the log, it begins as the
    /// crawl's next page, which tells it from a page that was read once.
    private func commit(_ loaded: LoadedPage, asPage number: Int) throws(FeedSyncError) {
        follow(loaded.content.shape)
        publish(try committed { try $0.begin(.footer, now: now()) })
        var commit = pageCommit(loaded, .footer, wantsNext: false)
        commit.page.checked = number
        _ = try store(commit, loaded)
        notices.note(loaded, of: loader.definition)
    }
}
