package import HTTP

/// The signs in a response beside its items.
package struct PageSigns {
    typealias Sign = PageEnvelope.Member

    /// The depth and width up to which a request's body is searched.
    private static let deepest = 4
    private static let most = 2_000

    let envelope: PageEnvelope
    let headers: Headers
    /// The URL that was requested, its query with it.
    let url: WebURL
    /// The request's parameters: the query's, or where it has a body that body's members, named by their paths.
    let query: [NamedValue]
    /// The number of the page's elements of any kind.
    let itemCount: Int
    /// The path of an item's key; nil unless that is one value.
    let key: Path?
    /// True if the body was Atom or RSS.
    let isWebFeed: Bool

    var signs: [Sign] { envelope.members }
    var items: Path { envelope.items }

    init(
        body: JSONValue, items: Path, itemCount: Int, key: Path?, headers: Headers, request: Request,
        isWebFeed: Bool = false
    ) {
        self.isWebFeed = isWebFeed
        self.headers = headers
        url = request.url
        query = Self.parameters(of: request)
        self.itemCount = itemCount
        self.key = key
        envelope = PageEnvelope(of: body, besides: items).withoutMoving
    }

    /// True if the items are at the place of Elasticsearch and OpenSearch, with or without `_shards`.
    var isHitsOfHits: Bool { items == Path([.member("hits"), .member("hits")]) }

    /// The first sign with one of these folded names and a suitable value.
    func first(_ names: Set<String>, where isFit: (Sign) -> Bool = { _ in true }) -> Sign? {
        envelope.first(names, where: isFit)
    }

    /// True for signs that concern the list: they are around the items, or in an object with a name for that.
    func isOfList(_ sign: Sign) -> Bool { envelope.isOfList(sign) }

    /// The total, where it can be true.
    var total: Sign? {
        let totals = signs.filter { sign in
            guard PagingNames.isTotal(sign.name, of: items), let count = sign.value.count, count >= itemCount,
                itemCount > 0
            else { return false }
            // These names may also count the items received.
            return count > itemCount || !["count", "records", "matches", "found"].contains(sign.name.folded)
        }
        guard let first = totals.first, first.value.count == itemCount else { return totals.first }
        // Spring counts the items received as `numberOfElements`. A larger `count` may be the size of a full page.
        return totals.first { isOfList($0) && ($0.value.count ?? 0) > itemCount && $0.name.folded != "count" } ?? first
    }

    /// The total, where it speaks of the list and of more than has come.
    var listTotal: Sign? { total.flatMap { isOfList($0) && ($0.value.count ?? 0) > itemCount ? $0 : nil } }

    /// The same, if a paginator may go by it: no estimate.
    var exactTotal: Sign? { listTotal.flatMap { PagingNames.isEstimate($0.name) ? nil : $0 } }

    /// True if the missing link of a web feed is no end: the request asks for the first page by its number, as
    /// WordPress has it with `paged=1`, or a total says that there are more entries.
    var isOpenFeed: Bool {
        let isFirst = { (item: NamedValue?) in item.flatMap { Int($0.value) }.map { 0...1 ~= $0 } ?? false }
        return isWebFeed
            && (listTotal != nil || isFirst(counter(CountedCandidates.pageParameters))
                || isFirst(counter(CountedCandidates.offsetParameters)))
    }

    /// The number of pages, if it is plausible.
    var pageCount: Sign? { first(PagingNames.pages) { ($0.value.count ?? 0) > 0 } }

    /// The header with the number of pages, if the body has none.
    var pageCountHeader: (name: String, count: Int)? {
        guard pageCount == nil else { return nil }
        for field in headers.fields where PagingNames.pages.contains(MemberName(field.name).folded) {
            if let count = JSONScalar.text(field.value).count, count > 0 { return (field.name, count) }
        }
        return nil
    }

    /// A flag that says there is more.
    var more: Sign? { first(PagingNames.more) { $0.value == .bool(true) } }

    /// A flag that says that this is not the last page.
    var notLast: Sign? { first(PagingNames.last) { $0.value == .bool(false) && isOfList($0) } }

    /// The path of a number that determines the pages; a number that may count something else is only a reason for a
    /// trial.
    func place(_ sign: Sign?) -> Path? { sign.flatMap { isOfList($0) ? $0.path : nil } }

    /// A flag in the same object.
    func flag(_ names: Set<String>, beside sign: Sign) -> Path? {
        first(names) { other in
            guard case .bool = other.value else { return false }
            return other.path.segments.dropLast() == sign.path.segments.dropLast()
        }?.path
    }

    /// The first parameter of the request whose folded name, or the last part of it in brackets, is one of these.
    func parameter(_ names: Set<String>) -> NamedValue? {
        query.first { names.contains(MemberName($0.name).folded) || names.contains(Self.innerName(of: $0)) }
    }

    /// The same of a parameter that counts: the user may filter by one with another value.
    func counter(_ names: Set<String>) -> NamedValue? {
        query.first { item in
            JSONScalar.text(item.value).count != nil
                && (names.contains(MemberName(item.name).folded) || names.contains(Self.innerName(of: item)))
        }
    }

    /// The name `currentPage` of `searchCriteria[currentPage]`, folded.
    private static func innerName(of item: NamedValue) -> String {
        guard item.name.hasSuffix("]"), let start = item.name.lastIndex(of: "[") else { return "" }
        return MemberName(String(item.name[item.name.index(after: start)...].dropLast())).folded
    }

    /// True if a paginator may set the parameter: it is not in the request, or stands there for the first page.
    func mayReplace(_ name: String) -> Bool { Self.mayReplace(name, in: query) }

    /// The same of a request.
    static func mayReplace(_ name: String, in request: Request) -> Bool {
        mayReplace(name, in: parameters(of: request))
    }

    private static func mayReplace(_ name: String, in query: [NamedValue]) -> Bool {
        query.filter { $0.name == name }.allSatisfy { item in
            item.value.isEmpty || PagingNames.isBorder(item.value) || JSONScalar.text(item.value).count != nil
        }
    }

    /// The parameter that goes with the one for the size: `$offset` with `$limit`.
    var partner: (name: String, isPage: Bool)? {
        guard let size = parameter(PagingNames.size.union(["resultrecordcount", "sysparmlimit"]))?.name else {
            return isWrittenWithDollar ? ("$offset", false) : nil
        }
        for (ending, other, isPage) in Self.partners where size.hasSuffix(ending) {
            // The whole name: `page_limit` goes with `page_offset`.
            if ending == "_limit", size != ending { continue }
            return (size.dropLast(ending.count) + other, isPage)
        }
        return nil
    }

    /// True if other parameters of the request, or headers, show an API whose offset is `$offset`. With `$query`, the
    /// query itself has it; OData has `$select`, too, and its lists are not the body itself.
    ///
    /// Source: https://dev.socrata.com/docs/queries/
    private var isWrittenWithDollar: Bool {
        let names = Set(query.map { $0.name.lowercasedASCII })
        guard !names.contains("$query") else { return false }
        return !names.isDisjoint(with: ["$where", "$order", "$group", "$having", "$q"])
            || names.contains("$select") && items.segments.isEmpty
            || headers.fields.contains { $0.name.lowercasedASCII.hasPrefix("x-soda2-") }
    }

    /// Sources: https://dev.socrata.com/docs/paging, https://docs.oasis-open.org/odata/odata/v4.01/, ArcGIS's,
    /// ServiceNow's, Magento's, Close's and JSON:API's documentations.
    private static let partners: [(size: String, other: String, isPage: Bool)] = [
        ("[pageSize]", "[currentPage]", true), ("[page_size]", "[current_page]", true), ("[size]", "[number]", true),
        ("resultRecordCount", "resultOffset", false), ("_limit", "_skip", false), ("limit", "offset", false),
        ("top", "skip", false),
        ("take", "skip", false), ("rows", "start", false), ("maxResults", "startAt", false),
        ("max-results", "start-index", false),
    ]

    private static func parameters(of request: Request) -> [NamedValue] {
        request.body.map(parameters) ?? request.url.queryItems
    }

    private static func parameters(of body: [UInt8]) -> [NamedValue] {
        guard let text = String(validating: body, as: UTF8.self), let tree = try? JSONValue(parsing: text) else {
            return []
        }
        var items: [NamedValue] = []
        func visit(_ value: JSONValue, _ path: Path) {
            guard path.segments.count <= deepest, items.count < most else { return }
            for member in value.members?.all ?? [] {
                let place = path.appending(member.name)
                if member.value.isScalar || member.value == .null {
                    let text = member.value.text ?? member.value.json
                    items.append(NamedValue(name: place.description, value: member.value == .null ? "" : text))
                } else {
                    visit(member.value, place)
                }
            }
        }
        visit(tree, Path([]))
        return items
    }
}

extension PageSigns {
    /// The number of elements that a request asks for; nil if it has no size.
    package static func askedCount(in request: Request) -> Int? {
        parameters(of: request).first { PagingNames.size.contains(MemberName($0.name).folded) }
            .flatMap { JSONScalar.text($0.value).count }.flatMap { $0 > 0 ? $0 : nil }
    }
}
