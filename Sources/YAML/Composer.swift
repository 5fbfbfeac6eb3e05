/// Builds the tree of a document from the parser's events.
struct Composer: ~Copyable {
    /// A node, with the cost of visiting it.
    private struct Composed {
        let node: Node
        var count = 1
        var height = 0

        mutating func add(_ child: Composed) {
            count += child.count
            height = max(height, child.height + 1)
        }
    }

    private var events: EventParser
    private let limits: YAMLLimits
    /// A name maps to nil while its own node is still being read.
    private var anchors: [String: Composed?] = [:]
    private var count = 0

    init(_ events: consuming EventParser, limits: YAMLLimits) {
        self.events = events
        self.limits = limits
    }

    /// The text's only document, or nil where it has none.
    mutating func document() throws(YAMLError) -> Node? {
        var root: Node?
        while true {
            let event = try events.next()
            switch event.kind {
            case .streamStart, .documentEnd: continue
            case .streamEnd: return root
            case .documentStart where root != nil:
                throw YAMLError(mark: event.mark, problem: "a second document starts here; there can be only one")
            case .documentStart:
                let first = try events.next()
                root = try compose(first, depth: 0).node
            default:
                throw YAMLError(mark: event.mark, problem: "expected a document here")
            }
        }
    }

    private mutating func compose(_ event: Event, depth: Int) throws(YAMLError) -> Composed {
        if case .alias(let name) = event.kind { return try expand(name, at: event.mark, depth: depth) }
        try charge(1, at: event.mark)
        guard depth <= limits.depth else { throw tooDeep(at: event.mark) }
        if let anchor = event.anchor { anchors[anchor] = .some(nil) }
        let composed = try content(of: event, depth: depth)
        if let anchor = event.anchor { anchors[anchor] = composed }
        return composed
    }

    private mutating func content(of event: Event, depth: Int) throws(YAMLError) -> Composed {
        switch event.kind {
        case .scalar(let text, let isPlain):
            let scalar = Scalar(text, style: isPlain ? .plain : .quoted, tag: try scalarTag(of: event))
            guard scalar.fitsTag else {
                throw YAMLError(mark: event.mark, problem: "`\(text)` is not what its tag `\(shown(event.tag))` says")
            }
            return Composed(node: Node(.scalar(scalar), mark: event.mark))
        case .sequenceStart:
            try check(event, isTagged: "seq")
            return try sequence(at: event.mark, depth: depth)
        case .mappingStart:
            try check(event, isTagged: "map")
            return try mapping(at: event.mark, depth: depth)
        default:
            throw YAMLError(mark: event.mark, problem: "expected a value here")
        }
    }

    private mutating func sequence(at mark: Mark, depth: Int) throws(YAMLError) -> Composed {
        var elements: [Node] = []
        var whole = Composed(node: Node(.sequence([]), mark: mark))
        while true {
            let event = try events.next()
            if case .sequenceEnd = event.kind { break }
            let element = try compose(event, depth: depth + 1)
            whole.add(element)
            elements.append(element.node)
        }
        return Composed(node: Node(.sequence(elements), mark: mark), count: whole.count, height: whole.height)
    }

    private mutating func mapping(at mark: Mark, depth: Int) throws(YAMLError) -> Composed {
        var pairs: [Node.Pair] = []
        var names = Names()
        var whole = Composed(node: Node(.mapping([]), mark: mark))
        while true {
            let event = try events.next()
            if case .mappingEnd = event.kind { break }
            let key = try compose(event, depth: depth + 1)
            if let name = key.node.text, !names.insert(name) {
                throw YAMLError(mark: key.node.mark, problem: "the member `\(name)` is given twice")
            }
            let valueEvent = try events.next()
            let value = try compose(valueEvent, depth: depth + 1)
            whole.add(key)
            whole.add(value)
            pairs.append(Node.Pair(key: key.node, value: value.node))
        }
        return Composed(node: Node(.mapping(pairs), mark: mark), count: whole.count, height: whole.height)
    }

    private mutating func expand(_ name: String, at mark: Mark, depth: Int) throws(YAMLError) -> Composed {
        guard let known = anchors[name] else {
            throw YAMLError(mark: mark, problem: "the alias `*\(name)` has no `&\(name)` before it")
        }
        guard let composed = known else {
            throw YAMLError(mark: mark, problem: "the alias `*\(name)` is inside the value that it stands for")
        }
        try charge(composed.count, at: mark)
        guard depth + composed.height <= limits.depth else { throw tooDeep(at: mark) }
        // An error in the value is best shown at the place where it is used.
        let node = Node(composed.node.content, mark: mark)
        return Composed(node: node, count: composed.count, height: composed.height)
    }

    private mutating func charge(_ nodes: Int, at mark: Mark) throws(YAMLError) {
        count += nodes
        guard count <= limits.nodes else {
            throw YAMLError(mark: mark, problem: "more than \(limits.nodes) values, counting each alias in full")
        }
    }

    private func tooDeep(at mark: Mark) -> YAMLError {
        YAMLError(mark: mark, problem: "nested more than \(limits.depth) deep")
    }
}

/// The names of one mapping. Most have a few, which are compared in less time than one is hashed.
private struct Names {
    private static let few = 8

    private var list: [String] = []
    private var set: Set<String> = []

    /// Adds a name; false if it is there.
    mutating func insert(_ name: String) -> Bool {
        guard list.count >= Self.few else {
            guard !list.contains(name) else { return false }
            list.append(name)
            return true
        }
        if set.isEmpty { set = Set(list) }
        return set.insert(name).inserted
    }
}

extension Composer {
    private static let standardTags = "tag:yaml.org,2002:"

    private func scalarTag(of event: Event) throws(YAMLError) -> Scalar.Tag? {
        guard let tag = event.tag else { return nil }
        if tag == "!" { return .text }
        guard tag.hasPrefix(Self.standardTags), let known = Scalar.Tag(rawValue: suffix(of: tag)) else {
            throw unknownTag(event)
        }
        return known
    }

    private func check(_ event: Event, isTagged name: String) throws(YAMLError) {
        guard let tag = event.tag, tag != "!", tag != Self.standardTags + name else { return }
        throw unknownTag(event)
    }

    private func unknownTag(_ event: Event) -> YAMLError {
        YAMLError(mark: event.mark, problem: "the tag `\(shown(event.tag))` is not supported here")
    }

    private func suffix(of tag: String) -> String { String(tag.dropFirst(Self.standardTags.count)) }

    private func shown(_ tag: String?) -> String {
        guard let tag else { return "" }
        return tag.hasPrefix(Self.standardTags) ? "!!" + suffix(of: tag) : tag
    }
}
