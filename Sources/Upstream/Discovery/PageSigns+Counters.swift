internal import HTTP

extension PageSigns {
    private static let pageParameters: Set<String> = [
        "page", "p", "pageno", "pagenumber", "pagenum", "paged", "pn", "pageindex", "curpage", "currentpage", "index",
        "number",
    ]
    private static let offsetParameters: Set<String> = [
        "offset", "start", "skip", "startindex", "startat", "from", "startrow", "firstresult",
        "resultoffset", "sysparmoffset", "beginindex",
    ]
    private static let keysetParameters: Set<String> = [
        "after", "since", "sinceid", "maxid", "startingafter", "afterid", "beforeid", "cursor", "lastid",
    ]

    /// The candidates from numbers in the body, the headers and the URL, likeliest first.
    var counted: [PagingCandidate] {
        let pages = numbered
        let offsets = offset
        // An offset in the request or the response makes page numbers unlikely.
        let prefersOffset =
            counter(Self.offsetParameters) != nil || partner.map { !$0.isPage } == true && pageCount == nil
            || counter(Self.pageParameters) == nil && (offsetSign != nil || isElasticsearch)
        let numbers = prefersOffset ? offsets + pages : pages + offsets
        return inPath + keyset + numbers + others
    }

    /// The page number in the path of the URL.
    private var inPath: [PagingCandidate] {
        guard let counter = PathCounter.found(in: url.text), let number = counter.number(in: url.text) else {
            return []
        }
        return [
            PagingCandidate(
                trial: .page(first: number),
                members: FlowMapping().with("style", "page").with("param", counter.parameter)
                    .with("total", place(exactTotal)).with("pages", place(pageCount)).with("more", place(more)),
                certainty: .likely, evidence: "the path of the URL has `\(counter.parameter)/\(number)`",
                counter: counter.parameter, isAsked: true)
        ]
    }

    /// Other names for the parameter that counts, where a figure says that there is more.
    private var others: [PagingCandidate] {
        let says = [total, pageCount, more].compactMap(\.self).first { sign in
            isOfList(sign)
                && (sign.value == .bool(true)
                    || (sign.value.count ?? 0) > (sign.path == pageCount?.path ? 1 : itemCount))
        }
        guard let says, counter(Self.pageParameters) == nil, counter(Self.offsetParameters) == nil else {
            return []
        }
        let evidence = "`\(says.path)` says there is more"
        let pages = PagingCandidate(
            trial: .page(first: nil),
            members: FlowMapping().with("style", "page").with("param", "p").with("total", place(exactTotal))
                .with("pages", place(pageCount)).with("more", place(more)),
            certainty: .likely, evidence: evidence, counter: "p")
        return [pages]
            + ["from", "start", "skip"].map { name in
                PagingCandidate(
                    trial: .offset,
                    members: FlowMapping().with("style", "offset").with("param", name).with("total", place(exactTotal))
                        .with("more", place(more)),
                    certainty: .likely, evidence: evidence, counter: name)
            }
    }

    /// The total, where it can be true.
    var total: Sign? {
        signs.first { sign in
            guard PagingNames.isTotal(sign.name, of: items), let count = sign.value.count, count >= itemCount,
                itemCount > 0
            else { return false }
            // These names may also count the items received.
            return count > itemCount || !["count", "records", "matches", "found"].contains(sign.name.folded)
        }
    }

    /// The total, where it speaks of the list and of more than has come.
    var listTotal: Sign? { total.flatMap { isOfList($0) && ($0.value.count ?? 0) > itemCount ? $0 : nil } }

    /// The same, if a paginator may go by it: no estimate.
    var exactTotal: Sign? { listTotal.flatMap { PagingNames.isEstimate($0.name) ? nil : $0 } }

    /// The number of pages, if it is plausible.
    var pageCount: Sign? { first(PagingNames.pages) { ($0.value.count ?? 0) > 0 } }

    /// A flag that says there is more.
    var more: Sign? { first(PagingNames.more) { $0.value == .bool(true) } }

    /// The path of a number that determines the pages; a number that may count something else is only a reason for a
    /// trial.
    func place(_ sign: Sign?) -> Path? { sign.flatMap { isOfList($0) ? $0.path : nil } }

    /// Elasticsearch counts by `from`:
    /// https://www.elastic.co/guide/en/elasticsearch/reference/current/search-search.html
    private var isElasticsearch: Bool {
        first(["shards"]) { $0.path.segments.count == 1 } != nil || isHitsOfHits && total != nil
    }

    private static func countsFromOne(_ name: String) -> Bool {
        ["startindex", "startrecord", "firstrecord", "startposition", "beginindex"].contains(MemberName(name).folded)
    }

    /// The sign that the first item has the number 1.
    private var startSign: Sign? {
        first(PagingNames.offset) { $0.value.count == 1 && Self.countsFromOne($0.written) && $0.value.text == nil }
    }

    /// The parameter that goes with the one for the size: `$offset` with `$limit`.
    var partner: (name: String, isPage: Bool)? {
        guard let size = parameter(PagingNames.size.union(["resultrecordcount", "sysparmlimit"]))?.name else {
            return nil
        }
        for (ending, other, isPage) in Self.partners where size.hasSuffix(ending) {
            return (size.dropLast(ending.count) + other, isPage)
        }
        return nil
    }

    /// Sources: https://dev.socrata.com/docs/paging, https://docs.oasis-open.org/odata/odata/v4.01/, ArcGIS's,
    /// ServiceNow's, Magento's and JSON:API's documentations.
    private static let partners: [(size: String, other: String, isPage: Bool)] = [
        ("[pageSize]", "[currentPage]", true), ("[page_size]", "[current_page]", true), ("[size]", "[number]", true),
        ("resultRecordCount", "resultOffset", false), ("limit", "offset", false), ("top", "skip", false),
        ("take", "skip", false), ("rows", "start", false), ("maxResults", "startAt", false),
        ("max-results", "start-index", false),
    ]

    private var offsetSign: Sign? {
        let given = counter(Self.offsetParameters).flatMap { Int($0.value) } ?? 0
        return first(PagingNames.offset) { $0.value.count == given && $0.value.text == nil } ?? startSign
    }

    private var numberSign: Sign? { first(PagingNames.number) { ($0.value.count ?? -1) >= 0 } }

    private var numbered: [PagingCandidate] {
        let given = counter(Self.pageParameters)
        let number = numberSign
        let counter = pageCount ?? total
        let header = headers.fields.first { field in
            PagingNames.pages.union(["xtotalcount"]).contains(MemberName(field.name).folded)
                && Int(field.value) ?? 0 > 0
        }
        guard given != nil || number != nil || counter != nil || more != nil || header != nil else { return [] }
        var names = [given?.name].compactMap(\.self)
        if let number, names.isEmpty {
            names.append(
                ["page", "pageno", "pagenumber", "pageindex", "pagenum", "pn"].contains(number.name.folded)
                    ? number.written : "page")
        }
        if names.isEmpty { names = pageCount == nil ? ["page"] : ["page", "pageNo", "p"] }
        if given == nil, let partner, partner.isPage { names = [partner.name] + names }
        // The number in the URL is the first page's; so is a number in the body, if it is plausible.
        let first = given.flatMap { Int($0.value) } ?? number?.value.count.flatMap { $0 <= 1 ? $0 : nil }
        let says = [
            given.map { "the request has `\($0.name)`" }, number.map { "`\($0.path)` is \($0.value.json)" },
            pageCount.map { "`\($0.path)` says there are \($0.value.json) pages" },
            total.map { "`\($0.path)` says \($0.value.json), of which the page has \(itemCount)" },
            more.map { "`\($0.path)` says there is more" }, header.map { "the header `\($0.name)` has a total" },
        ].compactMap(\.self)
        return names.map { name in
            PagingCandidate(
                trial: .page(first: first),
                members: FlowMapping().with("style", "page").with("param", name).with("total", place(exactTotal))
                    .with("pages", place(pageCount)).with("more", place(more)),
                certainty: .likely, evidence: says.joined(separator: ", "), counter: name, isAsked: given != nil)
        }
    }

    private var offset: [PagingCandidate] {
        let given = counter(Self.offsetParameters)
        let sign = offsetSign
        let size = first(PagingNames.size) { ($0.value.count ?? 0) > 0 }
        // ArcGIS says by this alone that there is more.
        let isCut = first(["exceededtransferlimit"]) { $0.value == .bool(true) }
        let more = more ?? isCut
        guard given != nil || sign != nil || total != nil || more != nil || size != nil && pageCount == nil else {
            return []
        }
        let usual = isElasticsearch ? "from" : isCut != nil ? "resultOffset" : "offset"
        let name = given?.name ?? sign?.written ?? partner.flatMap { $0.isPage ? nil : $0.name } ?? usual
        // Some count items from 1: https://www.rfc-editor.org/rfc/rfc7644#section-3.4.2.4
        let base = Self.countsFromOne(name) && (sign ?? startSign)?.value.count == 1 ? 1 : 0
        let start = given.flatMap { JSONScalar.text($0.value).count } ?? base
        let says = [
            given.map { "the request has `\($0.name)`" }, sign.map { "`\($0.path)` is \($0.value.json)" },
            size.map { "`\($0.path)` is \($0.value.json)" },
            total.map { "`\($0.path)` says \($0.value.json), of which the page has \(itemCount)" },
            more.map { "`\($0.path)` says there is more" },
        ].compactMap(\.self)
        return [
            PagingCandidate(
                trial: .offset,
                members: FlowMapping().with("style", "offset").with("param", name).with(
                    "first", start == base ? nil : start
                ).with("base", base == 0 ? nil : base)
                    .with("total", place(exactTotal)).with("more", place(more)),
                certainty: .likely, evidence: says.joined(separator: ", "), counter: name, offset: start)
        ]
    }

    /// The last item's own value, where the URL or a flag speaks of it.
    private var keyset: [PagingCandidate] {
        guard let key else { return [] }
        if let given = parameter(Self.keysetParameters)?.name, mayReplace(given) {
            return [keyset(given, from: key, .likely, because: "the request has `\(given)`")]
        }
        // https://docs.stripe.com/api/pagination
        guard let more, first(["object"], where: { $0.value.text == "list" }) != nil else { return [] }
        let evidence = "`\(more.path)` says there is more, and `object` is `list`, as in Stripe's API"
        return [keyset("starting_after", from: key, .likely, because: evidence)]
    }

    func keyset(
        _ parameter: String, from key: Path, _ certainty: Evidence.Certainty, because evidence: String
    ) -> PagingCandidate {
        PagingCandidate(
            trial: .keyset, members: FlowMapping().with("style", "keyset").with("param", parameter).with("from", key),
            certainty: certainty, evidence: evidence)
    }
}
