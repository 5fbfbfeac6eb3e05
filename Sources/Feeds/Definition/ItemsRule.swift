internal import YAML

/// The place of the items in a page's body.
package struct ItemsRule: Sendable, Hashable {
    /// The path of their array, or of the object whose members they are.
    package let path: Path
    /// The column that takes each member's name, where the items are the members of an object.
    package let keyedBy: String?

    /// Items at this path.
    package init(path: Path, keyedBy: String? = nil) {
        self.path = path
        self.keyedBy = keyedBy
    }
}

extension ItemsRule: CustomStringConvertible {
    /// The path, and the column for the names where there is one.
    package var description: String { keyedBy.map { "\(path) keyed by \($0)" } ?? path.description }
}

extension MappingDecoder {
    /// The feed's `items`: a path, or `{path, keyed_by}`.
    func itemsRule(_ name: String) -> ItemsRule? {
        guard let node = node(name) else { return nil }
        guard node.pairs != nil, let members = reader(name, of: "`\(name)` of \(subject)") else {
            return path(name, node).map { ItemsRule(path: $0) }
        }
        defer { members.finish() }
        members.require("path", "say where in the body the items are")
        let column = members.string("keyed_by")
        return members.path("path").map { ItemsRule(path: $0, keyedBy: column) }
    }
}
