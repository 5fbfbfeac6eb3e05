internal import HTTP

/// The candidates from numbers in the body, the headers and the URL, and from the value of the last item.
struct CountedCandidates {
    typealias Sign = PageSigns.Sign

    let page: PageSigns

    static let pageParameters: Set<String> = [
        "page", "p", "pageno", "pagenumber", "pagenum", "paged", "pn", "pageindex", "curpage", "currentpage", "index",
        "number",
    ]
    static let offsetParameters: Set<String> = [
        "offset", "start", "skip", "startindex", "startat", "from", "startrow", "firstresult",
        "resultoffset", "sysparmoffset", "beginindex",
    ]
    private static let keysetParameters: Set<String> = [
        "after", "since", "sinceid", "maxid", "startingafter", "afterid", "beforeid", "cursor", "lastid",
    ]

    /// All of them, likeliest first.
    var all: [PagingCandidate] {
        let pages = numbered
        let offsets = offset
        // An offset in the request or the response makes page numbers unlikely.
        let prefersOffset =
            page.counter(Self.offsetParameters) != nil
            || page.partner.map { !$0.isPage } == true && page.pageCount == nil
            || page.counter(Self.pageParameters) == nil && (offsetSign != nil || isElasticsearch)
        let numbers = prefersOffset ? offsets + pages : pages + offsets
        return inPath + keyset + numbers + others
    }

    /// The page number in the path of the URL.
    private var inPath: [PagingCandidate] {
        guard let counter = PathCounter.found(in: page.url.text), let number = counter.number(in: page.url.text) else {
            return []
        }
        return [
            PagingCandidate(
                trial: .page(first: number),
                members: FlowMapping().with("style", "page").with("param", counter.parameter)
                    .with("total", page.exactTotal?.path).with("pages", page.place(page.pageCount))
                    .with(flagsOf: page),
                certainty: .likely, evidence: "the path of the URL has `\(counter.parameter)/\(number)`",
                counter: counter.parameter, isAsked: true)
        ]
    }

    /// Other names for the parameter that counts, where a figure says that there is more.
    private var others: [PagingCandidate] {
        let says = [page.total, page.pageCount, page.more].compactMap(\.self).first { sign in
            page.isOfList(sign)
                && (sign.value == .bool(true)
                    || (sign.value.count ?? 0) > (sign.path == page.pageCount?.path ? 1 : page.itemCount))
        }
        guard let says, page.counter(Self.pageParameters) == nil, page.counter(Self.offsetParameters) == nil else {
            return []
        }
        let evidence = "`\(says.path)` says there is more"
        let pages = PagingCandidate(
            trial: .page(first: nil),
            members: FlowMapping().with("style", "page").with("param", "p").with("total", page.exactTotal?.path)
                .with("pages", page.place(page.pageCount)).with(flagsOf: page),
            certainty: .likely, evidence: evidence, counter: "p")
        return [pages]
            + ["from", "start", "skip"].map { name in
                PagingCandidate(
                    trial: .offset,
                    members: FlowMapping().with("style", "offset").with("param", name)
                        .with("total", page.exactTotal?.path).with(flagsOf: page),
                    certainty: .likely, evidence: evidence, counter: name)
            }
    }

    /// Elasticsearch counts by `from`:
    /// https://www.elastic.co/guide/en/elasticsearch/reference/current/search-search.html
    private var isElasticsearch: Bool {
        page.first(["shards"]) { $0.path.segments.count == 1 } != nil || page.isHitsOfHits && page.total != nil
    }

    private static func countsFromOne(_ name: String) -> Bool {
        ["startindex", "startrecord", "firstrecord", "startposition", "beginindex"].contains(MemberName(name).folded)
    }

    /// The sign that the first item has the number 1.
    private var startSign: Sign? {
        page.first(PagingNames.offset) { $0.value.count == 1 && Self.countsFromOne($0.written) && $0.value.text == nil }
    }

    private var offsetSign: Sign? {
        let given = page.counter(Self.offsetParameters).flatMap { Int($0.value) } ?? 0
        return page.first(PagingNames.offset) { $0.value.count == given && $0.value.text == nil } ?? startSign
    }

    private var numberSign: Sign? { page.first(PagingNames.number) { ($0.value.count ?? -1) >= 0 } }

    /// The parameter in brackets, where the number or the count of pages stands in an object `pagination`.
    ///
    /// Source: https://docs.strapi.io/cms/api/rest/sort-pagination
    private var bracketed: String? {
        guard let sign = numberSign ?? page.pageCount, sign.parents.last == .member("pagination") else { return nil }
        return "pagination[\(numberSign?.written ?? "page")]"
    }

    private var numbered: [PagingCandidate] {
        let given = page.counter(Self.pageParameters)
        let number = numberSign
        let counter = page.pageCount ?? page.total
        let header =
            page.pageCountHeader?.name
            ?? page.headers.fields.first { MemberName($0.name).folded == "xtotalcount" && Int($0.value) ?? 0 > 0 }?.name
        guard
            given != nil || number != nil || counter != nil || page.more != nil || page.notLast != nil || header != nil
        else { return [] }
        var names = [given?.name].compactMap(\.self)
        if let number, names.isEmpty {
            names.append(
                ["page", "pageno", "pagenumber", "pageindex", "pagenum", "pn"].contains(number.name.folded)
                    ? number.written : "page")
        }
        if names.isEmpty { names = page.pageCount == nil ? ["page"] : ["page", "pageNo", "p"] }
        if given == nil, let bracketed { names.insert(bracketed, at: min(1, names.count)) }
        if given == nil, let partner = page.partner, partner.isPage { names = [partner.name] + names }
        // The number in the URL is the first page's; so is a number in the body, if it is plausible.
        let first = given.flatMap { Int($0.value) } ?? number?.value.count.flatMap { $0 <= 1 ? $0 : nil }
        let says = [
            given.map { "the request has `\($0.name)`" }, number.map { "`\($0.path)` is \($0.value.json)" },
            page.pageCount.map { "`\($0.path)` says there are \($0.value.json) pages" },
            page.total.map { "`\($0.path)` says \($0.value.json), of which the page has \(page.itemCount)" },
            (page.more ?? page.notLast).map { "`\($0.path)` says there is more" },
            header.map { "the header `\($0)` has a total" },
        ].compactMap(\.self)
        return names.map { name in
            PagingCandidate(
                trial: .page(first: first),
                members: FlowMapping().with("style", "page").with("param", name).with("total", page.exactTotal?.path)
                    .with("pages", page.place(page.pageCount)).with("header", page.pageCountHeader?.name)
                    .with(flagsOf: page),
                certainty: .likely, evidence: says.joined(separator: ", "), counter: name, isAsked: given != nil)
        }
    }

    private var offset: [PagingCandidate] {
        let given = page.counter(Self.offsetParameters)
        let sign = offsetSign
        let size = page.first(PagingNames.size) { ($0.value.count ?? 0) > 0 }
        // ArcGIS says by this alone that there is more.
        let isCut = page.first(["exceededtransferlimit"]) { $0.value == .bool(true) }
        let more = page.more ?? isCut
        guard
            given != nil || sign != nil || page.total != nil || more != nil || page.notLast != nil
                || size != nil && page.pageCount == nil
        else {
            return []
        }
        let usual = isElasticsearch ? "from" : isCut != nil ? "resultOffset" : "offset"
        let name = given?.name ?? sign?.written ?? page.partner.flatMap { $0.isPage ? nil : $0.name } ?? usual
        // Some count items from 1: https://www.rfc-editor.org/rfc/rfc7644#section-3.4.2.4
        let base = Self.countsFromOne(name) && (sign ?? startSign)?.value.count == 1 ? 1 : 0
        let start = given.flatMap { JSONScalar.text($0.value).count } ?? base
        let says = [
            given.map { "the request has `\($0.name)`" }, sign.map { "`\($0.path)` is \($0.value.json)" },
            size.map { "`\($0.path)` is \($0.value.json)" },
            page.total.map { "`\($0.path)` says \($0.value.json), of which the page has \(page.itemCount)" },
            (more ?? page.notLast).map { "`\($0.path)` says there is more" },
        ].compactMap(\.self)
        return [
            PagingCandidate(
                trial: .offset,
                members: FlowMapping().with("style", "offset").with("param", name).with(
                    "first", start == base ? nil : start
                ).with("base", base == 0 ? nil : base)
                    .with("total", page.exactTotal?.path).with(flagsOf: page, more: more),
                certainty: .likely, evidence: says.joined(separator: ", "), counter: name, offset: start)
        ]
    }

    /// The last item's own value, where the URL or a flag speaks of it.
    private var keyset: [PagingCandidate] {
        guard let key = page.key else { return [] }
        if let given = page.parameter(Self.keysetParameters)?.name, page.mayReplace(given) {
            return [keyset(given, from: key, .likely, because: "the request has `\(given)`")]
        }
        // https://docs.stripe.com/api/pagination
        guard let more = page.more, page.first(["object"], where: { $0.value.text == "list" }) != nil else { return [] }
        let evidence = "`\(more.path)` says there is more, and `object` is `list`, as in Stripe's API"
        return [keyset("starting_after", from: key, .likely, because: evidence)]
    }

    func keyset(
        _ parameter: String, from key: Path, _ certainty: Evidence.Certainty, because evidence: String
    ) -> PagingCandidate {
        PagingCandidate(
            trial: .keyset,
            members: FlowMapping().with("style", "keyset").with("param", parameter).with("from", key)
                .with(flagsOf: page),
            certainty: certainty, evidence: evidence)
    }

    /// The candidates to try without any evidence.
    var guesses: [PagingCandidate] {
        // One item, or none, is no page of a list.
        guard page.itemCount > 1 else { return [] }
        let nothing = "nothing on the page says how to continue"
        let pages = PagingCandidate(
            trial: .page(first: nil), members: FlowMapping().with("style", "page").with("param", "page"),
            certainty: .guess, evidence: nothing, counter: "page")
        let offsets = PagingCandidate(
            trial: .offset, members: FlowMapping().with("style", "offset").with("param", "offset"), certainty: .guess,
            evidence: nothing, counter: "offset")
        let counters = partnered(because: nothing) + [pages, offsets]
        guard let key = page.key else { return counters }
        return counters
            + ["after", "before", "starting_after", "max_id", "since_id", "after_id"].map {
                keyset($0, from: key, .guess, because: nothing)
            }
    }

    /// The parameter that goes with the one for the size.
    private func partnered(because evidence: String) -> [PagingCandidate] {
        guard let partner = page.partner else { return [] }
        let members = FlowMapping().with("style", partner.isPage ? "page" : "offset").with("param", partner.name)
        return [
            PagingCandidate(
                trial: partner.isPage ? .page(first: nil) : .offset, members: members, certainty: .guess,
                evidence: evidence, counter: partner.name)
        ]
    }
}

extension FlowMapping {
    /// The mapping with the place of the flag for a further page, or else of that for the last one.
    fileprivate func with(flagsOf page: PageSigns, more: PageSigns.Sign? = nil) -> FlowMapping {
        let place = page.place(more ?? page.more)
        return with("more", place).with("last", place == nil ? page.notLast?.path : nil)
    }
}
