internal import YAML

/// The place of the items in a page's body.
package struct ItemsRule: Sendable, Hashable {
    /// The path of their array, or of the object whose members they are.
    package let path: Path
    /// The column that takes each member's name, where the items are the members of an object.
    package let keyedBy: String?
    /// The lists that the array at `path` is gathered from; nil where the upstream has it.
    package let scattered: ScatteredLists?

    /// Items at this path.
    package init(path: Path, keyedBy: String? = nil) {
        self.path = path
        self.keyedBy = keyedBy
        scattered = nil
    }

    /// Items that are gathered from several lists.
    package init(_ lists: ScatteredLists) {
        path = lists.path
        keyedBy = nil
        scattered = lists
    }
}

/// Lists in several places of a body, as in `rooms.*.events`.
///
/// Their elements are gathered into one list, at a member named `*` of the value whose members they are in.
package struct ScatteredLists: Sendable, Hashable {
    /// The names that lead to the value whose members or elements have the lists.
    package let root: [String]
    /// The steps behind each `*`, in order.
    package let groups: [[Path.Segment]]
    /// The members of an item that take the names on the way to it, in the order of the `*`.
    package let names: [String]

    /// The name of the member that takes the gathered list.
    package static let gathered = "*"
    /// The most `*` of a path.
    static let mostWildcards = 8

    package init(root: [String], groups: [[Path.Segment]], names: [String] = []) {
        (self.root, self.groups, self.names) = (root, groups, names)
    }

    /// The path of the gathered list.
    package var path: Path { Path((root + [Self.gathered]).map { .member($0) }) }
}

extension ScatteredLists: CustomStringConvertible {
    /// The path with its `*`.
    package var description: String {
        groups.reduce(root.isEmpty ? "" : Path(root.map { .member($0) }).description) { text, group in
            let steps = group.isEmpty ? "" : Path(group).description
            return text + (text.isEmpty ? "*" : ".*") + (steps.isEmpty || steps.hasPrefix("[") ? "" : ".") + steps
        }
    }
}

extension ItemsRule: CustomStringConvertible {
    /// The path, and the columns for the names where there are any.
    package var description: String {
        let names = scattered?.names ?? keyedBy.map { [$0] } ?? []
        let place = scattered?.description ?? path.description
        return names.isEmpty ? place : "\(place) keyed by \(names.joined(separator: ", "))"
    }
}

extension MappingDecoder {
    /// The feed's `items`: a path, or `{path, keyed_by}`.
    func itemsRule(_ name: String) -> ItemsRule? {
        guard let node = node(name) else { return nil }
        guard node.pairs != nil, let members = reader(name) else {
            return itemsRule(name, node, keyedBy: [])
        }
        defer { members.finish() }
        members.require("path", "say where in the body the items are")
        let names = members.strings("keyed_by").map(\.text)
        return members.node("path").flatMap { members.itemsRule("path", $0, keyedBy: names) }
    }

    private func itemsRule(_ name: String, _ node: Node, keyedBy names: [String]) -> ItemsRule? {
        guard let groups = pathGroups(name, node), let first = groups.first else { return nil }
        guard names.count <= max(groups.count - 1, 1) else {
            report(
                "`keyed_by` of \(subject) has \(names.count) names, and the path has \(groups.count - 1) `*`",
                at: "keyed_by")
            return nil
        }
        guard groups.count > 1 else { return ItemsRule(path: Path(first), keyedBy: names.first) }
        let root = first.compactMap { if case .member(let name) = $0 { name } else { nil } }
        guard root.count == first.count else {
            report("the path `\(node.text ?? "")` has a `[…]` before its first `*`", at: SourcePosition(node.mark))
            return nil
        }
        guard groups.count - 1 <= ScatteredLists.mostWildcards else {
            report(
                "the path `\(node.text ?? "")` has more than \(ScatteredLists.mostWildcards) `*`",
                at: SourcePosition(node.mark))
            return nil
        }
        return ItemsRule(ScatteredLists(root: root, groups: Array(groups.dropFirst()), names: names))
    }
}
