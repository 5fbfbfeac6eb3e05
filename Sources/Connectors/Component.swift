internal import YAML

/// The text of a manifest, in which parts refer to other parts.
struct ManifestDocument: Sendable {
    let root: Node

    /// The longest chain of references, and the deepest nesting of lists of lists.
    private static let mostReferences = 64

    /// A node with its own reference replaced; those inside stay until they are read.
    ///
    /// The members beside a `$ref` go before those that it refers to.
    ///
    /// - Throws: `ConnectorFault` for a reference to a place that does not exist, or to itself.
    func resolved(_ node: Node, depth: Int = 0) throws(ConnectorFault) -> Node {
        guard depth < Self.mostReferences else {
            throw ConnectorFault(.manifest, "a `$ref` leads back to itself", at: node.mark)
        }
        if let text = node.text, text.hasPrefix("#/") {
            return try resolved(try target(of: text, at: node.mark), depth: depth + 1)
        }
        guard let reference = node["$ref"], let text = reference.text else { return node }
        let target = try resolved(try target(of: text, at: reference.mark), depth: depth + 1)
        guard let inherited = target.pairs else { return target }
        let own = (node.pairs ?? []).filter { $0.key.text != "$ref" }
        let names = Set(own.compactMap(\.key.text))
        let others = inherited.filter { !names.contains($0.key.text ?? "") }
        return Node(.mapping(others + own), mark: node.mark)
    }

    /// The node at a reference such as `#/definitions/base`; a name may have slashes, and the longest one wins.
    private func target(of reference: String, at mark: Mark) throws(ConnectorFault) -> Node {
        var node = root
        var words = reference.dropFirst(reference.hasPrefix("#/") ? 2 : 0).split(separator: "/")[...]
        while let word = words.first {
            if let whole = node[words.joined(separator: "/")] { return whole }
            let next =
                node[String(word)]
                ?? Int(word).flatMap { index in
                    node.elements.flatMap { $0.indices.contains(index) ? $0[index] : nil }
                }
            guard let next else {
                throw ConnectorFault(.manifest, "`\(reference)` is not in the manifest", at: mark)
            }
            node = next
            words = words.dropFirst()
        }
        return node
    }
}

/// A part of a manifest with the `$parameters` that it inherits.
struct Component: Sendable {
    /// The part, its own reference replaced.
    let node: Node
    /// The inherited parameters, and its own over them.
    let parameters: [String: Node]
    private let document: ManifestDocument

    init(_ node: Node, in document: ManifestDocument, parameters: [String: Node] = [:]) throws(ConnectorFault) {
        self.node = try document.resolved(node)
        var all = parameters
        for pair in self.node["$parameters"]?.pairs ?? [] { all[pair.key.text ?? ""] = pair.value }
        self.parameters = all
        self.document = document
    }

    var mark: Mark { node.mark }

    /// The `type`, or the Python class of a component with code of its own.
    var type: String? { node["class_name"]?.text ?? node["type"]?.text }

    /// The Python class; nil for a component of the manifest's own language.
    var customClass: String? {
        node["class_name"]?.text ?? type.flatMap { $0.hasPrefix("Custom") ? $0 : nil }
    }

    /// A fault at its place in the manifest.
    func fault(_ kind: ConnectorFault.Kind, _ problem: String) -> ConnectorFault {
        ConnectorFault(kind, problem, at: mark)
    }

    /// - Throws: `ConnectorFault` for a Python class.
    func refuseCode() throws(ConnectorFault) {
        if let name = customClass { throw fault(.code, "`\(name)` is code of the connector's own") }
    }

    /// The component's text, where it is one.
    var text: String? { node.text }

    /// A member of its own, or the parameter of that name.
    func member(_ name: String) throws(ConnectorFault) -> Component? {
        let own = try node[name].map { value throws(ConnectorFault) in try document.resolved(value) }
        guard let value = own.flatMap({ $0.isEmpty ? nil : $0 }) ?? parameters[name] ?? own, !value.isNull else {
            return nil
        }
        // A parameter of that name would find itself again inside; a text may name it.
        var inherited = parameters
        if value.scalar == nil { inherited[name] = nil }
        return try Component(value, in: document, parameters: inherited)
    }

    /// A node of the same text, its own reference replaced.
    func resolved(_ node: Node) throws(ConnectorFault) -> Node { try document.resolved(node) }

    /// A member inside others.
    func member(_ names: String...) throws(ConnectorFault) -> Component? {
        var component: Component? = self
        for name in names { component = try component?.member(name) }
        return component
    }

    /// The elements of a list, or the only value in place of one.
    func elements() throws(ConnectorFault) -> [Component] {
        guard let elements = node.elements else { return [self] }
        return try elements.map { element throws(ConnectorFault) in
            try Component(element, in: document, parameters: parameters)
        }
    }

    /// The members of a plain mapping, such as headers.
    func entries() throws(ConnectorFault) -> [(name: String, value: Component)] {
        var entries: [(String, Component)] = []
        for pair in node.pairs ?? [] {
            guard let name = pair.key.text, name != "$parameters" else { continue }
            entries.append((name, try Component(pair.value, in: document, parameters: parameters)))
        }
        return entries
    }
}

extension Node {
    /// True for nothing, an empty text, list or mapping: a parameter takes its place.
    fileprivate var isEmpty: Bool {
        switch content {
        case .scalar(let scalar): isNull || scalar.text.isEmpty
        case .sequence(let elements): elements.isEmpty
        case .mapping(let pairs): pairs.isEmpty
        }
    }
}
