internal import YAML

/// Puts a feed's own members over its preset's.
enum DefinitionMerge {
    /// The members that hold names of the user's and merge name by name.
    private static let mergedByName: Set<String> = ["query", "headers", "columns"]

    /// The preset's members with the feed's in their place: the feed's win, `null` takes the preset's away, `query`,
    /// `headers`, `columns` and a `pagination` of the same style merge name by name, and all else replaces as a whole.
    ///
    /// - Parameter defaults: Members under both, merged likewise.
    static func merge(_ own: Node, over preset: Node?, defaults: Node? = nil) -> Node {
        // A diagnostic that a preset's member takes part in is the feed's, and is shown there.
        let preset = preset.map { moved($0, to: own.mark) }
        let base = preset.map { preset in defaults.map { merge(preset, over: $0) } ?? preset } ?? defaults
        return base.map { merge(own, over: $0) } ?? own
    }

    private static func merge(_ own: Node, over base: Node) -> Node {
        merge(own, over: base) { name, own, preset in
            if mergedByName.contains(name) {
                return merge(own, over: preset, ignoringCase: name == "headers") { _, own, _ in own }
            }
            // The style's name alone changes nothing where it is the preset's.
            if name == "pagination", let word = own.text, word == preset["style"]?.text { return preset }
            if name == "pagination", own.pairs != nil,
                own["style"] == nil || own["style"]?.text == preset["style"]?.text
            {
                return merge(own, over: preset) { _, own, _ in own }
            }
            return own
        }
    }

    private static func merge(
        _ own: Node, over preset: Node, ignoringCase: Bool = false, _ both: (String, Node, Node) -> Node
    ) -> Node {
        guard let ownPairs = own.pairs, var pairs = preset.pairs else { return own }
        for pair in ownPairs {
            let match = pairs.firstIndex { same($0.key.text, pair.key.text, ignoringCase: ignoringCase) }
            guard let match else {
                // A null that takes nothing away stays, to be reported.
                pairs.append(pair)
                continue
            }
            if pair.value.isNull {
                pairs.remove(at: match)
            } else {
                let value = both(pair.key.text ?? "", pair.value, pairs[match].value)
                pairs[match] = Node.Pair(key: pair.key, value: value)
            }
        }
        return Node(.mapping(pairs), mark: own.mark)
    }

    private static func moved(_ node: Node, to mark: Mark) -> Node {
        switch node.content {
        case .scalar:
            Node(node.content, mark: mark)
        case .sequence(let elements):
            Node(.sequence(elements.map { moved($0, to: mark) }), mark: mark)
        case .mapping(let pairs):
            Node(
                .mapping(pairs.map { Node.Pair(key: moved($0.key, to: mark), value: moved($0.value, to: mark)) }),
                mark: mark)
        }
    }

    private static func same(_ one: String?, _ other: String?, ignoringCase: Bool) -> Bool {
        ignoringCase ? one?.lowercased() == other?.lowercased() : one == other
    }
}
