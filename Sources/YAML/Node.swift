/// One value of a YAML document, with its position.
///
/// Aliases are already resolved.
package struct Node: Sendable, Hashable {
    /// The content of a node.
    package enum Content: Sendable, Hashable {
        /// A single value.
        case scalar(Scalar)
        /// A list, in order.
        case sequence([Node])
        /// Names and values, in the order written, no name twice.
        case mapping([Pair])
    }

    /// One member of a mapping.
    package struct Pair: Sendable, Hashable {
        /// The member's name; in YAML any node may be one.
        package let key: Node
        /// The member's value.
        package let value: Node

        /// A member of a mapping.
        package init(key: Node, value: Node) {
            self.key = key
            self.value = value
        }
    }

    /// The node's content.
    package let content: Content
    /// The position at which the node starts.
    package let mark: Mark

    /// A node at `mark`.
    package init(_ content: Content, mark: Mark) {
        self.content = content
        self.mark = mark
    }

    /// The scalar, or nil for a sequence or mapping.
    package var scalar: Scalar? {
        if case .scalar(let scalar) = content { scalar } else { nil }
    }

    /// The elements; nil if this is not a sequence.
    package var elements: [Node]? {
        if case .sequence(let elements) = content { elements } else { nil }
    }

    /// The members; nil if this is not a mapping.
    package var pairs: [Pair]? {
        if case .mapping(let pairs) = content { pairs } else { nil }
    }

    /// The scalar's text exactly as written (`1.10` stays `1.10`), or nil for a sequence or mapping.
    package var text: String? { scalar?.text }

    /// True for the scalar null.
    package var isNull: Bool { scalar?.resolution == .null }

    /// The member of that name; nil if there is none, or this is not a mapping.
    package subscript(_ name: String) -> Node? {
        pairs?.first { $0.key.text == name }?.value
    }

    /// Reads YAML (1.2 core schema, one document), and so JSON as well.
    ///
    /// - Parameters:
    ///   - bytes: The text, in UTF-8.
    ///   - source: The name of the text in marks and errors: mostly its file.
    ///   - limits: The most that the text may ask for.
    /// - Returns: The root of the only document; nil if there are only comments.
    /// - Throws: `YAMLError` at the first error; a repeated name in a mapping is one.
    package static func parse(
        _ bytes: [UInt8], source: String, limits: YAMLLimits = .standard
    ) throws(YAMLError) -> Node? {
        try bytes.withUnsafeBufferPointer { buffer throws(YAMLError) in
            var composer = Composer(try EventParser(buffer, source: source), limits: limits)
            return try composer.document()
        }
    }

    /// Reads YAML text; everything else is as for bytes.
    ///
    /// - Throws: `YAMLError` at the first error.
    package static func parse(
        _ text: String, source: String, limits: YAMLLimits = .standard
    ) throws(YAMLError) -> Node? {
        try parse(Array(text.utf8), source: source, limits: limits)
    }
}

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
