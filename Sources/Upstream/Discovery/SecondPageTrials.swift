internal import HTTP

/// Tries ways to a second page, one request after the other.
struct SecondPageTrials {
    let first: FetchedPage
    let page: PreparedPage
    let definition: FeedDefinition
    let fetcher: Fetcher
    let plan: @Sendable (FeedDefinition) -> RequestPlan

    /// What was found so far.
    var findings = Findings()
    private var trialCount = 0
    private var hasSecondPage = false
    private var missing: MissingItems?
    private let meter: RequestMeter
    /// Whether a failure that may pass kept a way from being tried.
    private var hasFailed = false
    /// Whether the host is asked no more because it could not be reached, or wanted no request.
    private var isStopped = false
    private var effort = Discovery.Effort.verify
    /// A page in which the first page's key tells nothing apart.
    private(set) var refutation: PageReading?
    /// Where a second page has items, of the places where the first has some, though not where they were looked for.
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

    /// Whether another request may go out.
    private var isSpent: Bool {
        trialCount >= Discovery.mostTrials || isBlocked
    }

    /// Finds the pagination, and says what speaks for it or what was tried.
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
        for candidate in search.candidates {
            let isCertain = candidate.certainty == .certain
            if isCertain, effort != .verify || !candidate.leadsOn {
                return record(candidate, .certain, candidate.evidence)
            }
            if !isCertain, let whole = search.isWhole {
                findings.triedElementCount = search.isShort ? reading.elementCount : nil
                return Evidence(.pagination, .nothing, "there is one page: \(whole)")
            }
            if candidate.certainty == .guess, effort == .signs { break }
            guard !isSpent else {
                if isCertain {
                    return record(candidate, .certain, "\(candidate.evidence); it was not followed: \(stop)")
                }
                break
            }
            switch try await outcome(of: candidate, structure) {
            case .verified(let first, let proof):
                hasSecondPage = true
                return record(candidate, .certain, "\(candidate.evidence); \(proof)", first: first)
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
        if effort != .signs, !isBlocked, !hasFailed { findings.triedElementCount = reading.elementCount }
        return nothing(rejections)
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

    /// What all of it comes to.
    func discovered(_ evidence: [Evidence], itemCount: Int) -> DiscoveryResult {
        // What cannot be read as pagination was never recorded.
        let settled = try? definition.settled(by: findings)
        return DiscoveryResult(
            findings: findings, evidence: evidence, definition: settled ?? definition, itemCount: itemCount,
            missing: findings.pagination == nil && definition.hasOpenPagination ? missing : nil,
            pages: hasSecondPage ? 2 : 1, cost: meter.cost)
    }
}

extension SecondPageTrials {
    /// What a request for a further page brought.
    enum Answer {
        case page(PageReading)
        /// No page, or none with items; why.
        case nothing(String)
        /// It may not be requested; why.
        case forbidden(String)
    }

    /// The definition as it would be by a candidate; nil where its text cannot be read.
    func settled(by candidate: PagingCandidate, first: Int? = nil) -> FeedDefinition? {
        var findings = findings
        findings.pagination = candidate.yaml(first: first)
        return try? definition.settled(by: findings)
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
            return .nothing("the page has no items")
        }
        if refutation == nil, structure.isRefuted(by: reading) { refutation = reading }
        return .page(reading)
    }

    /// Where both pages have a list of items, if the one that was taken for it is on the first page alone.
    private func place(in second: JSONTree, besides structure: StructureSearch) -> Path? {
        guard definition.items == nil, structure.items.keyedBy == nil else { return nil }
        let places = ItemsSearch.candidates(in: structure.reading.body, url: first.response.url)
        return places.first { place in
            place.shape == .array && place.path != structure.items.path && place.score > 0
                && !(PageReading(second, items: place.path, isKeyed: false)?.items.isEmpty ?? true)
        }?.path
    }

    /// What a failed request says of the way that was tried.
    private mutating func answer(to error: FeedSyncError) throws(FeedSyncError) -> Answer {
        switch error.kind {
        case .rejected, .undecodable, .unfollowable: return .nothing(error.message)
        case .refused: return .forbidden(error.message)
        case .unreachable where error.httpStatus != nil:
            hasFailed = true
            return .forbidden(error.message)
        case .unreachable, .limited:
            guard effort != .verify else { throw error }
            isStopped = true
            return .forbidden(error.message)
        default: throw error
        }
    }
}

extension PageSigns {
    /// What the page says there is besides its own items.
    fileprivate var missing: MissingItems? {
        if let total = listTotal, let count = total.value.count {
            return MissingItems(place: total.path.description, total: count)
        }
        guard let total = TotalHeaders.total(in: headers), total.count > itemCount else { return nil }
        return MissingItems(place: total.name, total: total.count)
    }
}
