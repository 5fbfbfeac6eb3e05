/// How much a YAML text may ask of its reader.
public struct Limits: Sendable, Hashable {
    /// The nodes of the document, each alias counted as all that it stands for.
    public let nodes: Int
    /// How deep sequences and mappings may nest.
    public let depth: Int

    /// Limits that no configuration written by hand comes near.
    public static let standard = Limits(nodes: 1_000_000, depth: 64)

    /// Limits of one's own.
    public init(nodes: Int, depth: Int) {
        self.nodes = nodes
        self.depth = depth
    }
}
