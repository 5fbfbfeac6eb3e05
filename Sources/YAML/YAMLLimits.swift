/// The bounds on the size of a YAML text.
package struct YAMLLimits: Sendable, Hashable {
    /// The largest number of nodes in the document. Each alias counts as all the nodes that it repeats.
    package let nodes: Int
    /// The largest depth of nested sequences and mappings.
    package let depth: Int

    /// Limits that no configuration written by hand comes near.
    package static let standard = YAMLLimits(nodes: 1_000_000, depth: 64)

    /// Limits of one's own.
    package init(nodes: Int, depth: Int) {
        self.nodes = nodes
        self.depth = depth
    }
}
