package import HTTP

/// Paths of a definition that match nothing on a feed's first page: mistyped, perhaps.
package struct UnmatchedPaths {
    private let definition: FeedDefinition
    private let body: JSONValue
    private let items: [ItemsCandidate.Item]
    /// True if the page leads nowhere, although there are more items than it has.
    private let endsTooSoon: Bool

    /// Looks at a page that has items; nil for any other.
    ///
    /// - Parameters:
    ///   - definition: The definition as the user gave it, but for where the items are.
    ///   - end: The page that comes next, or the end.
    package init?(_ definition: FeedDefinition, items rule: ItemsRule?, in body: Body, _ end: NextPage) {
        guard let tree = try? JSONValue(body),
            let reading = PageReading(tree, items: rule ?? ItemsRule(path: Path([]))), !reading.items.isEmpty
        else { return nil }
        self.definition = definition
        self.body = tree
        items = reading.items
        endsTooSoon = end.next == nil && end.total.map { $0 > reading.items.count } ?? false
    }

    /// The notice about them; nil if every path matches.
    package var notice: String? {
        let notices = columns + [section, key].compactMap(\.self) + paging + searched
        return notices.isEmpty ? nil : notices.joined(separator: "; ")
    }

    private var columns: [String] {
        definition.columns.compactMap { column in
            guard ![.memberName, .itemHash, .given].contains(column.path) else { return nil }
            return unmatched(column.path, for: "the column `\(column.name)`")
        }
    }

    private var section: String? { definition.section.flatMap { unmatched($0.path, for: "`section`") } }

    /// The notice about a key that the items share, where another one tells them apart.
    private var key: String? {
        GivenKey(definition, items)?.better.map { "the items of the first page differ in `key: \($0)`" }
    }

    /// The notices about names in `search` that no item and no column has.
    private var searched: [String] {
        (definition.search?.words ?? []).compactMap { word in
            guard !definition.columns.contains(where: { $0.name == word }), let path = try? Path(word) else {
                return nil
            }
            return unmatched(path, for: "`search`")
        }
    }

    /// The notice about a path that no item has; nil if one does.
    private func unmatched(_ path: Path, for purpose: String) -> String? {
        guard items.allSatisfy({ $0.value(at: path) == nil }) else { return nil }
        let members = items.first.map { JSONValue.object($0.members) } ?? .null
        let nearest = nearest(to: path, in: members)
        // The author of a preset knew that its members may be absent.
        guard nearest != nil || definition.presetName == nil else { return nil }
        return "no item of the first page has `\(path)`, for \(purpose)\(hint(nearest))"
    }

    private var paging: [String] {
        definition.pagination.bodyPaths.enumerated().compactMap { index, path in
            guard body.value(at: path) == nil else { return nil }
            let nearest = nearest(to: path, in: body)
            // Many say that there is no next page by saying nothing of one.
            let isEnd = index == 0 && definition.pagination.cursorKind != .number && !endsTooSoon
            let mayBeAbsent = definition.presetName != nil || isEnd || path.hasCondition
            guard nearest != nil || !mayBeAbsent else { return nil }
            return "`\(path)`, in the feed's `pagination`, matches nothing in the body\(hint(nearest))"
        }
    }

    private func hint(_ nearest: String?) -> String { nearest.map { "; did you mean `\($0)`?" } ?? "" }

    /// The path as it was probably meant: with the nearest name in place of the first that is not there.
    private func nearest(to path: Path, in value: JSONValue) -> String? {
        var value = value
        var steps: [Path.Segment] = []
        for segment in path.segments {
            if let next = value.value(at: Path([segment])) {
                value = next
                steps.append(segment)
                continue
            }
            guard case .member(let name) = segment, let members = value.members,
                let nearest = NearestWord.suggestion(for: name, among: members.names)
            else { return nil }
            let rest = path.segments.dropFirst(steps.count + 1)
            return Path(steps + [.member(nearest)] + rest).description
        }
        return nil
    }
}
