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
    private var trialCount = 0
    private var hasSecondPage = false
    private var missing: MissingItems?
    private let meter: RequestMeter
    /// The most new items of a page that was tried and could not be placed.
    private(set) var strayItemCount = 0
    /// True if a temporary failure prevented a trial.
    private var hasFailed = false
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
        let key = structure.keyPaths.count == 1 && structure.keyPaths != [.memberName] ? structure.keyPaths[0] : nil
        let signs = PageSigns(
            body: reading.body, items: structure.items.path, itemCount: reading.elementCount, key: key,
            headers: first.response.headers, request: page.request)
        let search = PagingSearch(signs)
        missing = signs.missing
        let wasRefuted = refutation != nil
        var rejections: [(ways: [String], reason: String)] = []
        // A page of one item suggests no candidate, and may say all the same that it is the only one.
        if search.candidates.isEmpty, !search.isShort, let whole = search.isWhole {
            return Evidence(.pagination, .nothing, "there is one page: \(whole)")
        }
        for candidate in search.candidates {
            let isCertain = candidate.certainty == .certain
            if isCertain, effort != .verify || !candidate.leadsOn {
                return record(candidate, .certain, candidate.evidence)
            }
            if !isCertain, let whole = search.isWhole {
                if search.isShort { noteTried(structure) }
                return Evidence(.pagination, .nothing, "there is one page: \(whole)")
            }
            if candidate.certainty == .guess, effort == .signs || !mayGuess { break }
            guard !isSpent else {
                if isCertain {
                    return record(candidate, .certain, "\(candidate.evidence); it was not followed: \(stop)")
                }
                break
            }
            switch try await outcome(of: candidate, structure) {
            case .verified(let first, let proof):
                hasSecondPage = true
                let evidence = "\(candidate.evidence); \(proof)"
                guard effort == .verify, refutation == nil, betterPlace == nil else {
                    return record(candidate, .certain, evidence, first: first)
                }
                let larger = try await enlarged(candidate, first: first, structure, signs)
                return record(
                    larger.way, .certain, [evidence, larger.evidence].compactMap(\.self).joined(separator: "; "),
                    first: first)
            case .unverified(let reason) where isCertain:
                return record(candidate, .certain, "\(candidate.evidence); it was not followed: \(reason)")
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
        if effort != .signs || !mayGuess, !isBlocked, !hasFailed { noteTried(structure) }
        return nothing(rejections)
    }

    /// A file has no pages: its server is not asked for some that nothing speaks of.
    private var mayGuess: Bool { [.json, .ndjson].contains(first.format) }

    private mutating func noteTried(_ structure: StructureSearch) {
        findings.triedElementCount = structure.reading.elementCount
        findings.triedKeys = structure.hashOfKeys
        findings.strayItemCount = strayItemCount
    }

    private var stop: String {
        isBlocked ? "the server asked us to wait" : "too many requests were made"
    }

    private var isBlocked: Bool { isStopped || (first.quota + meter.cost.quota).contains { $0.blockedUntil != nil } }

    private func nothing(_ rejections: [(ways: [String], reason: String)]) -> Evidence {
        guard !rejections.isEmpty else {
            let reason = isBlocked ? "; \(stop)" : ""
            return Evidence(.pagination, .nothing, "nothing on the page says how to continue\(reason)")
        }
        let tried = rejections.map { "\($0.ways.joined(separator: ", ")): \($0.reason)" }
        return Evidence(
            .pagination, .nothing, "nothing leads to a second page; tried \(tried.joined(separator: "; "))")
    }

    private mutating func record(
        _ candidate: PagingCandidate, _ certainty: Evidence.Certainty, _ text: String, first: Int? = nil
    ) -> Evidence {
        findings.pagination = candidate.yaml(first: first)
        return Evidence(.pagination, certainty, found: findings.pagination, text)
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

extension SecondPageTrials {
    /// The answer to a request for a further page.
    enum Answer {
        case page(PageReading)
        /// A page without items, or without their member; what stands in it.
        case empty(JSONTree)
        /// No page; why.
        case nothing(String)
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
        guard fetched.kind == .content else { return .nothing("there is no such page") }
        guard let body = try? JSONTree(fetched.response.body) else { return .nothing("the answer is not JSON") }
        let items = structure.items
        guard let reading = PageReading(body, items: items.path, isKeyed: items.keyedBy != nil), !reading.items.isEmpty
        else {
            betterPlace = betterPlace ?? place(in: body, besides: structure)
            return betterPlace == nil && isEmpty(body, fetched, structure)
                ? .empty(body) : .nothing("the page has no items")
        }
        // The first page once more shows nothing: its items may have changed in the meantime.
        if refutation == nil, !structure.isSamePage(reading), structure.isRefuted(by: reading) { refutation = reading }
        return .page(reading)
    }

    /// True if an answer is a page without items, and no words of an error.
    private func isEmpty(_ body: JSONTree, _ fetched: FetchedPage, _ structure: StructureSearch) -> Bool {
        guard ErrorBody.failure(fetched.response, secrets: page.secrets) == nil else { return false }
        if body.value(at: structure.items.path)?.elements?.isEmpty == true { return true }
        return !structure.items.path.segments.isEmpty && structure.items.keyedBy == nil
            && EmptyEnvelope.holds(fetched.response.body, isFirst: false, pagination: AutoPaginator())
    }

    /// Takes note of new items on a page that is not the next one.
    mutating func noteStray(_ count: Int) { strayItemCount = max(strayItemCount, count) }

    /// The place at which both pages have a list of items, if the chosen one is on the first page alone.
    private func place(in second: JSONTree, besides structure: StructureSearch) -> Path? {
        guard definition.items == nil, structure.items.keyedBy == nil else { return nil }
        let places = ItemsSearch.candidates(in: structure.reading.body, url: first.response.url)
        return places.first { place in
            place.shape == .array && place.path != structure.items.path && place.score > 0
                && !(PageReading(second, items: place.path, isKeyed: false)?.items.isEmpty ?? true)
        }?.path
    }

    /// The meaning of a failed request for the candidate.
    private mutating func answer(to error: FeedSyncError) throws(FeedSyncError) -> Answer {
        switch error.kind {
        case .rejected, .undecodable, .unfollowable: return .nothing(error.message)
        case .refused: return .forbidden(error.message)
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
