internal import HTTP
internal import Text

/// The ways in which a page may lead on.
struct PagingSearch {
    /// Best first.
    let candidates: [PagingCandidate]
    /// The reason for which there is no further page; nil if that is open.
    let isWhole: String?
    /// True if the only reason is that the page has fewer items than requested.
    let isShort: Bool
    /// True if the page may be one of several by its length.
    let mayGoOn: Bool

    /// The hash of the ways that the page suggests and that must be tried.
    var hashOfSigns: String {
        var hash = ContentHash()
        for candidate in candidates where candidate.certainty == .likely { hash.add(candidate.yaml().utf8) }
        return hash.digits
    }

    /// Weighs the signs of a first page.
    init(_ signs: PageSigns) {
        let certain = StatedCandidates(page: signs).all
        isWhole = signs.isWhole ?? signs.isShort
        isShort = signs.isWhole == nil && isWhole != nil
        mayGoOn = signs.mayBeFull
        let counted = CountedCandidates(page: signs)
        let tokens = TokenCandidates(page: signs).all
        let likely = tokens + counted.all
        // An item's own value brings the next page by chance only, where a token leads there.
        let guesses = tokens.isEmpty ? counted.guesses : counted.guesses.filter { $0.trial != .keyset }
        var seen: Set<String> = []
        // Signs of further pages come before signs of the end.
        let ends = certain.filter { !$0.leadsOn }
        let sorted = certain.filter(\.leadsOn) + (signs.isOpenFeed ? likely + ends : ends + likely) + guesses
        candidates = sorted.filter { seen.insert($0.counter ?? $0.yaml()).inserted }
    }
}

extension PageSigns {
    /// The page's own statement that it is the only one.
    fileprivate var isWhole: String? {
        let stated = StatedCandidates(page: self).all
        if let end = stated.first, !end.leadsOn, !isOpenFeed { return end.evidence }
        if let flag = first(PagingNames.more, where: { isOfList($0) && $0.value == .bool(false) }) {
            return "`\(flag.path)` says there is no more"
        }
        if let flag = first(PagingNames.last, where: { isOfList($0) && $0.value == .bool(true) }) {
            return "`\(flag.path)` says this is the last page"
        }
        let isBorder = { (sign: Sign) in sign.value.scalar.parameterText.map(PagingNames.isBorder) ?? false }
        let isEnd = { (sign: Sign) in
            sign.name.words.contains("next")
                && ([.null, .string(""), .bool(false)].contains(sign.value) || isBorder(sign))
        }
        if let token = first(PagingNames.token, where: isEnd), stated.isEmpty, TokenCandidates(page: self).all.isEmpty {
            return "`\(token.path)` is \(isBorder(token) ? token.value.json : "empty")"
        }
        if let total, isOfList(total), total.value.count == itemCount, !envelope.isBound(total), !mayBeFull {
            return "`\(total.path)` says \(itemCount), and the page has all of them"
        }
        if let pageCount, isOfList(pageCount), pageCount.value.count == 1 {
            return "`\(pageCount.path)` says there is one page"
        }
        if let header = pageCountHeader, header.count == 1 {
            return "the header `\(header.name)` says there is one page"
        }
        return nil
    }

    /// True if the page may be one of several: it is as long as requested, or as pages often are.
    fileprivate var mayBeFull: Bool {
        let asked = parameter(PagingNames.size).flatMap { JSONScalar.text($0.value).count }
        return asked.map { itemCount >= $0 } ?? false || PaginationInput.usualSizes.contains(itemCount)
    }

    /// The reason for which there can be no more without such a statement: the page is shorter than requested, and not
    /// as long as the pages of a server often are that gives no more than so many.
    fileprivate var isShort: String? {
        guard let size = parameter(PagingNames.size).flatMap({ Int($0.value) }), itemCount < size,
            !PaginationInput.usualSizes.contains(itemCount)
        else { return nil }
        guard total == nil, more == nil, pageCount == nil, StatedCandidates(page: self).all.isEmpty,
            TokenCandidates(page: self).all.isEmpty
        else { return nil }
        return "\(itemCount) came, and \(size) were requested"
    }
}
