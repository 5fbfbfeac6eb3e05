/// Looks for what tells a feed's items apart.
struct KeySearch {
    /// Longer texts are no keys.
    private static let longestText = 512
    /// How many members of an item are looked at, and how many go into pairs.
    private static let mostPaths = 300
    private static let mostInPairs = 8

    /// What was found.
    struct Found: Hashable {
        /// The paths that tell items apart together; none where nothing does.
        let paths: [Path]
        /// Why these, or why none: a sentence for people.
        let reason: String
    }

    private struct Candidate {
        let path: Path
        let name: KeyName
        let order: Int
        /// What stands there, item by item.
        let values: [String]
    }

    /// The key of these items.
    ///
    /// - Parameters:
    ///   - items: The items, of one page or several.
    ///   - place: Where they are, in words.
    ///   - resource: What the feed asks for: the last part of its path.
    ///   - preferred: Paths that are columns already; of candidates alike in all else these go first.
    static func key(
        of items: [ItemsCandidate.Item], on place: String = "the page", resource: String? = nil,
        preferred: Set<Path> = []
    ) -> Found {
        var seen: Set<JSONTree.Members> = []
        // An item that came twice on a page is one.
        let objects = items.map(\.members).filter { seen.insert($0).inserted }
        guard let first = objects.first else {
            return Found(paths: [], reason: "the page has no items to find a key in")
        }
        let candidates = paths(in: first).enumerated().compactMap { index, path -> Candidate? in
            let values = objects.compactMap { keyText(value(in: $0, at: path)) }
            guard values.count == objects.count else { return nil }
            var rank = KeyName.rank(path, resource: resource)
            // An id that the items begin with is mostly their own.
            if index == 0, rank.name == .otherIdentifier { rank = (.ownIdentifier, 50) }
            let isGiven = preferred.contains(path)
            return Candidate(
                path: path, name: isGiven && rank.name > .name ? .name : rank.name,
                order: isGiven ? rank.order - 10_000 : rank.order, values: values)
        }.sorted { ($0.name, $0.order) < ($1.name, $1.order) }
        guard objects.count > 1 else { return ofOnlyItem(candidates) }
        if let one = candidates.first(where: { $0.name < .fleeting && isUnique([$0]) }) {
            return Found(
                paths: [one.path], reason: "\(shown(one.path)) is unique across all \(objects.count) items of \(place)")
        }
        let parts = Array(candidates.prefix(mostInPairs))
        for size in [2, 3] {
            for combination in combinations(of: parts, size) where isUnique(combination) {
                let names = combination.map { shown($0.path) }.joined(separator: " and ")
                return Found(
                    paths: combination.map(\.path),
                    reason: "\(names) together are unique across all \(objects.count) items of \(place)")
            }
        }
        return Found(paths: [], reason: none(candidates, count: objects.count))
    }

    private static func ofOnlyItem(_ candidates: [Candidate]) -> Found {
        guard let one = candidates.first(where: { $0.name <= .name }) else {
            return Found(
                paths: [],
                reason: "one item is not enough to tell, and none of its members has a name such as `id` or `url`")
        }
        return Found(paths: [one.path], reason: "\(shown(one.path)) by its name; there is only one item")
    }

    private static func none(_ candidates: [Candidate], count: Int) -> String {
        guard !candidates.isEmpty else {
            return "no member is a number or text in all \(count) items"
        }
        let tried = candidates.prefix(5).map { candidate in
            "\(shown(candidate.path)) (\(Set(candidate.values).count) different)"
        }
        return "nothing identifies the \(count) items: \(tried.joined(separator: ", "))"
    }

    private static func shown(_ path: Path) -> String { "`\(path)`" }

    private static func isUnique(_ parts: [Candidate]) -> Bool {
        guard let first = parts.first else { return false }
        var seen: Set<[String]> = []
        return first.values.indices.allSatisfy { index in seen.insert(parts.map { $0.values[index] }).inserted }
    }

    private static func combinations(of parts: [Candidate], _ size: Int) -> [[Candidate]] {
        guard size > 0 else { return [[]] }
        return parts.indices.flatMap { index in
            combinations(of: Array(parts[(index + 1)...]), size - 1).map { [parts[index]] + $0 }
        }
    }

    /// The paths to scalars, those of nested objects too.
    private static func paths(in item: JSONTree.Members) -> [Path] {
        var paths: [Path] = []
        func visit(_ members: JSONTree.Members, _ path: Path) {
            for member in members.all where paths.count < mostPaths {
                let place = path.appending(member.name)
                if keyText(member.value) != nil { paths.append(place) }
                if let inner = member.value.members, place.segments.count < ItemShape.deepest { visit(inner, place) }
            }
        }
        visit(item, Path([]))
        return paths
    }

    private static func value(in item: JSONTree.Members, at path: Path) -> JSONTree? {
        guard case .member(let name)? = path.segments.first, let value = item[name] else { return nil }
        return value.value(at: Path(Array(path.segments.dropFirst())))
    }

    /// A whole number or a text that may be a key, each of its own kind; nil for all else.
    private static func keyText(_ value: JSONTree?) -> String? {
        switch value {
        case .number(let digits)? where !digits.utf8.contains(where: ".eE".utf8.contains): "#\(digits)"
        case .string(let text)? where !text.isEmpty && text.utf8.count <= longestText: text
        default: nil
        }
    }
}
