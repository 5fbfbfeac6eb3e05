internal import HTTP

/// Tries ways to a second page, one request after the other.
struct SecondPageTrials {
    let first: FetchedPage
    let page: PreparedPage
    let definition: FeedDefinition
    let fetcher: Fetcher
    let plan: @Sendable (FeedDefinition) -> RequestPlan

    /// The findings so far.
    var findings = Findings()
    /// The hash of the ways that did not work with this page or a longer one; nil if there are none.
    var triedSigns: String?
    private var trialCount = 0
    private var hasSecondPage = false
    private var missing: MissingItems?
    /// The place of a token for the next page, which a member of the request's body would take; nil if there is none.
    private var tokenPlace: Path?
    private let meter: RequestMeter
    /// The most new items of a page that was tried and could not be placed.
    private(set) var strayItemCount = 0
    /// True if a temporary failure prevented a trial.
    private var hasFailed = false
    /// True if a trial was refused.
    private var isRefused = false
    /// True if no earlier search on such a page found nothing.
    var mayBeUntried = true
    /// The number of searches before in which trials failed.
    var failedSearchesBefore = 0
    /// True if the answer to a way that the page suggests was no list at all, as after a fault of the upstream.
    private var hasOddAnswer = false
    /// True if no more requests are sent because the host could not be reached, or permitted none.
    private var isStopped = false
    private var effort = Discovery.Effort.verify
    /// A page whose items the first page's key does not distinguish.
    private(set) var refutation: PageReading?
    /// The place of items on a second page, among the first page's other candidates.
    private(set) var betterPlace: Path?

    init(
        first: FetchedPage, of page: PreparedPage, definition: FeedDefinition, fetcher: Fetcher,
        meter: RequestMeter, plan: @escaping @Sendable (FeedDefinition) -> RequestPlan
    ) {
        self.first = first
        self.page = page
        self.definition = definition
        self.fetcher = fetcher
        self.meter = meter
        self.plan = plan
    }

    /// True if no other request may be sent.
    private var isSpent: Bool {
        trialCount >= Discovery.mostTrials || isBlocked
    }

    /// Finds the pagination, and states its evidence or the failed trials.
    mutating func findPagination(
        _ structure: StructureSearch, effort: Discovery.Effort
    ) async throws(FeedSyncError) -> Evidence {
        self.effort = effort
        let reading = structure.reading
        let signs = PageSigns(
            body: reading.body, items: structure.items.path, itemCount: reading.elementCount, key: structure.singleKey,
            headers: first.response.headers, request: page.request, isWebFeed: [.atom, .rss].contains(first.format))
        let search = PagingSearch(signs)
        missing = signs.missing
        tokenPlace = page.request.body == nil ? nil : TokenCandidates(page: signs).place
        let wasRefuted = refutation != nil
        let areSignsTried = triedSigns == search.hashOfSigns
        var rejections: [(ways: [String], reason: String)] = []
        // A page of one item suggests no candidate, and may say all the same that it is the only one.
        if search.candidates.isEmpty, !search.isShort, let whole = search.isWhole {
            return Evidence(.pagination, .nothing, "there is one page: \(whole)")
        }
        for candidate in search.candidates {
            // Discovery does not try a written pagination again.
            if candidate.isOpen, effort == .verify { return Evidence(.pagination, .nothing, candidate.evidence) }
            let isCertain = candidate.certainty == .certain
            if isCertain, effort != .verify || !candidate.leadsOn {
                return record(candidate, candidate.evidence)
            }
            if !isCertain, let whole = search.isWhole {
                if search.isShort { noteTried(structure, search) }
                return Evidence(.pagination, .nothing, "there is one page: \(whole)")
            }
            if candidate.certainty == .likely, areSignsTried { continue }
            if candidate.certainty == .guess, effort == .signs || !mayGuess { break }
            guard !isSpent else {
                if isCertain {
                    return record(candidate, "\(candidate.evidence); it was not followed: \(stop)")
                }
                break
            }
            let wasOdd = hasOddAnswer
            defer { if candidate.certainty == .guess { hasOddAnswer = wasOdd } }
            switch try await outcome(of: candidate, structure) {
            case .verified(let first, let proof):
                hasSecondPage = true
                let evidence = "\(candidate.evidence); \(proof)"
                guard effort == .verify, refutation == nil, betterPlace == nil else {
                    return record(candidate, evidence, first: first)
                }
                let larger = try await enlarged(candidate, first: first, structure, signs)
                let all = [evidence, larger.evidence].compactMap(\.self).joined(separator: "; ")
                return record(larger.way, all, first: first)
            case .unverified(let reason) where isCertain:
                return record(candidate, "\(candidate.evidence); it was not followed: \(reason)")
            case .unverified(let reason), .rejected(let reason):
                if let index = rejections.firstIndex(where: { $0.reason == reason }) {
                    rejections[index].ways.append("`\(candidate.yaml())`")
                } else {
                    rejections.append((["`\(candidate.yaml())`"], reason))
                }
            }
            if refutation != nil, !wasRefuted { return nothing(rejections) }
            if betterPlace != nil, structure.items.path != betterPlace { return nothing(rejections) }
        }
        // The lists of a feed share their findings, so that one would speak for another.
        let mayCount = mayBeUntried && definition.part == nil && !search.candidates.isEmpty && mayGuess
        if mayCount, isBlocked || hasFailed || isRefused {
            findings.failedSearchCount = min(failedSearchesBefore + 1, 2)
        }
        // A way whose request failed was not tried, however often. One whose request was refused twice was.
        if !isBlocked, !hasFailed, !isRefused || !mayCount || failedSearchesBefore > 0 {
            // After an odd answer they are tried once more.
            let odd = "\(search.hashOfSigns), odd"
            findings.triedSigns = hasOddAnswer && triedSigns != odd ? odd : search.hashOfSigns
            if effort != .signs || !mayGuess {
                noteTried(structure, search)
            } else if strayItemCount > 0 {
                findings.strayItemCount = strayItemCount
            }
        }
        return nothing(rejections)
    }

    /// A file has no pages: its server is not asked for some that nothing speaks of.
    private var mayGuess: Bool { [.json, .ndjson].contains(first.format) }

    private mutating func noteTried(_ structure: StructureSearch, _ search: PagingSearch) {
        findings.triedElementCount = structure.reading.elementCount
        findings.mayGoOn = search.mayGoOn
        findings.triedKeys = structure.hashOfKeys
        findings.strayItemCount = strayItemCount
    }

    private var stop: String {
        isBlocked ? "the server asked us to wait" : "too many requests were made"
    }

    private var isBlocked: Bool { isStopped || !hasQuotaLeft }

    private var hasQuotaLeft: Bool { !(first.quota + meter.cost.quota).contains { $0.blockedUntil != nil } }

    private func nothing(_ rejections: [(ways: [String], reason: String)]) -> Evidence {
        guard !rejections.isEmpty else {
            let reason = isBlocked ? "; \(stop)" : ""
            return Evidence(.pagination, .nothing, "nothing on the page says how to continue\(reason)")
        }
        let tried = rejections.map { "\($0.ways.joined(separator: ", ")): \($0.reason)" }
        // First, as long texts are cut.
        let advice = tokenPlace.map {
            "; if `\($0)` is the cursor of the next page, "
                + "write `pagination: {style: cursor, param: PLACE, next: \($0)}` "
                + "with its place in the body, such as `variables.after`"
        }
        return Evidence(
            .pagination, .nothing,
            "nothing leads to a second page\(advice ?? ""); tried \(tried.joined(separator: "; "))")
    }

    private mutating func record(_ candidate: PagingCandidate, _ text: String, first: Int? = nil) -> Evidence {
        findings.pagination = candidate.yaml(first: first)
        return Evidence(.pagination, .certain, found: findings.pagination, text)
    }

    /// The result of all findings.
    func discovered(_ evidence: [Evidence], itemCount: Int) -> DiscoveryResult {
        // Findings that cannot be read as pagination were never recorded.
        let settled = try? definition.settled(by: findings)
        return DiscoveryResult(
            findings: findings, evidence: evidence, definition: settled ?? definition, itemCount: itemCount,
            missing: findings.pagination == nil && definition.hasOpenPagination ? missing : nil,
            pages: hasSecondPage ? 2 : 1, cost: meter.cost)
    }
}

/// Requests of further pages.
extension SecondPageTrials {
    /// The answer to a request for a further page.
    enum Answer {
        case page(PageReading)
        /// A page without items, or without their member.
        case empty
        /// No page of this number, as of one after the last.
        case missing
        /// No page; why.
        case nothing(String)
        /// No page, as the upstream does not know the parameter; why.
        case unknown(String)
        /// It may not be requested; why.
        case forbidden(String)
    }

    /// The definition as it would be by a candidate; nil where its text cannot be read.
    func settled(by candidate: PagingCandidate, first: Int? = nil) -> FeedDefinition? {
        var findings = findings
        findings.pagination = candidate.yaml(first: first)
        guard let settled = try? definition.settled(by: findings) else { return nil }
        // A parameter that the user filters by is not overwritten.
        let isFree = settled.pagination.cursorParameters.allSatisfy { PageSigns.mayReplace($0, in: page.request) }
        return isFree ? settled : nil
    }

    /// Requests a page by a candidate.
    ///
    /// - Throws: `FeedSyncError` where nothing can be learned now.
    mutating func fetch(
        _ settled: FeedDefinition, _ cursor: PageCursor?, _ structure: StructureSearch
    ) async throws(FeedSyncError) -> Answer {
        guard !isSpent else { return .nothing(stop) }
        trialCount += 1
        let requests = plan(settled)
        let wanted: PreparedPage
        do throws(FeedSyncError) {
            wanted = try requests.page(for: cursor)
        } catch {
            guard error.kind == .unfollowable else { throw error }
            return .forbidden([error.message, error.advice].compactMap(\.self).joined(separator: "; "))
        }
        let fetched: FetchedPage
        do throws(FeedSyncError) {
            fetched = try await AuthorizedFetcher(requests: requests, fetcher: fetcher)
                .fetch(wanted, validators: nil).result.get()
        } catch {
            return try answer(to: error)
        }
        guard fetched.kind == .content else {
            if fetched.response.status == 204 { hasOddAnswer = true }
            if case .beyondEnd(404) = fetched.kind { return .missing }
            let words = UpstreamText.text(of: fetched.response) ?? ""
            let parameter = settled.pagination.cursorParameters.first { UnknownParameter.isNamed($0, in: words) }
            if let parameter { return .unknown("the upstream does not know `\(parameter)`") }
            if case .beyondEnd = fetched.kind { return .missing }
            return .nothing("there is no such page")
        }
        guard let body = try? JSONValue(fetched.response.body) else { return .nothing("the answer is not JSON") }
        guard let reading = PageReading(body, items: structure.items), !reading.items.isEmpty else {
            betterPlace = betterPlace ?? place(in: body, besides: structure)
            if betterPlace == nil, isEmpty(body, fetched, structure) { return .empty }
            hasOddAnswer = true
            return .nothing("the page has no items")
        }
        // The first page once more shows nothing: its items may have changed in the meantime.
        if refutation == nil, !structure.isSamePage(reading), structure.isRefuted(by: reading) { refutation = reading }
        return .page(reading)
    }

    /// True if an answer is a page without items, and no words of an error.
    private func isEmpty(_ body: JSONValue, _ fetched: FetchedPage, _ structure: StructureSearch) -> Bool {
        guard ErrorBody.failure(fetched.response, secrets: page.secrets, mayBeBeyondEnd: true) == nil else {
            return false
        }
        if body.value(at: structure.items.path)?.elements?.isEmpty == true { return true }
        return !structure.items.path.segments.isEmpty && structure.items.keyedBy == nil
            && EmptyEnvelope.holds(
                fetched.response.body, items: structure.items.path, isFirst: false, pagination: AutoPaginator())
    }

    /// Takes note of new items on a page that is not the next one.
    mutating func noteStray(_ count: Int) { strayItemCount = max(strayItemCount, count) }

    /// The place at which both pages have a list of items, if the chosen one is on the first page alone.
    private func place(in second: JSONValue, besides structure: StructureSearch) -> Path? {
        guard definition.items == nil, structure.items.keyedBy == nil else { return nil }
        let places = ItemsSearch.candidates(in: structure.reading.body, url: first.response.url)
        return places.first { place in
            place.shape == .array && place.path != structure.items.path && place.score > 0
                && !(PageReading(second, items: ItemsRule(path: place.path))?.items.isEmpty ?? true)
        }?.path
    }

    /// The meaning of a failed request for the candidate.
    private mutating func answer(to error: FeedSyncError) throws(FeedSyncError) -> Answer {
        switch error.kind {
        case .undecodable:
            hasOddAnswer = true
            return .nothing(error.message)
        case .rejected, .unfollowable: return .nothing(error.message)
        case .refused:
            isRefused = true
            return .forbidden(error.message)
        case .unreachable where !hasFailed:
            hasFailed = true
            return .forbidden(error.message)
        // A host that fails twice, or wants no request, is left alone: the first page came all the same.
        case .unreachable, .limited:
            isStopped = true
            return .forbidden(error.message)
        default: throw error
        }
    }
}

/// Trials of candidates.
extension SecondPageTrials {
    /// The outcome of a trial.
    enum Outcome {
        /// A second page was found; the number of the first, if pages have one, and the evidence.
        case verified(first: Int?, String)
        /// It could not be tried.
        case unverified(String)
        /// It leads nowhere.
        case rejected(String)
    }

    /// Tries a candidate with as many requests as it takes to be sure.
    mutating func outcome(
        of candidate: PagingCandidate, _ structure: StructureSearch
    ) async throws(FeedSyncError) -> Outcome {
        switch candidate.trial {
        case .follow, .keyset: try await followed(candidate, structure)
        // Some upstreams state numbers from 1 and expect them from 0.
        case .page(let first?) where first != 1 || candidate.isAsked:
            try await numbered(candidate, from: first, structure)
        case .page: try await searched(candidate, structure)
        case .offset: try await passedOver(candidate, structure)
        }
    }

    /// Goes where the first page leads.
    private mutating func followed(
        _ candidate: PagingCandidate, _ structure: StructureSearch
    ) async throws(FeedSyncError) -> Outcome {
        guard let settled = settled(by: candidate) else { return .rejected("it cannot be written as a definition") }
        let end: NextPage
        do throws(PagingError) {
            end = try secondPage(of: settled.pagination, structure)
        } catch {
            return .rejected(error.problem)
        }
        guard let next = end.next else { return .rejected("it leads to no further page") }
        switch try await fetch(settled, PageCursor(page.secrets.conceal(next.text)), structure) {
        case .forbidden(let reason): return .unverified(reason)
        case .missing: return Self.rejection(.missing)
        case .nothing(let reason), .unknown(let reason): return .rejected(reason)
        // The upstream heeded the token, or the first page would have come again.
        case .empty where candidate.certainty != .guess: return .verified(first: nil, "the next page is empty")
        case .empty: return .rejected("the next page is empty")
        case .page(let second):
            let news = news(in: second, structure)
            guard candidate.certainty == .certain ? news.fresh > 0 : news.isAllNew else {
                return rejected(news)
            }
            if candidate.trial == .keyset, turns(second, structure) {
                return .rejected("the next page does not follow the first one")
            }
            if candidate.certainty == .guess, let reason = try await change(structure) { return .rejected(reason) }
            return .verified(first: nil, "the next page brought \(Self.items(news.fresh))")
        }
    }

    /// The page after the first one, by a paginator.
    func secondPage(of style: any Paginator, _ structure: StructureSearch) throws(PagingError) -> NextPage {
        try style.next(
            after: structure.reading.input(
                for: style, headers: first.response.headers, url: first.response.url, secrets: page.secrets))
    }

    /// The reason for which the first page cannot be compared with others: an upstream that answers differently each
    /// time would seem to obey any parameter.
    private mutating func change(_ structure: StructureSearch) async throws(FeedSyncError) -> String? {
        guard case .page(let again) = try await fetch(definition, nil, structure) else {
            return "the first page could not be fetched again"
        }
        let news = news(in: again, structure)
        return news.known > news.fresh ? nil : "the first page is different each time"
    }

    /// Requests the page after the first one, whose number is known.
    private mutating func numbered(
        _ candidate: PagingCandidate, from first: Int, _ structure: StructureSearch
    ) async throws(FeedSyncError) -> Outcome {
        let (number, isBeyond) = first.addingReportingOverflow(1)
        guard !isBeyond, first >= 0 else { return .rejected("there is no page after \(first)") }
        var second = try await asked(candidate, number, from: first, structure)
        if case .missing = second { second = try await asked(candidate, number, from: first, structure) }
        if let end = second.end(number) { return .verified(first: first, end) }
        guard case .page(let reading) = second else { return Self.rejection(second) }
        let news = news(in: reading, structure)
        if news.isAllNew { return .verified(first: first, "page \(number) brought \(Self.items(news.fresh))") }
        // The number in the body may begin at 0 while the one in the URL begins at 1.
        guard first == 0, news.isSame, case .page(let third) = try await asked(candidate, 2, from: 0, structure),
            self.news(in: third, structure).isAllNew
        else { return rejected(news) }
        return .verified(first: 1, "page 1 is the first page, and page 2 brought \(Self.items(third.items.count))")
    }

    /// Finds out the number of the first page.
    private mutating func searched(
        _ candidate: PagingCandidate, _ structure: StructureSearch
    ) async throws(FeedSyncError) -> Outcome {
        var second = try await asked(candidate, 2, from: 0, structure)
        if case .page(let reading) = second {
            let news = news(in: reading, structure)
            guard news.isAllNew else { return rejected(news) }
        }
        if case .unknown(let reason) = second { return .rejected(reason) }
        let answer = try await asked(candidate, 1, from: 0, structure)
        guard case .page(let one) = answer else {
            // Of pages from 0 the second may be as empty as the third.
            guard let end = answer.end(1), second.end(2) != nil,
                case .page(let zero) = try await asked(candidate, 0, from: 0, structure),
                self.news(in: zero, structure).isSame
            else { return Self.rejection(second) }
            return .verified(first: 0, "page 0 is the first page, and \(end)")
        }
        let news = news(in: one, structure)
        if news.isSame {
            // An upstream that ignores the number may fail to find the page once.
            if case .missing = second { second = try await asked(candidate, 2, from: 0, structure) }
            if let end = second.end(2) { return .verified(first: 1, "page 1 is the first page, and \(end)") }
            guard case .page(let reading) = second else { return Self.rejection(second) }
            let others = self.news(in: reading, structure)
            guard others.isAllNew else { return rejected(others) }
            return .verified(
                first: 1, "page 1 is the first page, and page 2 brought \(Self.items(reading.items.count))")
        }
        guard news.isAllNew, case .page(let zero) = try await asked(candidate, 0, from: 0, structure),
            self.news(in: zero, structure).isSame
        else { return .rejected("neither page 0 nor page 1 is the first page") }
        return .verified(first: 0, "page 0 is the first page, and page 1 brought \(Self.items(news.fresh))")
    }

    private mutating func asked(
        _ candidate: PagingCandidate, _ number: Int, from first: Int, _ structure: StructureSearch
    ) async throws(FeedSyncError) -> Answer {
        guard let settled = settled(by: candidate, first: first) else {
            return .nothing("it cannot be written as a definition")
        }
        return try await fetch(settled, PageCursor("\(number)"), structure)
    }

    /// Requests the first page's last item and its successors: that proves the unit of the count, and that no item is
    /// skipped.
    private mutating func passedOver(
        _ candidate: PagingCandidate, _ structure: StructureSearch
    ) async throws(FeedSyncError) -> Outcome {
        let count = structure.reading.elementCount
        guard count > 1 else { return .rejected("one item is too few to tell") }
        guard let settled = settled(by: candidate) else { return .rejected("it cannot be written as a definition") }
        let (last, isBeyond) = candidate.offset.addingReportingOverflow(count - 1)
        guard !isBeyond, last < JSONScalar.mostCount else {
            return .rejected("there cannot be an item beyond this offset")
        }
        let answer = try await fetch(settled, PageCursor("\(last)"), structure)
        if case .unknown(let reason) = answer { return .rejected(reason) }
        guard case .page(let reading) = answer else {
            // Some upstreams return only whole pages; a page's own statement is enough then.
            guard candidate.certainty == .likely,
                case .page(let next) = try await fetch(settled, PageCursor("\(last + 1)"), structure)
            else { return Self.rejection(answer) }
            let news = news(in: next, structure)
            guard news.isAllNew else { return rejected(news) }
            return .verified(first: nil, "offset \(last + 1) brought \(Self.items(news.fresh))")
        }
        var known = structure.reading.keys(structure.keyPaths)
        var keys = reading.keys(structure.keyPaths)
        // Buildbot turns each page round: the oldest page comes first, with its newest item first.
        if let firstKey = known.first, keys.last == firstKey { (known, keys) = (known.reversed(), keys.reversed()) }
        guard let lastKey = known.last, keys.first == lastKey else {
            noteStray(news(in: reading, structure).fresh)
            return .rejected("offset \(last) did not return the first page's last item")
        }
        let rest = Set(keys.dropFirst())
        guard !rest.isEmpty else {
            return .verified(first: nil, "offset \(last) brought the first page's last item alone")
        }
        guard rest.isDisjoint(with: known) else {
            noteStray(rest.subtracting(known).count)
            return .rejected("items of the first page came again")
        }
        return .verified(
            first: nil, "offset \(last) brought the first page's last item and \(Self.items(rest.count))")
    }

    private static func rejection(_ answer: Answer) -> Outcome {
        switch answer {
        case .nothing(let reason), .unknown(let reason), .forbidden(let reason): .rejected(reason)
        case .empty: .rejected("the page has no items")
        case .missing: .rejected("there is no such page")
        case .page: .rejected("the page that came back is not the second one")
        }
    }

    private static func items(_ count: Int) -> String { count.counted("more item") }
}

/// Comparison of a page with the first one.
extension SecondPageTrials {
    /// The difference between a page and the first one.
    struct News {
        let fresh: Int
        let known: Int
        /// True if it is the first page.
        let isSame: Bool

        var isAllNew: Bool { fresh > 0 && known == 0 }
    }

    private func news(in reading: PageReading, _ structure: StructureSearch) -> News {
        let first = structure.reading.keys(structure.keyPaths)
        let keys = reading.keys(structure.keyPaths)
        let known = Set(first)
        let fresh = keys.count { !known.contains($0) }
        return News(fresh: fresh, known: keys.count - fresh, isSame: keys == first)
    }

    private mutating func rejected(_ news: News) -> Outcome {
        noteStray(news.fresh)
        return .rejected(Self.words(for: news))
    }

    private static func words(for news: News) -> String {
        if news.isSame { return "the first page came again" }
        return news.fresh == 0 ? "nothing new came" : "items of the first page came again"
    }

    /// True if keys that rise or fall on the first page do not continue so on the second.
    private func turns(_ second: PageReading, _ structure: StructureSearch) -> Bool {
        let numbers = { (reading: PageReading) in
            reading.items.compactMap { $0.value(at: structure.keyPaths.first ?? .memberName)?.scalar.integer }
        }
        let (before, after) = (numbers(structure.reading), numbers(second))
        guard before.count > 1, let last = before.last, let next = after.first else { return false }
        if zip(before, before.dropFirst()).allSatisfy({ $0 < $1 }) { return next <= last }
        if zip(before, before.dropFirst()).allSatisfy({ $0 > $1 }) { return next >= last }
        return false
    }
}

/// Larger pages.
extension SecondPageTrials {
    /// The sizes to ask for, one after the other while they are honoured. Most upstreams allow 100.
    private static let sizes = [100, 1000]
    /// The most bytes of a page to ask for, as far as the first page tells.
    private static let mostBytes = 512 << 10

    /// The way to the second page with the largest pages that the upstream honours, and the evidence.
    ///
    /// Larger pages mean fewer requests. A request that is refused, or brings a page as long as before, changes
    /// nothing.
    ///
    /// - Throws: `FeedSyncError` if nothing can be learned now.
    mutating func enlarged(
        _ candidate: PagingCandidate, first number: Int?, _ structure: StructureSearch, _ signs: PageSigns
    ) async throws(FeedSyncError) -> (way: PagingCandidate, evidence: String?) {
        let first = structure.reading
        guard page.request.body == nil, first.items.count > 1,
            let style = settled(by: candidate, first: number)?.pagination,
            let parameter = PageSizeParameter.likeliest(
                for: signs, of: style, next: try? secondPage(of: style, structure).next?.text)
        else { return (candidate, nil) }
        var found = (way: candidate, evidence: String?.none)
        let itemSize = max(self.first.response.body.bytes.count / first.items.count, 1)
        for size in Self.sizes where size > first.items.count && size <= Self.mostBytes / itemSize {
            let way = candidate.asking(size, in: parameter)
            guard let settled = settled(by: way, first: number),
                case .page(let page) = try await fetch(settled, nil, structure),
                page.items.count > first.items.count, page.items.count <= size,
                page.keys(structure.keyPaths).starts(with: first.keys(structure.keyPaths))
            else { break }
            let isLimited =
                page.items.count < size && PaginationInput.usualSizes.contains(page.items.count)
                && signs.total?.value.count != page.items.count
            let count = isLimited ? page.items.count : size
            found = (candidate.asking(count, in: parameter), "`\(parameter)=\(size)` brought \(page.items.count)")
            guard page.items.count == size else { break }
        }
        return found
    }
}

extension PagingCandidate {
    /// The candidate with a page size.
    fileprivate func asking(_ size: Int, in parameter: String) -> PagingCandidate {
        var copy = self
        copy.members =
            trial == .offset
            ? members.with("limit_param", parameter == "limit" ? nil : parameter).with("limit", size)
            : members.with("size_param", parameter).with("size", size)
        return copy
    }
}

extension SecondPageTrials.Answer {
    /// The statement that the list ends before the page of a number; nil where the answer does not say so.
    fileprivate func end(_ number: Int) -> String? {
        switch self {
        case .empty: "page \(number) is empty"
        case .missing: "there is no page \(number)"
        default: nil
        }
    }
}

extension PageSigns {
    /// The items beyond the page's own, by its own statement.
    fileprivate var missing: MissingItems? {
        if let total = listTotal, let count = total.value.count {
            return MissingItems(place: total.path.description, total: count)
        }
        guard let total = TotalHeaders.total(in: headers), total.count > itemCount else { return nil }
        return MissingItems(place: total.name, total: total.count)
    }
}

extension JSONScalar {
    /// The number, where 64 bits hold it.
    fileprivate var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }
}
