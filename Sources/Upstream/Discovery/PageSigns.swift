package import HTTP

/// What a response says besides its items.
package struct PageSigns {
    /// How deep and how wide the body is looked at.
    private static let deepest = 4
    private static let most = 2_000

    /// A value beside the items, with its way from the body.
    struct Sign {
        let path: Path
        /// The name that tells what it is: of the member, or of the one around it where that says more.
        let name: MemberName
        /// The name as written.
        let written: String
        let value: JSONTree

        /// Whether the sign stands in an object that the items are in, too.
        func isAround(_ items: Path) -> Bool {
            // `total: {value: 9}` stands where `total` does.
            let isNested = path.segments.last != .member(written)
            return items.starts(with: Path(Array(path.segments.dropLast(isNested ? 2 : 1))))
        }
    }

    let signs: [Sign]
    let headers: Headers
    /// The URL that was requested, its query with it.
    let url: WebURL
    /// The request's parameters: the query's, or where it has a body that body's members, named by their paths.
    let query: [QueryItem]
    /// The elements of the page, whatever they are.
    let itemCount: Int
    /// Where an item has what tells it apart; nil unless that is one value.
    let key: Path?
    private let items: Path

    init(body: JSONTree, items: Path, itemCount: Int, key: Path?, headers: Headers, request: Request) {
        self.headers = headers
        url = request.url
        query = request.body.map(Self.parameters) ?? request.url.queryItems
        self.itemCount = itemCount
        self.key = key
        var signs: [Sign] = []
        if !items.segments.isEmpty { Self.collect(body, Path([]), besides: items, into: &signs) }
        self.items = items
        // What stands around the items speaks of them; what stands elsewhere may speak of anything.
        self.signs = signs.filter { $0.isAround(items) } + signs.filter { !$0.isAround(items) }
    }

    /// Whether the items are where Elasticsearch and OpenSearch have them, with or without `_shards`.
    var isHitsOfHits: Bool { items == Path([.member("hits"), .member("hits")]) }

    /// The first sign whose folded name is one of these and whose value is fit, other than by its name.
    func first(_ names: Set<String>, where isFit: (Sign) -> Bool = { _ in true }) -> Sign? {
        signs.first { names.contains($0.name.folded) && isFit($0) }
    }

    /// Whether a sign speaks of the list: it stands around the items, or in an object whose name says so.
    func isOfList(_ sign: Sign) -> Bool {
        let isNested = sign.path.segments.last != .member(sign.written)
        let parents = sign.path.segments.dropLast(isNested ? 2 : 1)
        return zip(parents.indices, parents).allSatisfy { index, segment in
            guard case .member(let name) = segment, index >= items.segments.count || items.segments[index] != segment
            else { return true }
            return !PagingNames.envelopes.isDisjoint(with: MemberName(name).words)
        }
    }

    /// The first parameter of the request whose folded name is one of these.
    func parameter(_ names: Set<String>) -> QueryItem? {
        query.first { names.contains(MemberName($0.name).folded) }
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

    private static func collect(_ value: JSONTree, _ path: Path, besides items: Path, into signs: inout [Sign]) {
        guard path != items, path.segments.count <= deepest, signs.count < most else { return }
        switch value {
        case .object(let members):
            for member in members.all {
                let place = path.appending(member.name)
                guard place != items else { continue }
                signs.append(sign(member, at: place, in: path))
                collect(member.value, place, besides: items, into: &signs)
            }
        case .array(let elements):
            for (index, element) in elements.prefix(20).enumerated() {
                guard let members = element.members else { continue }
                let relation = ["rel", "relation", "name"].first { members[$0]?.text?.lowercased() == "next" }
                if let relation, let text = members[relation]?.text {
                    // The place of a link in its array may change from page to page.
                    collect(
                        element, path.appending(.first(where: relation, equals: text)), besides: items, into: &signs)
                } else if items.starts(with: path.appending(.index(index))) {
                    collect(element, path.appending(.index(index)), besides: items, into: &signs)
                }
            }
        default: return
        }
    }

    /// `next: {href: …}` and `total: {value: …}` are what the name around them says.
    private static func sign(_ member: JSONTree.Member, at place: Path, in parent: Path) -> Sign {
        let own = MemberName(member.name)
        let outer: String? =
            switch parent.segments.last {
            case .member(let name)?: name
            case .first(_, let value)?: value
            default: nil
            }
        let isVague = ["href", "url", "link", "uri", "value", "count"].contains(own.folded)
        guard isVague, let outer,
            MemberName(outer).words.contains("next") || PagingNames.total.contains(MemberName(outer).folded)
        else { return Sign(path: place, name: own, written: member.name, value: member.value) }
        return Sign(path: place, name: MemberName(outer), written: outer, value: member.value)
    }
}

extension PageSigns {
    /// The total that a body speaks of; nil where it speaks of none, or is not JSON.
    package static func listTotal(
        of body: Body, items: Path, itemCount: Int, headers: Headers, request: Request
    ) -> Int? {
        guard let tree = try? JSONTree(body) else { return nil }
        return PageSigns(body: tree, items: items, itemCount: itemCount, key: nil, headers: headers, request: request)
            .listTotal?.value.count
    }
}
