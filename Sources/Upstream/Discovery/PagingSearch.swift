internal import HTTP

/// The ways in which a page may lead on.
struct PagingSearch {
    /// Best first.
    let candidates: [PagingCandidate]
    /// The reason for which there is no further page; nil if that is open.
    let isWhole: String?
    /// True if the only reason is that the page has fewer items than requested.
    let isShort: Bool

    /// Weighs the signs of a first page.
    init(_ signs: PageSigns) {
        let certain = signs.selfDescribing
        isWhole = signs.isWhole ?? signs.isShort
        isShort = signs.isWhole == nil && isWhole != nil
        let likely = signs.tokens + signs.counted
        var seen: Set<String> = []
        // Signs of further pages come before signs of the end.
        let sorted = certain.filter(\.leadsOn) + certain.filter { !$0.leadsOn } + likely + signs.guesses
        candidates = sorted.filter { seen.insert($0.counter ?? $0.yaml()).inserted }
    }
}

extension PageSigns {
    /// The page's own statement that it is the only one.
    fileprivate var isWhole: String? {
        if let end = selfDescribing.first, !end.leadsOn { return end.evidence }
        if let flag = first(PagingNames.more, where: { isOfList($0) && $0.value == .bool(false) }) {
            return "`\(flag.path)` says there is no more"
        }
        if let flag = first(PagingNames.last, where: { isOfList($0) && $0.value == .bool(true) }) {
            return "`\(flag.path)` says this is the last page"
        }
        let isEnd = { (sign: Sign) in
            sign.name.words.contains("next") && [.null, .string(""), .bool(false)].contains(sign.value)
        }
        if let token = first(PagingNames.token, where: isEnd), tokens.isEmpty, selfDescribing.isEmpty {
            return "`\(token.path)` is empty"
        }
        if let total, isOfList(total), total.value.count == itemCount, !envelope.isBound(total), !mayBeFull {
            return "`\(total.path)` says \(itemCount), and the page has all of them"
        }
        if let pageCount, isOfList(pageCount), pageCount.value.count == 1 {
            return "`\(pageCount.path)` says there is one page"
        }
        return nil
    }

    /// True if the page may be one of several: it is as long as requested, or as pages often are.
    private var mayBeFull: Bool {
        let asked = parameter(PagingNames.size).flatMap { JSONScalar.text($0.value).count }
        return asked.map { itemCount >= $0 } ?? false || PaginationInput.usualSizes.contains(itemCount)
    }

    /// The reason for which there can be no more without such a statement: the page is shorter than requested.
    fileprivate var isShort: String? {
        guard let size = parameter(PagingNames.size).flatMap({ Int($0.value) }), itemCount < size else { return nil }
        guard selfDescribing.isEmpty, tokens.isEmpty, total == nil, more == nil, pageCount == nil else { return nil }
        return "\(itemCount) came, and \(size) were requested"
    }

    /// The candidates to try without any evidence.
    fileprivate var guesses: [PagingCandidate] {
        // One item, or none, is no page of a list.
        guard itemCount > 1 else { return [] }
        let nothing = "nothing on the page says how to continue"
        let page = PagingCandidate(
            trial: .page(first: nil), members: FlowMapping().with("style", "page").with("param", "page"),
            certainty: .guess, evidence: nothing, counter: "page")
        let offset = PagingCandidate(
            trial: .offset, members: FlowMapping().with("style", "offset").with("param", "offset"), certainty: .guess,
            evidence: nothing, counter: "offset")
        let counters = partnered(because: nothing) + [page, offset]
        guard let key else { return counters }
        return counters
            + ["after", "before", "starting_after", "max_id", "since_id", "after_id"].map {
                keyset($0, from: key, .guess, because: nothing)
            }
    }

    /// The parameter that goes with the one for the size.
    private func partnered(because evidence: String) -> [PagingCandidate] {
        guard let partner else { return [] }
        let members = FlowMapping().with("style", partner.isPage ? "page" : "offset").with("param", partner.name)
        return [
            PagingCandidate(
                trial: partner.isPage ? .page(first: nil) : .offset, members: members, certainty: .guess,
                evidence: evidence, counter: partner.name)
        ]
    }
}
