/// Searches for the columns that identify a feed's items.
struct KeySearch {
    /// Longer texts are no keys.
    private static let longestText = 512
    /// The number of an item's members to examine, and of those to combine in pairs.
    private static let mostPaths = 300
    private static let mostInPairs = 8

    /// The result of the search.
    struct Found: Hashable {
        /// The paths that identify items together; empty if there are none.
        let paths: [Path]
        /// The reason for the choice or for its absence: a sentence for people.
        let reason: String
        /// The certainty of the choice.
        var certainty = Evidence.Certainty.guess
    }

    private struct Candidate {
        let path: Path
        let name: KeyName
        let order: Int
        /// The values, item by item.
        let values: [String]
        /// True if it counts as the items' own id only because they begin with it.
        let isAssumed: Bool
        /// True for a text for people, which may occur again at any time.
        let isFreeText: Bool

        /// True if it identifies its object by itself.
        var isIdentifier: Bool { name <= .wrappedIdentifier || name == .otherIdentifier }
        /// True for a day, a month or a year rather than a time.
        var isDay: Bool { values.allSatisfy { $0.utf8.count <= 10 } }
        var isNumber: Bool { values.allSatisfy { $0.hasPrefix("#") } }
        /// True if it may be a part of a key.
        var isPart: Bool { name < .fleeting && !isFreeText }
    }

    /// The key of these items.
    ///
    /// - Parameters:
    ///   - items: The items, of one page or several.
    ///   - place: Their place, in words.
    ///   - resource: The name of what the feed asks for: the last part of its path.
    ///   - preferred: Paths that are columns already; of candidates alike in all else these go first.
    ///   - isSingle: True if the only item is all that the body is: its name is as good as an id.
    ///   - isOrdered: True if the order of an item's members is the upstream's own, and says something.
    static func key(
        of items: [ItemsCandidate.Item], on place: String = "the page", resource: String? = nil,
        preferred: Set<Path> = [], isSingle: Bool = false, isOrdered: Bool = true
    ) -> Found {
        let objects = items.map(\.members)
        guard let first = objects.first else {
            return Found(paths: [], reason: "the page has no items to find a key in")
        }
        if objects.allSatisfy(PlainItem.holds) { return ofValues(objects, on: place) }
        let all = paths(in: first).enumerated().compactMap { index, path -> Candidate? in
            let values = objects.compactMap { keyText(value(in: $0, at: path)) }
            guard values.count == objects.count else { return nil }
            var rank = KeyName.rank(path, resource: resource)
            // An id that the items begin with is mostly their own.
            let isAssumed = isOrdered && index == 0 && rank.name == .otherIdentifier
            if isAssumed { rank = (.ownIdentifier, 50) }
            let isGiven = preferred.contains(path)
            return Candidate(
                path: path, name: isGiven && rank.name > .name ? .name : rank.name,
                order: isGiven ? rank.order - 10_000 : rank.order, values: values,
                isAssumed: isAssumed,
                isFreeText: !isGiven && rank.name > .name && (KeyName.isFreeText(path) || isFreeText(values)))
        }
        let candidates = all.sorted { ($0.name, $0.order) < ($1.name, $1.order) }
        guard objects.count > 1 else { return ofOnlyItem(candidates, isSingle: isSingle) }
        var seen: Set<JSONObject> = []
        // An object that came twice unchanged is one item if it has an id, and two equal items if it has none.
        let distinct = objects.indices.filter { seen.insert(objects[$0]).inserted }
        let repeats = objects.count - distinct.count
        let told = repeats > 0 ? "; \(repeats) came twice" : ""
        let isUnique = { (parts: [Candidate]) in
            let hasOwn = parts.contains { $0.name <= .wrappedIdentifier }
            return Self.isUnique(parts, in: hasOwn ? distinct : Array(objects.indices))
        }
        func found(_ parts: [Candidate]) -> Found {
            let names = parts.map(\.path).inBackticks()
            let count = parts.contains { $0.name <= .wrappedIdentifier } ? distinct.count : objects.count
            return Found(
                paths: parts.map(\.path),
                reason:
                    "\(names)\(parts.count > 1 ? " together are" : " is") unique across all \(count) items of \(place)\(told)",
                certainty: certainty(of: parts))
        }
        if let parts = ways(candidates, inOrder: all).first(where: isUnique) { return found(parts) }
        return Found(paths: [], reason: none(candidates, of: objects) + told)
    }

    /// The possible keys, best first.
    private static func ways(_ sorted: [Candidate], inOrder all: [Candidate]) -> [[Candidate]] {
        let parts = sorted.filter(\.isPart)
        let named = parts.filter { $0.name <= .otherIdentifier }.map { [$0] }
        let ids = Array(parts.filter { $0.isIdentifier || $0.name == .moment }.prefix(mostInPairs))
        let groups = [2, 3].flatMap { combinations(of: ids, $0) }.filter { $0.contains(where: \.isIdentifier) }
        // A time says when; where something was said then, several may have been.
        let hasFreeText = sorted.contains(where: \.isFreeText)
        let moments = parts.filter { $0.name == .moment && (!hasFreeText || $0.isDay) }.map { [$0] }
        // The columns of a key come first in a row, and its figures last.
        let leading = all.filter { $0.isPart && $0.name != .name && !($0.name == .unknown && $0.isNumber) }
        let prefixes = hasFreeText ? [] : (2...3).filter { $0 <= leading.count }.map { Array(leading.prefix($0)) }
        let pairs = [2, 3].flatMap { combinations(of: Array(parts.prefix(mostInPairs)), $0) }
        // A name, a station or a figure by itself may come again any time.
        return named + groups + moments + prefixes + (hasFreeText ? [] : pairs)
    }

    private static func certainty(of parts: [Candidate]) -> Evidence.Certainty {
        guard parts.count == 1, let one = parts.first else { return .guess }
        if one.name <= .wrappedIdentifier { return one.isAssumed ? .likely : .certain }
        return KeyName.isAddress(one.path) ? .likely : .guess
    }

    /// True for sentences rather than words.
    private static func isFreeText(_ values: [String]) -> Bool {
        values.contains { !$0.hasPrefix("#") && ($0.utf8.count > 80 || $0.utf8.count { $0 == UInt8(ascii: " ") } > 1) }
    }

    /// The value as the key of the elements of a list of values. Sentences may come again at any time.
    private static func ofValues(_ objects: [JSONObject], on place: String) -> Found {
        let path = Path([.member(PlainItem.value)])
        let values = objects.compactMap { keyText($0[PlainItem.value]) }
        guard values.count == objects.count, !isFreeText(values) else {
            return Found(paths: [], reason: "the values of \(place) are not all words or whole numbers")
        }
        let differing = Set(values).count
        guard differing == values.count else {
            return Found(
                paths: [], reason: "nothing identifies the \(values.count) values: \(differing) are different")
        }
        return Found(
            paths: [path], reason: "\(shown(path)) is unique across all \(values.count) values of \(place)",
            certainty: values.count > 1 ? .certain : .likely)
    }

    private static func ofOnlyItem(_ candidates: [Candidate], isSingle: Bool) -> Found {
        let one = candidates.first { $0.name <= .name || isSingle && $0.name == .label }
        guard let one else {
            return Found(
                paths: [],
                reason: "one item is not enough to tell, and none of its members has a name such as `id` or `url`")
        }
        return Found(
            paths: [one.path], reason: "\(shown(one.path)) by its name; there is only one item",
            certainty: one.name <= .wrappedIdentifier || KeyName.isAddress(one.path) ? .likely : .guess)
    }

    private static func none(_ candidates: [Candidate], of objects: [JSONObject]) -> String {
        let count = objects.count
        guard !candidates.isEmpty else {
            if let (path, empty) = emptyText(in: objects) {
                return
                    "\(shown(path)) is an empty text in \(empty) of \(count) items, and no other member is a number or text in all of them"
            }
            return "no member is a number or text in all \(count) items"
        }
        let tried = candidates.prefix(5).map { candidate in
            "\(shown(candidate.path)) (\(Set(candidate.values).count) different)"
        }
        return "nothing identifies the \(count) items: \(tried.joined(separator: ", "))"
    }

    /// The first member that is a number or text in all items but for empty texts, with the count of those.
    private static func emptyText(in objects: [JSONObject]) -> (path: Path, count: Int)? {
        for path in objects.first.map({ paths(in: $0) }) ?? [] {
            let values = objects.map { value(in: $0, at: path) }
            let count = values.count { if case .string(let text)? = $0 { text.isEmpty } else { false } }
            if count > 0, count < objects.count, values.compactMap(keyText).count + count == objects.count {
                return (path, count)
            }
        }
        return nil
    }

    private static func shown(_ path: Path) -> String { "`\(path)`" }

    private static func isUnique(_ parts: [Candidate], in items: [Int]) -> Bool {
        var seen: Set<[String]> = []
        return items.allSatisfy { index in seen.insert(parts.map { $0.values[index] }).inserted }
    }

    private static func combinations(of parts: [Candidate], _ size: Int) -> [[Candidate]] {
        guard size > 0 else { return [[]] }
        return parts.indices.flatMap { index in
            combinations(of: Array(parts[(index + 1)...]), size - 1).map { [parts[index]] + $0 }
        }
    }

    /// The paths to scalars, those of nested objects too.
    private static func paths(in item: JSONObject) -> [Path] {
        var paths: [Path] = []
        func visit(_ members: JSONObject, _ path: Path) {
            for member in members.all where paths.count < mostPaths && !MemberName.isTooLong(member.name) {
                let place = path.appending(member.name)
                if keyText(member.value) != nil { paths.append(place) }
                if let inner = member.value.members, place.segments.count < ItemShape.deepest { visit(inner, place) }
            }
        }
        visit(item, Path([]))
        return paths
    }

    private static func value(in item: JSONObject, at path: Path) -> JSONValue? {
        guard case .member(let name)? = path.segments.first, let value = item[name] else { return nil }
        return value.value(at: Path(Array(path.segments.dropFirst())))
    }

    /// A whole number or a text that may be a key, each of its own kind; nil for all else.
    private static func keyText(_ value: JSONValue?) -> String? {
        switch value {
        case .number(let digits)? where !digits.utf8.contains(where: ".eE".utf8.contains): "#\(digits)"
        case .string(let text)? where !text.isEmpty && text.utf8.count <= longestText: text
        default: nil
        }
    }
}
