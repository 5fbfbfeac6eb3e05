/// The position of a node in the bytes of a YAML text, for edits that keep every other byte.
package struct Layout: Sendable, Hashable {
    /// The kind of a node.
    package enum Shape: Sendable, Hashable {
        /// A single value.
        case scalar
        /// An alias such as `*name`.
        case alias
        /// A list.
        case sequence
        /// Names and values.
        case mapping
    }

    /// The kind of the node.
    package let shape: Shape
    /// True for a list in brackets or a mapping in braces.
    package let isFlow: Bool
    /// From its first byte, including an anchor or a tag, to the one after its last; a block ends with its last node.
    package let bytes: Range<Int>
    /// The column of its first byte in Unicode scalars, from 0.
    package let column: Int
    /// The elements of a list; the names and values of a mapping, in alternation.
    package let children: [Layout]
    /// The text of a scalar.
    package let text: String?
    /// True if the node has an anchor or a tag.
    package let isMarked: Bool

    /// The names and values of a mapping.
    package var pairs: [(key: Layout, value: Layout)] {
        guard shape == .mapping else { return [] }
        return stride(from: 0, to: children.count - 1, by: 2).map { (children[$0], children[$0 + 1]) }
    }

    /// The positions in a YAML text.
    package struct Document: Sendable, Hashable {
        /// The text's only document; nil if there is none.
        package let root: Layout?
        /// The end of the document: its `...`, or the end of the text.
        package let end: Int
    }

    /// Finds the positions in a text that `Node.parse` accepts.
    ///
    /// - Throws: `YAMLError` for a text that is not YAML or nests too deep.
    package static func parse(_ bytes: [UInt8], source: String) throws(YAMLError) -> Document {
        try bytes.withUnsafeBufferPointer { buffer throws(YAMLError) in
            var composer = LayoutComposer(try EventParser(buffer, source: source), ScalarOffsets(buffer))
            return try composer.document(byteCount: buffer.count)
        }
    }
}

/// The byte at which each Unicode scalar of a text begins: libyaml counts scalars.
private struct ScalarOffsets {
    private var offsets: [Int] = []

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        // The parser skips a byte order mark, and so do its positions.
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        for offset in start..<max(start, bytes.count) where bytes[offset] & 0xC0 != 0x80 { offsets.append(offset) }
        offsets.append(bytes.count)
    }

    subscript(index: Int) -> Int { offsets[min(max(0, index), offsets.count - 1)] }
}

/// Builds the tree of positions from the parser's events.
private struct LayoutComposer: ~Copyable {
    private var events: EventParser
    private let offsets: ScalarOffsets

    init(_ events: consuming EventParser, _ offsets: ScalarOffsets) {
        self.events = events
        self.offsets = offsets
    }

    mutating func document(byteCount: Int) throws(YAMLError) -> Layout.Document {
        var root: Layout?
        var end = byteCount
        while true {
            let event = try events.next()
            switch event.kind {
            case .streamStart: continue
            case .documentStart: root = try compose(try events.next(), depth: 0)
            // An implicit end has the position of the next token, and there is none.
            case .documentEnd: end = event.isImplicit ? byteCount : offsets[event.places.lowerBound]
            default: return Layout.Document(root: root, end: end)
            }
        }
    }

    private mutating func compose(_ event: Event, depth: Int) throws(YAMLError) -> Layout {
        guard depth <= YAMLLimits.standard.depth else {
            throw YAMLError(mark: event.mark, problem: "nested more than \(YAMLLimits.standard.depth) deep")
        }
        switch event.kind {
        case .sequenceStart: return try collection(.sequence, event, depth: depth)
        case .mappingStart: return try collection(.mapping, event, depth: depth)
        case .alias: return layout(.alias, event, end: event.places.upperBound)
        case .scalar(let text, _): return layout(.scalar, event, end: event.places.upperBound, text: text)
        default: throw YAMLError(mark: event.mark, problem: "expected a value here")
        }
    }

    private mutating func collection(_ shape: Layout.Shape, _ start: Event, depth: Int) throws(YAMLError) -> Layout {
        var children: [Layout] = []
        while true {
            let event = try events.next()
            switch event.kind {
            case .sequenceEnd, .mappingEnd:
                // The end of a block is reported at the token after it.
                guard !start.isFlow else {
                    return layout(shape, start, end: event.places.upperBound, children: children)
                }
                let end = children.last?.bytes.upperBound ?? offsets[start.places.upperBound]
                return Layout(
                    shape: shape, isFlow: false, bytes: offsets[start.places.lowerBound]..<end,
                    column: start.mark.column - 1, children: children, text: nil, isMarked: isMarked(start))
            default: children.append(try compose(event, depth: depth + 1))
            }
        }
    }

    private func layout(
        _ shape: Layout.Shape, _ event: Event, end: Int, children: [Layout] = [], text: String? = nil
    ) -> Layout {
        let start = offsets[event.places.lowerBound]
        return Layout(
            shape: shape, isFlow: event.isFlow, bytes: start..<max(start, offsets[end]), column: event.mark.column - 1,
            children: children, text: text, isMarked: isMarked(event))
    }

    private func isMarked(_ event: Event) -> Bool { event.anchor != nil || event.tag != nil }
}
