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
    let query: [QueryItem]
    /// The number of the page's elements of any kind.
    let itemCount: Int
    /// The path of an item's key; nil unless that is one value.
    let key: Path?

    var signs: [Sign] { envelope.members }
    var items: Path { envelope.items }

    init(body: JSONTree, items: Path, itemCount: Int, key: Path?, headers: Headers, request: Request) {
        self.headers = headers
        url = request.url
        query = Self.parameters(of: request)
        self.itemCount = itemCount
        self.key = key
        envelope = PageEnvelope(of: body, besides: items)
    }

    /// True if the items are at the place of Elasticsearch and OpenSearch, with or without `_shards`.
    var isHitsOfHits: Bool { items == Path([.member("hits"), .member("hits")]) }

    /// The first sign with one of these folded names and a suitable value.
    func first(_ names: Set<String>, where isFit: (Sign) -> Bool = { _ in true }) -> Sign? {
        envelope.first(names, where: isFit)
    }

    /// True for signs that concern the list: they are around the items, or in an object with a name for that.
    func isOfList(_ sign: Sign) -> Bool { envelope.isOfList(sign) }

    /// The first parameter of the request whose folded name, or the last part of it in brackets, is one of these.
    func parameter(_ names: Set<String>) -> QueryItem? {
        query.first { names.contains(MemberName($0.name).folded) || names.contains(Self.innerName(of: $0)) }
    }

    /// The same of a parameter that counts: the user may filter by one with another value.
    func counter(_ names: Set<String>) -> QueryItem? {
        query.first { item in
            JSONScalar.text(item.value).count != nil
                && (names.contains(MemberName(item.name).folded) || names.contains(Self.innerName(of: item)))
        }
    }

    /// The name `currentPage` of `searchCriteria[currentPage]`, folded.
    private static func innerName(of item: QueryItem) -> String {
        guard item.name.hasSuffix("]"), let start = item.name.lastIndex(of: "[") else { return "" }
        return MemberName(String(item.name[item.name.index(after: start)...].dropLast())).folded
    }

    /// True if a paginator may set the parameter: it is not in the request, or stands there for the first page.
    func mayReplace(_ name: String) -> Bool { Self.mayReplace(name, in: query) }

    /// The same of a request.
    static func mayReplace(_ name: String, in request: Request) -> Bool {
        mayReplace(name, in: parameters(of: request))
    }

    private static func mayReplace(_ name: String, in query: [QueryItem]) -> Bool {
        query.filter { $0.name == name }.allSatisfy { item in
            ["", "*"].contains(item.value) || JSONScalar.text(item.value).count != nil
        }
    }

    private static func parameters(of request: Request) -> [QueryItem] {
        request.body.map(parameters) ?? request.url.queryItems
    }

    private static func parameters(of body: [UInt8]) -> [QueryItem] {
        guard let text = String(validating: body, as: UTF8.self), let tree = try? JSONTree(text) else { return [] }
        var items: [QueryItem] = []
        func visit(_ value: JSONTree, _ path: Path) {
            guard path.segments.count <= deepest, items.count < most else { return }
            for member in value.members?.all ?? [] {
                let place = path.appending(member.name)
                if member.value.isScalar || member.value == .null {
                    let text = member.value.text ?? member.value.json
                    items.append(QueryItem(name: place.description, value: member.value == .null ? "" : text))
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
