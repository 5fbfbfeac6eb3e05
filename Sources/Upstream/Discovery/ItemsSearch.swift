internal import HTTP

/// Looks for the items in a body.
struct ItemsSearch {
    /// The number of steps from the body up to which items are searched.
    private static let deepest = 5
    /// The number of elements of an array to search.
    private static let widest = 4
    /// The number of places after which the search is given up.
    private static let most = 5_000

    /// The last component of the URL's path, without a file extension: with luck, the name of the resource.
    private let resource: String?
    /// True if the body is a table as JSON.
    private let isTable: Bool
    private var found: [ItemsCandidate] = []
    private var seen = 0

    /// A search in the body of a response to a request for `url`.
    private init(url: WebURL?, isTable: Bool) {
        self.isTable = isTable
        resource = url?.path.split(separator: "/").last.map { String($0.prefix { $0 != "." }) }
    }

    /// Every candidate, best first.
    static func candidates(in body: JSONValue, url: WebURL? = nil, isTable: Bool = false) -> [ItemsCandidate] {
        var search = ItemsSearch(url: url, isTable: isTable)
        search.look(at: body, Path([]), within: Surroundings())
        search.addSingle(body)
        // Swift's sort is stable: of two alike the one that came first is better.
        return search.found.sorted { $0.score > $1.score }
    }

    /// The best candidate that is good enough; nil where nothing looks like items.
    ///
    /// - Parameters:
    ///   - place: The place of the items, if it is known.
    ///   - isTable: True if the body is a table as JSON.
    static func best(
        in body: JSONValue, url: WebURL? = nil, at place: Path? = nil, isTable: Bool = false
    ) -> ItemsCandidate? {
        let candidates = candidates(in: body, url: url, isTable: isTable)
        if let place, let known = candidates.first(where: { $0.path == place }) { return known }
        let all = candidates.filter { $0.score > 0 }
        guard var best = all.first else { return nil }
        if !best.isNamed, best.shape != .single,
            let empty = all.first(where: { $0.shape == .emptyArray && $0.isNamed })
        {
            // The list in the usual place of the items is empty, so another list does not have them.
            return empty
        }
        // A list of lists in the usual place of the items was meant, and nothing else.
        if !best.isNamed,
            body.members?.all.contains(where: { ItemsNames.isUsual($0.name) && $0.value.isListOfLists }) == true
        {
            return nil
        }
        let rival = all.dropFirst().first { other in
            other.shape == best.shape
                && (best.score - other.score < 1 || !best.isNamed && other.isBeside(best) && best.items.count < 100)
        }
        if best.shape == .array { best.rival = rival?.path }
        return best
    }

    /// The objects around a place, of which each is looked through once, however many places are in it.
    private struct Surroundings {
        /// The innermost object; nil outside of any.
        private(set) var parent: JSONObject?
        /// True if the innermost object has members about pages.
        private(set) var hasPaging = false
        /// True if the innermost object has a count of 0 items.
        private(set) var saysNone = false
        /// The names of the innermost object's members that are not about pages: the first two are enough.
        private(set) var otherNames: [String] = []
        /// True if one of the objects has an id.
        private(set) var isItemLike = false

        func within(_ object: JSONObject) -> Surroundings {
            var inner = Surroundings()
            inner.parent = object
            inner.isItemLike = isItemLike || ItemsNames.isItemLike(object)
            for member in object.all {
                if PagingNames.isOfPaging(member.name) {
                    inner.hasPaging = true
                    let isTotal = PagingNames.isTotal(MemberName(member.name), of: Path([]))
                    inner.saysNone = inner.saysNone || isTotal && member.value.count == 0
                } else if inner.otherNames.count < 2, !inner.otherNames.contains(member.name) {
                    inner.otherNames.append(member.name)
                }
            }
            return inner
        }
    }

    private mutating func look(at value: JSONValue, _ path: Path, within objects: Surroundings) {
        seen += 1
        guard path.segments.count <= Self.deepest, seen <= Self.most else { return }
        let candidate = ItemsCandidate(value, at: path, isTable: isTable && path.segments.isEmpty)
        if let candidate { add(candidate, within: objects) }
        switch value {
        case .object(let members):
            guard path.segments.count < Self.deepest else { return }
            let inner = objects.within(members)
            for member in members.all where !ItemsNames.isFault(member.name) && !MemberName.isTooLong(member.name) {
                guard seen < Self.most else { return }
                look(at: member.value, path.appending(member.name), within: inner)
            }
        case .array(let elements):
            // Lists inside items belong to the items, but a single element may be an envelope, and so may each of a
            // mixture.
            guard candidate == nil || elements.count == 1 && candidate?.items.contains(where: isItem) == false else {
                return
            }
            for (index, element) in elements.prefix(Self.widest).enumerated() {
                look(at: element, path.appending(.index(index)), within: objects)
            }
        default: return
        }
    }

    private func isItem(_ item: ItemsCandidate.Item) -> Bool { ItemsNames.isItemLike(item.members) }

    private mutating func add(_ candidate: ItemsCandidate, within objects: Surroundings) {
        var candidate = candidate
        let items = candidate.items.map(\.members)
        var score = -1.5 * Double(candidate.path.segments.count)
        var isNamed = candidate.path.segments.isEmpty
        for case .member(let name) in candidate.path.segments where ItemsNames.isBeside(name) { score -= 8 }
        if let name = candidate.name {
            isNamed = ItemsNames.isUsual(name)
            if isNamed { score += 8 }
            if ItemsNames.isPerhapsBeside(name) { score -= 4 }
            // A GraphQL connection may have its nodes twice: the plain ones are easier to read.
            if name == "edges", objects.parent?["nodes"]?.elements != nil { score -= 1 }
            if ItemsNames.isResource(name, of: resource) { (score, isNamed) = (score + 8, true) }
        }
        if candidate.path.segments.dropLast().contains(.member("_embedded")) { (score, isNamed) = (score + 8, true) }
        // Links and figures for paging stand where the items are.
        if objects.hasPaging { score += 3 }
        // A list in an object with an id of its own belongs to it.
        if objects.isItemLike { score -= 8 }
        if ItemsNames.areLinks(items) { score -= 12 }
        switch candidate.shape {
        case .emptyArray:
            let isAlone = Self.isAlone(candidate, in: objects)
            // A count of 0 beside it is that of its items, and not of another list's.
            isNamed = isNamed || objects.saysNone
            guard isNamed || isAlone else { return }
            // A body that is an empty list is a list all the same, and so is one that holds nothing else.
            if candidate.path.segments.isEmpty { score += 1 }
            if isAlone { score = max(score, 2) }
        case .array:
            score += 1 + Self.weight(items)
            // The only answer of several that the request could have asked for.
            if items.count == 1, items.contains(where: { Self.isEnvelope($0) && !ItemsNames.isItemLike($0) }) {
                score -= 8
            }
        case .members:
            // An array of anything better goes first.
            guard !items.contains(where: Self.isEnvelope) else { return }
            score += Self.weight(items) - (candidate.items.allSatisfy { MemberName.isDatum($0.name ?? "") } ? 1 : 3)
        case .single: break
        }
        candidate.score = score
        candidate.isNamed = isNamed
        found.append(candidate)
    }

    /// True if an empty list is the only member of an object apart from those about pages.
    private static func isAlone(_ candidate: ItemsCandidate, in objects: Surroundings) -> Bool {
        guard objects.parent != nil, let name = candidate.name, !ItemsNames.isBeside(name), !objects.isItemLike else {
            return false
        }
        return objects.otherNames.allSatisfy { $0 == name }
    }

    /// A greater weight for many items that are alike and have an id.
    private static func weight(_ items: [JSONObject]) -> Double {
        let size = Double((items.count + 1).bitWidth - (items.count + 1).leadingZeroBitCount)
        let isKeyed = items.allSatisfy(ItemsNames.isItemLike)
        return min(size, 7) + 2 * ItemsCandidate.likeness(of: items) + (isKeyed ? 2 : 0)
    }

    /// True if the object holds a list that may be the items.
    private static func isEnvelope(_ object: JSONObject) -> Bool {
        object.all.contains { member in
            ItemsNames.isUsual(member.name) && ItemsCandidate(member.value, at: Path([]))?.shape == .array
        }
    }

    /// The body, or the object that it wraps, as the only item.
    private mutating func addSingle(_ body: JSONValue) {
        guard let members = body.members, !members.all.isEmpty else { return }
        var candidate = ItemsCandidate(
            path: Path([]), shape: .single, items: [ItemsCandidate.Item(name: nil, members: members)])
        candidate.score = ItemsNames.isItemLike(members) ? 4 : 0.5
        if members.all.contains(where: { ItemsNames.isFault($0.name) && ![.null, .bool(false)].contains($0.value) }) {
            candidate.score = ItemsNames.isItemLike(members) ? 1 : -1
        }
        // An error that came with status 200 is no item, though it may have an id.
        guard !ItemsNames.saysNo(members) else { return }
        found.append(candidate)
        let objects = members.all.filter { $0.value.members != nil && !ItemsNames.isBeside($0.name) }
        guard objects.count == 1, let only = objects.first, let wrapped = only.value.members, !wrapped.all.isEmpty,
            ItemsNames.wrappers.contains(MemberName(only.name).folded), !ItemsNames.isItemLike(members)
        else { return }
        var inner = ItemsCandidate(
            path: Path([.member(only.name)]), shape: .single,
            items: [ItemsCandidate.Item(name: nil, members: wrapped)])
        inner.score = candidate.score + (ItemsNames.isItemLike(wrapped) ? 3.5 : 0.25)
        found.append(inner)
    }
}
