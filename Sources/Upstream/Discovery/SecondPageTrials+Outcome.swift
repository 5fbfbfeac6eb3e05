internal import HTTP

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
        case .nothing(let reason): return .rejected(reason)
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
        let reading = structure.reading
        return try style.next(
            after: PaginationInput(
                cursor: nil, elementCount: reading.elementCount, crawlElementCount: reading.elementCount,
                values: style.bodyPaths.map { reading.body.value(at: $0)?.scalar },
                lastItemValues: style.itemPaths.map { reading.items.last?.value(at: $0)?.scalar },
                headers: first.response.headers.fields.map { PaginationInput.Header(name: $0.name, value: $0.value) },
                url: first.response.url.text, secrets: page.secrets))
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
        let second = try await asked(candidate, number, from: first, structure)
        if case .empty = second { return .verified(first: first, "page \(number) is empty") }
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
        let second = try await asked(candidate, 2, from: 0, structure)
        if case .page(let reading) = second {
            let news = news(in: reading, structure)
            guard news.isAllNew else { return rejected(news) }
        }
        let answer = try await asked(candidate, 1, from: 0, structure)
        guard case .page(let one) = answer else {
            // Of pages from 0 the second may be as empty as the third.
            guard case .empty = answer, case .empty = second,
                case .page(let zero) = try await asked(candidate, 0, from: 0, structure),
                self.news(in: zero, structure).isSame
            else { return Self.rejection(second) }
            return .verified(first: 0, "page 0 is the first page, and page 1 is empty")
        }
        let news = news(in: one, structure)
        if news.isSame {
            if case .empty = second { return .verified(first: 1, "page 1 is the first page, and page 2 is empty") }
            guard case .page(let reading) = second else { return Self.rejection(second) }
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
        case .nothing(let reason), .forbidden(let reason): .rejected(reason)
        case .empty: .rejected("the page has no items")
        case .page: .rejected("the page that came back is not the second one")
        }
    }

    private static func items(_ count: Int) -> String { "\(count) more \(count == 1 ? "item" : "items")" }
}

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

extension JSONScalar {
    /// The number, where 64 bits hold it.
    fileprivate var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }
}
