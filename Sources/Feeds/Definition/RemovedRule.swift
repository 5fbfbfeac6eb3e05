internal import YAML

/// The mark of removed items; other upstreams leave them out.
package struct RemovedRule: Sendable, Hashable {
    /// The path of the mark in the item.
    package let path: Path
    /// The values of the mark; none for any value except nothing, `null`, `false`, 0 or an empty text.
    package let values: [String]

    /// The rule and its member on one line, equal for equal rules.
    var canonicalText: String { "\(path)" + (values.isEmpty ? "" : " is \(values.joined(separator: " or "))") }
}

extension RemovedRule {
    /// True if an item with this value has been removed.
    package func holds(for found: JSONScalar?) -> Bool {
        guard let found else { return false }
        if !values.isEmpty { return values.contains(where: found.isWritten) }
        return switch found {
        case .null, .boolean(false), .integer(0), .text(""), .text("false"), .text("0"), .json("[]"), .json("{}"): false
        default: true
        }
    }
}

extension MappingDecoder {
    /// The feed's `removed`: a path, or `{path, is}`.
    func removedRule(_ name: String) -> RemovedRule? {
        guard let node = node(name) else { return nil }
        guard node.pairs != nil, let members = reader(name) else {
            return path(name, node).map { RemovedRule(path: $0, values: []) }
        }
        defer { members.finish() }
        members.require("path", "say which member of an item shows that it is gone")
        let nodes = members.node("is").map { $0.elements ?? [$0] } ?? []
        let values = nodes.compactMap { $0.isNull ? "null" : members.string("is", $0) }
        return members.path("path").map { RemovedRule(path: $0, values: values) }
    }
}
